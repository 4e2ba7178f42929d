// Eigen's decompositions as oracles. They are compiled once (dense.cpp): instantiating one costs every source
// that does so several seconds.
#pragma once
#include <Eigen/Core>

namespace saltus::testing {

Eigen::MatrixXd solve_dense(const Eigen::MatrixXd& A,
                            const Eigen::MatrixXd& b);  // LU with rows and columns exchanged
Eigen::MatrixXcd solve_dense(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& A);
Eigen::MatrixXd kernel(const Eigen::MatrixXd& A);  // its columns are a basis
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);

// By complete orthogonal decomposition; pivots below `threshold` times the largest are 0 (0: Eigen's own
// choice).
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold = 0);

struct DenseLu {
  int sign;      // of the determinant
  double rcond;  // an estimate of 1/(|A|₁ |A⁻¹|₁)
};
DenseLu dense_lu_of(const Eigen::MatrixXd& A);

}  // namespace saltus::testing
