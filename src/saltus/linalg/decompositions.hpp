// Eigen's decompositions behind plain functions and small classes. They are compiled once: instantiating one
// costs every source that does so several seconds.
#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <optional>

#include "saltus/core/types.hpp"

namespace saltus {

/// Gaussian elimination with rows and columns exchanged: for small systems, set up once.
Eigen::MatrixXd solve_small(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::VectorXcd solve_small(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b);
/// Nothing when A is singular to working precision.
std::optional<Vec> solve_regular(const Eigen::MatrixXd& A, const Vec& b);
/// With rows exchanged.
Vec solve_square(const Eigen::MatrixXd& A, const Vec& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);

/// The shortest of the x with the least |A x − b|. Pivots below `threshold` times the largest count as zero;
/// with 0, those of rounding.
Vec least_norm_solution(const Eigen::MatrixXd& A, const Vec& b, double threshold = 0);
double smallest_singular_value(const Eigen::MatrixXd& A);

/// A = right diag(values) left.
struct Eigenvectors {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd right, left;
};
Eigenvectors eigenvectors(const Eigen::MatrixXd& A);

bool is_positive_definite(const Eigen::MatrixXd& A);
bool is_positive_definite(const Eigen::SparseMatrix<double>& A);

/// A = L Lᵀ.
class CholeskyFactor {
 public:
  /// False when A is not positive definite.
  bool compute(const Eigen::MatrixXd& A);
  Vec solve_lower(const Vec& b) const;                  ///< L⁻¹ b
  void solve_lower_in_place(Eigen::MatrixXd& B) const;  ///< B ← L⁻¹ B
  Vec times_lower(const Vec& x) const;                  ///< L x

 private:
  Eigen::MatrixXd lower_;
};

/// P A = L U, dense.
class DenseLu {
 public:
  DenseLu();
  ~DenseLu();
  DenseLu(DenseLu&&) noexcept;
  DenseLu& operator=(DenseLu&&) noexcept;
  void compute(const Eigen::MatrixXd& A);
  double smallest_pivot() const;  ///< its magnitude; NaN when an entry is not finite
  int sign() const;               ///< of the determinant
  void solve(Eigen::Ref<Vec> x) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A = L U, sparse, in an order of few new entries. A copy shares the factors.
class SparseLu {
 public:
  explicit operator bool() const { return impl_ != nullptr; }
  bool is_shared() const { return impl_.use_count() > 1; }
  /// A new order of elimination, for matrices with entries at these places.
  void analyse(const Eigen::SparseMatrix<double>& A);
  /// False when A is singular.
  bool factorize(const Eigen::SparseMatrix<double>& A);
  void solve(Eigen::Ref<Vec> x) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// A = L D Lᵀ, sparse and symmetric.
class SparseLdlt {
 public:
  explicit SparseLdlt(const Eigen::SparseMatrix<double>& A);
  ~SparseLdlt();
  Vec solve(const Vec& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace saltus
