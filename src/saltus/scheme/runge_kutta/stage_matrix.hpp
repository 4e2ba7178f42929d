// Newton's matrix of an implicit Runge–Kutta step: s stages of n unknowns, I − Σ W ∘ J with a matrix W of
// weights (h A, h² A²) per Jacobian J. Unknowns are ordered component by component, stages innermost, so that
// the pattern of J stays what it is: bandwidth w becomes s w + s − 1, blocks stay blocks.
#pragma once
#include <algorithm>
#include <span>

#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/saddle_factor.hpp"

namespace saltus {

class StageMatrix {
 public:
  StageMatrix() = default;
  StageMatrix(const Pattern& pattern, int n, int stages);

  int at(int component, int stage) const { return component * s_ + stage; }
  void set_identity();
  /// M in every stage, instead of the identity.
  void set_mass(const Matrix& M);
  /// − factor W ∘ J, with one Jacobian for all stages or one per stage; row k scaled by `rows[k]` where that
  /// is given.
  void subtract(double factor, const Eigen::MatrixXd& weights, std::span<const Matrix> J,
                const double* rows = nullptr);
  bool factorize();
  int bad_component() const { return std::max(0, factor_.bad_row()) / s_; }
  /// x ← matrix⁻¹ x; a sparse factor without exchanges is good enough for Newton's iteration.
  void solve(double* x) {
    if (without_exchanges_)
      sparse_.solve(x);
    else
      factor_.solve(x);
  }

 private:
  int n_ = 0, s_ = 1;
  Matrix matrix_;
  Factor factor_;
  SaddleFactor<double> sparse_;  // for sparse patterns: does not allocate
  bool without_exchanges_ = false;
};

}  // namespace saltus
