// The stage positions of a step of a chain (chain_stepper.hpp), by Newton's method. The walls stand in the
// list of positions as beads before the first and behind the last, so that every contact has two neighbours.
#pragma once
#include <Eigen/LU>
#include <cmath>
#include <vector>

#include "saltus/scheme/first_order/chain_coefficients.hpp"
#include "saltus/scheme/first_order/chain_seams.hpp"

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
    const int most = Pieces(0, N_, chain_piece).count;
    S_.resize(static_cast<std::size_t>(N_) + most);
    if (most > 1) seams_.resize(most);
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
    const Pieces pieces(lo, hi, chain_piece);
    if (pieces.count == 1) return sweep_piece<fresh>(lo, hi, S_.data(), negative_);
    for_parts(pieces.count, [&](int p) {
      ChainSeam<m>& seam = seams_[p];
      const int a = pieces.first(p), b = pieces.last(p);
      Mat* S = S_.data() + p;  // contacts at seams have a place in both pieces
      const bool regular = sweep_piece<fresh>(a, b, S, seam.negative);
      if constexpr (fresh) {
        seam.singular = !regular;
        if (regular) seam.follow(a, b, inverse_.data(), G_.data(), S);
      }
      if (regular) seam.go_back(a, G_.data(), z_.data());
    });
    return join<fresh>(pieces);
  }
  template <bool fresh>
  bool join(const Pieces& pieces) {
    if constexpr (fresh) {
      negative_ = -1;
      for (int p = 0; p < pieces.count; ++p) {
        if (seams_[p].negative >= 0) negative_ = seams_[p].negative;
        if (seams_[p].singular) return false;
      }
      const int bad = seams_.factorize(pieces.count, [&](int p) { return G_[pieces.last(p) - 1]; });
      if (bad >= 0) negative_ = pieces.first(bad);
    }
    seams_.solve(pieces.count, [&](int p) { return z_[pieces.last(p) - 1]; });
    return true;
  }
  template <bool fresh>
  bool sweep_piece(int a, int b, Mat* S, int& negative) {
    Col before, after;
    flow<fresh>(a, before, S[a]);
    if (fresh) negative = -1;
    for (int n = a; n < b; ++n) {
      flow<fresh>(n + 1, after, S[n + 1]);
      Col r = target_[n] - d_.m[n] * X(n) + before - after;
      if (local_) subtract_local(n, r);
      if (n > a) r += S[n] * z_[n - 1];
      if constexpr (fresh)
        if (!factorize(n, n > a, S, negative)) return false;
      z_[n] = inverse_[n] * r;
      before = after;
    }
    return true;
  }
  bool factorize(int n, bool inner, const Mat* S, int& negative) {
    Mat D = S[n] + S[n + 1];
    D.diagonal().array() += d_.m[n];
    if (local_) add_local(n, D);
    if (inner) D -= S[n] * G_[n - 1];
    double det = 0;
    bool invertible = false;
    D.computeInverseAndDetWithCheck(inverse_[n], det, invertible, 0);
    if (!(det > 0)) negative = n;
    G_[n] = inverse_[n] * S[n + 1];
    return invertible;
  }
  // The way back: the largest change and where, how far beads moved in the last stage, and their size.
  struct Update {
    double change = 0, move = 0, size = 0;
    int where = 0;
  };
  Update update() {
    const Pieces pieces(lo, hi, chain_piece);
    if (pieces.count == 1) return update_piece(lo, hi, false, Col::Zero());
    Update parts[most_pieces];
    for_parts(pieces.count, [&](int p) {
      const int a = pieces.first(p);
      ChainSeam<m>& seam = seams_[p];
      if (p > 0)
        for (int n = 0; n < static_cast<int>(seam.L.size()); ++n) z_[a + n] += seam.L[n] * seam.before;
      parts[p] = update_piece(a, pieces.last(p), p + 1 < pieces.count, seam.after);
    });
    Update out = parts[pieces.count - 1];
    for (int p = pieces.count - 2; p >= 0; --p) {
      const Update& part = parts[p];
      if (!(part.change <= out.change)) out.change = part.change, out.where = part.where;
      out.move = std::max(out.move, part.move), out.size = std::max(out.size, part.size);
    }
    return out;
  }
  Update update_piece(int a, int b, bool goes_on, Col delta) {
    Update out;
    for (int n = b - 1; n >= a; --n) {
      delta = n + 1 < b || goes_on ? Col(z_[n] + G_[n] * delta) : z_[n];
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
  ChainSeams<m> seams_;
};

}  // namespace saltus
