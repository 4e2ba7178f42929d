#include "support/dense.hpp"

#include <Eigen/LU>

#include "saltus/linalg/decompositions.hpp"

namespace saltus::testing {

Eigen::MatrixXd solve_dense(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b) {
  return solve_small(A, b);
}

Eigen::MatrixXcd solve_dense(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& b) {
  Eigen::MatrixXcd out(A.cols(), b.cols());
  for (Eigen::Index k = 0; k < b.cols(); ++k) out.col(k) = solve_small(A, Eigen::VectorXcd(b.col(k)));
  return out;
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& A) {
  return saltus::inverse(A);
}

Eigen::MatrixXd kernel(const Eigen::MatrixXd& A) {
  return A.fullPivLu().kernel();
}

Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A) {
  return eigenvectors(A).values;
}

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold) {
  return saltus::least_norm_solution(A, b, threshold);
}

DenseLu dense_lu_of(const Eigen::MatrixXd& A) {
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(A);
  int sign = static_cast<int>(lu.permutationP().determinant());
  if ((lu.matrixLU().diagonal().array() < 0).count() % 2 != 0) sign = -sign;
  return {sign, lu.rcond()};
}

}  // namespace saltus::testing
