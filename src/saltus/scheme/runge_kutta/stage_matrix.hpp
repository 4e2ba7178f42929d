// Newton's matrix of an implicit Runge–Kutta step: s stages of n unknowns, I − Σ W ∘ J with a matrix W of
// weights (h A, h² A²) per Jacobian J. Unknowns are ordered component by component, stages innermost, so that
// the pattern of J stays what it is: bandwidth w becomes s w + s − 1, blocks stay blocks.
#pragma once
#include <algorithm>
#include <span>

#include "saltus/linalg/factor.hpp"

namespace saltus {

class StageMatrix {
 public:
  StageMatrix() = default;
  StageMatrix(const Pattern& pattern, int n, int stages);

  int at(int component, int stage) const { return component * s_ + stage; }
  void set_identity();
  /// − factor W ∘ J, with one Jacobian for all stages or one per stage; row k scaled by `rows[k]` where that
  /// is given.
  void subtract(double factor, const Eigen::MatrixXd& weights, std::span<const Matrix> J,
                const double* rows = nullptr);
  bool factorize() { return factor_.factorize(matrix_); }
  int bad_component() const { return std::max(0, factor_.bad_row()) / s_; }
  void solve(double* x) const { factor_.solve(x); }

 private:
  int n_ = 0, s_ = 1;
  Matrix matrix_;
  Factor factor_;
};

}  // namespace saltus
