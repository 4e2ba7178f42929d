#include "saltus/scheme/first_order/chain_stepper.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scheme/first_order/chain_stages.hpp"
#include "saltus/scheme/first_order/front.hpp"

namespace saltus {
namespace {

using Velocity = ChainMethod::Velocity;

template <int m>
class ChainStepper final : public Stepper {
  using Col = typename ChainStages<m>::Col;

 public:
  ChainStepper(const Chain& chain, Velocity velocity, double gamma, std::function<ChainMethod(double)> method,
               double tolerance, int order)
      : chain_(chain),
        d_(chain.data()),
        velocity_(velocity),
        gamma_(gamma),
        method_(std::move(method)),
        order_(order),
        N_(chain.beads()),
        front_(chain),
        moves_(chain.left_moves() || chain.right_moves()),
        stages_(chain, velocity, tolerance) {
    stages_.begin = end_ = chain.ends(0);
    if (tailored()) g_.resize(N_), Dg_.resize(N_);
  }

  int order() const override { return order_; }

  State start(double t, In q, In u) override {
    State x;
    x.t = t, x.q = q, x.u = u, x.aux = u;
    const double gamma = gamma_;
    const ChainEnds ends = chain_.ends(t);
    if (damped()) {
      chain_.damping_velocity(ends, q, x.aux);
      x.aux = u - x.aux;
    } else if (velocity_ != Velocity::plain) {
      chain_.conservative(ends, q, g_);
      x.aux -= 0.5 * gamma * g_;
      if (velocity_ == Velocity::irk) {
        chain_.conservative_derivative(ends, q, u, Dg_);
        x.aux -= 0.125 * gamma * gamma * Dg_;
      }
    }
    front_.begin(x, ends);
    rest_ = front_.rest;
    return x;
  }

  StepReport take_step(const State& x0, double h, State& x1) override {
    StepReport report;
    if (h != h_) stages_.k.set(method_(h), h), h_ = h;
    stages_.x = x0.q.data(), stages_.w = x0.aux.data(), stages_.v = x0.u.data();
    if (moves_) move_ends(x0.t, h);
    largest_load_ = stages_.k.load.cwiseAbs().maxCoeff();
    find_window(x0, 3);
    prepare(lo(), hi());
    for (bool wider = true; wider;) {
      report.status = stages_.solve(report);
      if (report.status != StepStatus::ok) return report;
      const int a = lo(), b = hi();
      wider = widen();
      prepare(lo(), a), prepare(b, hi());  // the others keep their solution as a start
    }
    finish(x0, x1);
    x1.t = x0.t + h;
    report.bad_component = 2 * first_bad(x1);
    if (report.bad_component >= 0)
      report.status = StepStatus::not_finite;
    else
      report.bad_component = -1;
    return report;
  }

 private:
  int lo() const { return stages_.lo; }
  int hi() const { return stages_.hi; }
  bool damped() const { return velocity_ == Velocity::damped; }
  bool plain() const { return velocity_ == Velocity::plain; }
  bool tailored() const { return velocity_ == Velocity::theta || velocity_ == Velocity::irk; }

  // The first bead that is no longer finite, or −1.
  int first_bad(const State& x1) const {
    const double *q = x1.q.data(), *u = x1.u.data();
    return over_pieces<int>(
        lo(), hi(), chain_piece,
        [=](int from, int to) {
          for (int n = from; n < to; ++n)
            if (!std::isfinite(u[n] + q[n])) return n;
          return -1;
        },
        [](int& first, int next) { first = first < 0 ? next : first; });
  }

  // ---- ends that move: where they are in the stages, and what they push with
  void move_ends(double t, double h) {
    stages_.begin = chain_.ends(t), end_ = chain_.ends(t + h);
    for (int j = 0; j < m; ++j) {
      const ChainEnds e = chain_.ends(t + stages_.k.c[j]);
      stages_.X(-1)[j] = e.left, stages_.X(N_)[j] = e.right;
      stages_.wall_rate[0][j] = e.left_rate, stages_.wall_rate[1][j] = e.right_rate;
      push_[0][j] = e.left_push, push_[1][j] = e.right_push;
    }
  }
  // Forces on the end beads have the tableau of local forces: what they add to m X_i and to the end.
  Col pushed(int side) const {
    const double begin = side ? stages_.begin.right_push : stages_.begin.left_push;
    return stages_.k.local * push_[side] + stages_.k.local0 * begin;
  }

  // ---- which beads move
  bool acts(int n, double d, double mass) const { return d > 0 && h_ * chain_.hertz(n, d) > rest_ * mass; }
  bool rests(int n) const {
    const double *x = stages_.x, *v = stages_.v, *w = stages_.w;
    if (std::abs(v[n]) > rest_ || std::abs(w[n]) > rest_) return false;
    if (chain_.constant_force(n) != chain_.local(n) * x[n]) return false;
    if (moves_ && ((n == 0 && chain_.left_moves()) || (n == N_ - 1 && chain_.right_moves()))) return false;
    return !acts(n, chain_.overlap(n, x, stages_.begin), d_.m[n]) &&
           !acts(n + 1, chain_.overlap(n + 1, x, stages_.begin), d_.m[n]);
  }
  void find_window(const State& x0, int margin) {
    front_.find(x0, margin, [this](int n) { return rests(n); });
    stages_.lo = front_.lo, stages_.hi = front_.hi;
    margin_ = margin;
    hold_neighbours();
  }
  void hold_neighbours() {
    if (lo() > 0) stages_.X(lo() - 1).setConstant(stages_.x[lo() - 1]);
    if (hi() < N_) stages_.X(hi()).setConstant(stages_.x[hi()]);
  }
  bool moved(int n) const { return (stages_.X(n).array() - stages_.x[n]).abs().maxCoeff() > 2 * rest_ * h_; }
  // True when a bead at the edge moved: then the window was too narrow.
  bool widen() {
    const bool left = lo() > 0 && moved(lo()), right = hi() < N_ && moved(hi() - 1);
    margin_ *= 2;
    if (left) stages_.lo = std::max(0, lo() - margin_);
    if (right) stages_.hi = std::min(N_, hi() + margin_);
    hold_neighbours();
    return left || right;
  }

  // ---- what a step knows before it solves: m r_i, and a start of the iteration that is right to h², held
  // back where a bead is stiff: m (X_i − x) = m h c_i (w + s) + h² (A²1)_i g/(1 + stiffness)
  struct Start {
    Col known = Col::Zero();  // of the start, where that is a stage
    double force = 0, stiffness = 0;
  };
  Start start_flow(int n) const {
    Start out;
    const double d = chain_.overlap(n, stages_.x, stages_.begin);
    if (!(d > 0) || d_.k[n] == 0) return out;
    const Coefficients<m>& k = stages_.k;
    const ContactForce c = tailored() ? chain_.elastic(n, d) : chain_.contact(n, d);
    out.force = plain() ? c.phi + c.dsigma * chain_.rate(n, stages_.v, stages_.begin) : c.phi;
    out.stiffness = largest_load_ * c.dphi + (tailored() ? 0.0 : k.c[m - 1] * c.dsigma);
    if (k.has_start) {
      out.known = k.force0 * out.force;
      if (damped()) out.known += k.damp0 * c.sigma;
    }
    return out;
  }
  void prepare(int from, int to) {
    if (from >= to) return;
    for_pieces(from, to, chain_piece, [this](int a, int b) { prepare_piece(a, b); });
    if (moves_ && from == 0) stages_.target()[0] += pushed(0);
    if (moves_ && to == N_) stages_.target()[N_ - 1] += pushed(1);
  }
  void prepare_piece(int from, int to) {
    const Coefficients<m>& k = stages_.k;
    const double *x = stages_.x, *v = stages_.v, *w = stages_.w;
    Start before = start_flow(from);
    for (int n = from; n < to; ++n) {
      const Start after = start_flow(n + 1);
      const double mass = d_.m[n], K = chain_.local(n), F = chain_.constant_force(n), local = F - K * x[n];
      const double force = (before.force - after.force + local) / (mass + before.stiffness + after.stiffness);
      Col& target = stages_.target()[n];
      target = mass * (Col::Constant(x[n]) + w[n] * k.c) + F * k.load;
      if (k.has_start) {
        target += before.known - after.known - K * x[n] * k.local0;
        if (const double C = chain_.dashpot(n); C != 0 && !tailored())
          target -= plain() ? Col(C * v[n] * k.force0) : Col(C * x[n] * k.damp0);
      }
      stages_.X(n) = Col::Constant(x[n]) + (tailored() ? w[n] : v[n]) * k.c + force * k.load;
      before = after;
    }
  }

  // ---- the end of the step
  struct Impulse {
    double position = 0, velocity = 0;
  };
  [[gnu::always_inline]] Impulse impulse(int n) const {
    Impulse out;
    if (d_.k[n] == 0) return out;
    const Coefficients<m>& k = stages_.k;
    const Col d = stages_.overlaps(n);
    const Col r = plain() ? stages_.rates(n, d) : Col::Zero();
    const auto add = [&](double force, double damp, double kick, double overlap, double rate)
        __attribute__((always_inline)) {
      const ContactForce c = tailored() ? chain_.elastic(n, overlap) : chain_.contact(n, overlap);
      const double f = plain() ? c.phi + c.dsigma * rate : c.phi;
      out.position += force * f + (damped() ? damp * c.sigma : 0.0);
      out.velocity += kick * f;
    };
    for (int j = 0; j < m; ++j) add(k.end_force[j], k.end_damp[j], k.kick[j], d[j], r[j]);
    if (k.has_start)
      add(k.end_force0, k.end_damp0, k.kick0, chain_.overlap(n, stages_.x, stages_.begin),
          chain_.rate(n, stages_.v, stages_.begin));
    return out;
  }
  // Of the force on the end bead.
  Impulse push_impulse(int side) const {
    const Coefficients<m>& k = stages_.k;
    const double begin = side ? stages_.begin.right_push : stages_.begin.left_push;
    return {k.end_local.dot(push_[side]) + k.end_local0 * begin,
            k.local_kick.dot(push_[side]) + k.local_kick0 * begin};
  }
  // Of local springs and dashpots.
  Impulse local_impulse(int n) const {
    const Coefficients<m>& k = stages_.k;
    const Col& X = stages_.X(n);
    const double x = stages_.x[n], v = stages_.v[n], K = chain_.local(n), C = chain_.dashpot(n);
    Impulse out;
    if (K != 0) {
      out.position -= K * (k.end_local.dot(X) + k.end_local0 * x);
      out.velocity -= K * (k.local_kick.dot(X) + k.local_kick0 * x);
    }
    if (C == 0) return out;
    if (!plain()) {
      out.position -= C * (k.end_damp.dot(X) + k.end_damp0 * x);
      return out;
    }
    const Col V = stages_.velocities(n);
    out.position -= C * (k.end_force.dot(V) + k.end_force0 * v);
    out.velocity -= C * (k.kick.dot(V) + k.kick0 * v);
    return out;
  }
  void finish(const State& x0, State& x1) {
    front_.lo = lo(), front_.hi = hi();
    front_.carry(x0, x1);
    for_pieces(lo(), hi(), chain_piece, [&](int a, int b) { finish_piece(a, b, x1); });
    for_pieces(lo(), hi(), chain_piece, [&](int a, int b) { recover(a, b, x1); });
  }
  void finish_piece(int from, int to, State& x1) {
    const Coefficients<m>& k = stages_.k;
    const bool local = chain_.has_local() || chain_.has_dashpots();
    Impulse before = impulse(from);
    if (moves_ && from == 0) {
      const Impulse push = push_impulse(0);
      before.position += push.position, before.velocity += push.velocity;
    }
    for (int n = from; n < to; ++n) {
      const Impulse after = impulse(n + 1);
      const double mass = 1 / d_.m[n], F = chain_.constant_force(n);
      double dx = before.position - after.position + F * k.end_load;
      double dw = before.velocity - after.velocity + F * k.end_kick;
      if (local) {
        const Impulse own = local_impulse(n);
        dx += own.position, dw += own.velocity;
      }
      if (moves_ && n + 1 == N_) {
        const Impulse push = push_impulse(1);
        dx += push.position, dw += push.velocity;
      }
      x1.q.data()[n] =
          k.ends_in_last ? stages_.X(n)[m - 1] : stages_.x[n] + k.end_kick * stages_.w[n] + mass * dx;
      x1.aux.data()[n] = stages_.w[n] + mass * dw;
      before = after;
    }
  }
  void recover(int from, int to, State& x1) {
    if (plain()) {
      for (int n = from; n < to; ++n) x1.u.data()[n] = x1.aux.data()[n];
      return;
    }
    const double half = 0.5 * gamma_, eighth = 0.5 * half * half;
    const double *x = x1.q.data(), *w = x1.aux.data();
    const auto part = [&](int n) {  // of contact n, as it acts on bead n
      const double d = chain_.overlap(n, x, end_);
      if (!(d > 0)) return 0.0;
      if (damped()) return chain_.contact(n, d).sigma;
      const ContactForce c = chain_.elastic(n, d);
      return half * c.phi + (velocity_ == Velocity::irk ? eighth * c.dphi * chain_.rate(n, w, end_) : 0.0);
    };
    double before = part(from);
    if (moves_ && tailored() && from == 0) before += half * end_.left_push;
    for (int n = from; n < to; ++n) {
      double after = part(n + 1);
      if (moves_ && tailored() && n + 1 == N_) after -= half * end_.right_push;
      double sum = before - after;
      if (damped()) {
        sum -= chain_.dashpot(n) * x[n];
      } else {
        sum += half * (chain_.constant_force(n) - chain_.local(n) * x[n]);
        if (velocity_ == Velocity::irk) sum -= eighth * chain_.local(n) * w[n];
      }
      x1.u.data()[n] = w[n] + sum / d_.m[n];
      before = after;
    }
  }

  const Chain& chain_;
  const ChainData& d_;
  Velocity velocity_;
  double gamma_;
  std::function<ChainMethod(double)> method_;
  int order_, N_;
  Front front_;
  bool moves_;
  double h_ = 0, rest_ = 0, largest_load_ = 0;
  int margin_ = 0;
  ChainStages<m> stages_;
  ChainEnds end_;  // of the step
  Col push_[2] = {Col::Zero(), Col::Zero()};
  Vec g_, Dg_;
};

}  // namespace

std::unique_ptr<Stepper> make_chain_stepper(const Chain& chain, Velocity velocity, double gamma,
                                            std::function<ChainMethod(double)> method, double tolerance) {
  const ChainMethod t = method(1);
  const int m = static_cast<int>(t.b.size()) - (starts_explicitly(t) ? 1 : 0), order = t.order;
  const auto make = [&]<int stages>() -> std::unique_ptr<Stepper> {
    return std::make_unique<ChainStepper<stages>>(chain, velocity, gamma, std::move(method), tolerance,
                                                  order);
  };
  switch (m) {
    case 1:
      return make.template operator()<1>();
    case 2:
      return make.template operator()<2>();
    case 3:
      return make.template operator()<3>();
    case 4:
      return make.template operator()<4>();
    default:
      fail("a chain is solved for one to four implicit stages, this method has {}", m);
  }
}

}  // namespace saltus
