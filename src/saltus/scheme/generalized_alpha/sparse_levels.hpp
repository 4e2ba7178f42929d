// A Newton iteration of generalized-α for many rows without friction: joints of chains and trees, columns of
// contacts. In dq₁, dv₁ and dv̇ the equations of newton_matrix.hpp are
//
//     (M + cq K) dq₁ + cq C dv₁ = −cq r₁ − r₂ + h² W dν̂,      Wᵀ dq₁ = −g
//     (M + cv C) dv₁ + cv K dq₁ = −cv r₁ − r₃ + h W dΛ̂,       Wᵀ dv₁ + ∂γ/∂q dq₁ = −(γ₁ + E γ₀)
//      M dv̇ + K dq₁ + C dv₁     = −r₁ + W dλ,                 and the rows of S,
//
// one sparse saddle-point system after the other (linalg/saddle_factor.hpp), whose cost is linear in the
// number of bodies of a chain. C dv₁ of the first is taken as (cv/cq) C dq₁, which it is as long as no
// multiplier changes. K and C that are small next to M are left out of the factors: positions and velocities
// then share theirs with the accelerations, and the iteration still contracts by a twentieth or more.
// Redundant rows get multipliers of least norm.
#pragma once
#include "saltus/linalg/saddle_factor.hpp"
#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"

namespace saltus::generalized_alpha {

class SparseLevels {
 public:
  explicit SparseLevels(int n);
  /// Adds the correction to x; false: an entry is not finite.
  bool correct(const Equations& e, Unknowns& x);

 private:
  struct Factored {
    SaddleFactor<double> factor;
    SparseRows Wt;
    std::vector<int> rows;
  };
  void choose_rows(const Equations& e, Level level);
  bool factorize(const Equations& e, Level level);
  bool same_rows(const Equations& e, Level a, Level b) const;
  bool solve(const Equations& e, Level level, double unit);

  int n_;
  bool stiff_ = false, damped_ = false;  // K, C in the factors
  Factored levels_[3];
  Factored* used_[3] = {};  // where the factor of a level is
  Vec change_[3];           // of ν̂, Λ̂ and λ
  Vec d_[3];                // dq₁, dv₁, dv̇
  std::vector<double> x_;
};

/// Whether the entries of c·B are small next to the masses: an iteration that leaves them out still
/// contracts.
bool is_weak(const Matrix& B, double c, const Vec& inverse_mass);

}  // namespace saltus::generalized_alpha
