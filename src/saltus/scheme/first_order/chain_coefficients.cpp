#include "saltus/scheme/first_order/chain_coefficients.hpp"

#include "saltus/linalg/decompositions.hpp"

namespace saltus {

StageProducts stage_products(const ChainMethod& t, double h, int m) {
  return {h * h * t.A * t.A,
          h * h * t.A * t.Ak,
          h * t.A,
          inverse(t.A.bottomRightCorner(m, m)),
          h * h * t.b.transpose() * t.A,
          h * h * t.b.transpose() * t.Ak};
}

bool starts_explicitly(const ChainMethod& t) {
  return t.A.row(0).isZero(0) && t.Ak.row(0).isZero(0);
}

ChainMethod chain_method(const Tableau& t, int order) {
  return {t.A, t.A, t.b, t.b, order};
}

ChainMethod additive_theta(double theta, double mu) {
  ChainMethod t;
  t.A = t.Ak = Eigen::MatrixXd::Zero(2, 2);
  t.A(1, 0) = 1 - theta, t.A(1, 1) = theta;
  t.Ak(1, 0) = mu, t.Ak(1, 1) = 1 - mu;
  t.b = t.A.row(1).transpose(), t.bk = t.Ak.row(1).transpose();
  t.order = theta == 0.5 && mu == 0.5 ? 2 : 1;
  return t;
}

}  // namespace saltus
