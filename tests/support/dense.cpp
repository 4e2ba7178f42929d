#include "support/dense.hpp"

#include <Eigen/Dense>

namespace saltus::testing {

Eigen::MatrixXd solve_dense(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b) {
  return A.partialPivLu().solve(b);
}

Eigen::MatrixXcd solve_dense(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& b) {
  return A.partialPivLu().solve(b);
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  return A.inverse();
}

Eigen::MatrixXd kernel(const Eigen::MatrixXd& A) {
  return A.fullPivLu().kernel();
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  return A.eigenvalues();
}

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(A.rows(), A.cols());
  if (threshold > 0) decomposition.setThreshold(threshold);
  return decomposition.compute(A).solve(b);
}

DenseLu dense_lu_of(const Eigen::MatrixXd& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  int sign = static_cast<int>(lu.permutationP().determinant());
  if ((lu.matrixLU().diagonal().array() < 0).count() % 2 != 0) sign = -sign;
  return {sign, lu.rcond()};
}

}  // namespace saltus::testing
