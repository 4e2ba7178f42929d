#include "saltus/scheme/first_order/chain_stepper.hpp"

#include <Eigen/LU>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scheme/first_order/chain_coefficients.hpp"
#include "saltus/scheme/first_order/front.hpp"

namespace saltus {
namespace {

using Velocity = ChainMethod::Velocity;

template <int m>
class ChainStepper final : public Stepper {
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;

 public:
  ChainStepper(const Chain& chain, Velocity velocity, double gamma, std::function<ChainMethod(double)> method,
               double tolerance, int order)
      : chain_(chain),
        d_(chain.data()),
        velocity_(velocity),
        gamma_(gamma),
        method_(std::move(method)),
        tolerance_(tolerance),
        order_(order),
        N_(chain.beads()),
        front_(chain) {
    X_.resize(N_), target_.resize(N_), z_.resize(N_), G_.resize(N_), inverse_.resize(N_), S_.resize(N_ + 1);
    if (tailored()) g_.resize(N_), Dg_.resize(N_);
  }

  int order() const override { return order_; }

  State start(double t, In q, In u) override {
    State x;
    x.t = t, x.q = q, x.u = u, x.aux = u;
    const double gamma = gamma_;
    if (velocity_ == Velocity::damped) {
      chain_.damping_velocity(q, x.aux);
      x.aux = u - x.aux;
    } else if (velocity_ != Velocity::plain) {
      chain_.conservative(q, g_);
      x.aux -= 0.5 * gamma * g_;
      if (velocity_ == Velocity::irk) {
        chain_.conservative_derivative(q, u, Dg_);
        x.aux -= 0.125 * gamma * gamma * Dg_;
      }
    }
    front_.begin(x);
    rest_ = front_.rest;
    return x;
  }

  StepReport take_step(const State& x0, double h, State& x1) override {
    StepReport report;
    if (h != h_) k_.set(method_(h), h), h_ = h;
    x_ = x0.q.data(), w_ = x0.aux.data(), v_ = x0.u.data();
    find_window(x0, 3);
    prepare(lo_, hi_);
    for (bool wider = true; wider;) {
      report.status = solve(report);
      if (report.status != StepStatus::ok) return report;
      const int a = lo_, b = hi_;
      wider = widen();
      prepare(lo_, a), prepare(b, hi_);  // the others keep their solution as a start
    }
    finish(x0, x1);
    x1.t = x0.t + h;
    for (int n = lo_; n < hi_; ++n)
      if (!std::isfinite(x1.u.data()[n] + x1.q.data()[n])) {
        report.status = StepStatus::not_finite, report.bad_component = 2 * n;
        return report;
      }
    report.bad_component = -1;
    return report;
  }

 private:
  double overlap(int n, int i) const {
    return (n > 0 ? X_[n - 1][i] : d_.left) - (n < N_ ? X_[n][i] : d_.right);
  }
  bool damped() const { return velocity_ == Velocity::damped; }
  bool tailored() const { return velocity_ == Velocity::theta || velocity_ == Velocity::irk; }

  // ---- which beads move
  bool acts(int n, double d, double mass) const { return d > 0 && h_ * chain_.hertz(n, d) > rest_ * mass; }
  bool rests(int n) const {
    if (std::abs(v_[n]) > rest_ || std::abs(w_[n]) > rest_ || d_.F[n] != d_.K[n] * x_[n]) return false;
    return !acts(n, chain_.overlap(n, x_), d_.m[n]) && !acts(n + 1, chain_.overlap(n + 1, x_), d_.m[n]);
  }
  void find_window(const State& x0, int margin) {
    front_.find(x0, margin, [this](int n) { return rests(n); });
    lo_ = front_.lo, hi_ = front_.hi;
    margin_ = margin;
    if (lo_ > 0) X_[lo_ - 1].setConstant(x_[lo_ - 1]);
    if (hi_ < N_) X_[hi_].setConstant(x_[hi_]);
  }
  bool moved(int n) const { return (X_[n].array() - x_[n]).abs().maxCoeff() > 2 * rest_ * h_; }
  // True when a bead at the edge moved: then the window was too narrow.
  bool widen() {
    const bool left = lo_ > 0 && moved(lo_), right = hi_ < N_ && moved(hi_ - 1);
    margin_ *= 2;
    if (left) lo_ = std::max(0, lo_ - margin_);
    if (right) hi_ = std::min(N_, hi_ + margin_);
    if (lo_ > 0) X_[lo_ - 1].setConstant(x_[lo_ - 1]);
    if (hi_ < N_) X_[hi_].setConstant(x_[hi_]);
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
    const double d = chain_.overlap(n, x_);
    if (!(d > 0) || d_.k[n] == 0) return out;
    const ContactForce c = chain_.contact(n, d);
    out.force = velocity_ == Velocity::plain ? c.phi + c.dsigma * chain_.rate(n, v_) : c.phi;
    out.stiffness = largest_load_ * c.dphi + (tailored() ? 0.0 : k_.c[m - 1] * c.dsigma);
    if (k_.has_start) {
      out.known = k_.force0 * out.force;
      if (damped()) out.known += k_.damp0 * c.sigma;
    }
    return out;
  }
  void prepare(int from, int to) {
    if (from >= to) return;
    largest_load_ = k_.load.cwiseAbs().maxCoeff();
    Start before = start_flow(from);
    for (int n = from; n < to; ++n) {
      const Start after = start_flow(n + 1);
      const double mass = d_.m[n], local = d_.F[n] - d_.K[n] * x_[n];
      const double force = (before.force - after.force + local) / (mass + before.stiffness + after.stiffness);
      target_[n] = mass * (Col::Constant(x_[n]) + w_[n] * k_.c) + d_.F[n] * k_.load;
      if (k_.has_start) target_[n] += before.known - after.known - d_.K[n] * x_[n] * k_.local0;
      X_[n] = Col::Constant(x_[n]) + (tailored() ? w_[n] : v_[n]) * k_.c + force * k_.load;
      before = after;
    }
  }

  // ---- one contact: what it adds to m X_i (P), and the derivative by the overlaps of the stages (S)
  template <bool derivative>
  void flow(int n, Col& P, Mat& S) const {
    P.setZero();
    if constexpr (derivative) S.setZero();
    if (d_.k[n] == 0) return;
    Col d;
    bool open = true;
    for (int j = 0; j < m; ++j) d[j] = overlap(n, j), open = open && !(d[j] > 0);
    if (open) return;
    if (velocity_ == Velocity::plain) return flow_x<derivative>(n, d, P, S);
    for (int j = 0; j < m; ++j) {
      const ContactForce c = chain_.contact(n, d[j]);
      P += k_.force.col(j) * c.phi;
      if (damped()) P += k_.damp.col(j) * c.sigma;
      if constexpr (derivative) {
        S.col(j) = k_.force.col(j) * c.dphi;
        if (damped()) S.col(j) += k_.damp.col(j) * c.dsigma;
      }
    }
  }
  // rates of the overlaps, formulation x
  Col rates(int n, const Col& d) const {
    const double d0 = chain_.overlap(n, x_), r0 = chain_.rate(n, v_);
    return k_.rate * (d - Col::Constant(d0)) - k_.rate0 * r0;
  }
  template <bool derivative>
  void flow_x(int n, const Col& d, Col& P, Mat& S) const {
    const Col r = rates(n, d);
    for (int j = 0; j < m; ++j) {
      const ContactForce c = chain_.contact<true>(n, d[j]);
      P += k_.force.col(j) * (c.phi + c.dsigma * r[j]);
      if constexpr (derivative) {
        S.col(j) += k_.force.col(j) * (c.dphi + c.ddsigma * r[j]);
        S += c.dsigma * k_.force.col(j) * k_.rate.row(j);
      }
    }
  }

  // ---- Newton: assembly and elimination in one sweep; false at a bead whose pivot block is singular.
  // Without `fresh` the factors of the last sweep are used again: no inverse stands in the recursion.
  template <bool fresh>
  bool sweep() {
    Col before, after;
    flow<fresh>(lo_, before, S_[lo_]);
    if (fresh) negative_ = -1;
    for (int n = lo_; n < hi_; ++n) {
      flow<fresh>(n + 1, after, S_[n + 1]);
      Col r = target_[n] - d_.m[n] * X_[n] + before - after;
      if (d_.K[n] != 0) r -= d_.K[n] * (k_.local * X_[n]);
      if (n > lo_) r += S_[n] * z_[n - 1];
      if constexpr (fresh)
        if (!factorize(n)) return false;
      z_[n] = inverse_[n] * r;
      before = after;
    }
    return true;
  }
  bool factorize(int n) {
    Mat D = S_[n] + S_[n + 1];
    D.diagonal().array() += d_.m[n];
    if (d_.K[n] != 0) D += d_.K[n] * k_.local;
    if (n > lo_) D -= S_[n] * G_[n - 1];
    double det = 0;
    bool invertible = false;
    D.computeInverseAndDetWithCheck(inverse_[n], det, invertible, 0);
    if (!(det > 0)) negative_ = n;
    G_[n] = inverse_[n] * S_[n + 1];
    return invertible;
  }
  // The way back: the largest change and where, how far beads moved in the last stage, and their size.
  struct Update {
    double change = 0, move = 0, size = 0;
    int where = 0;
  };
  Update update() {
    Update out;
    Col delta = Col::Zero();
    for (int n = hi_ - 1; n >= lo_; --n) {
      delta = n + 1 < hi_ ? Col(z_[n] + G_[n] * delta) : z_[n];
      X_[n] += delta;
      const double change = delta.cwiseAbs().maxCoeff(), X = X_[n][m - 1];
      if (!(change <= out.change)) out.change = change, out.where = n;
      out.move = std::max(out.move, std::abs(X - x_[n])), out.size = std::max(out.size, std::abs(X));
    }
    return out;
  }
  // Newton with the factors of its first iteration as long as that contracts fast.
  StepStatus solve(StepReport& report) {
    double last = infinity;
    bool fresh = true;
    for (int it = 0; it < 60; ++it) {
      ++report.newton_iterations;
      report.force_evaluations += m;
      if (!(fresh ? sweep<true>() : sweep<false>())) {
        report.bad_component = 2 * negative_;
        return StepStatus::singular;
      }
      const auto [change, move, size, where] = update();
      report.stage_residual = change, report.bad_component = 2 * where;
      if (!std::isfinite(change)) return StepStatus::not_finite;
      const double rounding = 4e-16 * size, goal = tolerance_ * move + rounding;
      const double rate = it > 0 ? change / last : 1.0;  // it contracts at least so fast again
      if (change <= goal || change * rate <= 0.1 * goal || (it > 5 && change <= 100 * rounding)) {
        if (negative_ < 0) return StepStatus::ok;
        if (fresh) {  // the matrix at the solution
          report.bad_component = 2 * negative_;
          return StepStatus::not_unique;
        }
      }
      fresh = negative_ >= 0 || (it > 0 ? rate > 0.03 : change > 1e-3 * move);
      last = change;
    }
    return StepStatus::newton_diverged;
  }

  // ---- the end of the step
  struct Impulse {
    double position = 0, velocity = 0;
  };
  Impulse impulse(int n) const {
    Impulse out;
    if (d_.k[n] == 0) return out;
    Col d;
    for (int j = 0; j < m; ++j) d[j] = overlap(n, j);
    const bool plain = velocity_ == Velocity::plain;
    const Col r = plain ? rates(n, d) : Col::Zero();
    const auto add = [&](double force, double damp, double kick, const ContactForce& c, double rate) {
      const double f = plain ? c.phi + c.dsigma * rate : c.phi;
      out.position += force * f + (damped() ? damp * c.sigma : 0.0);
      out.velocity += kick * f;
    };
    for (int j = 0; j < m; ++j)
      add(k_.end_force[j], k_.end_damp[j], k_.kick[j], chain_.contact(n, d[j]), r[j]);
    if (k_.has_start)
      add(k_.end_force0, k_.end_damp0, k_.kick0, chain_.contact(n, chain_.overlap(n, x_)),
          chain_.rate(n, v_));
    return out;
  }
  void finish(const State& x0, State& x1) {
    front_.lo = lo_, front_.hi = hi_;
    front_.carry(x0, x1);
    Impulse before = impulse(lo_);
    for (int n = lo_; n < hi_; ++n) {
      const Impulse after = impulse(n + 1);
      const double mass = 1 / d_.m[n], K = d_.K[n];
      double dx = before.position - after.position + d_.F[n] * k_.end_load;
      double dw = before.velocity - after.velocity + d_.F[n] * k_.end_kick;
      if (K != 0) {
        dx -= K * (k_.end_local.dot(X_[n]) + k_.end_local0 * x_[n]);
        dw -= K * (k_.local_kick.dot(X_[n]) + k_.local_kick0 * x_[n]);
      }
      x1.q.data()[n] = k_.ends_in_last ? X_[n][m - 1] : x_[n] + k_.end_kick * w_[n] + mass * dx;
      x1.aux.data()[n] = w_[n] + mass * dw;
      before = after;
    }
    recover(x1);
  }
  void recover(State& x1) {
    if (velocity_ == Velocity::plain) {
      for (int n = lo_; n < hi_; ++n) x1.u.data()[n] = x1.aux.data()[n];
      return;
    }
    const double half = 0.5 * gamma_, eighth = 0.5 * half * half;
    const double *x = x1.q.data(), *w = x1.aux.data();
    const auto part = [&](int n) {  // of contact n, as it acts on bead n
      const double d = chain_.overlap(n, x);
      if (!(d > 0)) return 0.0;
      const ContactForce c = chain_.contact(n, d);
      if (damped()) return c.sigma;
      return half * c.phi + (velocity_ == Velocity::irk ? eighth * c.dphi * chain_.rate(n, w) : 0.0);
    };
    double before = part(lo_);
    for (int n = lo_; n < hi_; ++n) {
      const double after = part(n + 1);
      double sum = before - after;
      if (!damped()) {
        sum += half * (d_.F[n] - d_.K[n] * x[n]);
        if (velocity_ == Velocity::irk) sum -= eighth * d_.K[n] * w[n];
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
  double tolerance_;
  int order_, N_;
  Front front_;
  double h_ = 0, rest_ = 0, largest_load_ = 0;
  int lo_ = 0, hi_ = 0, margin_ = 0, negative_ = -1;
  Coefficients<m> k_;
  std::vector<Col> X_, target_, z_;
  std::vector<Mat> G_, inverse_, S_;  // the factors, and what couples a bead to the one before
  Vec g_, Dg_;
  const double *x_ = nullptr, *w_ = nullptr, *v_ = nullptr;
};

}  // namespace

bool starts_explicitly(const ChainMethod& t) {
  return t.A.row(0).isZero(0) && t.Ak.row(0).isZero(0);
}

ChainMethod chain_method(const Tableau& t, int order) {
  return {t.A, t.A, t.b, t.b, order};
}

ChainMethod additive_theta(double theta, double mu) {
  ChainMethod t;
  t.A = t.Ak = Eigen::MatrixXd::Zero(2, 2);
  t.A(1, 0) = 1 - theta, t.A(1, 1) = theta;
  t.Ak(1, 0) = mu, t.Ak(1, 1) = 1 - mu;
  t.b = t.A.row(1).transpose(), t.bk = t.Ak.row(1).transpose();
  t.order = theta == 0.5 && mu == 0.5 ? 2 : 1;
  return t;
}

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
