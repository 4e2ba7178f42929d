#include "saltus/linalg/decompositions.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

namespace saltus {

Eigen::MatrixXd solve_small(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.fullPivLu().solve(B);
}

Eigen::VectorXcd solve_small(const Eigen::MatrixXcd& A, const Eigen::VectorXcd& b) {
  return A.fullPivLu().solve(b);
}

std::optional<Vec> solve_regular(const Eigen::MatrixXd& A, const Vec& b) {
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
  if (!lu.isInvertible()) return std::nullopt;
  return Vec(lu.solve(Eigen::MatrixXd(b)));
}

Vec solve_square(const Eigen::MatrixXd& A, const Vec& b) {
  return A.partialPivLu().solve(b);
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  return A.inverse();
}

Vec least_norm_solution(const Eigen::MatrixXd& A, const Vec& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(A.rows(), A.cols());
  if (threshold > 0) decomposition.setThreshold(threshold);
  return decomposition.compute(A).solve(b);
}

double smallest_singular_value(const Eigen::MatrixXd& A) {
  return A.jacobiSvd().singularValues().minCoeff();
}

Eigenvectors eigenvectors(const Eigen::MatrixXd& A) {
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(A);
  Eigen::MatrixXcd right = eigen.eigenvectors();
  Eigen::MatrixXcd left = right.inverse();
  return {eigen.eigenvalues(), std::move(right), std::move(left)};
}

bool is_positive_definite(const Eigen::MatrixXd& A) {
  return Eigen::LLT<Eigen::MatrixXd>(A).info() == Eigen::Success;
}

bool is_positive_definite(const Eigen::SparseMatrix<double>& A) {
  return Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(A).info() == Eigen::Success;
}

bool CholeskyFactor::compute(const Eigen::MatrixXd& A) {
  const Eigen::LLT<Eigen::MatrixXd> factor(A);
  lower_ = factor.matrixL();
  return factor.info() == Eigen::Success;
}
Vec CholeskyFactor::solve_lower(const Vec& b) const {
  return lower_.triangularView<Eigen::Lower>().solve(b);
}
void CholeskyFactor::solve_lower_in_place(Eigen::MatrixXd& B) const {
  if (B.size() == 0) return;  // Eigen would refer to its first entry
  lower_.triangularView<Eigen::Lower>().solveInPlace(B);
}
Vec CholeskyFactor::times_lower(const Vec& x) const {
  return lower_.triangularView<Eigen::Lower>() * x;
}

struct SparseLdlt::Impl {
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
};
SparseLdlt::SparseLdlt(const Eigen::SparseMatrix<double>& A) : impl_(std::make_unique<Impl>()) {
  impl_->factor.compute(A);
}
SparseLdlt::~SparseLdlt() = default;
Vec SparseLdlt::solve(const Vec& b) const {
  return impl_->factor.solve(b);
}

}  // namespace saltus
