// Multipliers of constraints that may be redundant. With M a = f + D λ and Wᵀ a + b = 0,
//
//     S λ = −(Wᵀ M⁻¹ f + b),     S = Wᵀ M⁻¹ D,     a = M⁻¹ f + Z λ,     Z = M⁻¹ D,
//
// D = W but for columns that carry friction. Four feet of a table, or a hinge that closes a loop, make S
// singular: a is unique, λ is not. S is scaled to a unit diagonal, σ = 1e-9 is added to it, and
//
//     λ ← λ + (S + σ)⁻¹ (r − S λ)
//
// is repeated. Components along which S vanishes to rounding get nothing and those above 1e-7 converge in a
// few sweeps, so for consistent r this is the (scaled) least-norm λ, to rounding over σ in the directions
// that do not matter for a. What is left of r is reported: a right-hand side that contradicts itself leaves
// much.
//
// S is sparse where M is (block) diagonal: a chain of bodies has a band, a tree no fill-in. Its LU, without
// exchanges on the filled pattern, costs as much as there are entries. The pattern is analysed when it
// changes; after that nothing is allocated.
#pragma once
#include <vector>

#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/sparse_rows.hpp"

namespace saltus {

class ConstraintFactor {
 public:
  /// Rows of Wᵀ, and those of Dᵀ where they differ. False: an entry is not finite, or a pivot vanished.
  bool factorize(const Factor& M, const SparseRows& Wt, const SparseRows& Dt);
  bool factorize(const Factor& M, const SparseRows& Wt) { return factorize(M, Wt, Wt); }
  int rows() const { return m_; }

  /// x ← λ with S λ = x, of least norm where S is singular. Returns what is left of x relative to its largest
  /// entry (in scaled rows); `left_row()` is where it is largest. `sweeps` 0: until it stands still.
  double solve(double* x, int sweeps = 0);
  int left_row() const { return left_row_; }
  /// a ← a + Z λ
  void add(const double* lambda, double* a) const {
    for (int k = 0; k < m_; ++k)
      if (lambda[k] != 0) Z_.add_to(k, lambda[k], a);
  }
  /// Row k of Zᵀ.
  std::span<const SparseRows::Entry> column(int k) const { return Z_.row(k); }

 private:
  struct Line {  // row of S: entries first[i] … first[i + 1] of columns
    std::vector<int> first, column;
  };
  void form_columns(const Factor& M, const SparseRows& Dt);
  bool form_products(const SparseRows& Wt);
  void analyse();
  bool eliminate();
  void substitute(double* x) const;

  int m_ = 0;
  SparseRows Z_;
  // S by rows, its scale (1/√S_kk), and the same as pattern of the last analysis
  Line S_, analysed_;
  std::vector<double> value_, scale_;
  // order_[i] is the row that is eliminated as number i; the filled pattern in this order, L and U in one
  std::vector<int> order_, place_;
  Line fill_;
  std::vector<int> diagonal_;
  std::vector<double> lu_;
  // scratch
  std::vector<double> work_, wanted_, rest_, step_, sum_;
  std::vector<int> mark_;
  // columns of Z by degree of freedom
  std::vector<int> user_first_, user_;
  std::vector<double> user_value_;
  int left_row_ = -1;
};

}  // namespace saltus
