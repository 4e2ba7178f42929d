// The tailored two-stage method: order sums (49)–(51), stability function (75), A-stability for every C₁₁ ≥
// 0.
#include <Eigen/LU>
#include <array>
#include <cmath>

#include "saltus/reproduce/james_2020.hpp"

namespace saltus::james_2020 {
namespace {

double at_infinity(double C) {
  const Tableau t = tailored_tableau(C);
  const Eigen::Matrix2d A = t.A;
  return std::abs(1 - (t.b.transpose() * A.inverse() * Eigen::Vector2d::Ones())(0));
}
double growth(double C, std::complex<double> z) {
  return std::abs(stability(tailored_tableau(C), z));
}

}  // namespace

void a_stability(Findings& out) {
  double on_axis = 0, left = 0, sums = 0, identity = 0, real_roots = -infinity;
  for (double C = 0; C <= 20; C = C == 0 ? 1e-3 : 1.25 * C) {
    for (double w = 1e-3; w < 1e5; w *= 1.3) {
      on_axis = std::max(on_axis, growth(C, {0, w}) - 1);
      left = std::max(left, growth(C, {-w, 0.7 * w}) - 1);
    }
    const Tableau t = tailored_tableau(C);
    const double c1 = t.b.dot(t.c) - 0.5, c21 = t.b.dot(t.c.cwiseAbs2()) - 1.0 / 3,
                 c22 = 2 * t.b.dot(t.A * t.c) - 1.0 / 3;
    const double scale = 1 + t.c.squaredNorm() * t.b.lpNorm<1>();  // what the sums cancel from
    sums = std::max({sums, std::abs(c1 - C) / scale, std::abs(c21 - (C - C * C)) / scale,
                     std::abs(c22 - (2 * C + C * C)) / scale});
    const double w = 2,
                 q = std::norm(
                     (Eigen::Matrix2cd::Identity() - std::complex<double>(0, w) * t.A).determinant()),
                 p = q * std::norm(stability(t, {0, w}));
    const double expected = C * w * w * (2 + w * w * (1.0 / 6 + 3 * C * C));
    identity = std::max(identity, std::abs(q - p - expected) / (1 + q));
    const double trace = t.A.trace(), det = t.A.determinant();
    real_roots = std::max(real_roots, (trace * trace - 4 * det) / scale);
  }
  out.claim("order sums (49)-(51): C11, C11 - C11^2, 2 C11 + C11^2", sums < 1e-13,
            fmt::format("to {:.1g}", sums));
  out.claim("|Q(iw)|^2 - |P(iw)|^2 = C11 w^2 (2 + w^2 (1/6 + 3 C11^2))", identity < 1e-12,
            fmt::format("to {:.1g}", identity));
  out.claim("the poles are a complex pair for every C11", real_roots < 0,
            fmt::format("discriminant at most {:.3g}", real_roots));
  out.claim("A-stable for every C11 >= 0 (0 to 20): |R| <= 1 on the imaginary axis and left of it",
            on_axis < 1e-12 && left < 1e-12, fmt::format("|R| - 1 at most {:.1g} and {:.1g}", on_axis, left));
  double best = 1, where = 0;
  Curve curve{"", "lines lw 1.5", {}, {}};
  std::vector<std::string> rows;
  for (double C = 0; C <= 1; C += 1e-3) {
    const double r = at_infinity(C);
    curve.x.push_back(C), curve.y.push_back(r);
    rows.push_back(fmt::format("{},{}", C, r));
    if (r < best) best = r, where = C;
  }
  const double exact = at_infinity(1 / (3 * std::sqrt(2.0)));
  out.claim("|R(infinity)| is least, 3 - 2 sqrt 2, at C11 = 1/(3 sqrt 2) = 0.2357",
            std::abs(exact - (3 - 2 * std::sqrt(2.0))) < 1e-12 && std::abs(where - 0.2357) < 1e-3,
            fmt::format("{:.12f} there, least of the samples at {:.3f}", exact, where));
  out.csv("a-stability", "C11,R_at_infinity", rows);
  Panel on_imaginary{"w (frequency times h) [1]", "|R(iw)| [1]", "damping of oscillations", false, {}};
  on_imaginary.log_x = true;
  int k = 0;
  for (double C : {0.0, 0.05, 0.2357, 0.5, 2.0}) {
    Curve c{fmt::format("C11 = {}", C), fmt::format("lines lw 1.5 lc rgb '{}'", colours[k++]), {}, {}};
    for (double w = 1e-2; w < 1e3; w *= 1.1) c.x.push_back(w), c.y.push_back(growth(C, {0, w}));
    on_imaginary.curves.push_back(std::move(c));
  }
  out.figure("a-stability",
             std::array{on_imaginary, Panel{"C11 [1]", "|R(infinity)| [1]", "", false, {curve}}});
}

}  // namespace saltus::james_2020
