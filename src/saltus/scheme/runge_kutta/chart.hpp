// Runge–Kutta methods in the chart of a step: with q = q₀ ⊕ v, q₀ the configuration at its start,
//
//     v̇ = lift(v, u),   u̇ = a(t, q₀ ⊕ v, u)
//
// is an ordinary differential equation in vectors, and any method keeps its order (Munthe-Kaas 1999). For
// flat configurations v is q itself, and nothing is done.
#pragma once
#include <vector>

#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/dense_piece.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class Chart {
 public:
  explicit Chart(const System& system) : system_(&system), flat_(system.shape().flat) {}
  bool flat() const { return flat_; }

  /// The chart at q; v is that of q.
  void begin(const Vec& q, Vec& v) {
    if (flat_) return assign(q, v);
    assign(q, base_);
    v.setZero(system_->shape().nu);
  }
  /// q = q₀ ⊕ v
  void place(const Vec& v, Vec& q) const {
    if (flat_) return assign(v, q);
    if (q.size() != base_.size()) q.resize(base_.size());
    system_->retract(base_, v, q);
  }
  /// v̇ where q₀ ⊕ v moves with u
  void rate(const Vec& v, const Vec& u, Vec& out) const {
    if (flat_) return assign(u, out);
    if (out.size() != u.size()) out.resize(u.size());
    system_->lift(v, u, out);
  }
  /// φ_i = h Σ A_ij rate_j, rate_j = lift(φ_j, V_j), by substitution from what φ is: each contracts by h|ω|.
  void solve(const Eigen::MatrixXd& A, double h, const std::vector<Vec>& V, std::vector<Vec>& phi,
             std::vector<Vec>& rate) const;
  /// From polynomials of v to such of the coordinates q, through their values at as many points as a piece
  /// can have terms: rotations must turn by little within a step.
  void spread(DensePiece& piece) const;
  /// The longest motion from q with velocity u, at most h, that `spread` follows to the given part of the
  /// coordinates.
  double longest(const Vec& q, const Vec& u, double h, double part);

 private:
  const System* system_;
  bool flat_;
  Vec base_;
  Vec moved_, forth_, back_;
};

}  // namespace saltus
