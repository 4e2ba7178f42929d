#include "saltus/scheme/chain_stepper.hpp"

#include <Eigen/LU>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

using Velocity = ChainMethod::Velocity;

bool starts_explicitly(const ChainMethod& t) {
  return t.A.row(0).isZero(0) && t.Ak.row(0).isZero(0);
}

// The method with h in it. Stage 0 of `…0` is the start, where that is a stage.
template <int m>
struct Coefficients {
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;
  Mat force, damp, local;     // h²A², hA, h²A·Ak
  Col force0, damp0, local0;  // their column of the start
  Col c, load;                // h A1, h² A² 1
  Mat rate;                   // formulation x: V_i = Σ rate_ij (X_j − x) − rate0_i v
  Col rate0;
  // the end: positions (force, damp, local) and velocities (kick, local kick)
  Col end_force, end_damp, end_local, kick, local_kick;
  double end_force0 = 0, end_damp0 = 0, end_local0 = 0, kick0 = 0, local_kick0 = 0, end_load = 0,
         end_kick = 0;
  bool has_start = false, ends_in_last = false;

  void set(const ChainMethod& t, double h) {
    const int s = static_cast<int>(t.b.size()), o = s - m;
    has_start = o == 1;
    const Eigen::MatrixXd F = h * h * t.A * t.A, L = h * h * t.A * t.Ak, D = h * t.A;
    const Eigen::RowVectorXd f = h * h * t.b.transpose() * t.A, l = h * h * t.b.transpose() * t.Ak;
    force = F.bottomRightCorner(m, m), local = L.bottomRightCorner(m, m), damp = D.bottomRightCorner(m, m);
    c = D.rowwise().sum().tail(m), load = F.rowwise().sum().tail(m);
    end_force = f.tail(m).transpose(), end_local = l.tail(m).transpose();
    end_damp = h * t.b.tail(m), kick = end_damp, local_kick = h * t.bk.tail(m);
    end_load = f.sum(), end_kick = h * t.b.sum();
    rate = t.A.bottomRightCorner(m, m).inverse() / h;
    force0.setZero(), damp0.setZero(), local0.setZero(), rate0.setZero();
    if (has_start) {
      force0 = F.col(0).tail(m), damp0 = D.col(0).tail(m), local0 = L.col(0).tail(m);
      rate0 = rate * damp0;
      end_force0 = f[0], end_local0 = l[0], end_damp0 = kick0 = h * t.b[0], local_kick0 = h * t.bk[0];
    }
    ends_in_last =
        (t.A.row(s - 1).transpose() - t.b).isZero(0) && (t.Ak.row(s - 1).transpose() - t.bk).isZero(0);
  }
};

template <int m>
class ChainStepper final : public Stepper {
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;

 public:
  ChainStepper(const Chain& chain, Velocity velocity, std::function<ChainMethod(double)> method,
               double tolerance, int order)
      : chain_(chain),
        d_(chain.data()),
        velocity_(velocity),
        method_(std::move(method)),
        tolerance_(tolerance),
        order_(order),
        N_(chain.beads()) {
    X_.resize(N_), target_.resize(N_), z_.resize(N_), G_.resize(N_);
    if (velocity_ == Velocity::theta || velocity_ == Velocity::irk) g_.resize(N_), Dg_.resize(N_);
  }

  int order() const override { return order_; }

  State start(double t, In q, In u) override {
    State x;
    x.t = t, x.q = q, x.u = u, x.aux = u;
    const double gamma = chain_.damping();
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
    rest_ = 1e-20 * largest(x.u);
    return x;
  }

  StepReport step(const State& x0, double h, State& x1) override {
    StepReport report;
    if (h != h_) k_.set(method_(h), h), h_ = h;
    x_ = x0.q.data(), w_ = x0.aux.data(), v_ = x0.u.data();
    find_window(8);
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
    if (!finite(x1.q) || !finite(x1.u)) {
      report.status = StepStatus::not_finite;
      return report;
    }
    report.bad_component = -1;
    return report;
  }

 private:
  struct Flow {  // of a contact: what it adds to m X_i, and the derivative by the overlaps of the stages
    Col P = Col::Zero();
    Mat S = Mat::Zero();
  };

  double overlap(int n, int i) const {
    return (n > 0 ? X_[n - 1][i] : d_.left) - (n < N_ ? X_[n][i] : d_.right);
  }
  bool damped() const { return velocity_ == Velocity::damped; }

  // ---- which beads move
  bool acts(int n, double d, double mass) const { return d > 0 && h_ * chain_.hertz(n, d) > rest_ * mass; }
  bool rests(int n) const {
    if (std::abs(v_[n]) > rest_ || std::abs(w_[n]) > rest_ || d_.F[n] != d_.K[n] * x_[n]) return false;
    return !acts(n, chain_.overlap(n, x_), d_.m[n]) && !acts(n + 1, chain_.overlap(n + 1, x_), d_.m[n]);
  }
  void find_window(int margin) {
    lo_ = 0, hi_ = N_;
    while (hi_ > 1 && rests(hi_ - 1)) --hi_;
    while (lo_ + 1 < hi_ && rests(lo_)) ++lo_;
    lo_ = std::max(0, lo_ - margin), hi_ = std::min(N_, hi_ + margin);
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

  // ---- what a step knows before it solves: m r_i, and the start of the iteration X_i = x + h c_i v
  Col start_flow(int n) const {
    const ContactForce c = chain_.contact(n, chain_.overlap(n, x_));
    if (damped()) return k_.force0 * c.phi + k_.damp0 * c.sigma;
    if (velocity_ == Velocity::plain) return k_.force0 * (c.phi + c.dsigma * chain_.rate(n, v_));
    return k_.force0 * c.phi;
  }
  void prepare(int from, int to) {
    Col before = Col::Zero(), after = Col::Zero();
    if (k_.has_start && from < to) before = start_flow(from);
    for (int n = from; n < to; ++n) {
      target_[n] = d_.m[n] * (Col::Constant(x_[n]) + w_[n] * k_.c) + d_.F[n] * k_.load;
      if (k_.has_start) {
        after = start_flow(n + 1);
        target_[n] += before - after - d_.K[n] * x_[n] * k_.local0;
        before = after;
      }
      X_[n] = Col::Constant(x_[n]) + v_[n] * k_.c;
    }
  }

  // ---- one contact
  void flow(int n, Flow& out) const {
    out.P.setZero(), out.S.setZero();
    if (d_.k[n] == 0) return;
    Col d;
    bool open = true;
    for (int j = 0; j < m; ++j) d[j] = overlap(n, j), open = open && !(d[j] > 0);
    if (open) return;
    if (velocity_ == Velocity::plain) return flow_x(n, d, out);
    for (int j = 0; j < m; ++j) {
      const ContactForce c = chain_.contact(n, d[j]);
      out.P += k_.force.col(j) * c.phi, out.S.col(j) = k_.force.col(j) * c.dphi;
      if (damped()) out.P += k_.damp.col(j) * c.sigma, out.S.col(j) += k_.damp.col(j) * c.dsigma;
    }
  }
  // rates of the overlaps, formulation x
  Col rates(int n, const Col& d) const {
    const double d0 = chain_.overlap(n, x_), r0 = chain_.rate(n, v_);
    return k_.rate * (d - Col::Constant(d0)) - k_.rate0 * r0;
  }
  void flow_x(int n, const Col& d, Flow& out) const {
    const Col r = rates(n, d);
    for (int j = 0; j < m; ++j) {
      const ContactForce c = chain_.contact<true>(n, d[j]);
      out.P += k_.force.col(j) * (c.phi + c.dsigma * r[j]);
      out.S.col(j) += k_.force.col(j) * (c.dphi + c.ddsigma * r[j]);
      out.S += c.dsigma * k_.force.col(j) * k_.rate.row(j);
    }
  }

  // ---- Newton: assembly and elimination in one sweep; false at a bead whose pivot block is singular
  bool sweep() {
    Flow a, b;
    Flow *before = &a, *after = &b;
    flow(lo_, *before);
    negative_ = -1;
    for (int n = lo_; n < hi_; ++n) {
      flow(n + 1, *after);
      Mat D = before->S + after->S;
      D.diagonal().array() += d_.m[n];
      Col r = target_[n] - d_.m[n] * X_[n] + before->P - after->P;
      if (d_.K[n] != 0) D += d_.K[n] * k_.local, r -= d_.K[n] * (k_.local * X_[n]);
      if (n > lo_) {
        D -= before->S * G_[n - 1];
        r += before->S * z_[n - 1];
      }
      const double det = D.determinant();
      if (!(det > 0)) {
        negative_ = n;
        if (det == 0 || std::isnan(det)) return false;
      }
      const Mat inverse = D.inverse();
      z_[n] = inverse * r;
      G_[n] = inverse * after->S;
      std::swap(before, after);
    }
    return true;
  }
  // The way back; returns the largest change and where.
  double update(int& where) {
    double change = 0;
    Col delta = Col::Zero();
    for (int n = hi_ - 1; n >= lo_; --n) {
      delta = n + 1 < hi_ ? Col(z_[n] + G_[n] * delta) : z_[n];
      X_[n] += delta;
      const double size = delta.cwiseAbs().maxCoeff();
      if (!(size <= change)) change = size, where = n;
    }
    return change;
  }
  StepStatus solve(StepReport& report) {
    double last = infinity;
    int where = lo_;
    for (int it = 0; it < 40; ++it) {
      ++report.newton_iterations;
      report.force_evaluations += m;
      if (!sweep()) {
        report.bad_component = 2 * negative_;
        return StepStatus::singular;
      }
      const double change = update(where);
      report.stage_residual = change, report.bad_component = 2 * where;
      if (!std::isfinite(change)) return StepStatus::not_finite;
      double move = 0, size = 0;
      for (int n = lo_; n < hi_; ++n) {
        const double X = X_[n][m - 1];
        move = std::max(move, std::abs(X - x_[n])), size = std::max(size, std::abs(X));
      }
      const double rounding = 4e-16 * size, goal = tolerance_ * move + rounding;
      const double next =
          it > 0 ? change * (change / last) : change;  // Newton contracts at least so fast again
      if (change <= goal || next <= 0.1 * goal || (it > 5 && change <= 100 * rounding)) {
        report.bad_component = 2 * negative_;
        return negative_ < 0 ? StepStatus::ok : StepStatus::not_unique;
      }
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
    if (lo_ > 0 || hi_ < N_) assign(x0.q, x1.q), assign(x0.u, x1.u), assign(x0.aux, x1.aux);
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
    const double half = 0.5 * chain_.damping(), eighth = 0.5 * half * half;
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
  std::function<ChainMethod(double)> method_;
  double tolerance_;
  int order_, N_;
  double h_ = 0, rest_ = 0;
  int lo_ = 0, hi_ = 0, margin_ = 0, negative_ = -1;
  Coefficients<m> k_;
  std::vector<Col> X_, target_, z_;
  std::vector<Mat> G_;
  Vec g_, Dg_;
  const double *x_ = nullptr, *w_ = nullptr, *v_ = nullptr;
};

}  // namespace

ChainMethod chain_method(const Tableau& t) {
  return {t.A, t.A, t.b, t.b, order(t)};
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

std::unique_ptr<Stepper> make_chain_stepper(const Chain& chain, Velocity velocity,
                                            std::function<ChainMethod(double)> method, double tolerance) {
  const ChainMethod t = method(1);
  const int m = static_cast<int>(t.b.size()) - (starts_explicitly(t) ? 1 : 0), order = t.order;
  const auto make = [&]<int stages>() -> std::unique_ptr<Stepper> {
    return std::make_unique<ChainStepper<stages>>(chain, velocity, std::move(method), tolerance, order);
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
