// The stage positions of a step of a chain (chain_stepper.hpp), by Newton's method. The walls stand in the
// list of positions as beads before the first and behind the last, so that every contact has two neighbours.
#pragma once
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "saltus/scheme/first_order/chain_coefficients.hpp"

namespace saltus {

template <int m>
class ChainStages {
 public:
  using Velocity = ChainMethod::Velocity;
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;

  ChainStages(const Chain& chain, Velocity velocity, double tolerance)
      : chain_(chain),
        d_(chain.data()),
        velocity_(velocity),
        tolerance_(tolerance),
        local_(chain.has_local() || chain.has_dashpots()),
        N_(chain.beads()) {
    X_.resize(N_ + 2), target_.resize(N_), z_.resize(N_), G_.resize(N_), inverse_.resize(N_);
    S_.resize(N_ + 1);
    set_walls(chain.ends(0));
  }

  bool damped() const { return velocity_ == Velocity::damped; }
  bool tailored() const { return velocity_ == Velocity::theta || velocity_ == Velocity::irk; }

  /// Stage positions of bead n; −1 and N are the walls.
  Col& X(int n) { return X_[n + 1]; }
  const Col& X(int n) const { return X_[n + 1]; }
  Col overlaps(int n) const {
    Col d = X_[n] - X_[n + 1];
    if (chain_.has_offsets()) d.array() += d_.a.data()[n];
    return d;
  }
  void set_walls(const ChainEnds& ends) { X(-1).setConstant(ends.left), X(N_).setConstant(ends.right); }

  // The start of a step, and its ends there.
  const double *x = nullptr, *w = nullptr, *v = nullptr;
  ChainEnds begin;
  Col wall_rate[2] = {Col::Zero(), Col::Zero()};  // in the stages
  Coefficients<m> k;
  int lo = 0, hi = 0;  // the beads that are solved for
  std::vector<Col>& target() { return target_; }

  /// Rates of the overlaps d, formulation x; those of walls are known.
  Col rates(int n, const Col& d) const {
    if (n == 0 && chain_.left_moves()) return wall_rate[0] - velocities(0);
    if (n == N_ && chain_.right_moves()) return velocities(N_ - 1) - wall_rate[1];
    const double d0 = chain_.overlap(n, x, begin), r0 = chain_.rate(n, v, begin);
    return k.rate * (d - Col::Constant(d0)) - k.rate0 * r0;
  }
  /// Velocities of bead n in the stages, formulation x.
  Col velocities(int n) const { return k.rate * (X(n) - Col::Constant(x[n])) - k.rate0 * v[n]; }

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

 private:
  // ---- one contact: what it adds to m X_i (P), and the derivative by the overlaps of the stages (S)
  template <bool derivative>
  [[gnu::always_inline]] void flow(int n, Col& P, Mat& S) const {
    P.setZero();
    if constexpr (derivative) S.setZero();
    if (d_.k[n] == 0) return;
    const Col d = overlaps(n);
    bool open = true;
    for (int j = 0; j < m; ++j) open = open && !(d[j] > 0);
    if (open) return;
    if (velocity_ == Velocity::plain) return flow_x<derivative>(n, d, P, S);
    if (damped())
      for (int j = 0; j < m; ++j) {
        const ContactForce c = chain_.contact(n, d[j]);
        P += k.force.col(j) * c.phi;
        P += k.damp.col(j) * c.sigma;
        if constexpr (derivative) S.col(j) = k.force.col(j) * c.dphi, S.col(j) += k.damp.col(j) * c.dsigma;
      }
    else
      for (int j = 0; j < m; ++j) {
        const ContactForce c = chain_.elastic(n, d[j]);
        P += k.force.col(j) * c.phi;
        if constexpr (derivative) S.col(j) = k.force.col(j) * c.dphi;
      }
  }
  template <bool derivative>
  void flow_x(int n, const Col& d, Col& P, Mat& S) const {
    const Col r = rates(n, d);
    for (int j = 0; j < m; ++j) {
      const ContactForce c = chain_.contact<true>(n, d[j]);
      P += k.force.col(j) * (c.phi + c.dsigma * r[j]);
      if constexpr (derivative) {
        S.col(j) += k.force.col(j) * (c.dphi + c.ddsigma * r[j]);
        S += c.dsigma * k.force.col(j) * k.rate.row(j);
      }
    }
  }

  // ---- local springs and dashpots: what they take from m X_i, and the derivative of that
  void subtract_local(int n, Col& r) const {
    if (const double K = chain_.local(n); K != 0) r -= K * (k.local * X(n));
    const double C = chain_.dashpot(n);
    if (C == 0) return;
    if (velocity_ == Velocity::plain)
      r -= C * (k.force * velocities(n));
    else
      r -= C * (k.damp * X(n));
  }
  void add_local(int n, Mat& D) const {
    if (const double K = chain_.local(n); K != 0) D += K * k.local;
    const double C = chain_.dashpot(n);
    if (C == 0) return;
    if (velocity_ == Velocity::plain)
      D += C * (k.force * k.rate);
    else
      D += C * k.damp;
  }

  // ---- Newton: assembly and elimination in one sweep; false at a bead whose pivot block is singular.
  // Without `fresh` the factors of the last sweep are used again: no inverse stands in the recursion.
  template <bool fresh>
  bool sweep() {
    Col before, after;
    flow<fresh>(lo, before, S_[lo]);
    if (fresh) negative_ = -1;
    for (int n = lo; n < hi; ++n) {
      flow<fresh>(n + 1, after, S_[n + 1]);
      Col r = target_[n] - d_.m[n] * X(n) + before - after;
      if (local_) subtract_local(n, r);
      if (n > lo) r += S_[n] * z_[n - 1];
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
    if (local_) add_local(n, D);
    if (n > lo) D -= S_[n] * G_[n - 1];
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
    for (int n = hi - 1; n >= lo; --n) {
      delta = n + 1 < hi ? Col(z_[n] + G_[n] * delta) : z_[n];
      X(n) += delta;
      const double change = delta.cwiseAbs().maxCoeff(), X_end = X(n)[m - 1];
      if (!(change <= out.change)) out.change = change, out.where = n;
      out.move = std::max(out.move, std::abs(X_end - x[n])), out.size = std::max(out.size, std::abs(X_end));
    }
    return out;
  }

  const Chain& chain_;
  const ChainData& d_;
  Velocity velocity_;
  double tolerance_;
  bool local_;
  int N_, negative_ = -1;
  std::vector<Col> X_, target_, z_;
  std::vector<Mat> G_, inverse_, S_;  // the factors, and what couples a bead to the one before
};

}  // namespace saltus
