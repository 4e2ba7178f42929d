#include "saltus/scheme/first_order/first_order_schemes.hpp"

#include <cmath>

namespace saltus {

Rk rk(std::string_view tableau) {
  Rk out;
  find_tableau(tableau);  // throws with the known names
  set_field(out, "tableau", tableau);
  return out;
}

Tableau tailored_tableau(double C) {
  if (!(C >= 0) || !std::isfinite(C)) fail("C11 = {} is not allowed: it must be a finite number ≥ 0", C);
  const double r2 = std::sqrt(2.0), r3 = std::sqrt(3.0), r6 = std::sqrt(6.0);
  const double alpha = std::sqrt(1.5) * C + 2.5 * r3 * C * C;
  Tableau t{"kk-irk", "James, Vorotnikov, Brogliato, (64)–(66)", Eigen::MatrixXd(2, 2), Vec(2), Vec(2)};
  t.A << 0.25 + C + alpha, 0.25 - r3 / 6 - alpha + r2 * C, 0.25 + r3 / 6 + alpha + r2 * C, 0.25 + C - alpha;
  t.b << 0.5 + r6 * C, 0.5 - r6 * C;
  t.c = t.A.rowwise().sum();
  return t;
}

}  // namespace saltus
