#include "saltus/scheme/symplectic/vibration.hpp"

#include <cmath>

#include "saltus/linalg/constraint_factor.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

double fastest_vibration(const System& system, double t, const Vec& q, const Vec& u) {
  constexpr int most = 200;
  const CheckedSystem at(system);
  const Shape shape = system.shape();
  const int n = shape.nu;
  Matrix M(n, shape.mass), dq(n, shape.jacobian), du(n, shape.jacobian);
  at.mass(t, q, M);
  at.force_jacobians(t, q, u, dq, du);
  bool any = false;
  dq.for_each([&](int, int, double x) { any = any || x != 0; });
  Factor mass;
  if (!any || !mass.factorize(M)) return 0;
  ContactSet set;
  at.list(t, q, set);
  at.directions(t, q, set);
  SparseRows joints;
  for (const Contact& c : set.contacts)
    if (std::holds_alternative<Equality>(system.laws()[c.law]))
      for (int r = 0; r < rows(system.laws()[c.law]); ++r)
        joints.append_row(std::as_const(set.Wt).row(c.row + r));
  ConstraintFactor held;
  if (joints.rows() > 0 && !held.factorize(mass, joints)) return 0;
  std::vector<double> lambda(joints.rows());
  const auto admissible = [&](Vec& x) {
    if (joints.rows() == 0) return;
    for (int k = 0; k < joints.rows(); ++k) lambda[k] = -joints.dot(k, x.data());
    held.solve(lambda.data());
    held.add(lambda.data(), x.data());
  };
  Vec x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = std::cos(1.0 + 2.3 * i);  // a bit of everything
  admissible(x);
  double square = 0;
  for (int k = 0; k < most; ++k) {
    const double size = std::sqrt(M.bilinear(x, x));
    if (!(size > 0) || !std::isfinite(size)) return 0;
    x /= size;
    y.setZero();
    dq.multiply_add(-1, x, y);
    const double now = x.dot(y);
    mass.solve(y);
    admissible(y);
    if (k > 5 && std::abs(now - square) <= 1e-6 * std::abs(now)) return now > 0 ? std::sqrt(now) : 0;
    square = now;
    x.swap(y);
  }
  return square > 0 ? std::sqrt(square) : 0;
}

double stability_limit(std::span<const EulerPart> parts) {
  constexpr double step = 1e-3;
  for (double x = step; x < 10; x += step) {
    double a[2][2] = {{1, 0}, {0, 1}};  // (q, p/ω) from two starts
    for (const EulerPart& part : parts) {
      const bool forward = part.variant == EulerVariant::natural || part.variant == EulerVariant::consistent;
      for (auto& [q, p] : a) {
        if (forward) p -= part.c * x * q;
        q += part.c * x * p;
        if (!forward) p -= part.c * x * q;
      }
    }
    if (std::abs(a[0][0] + a[1][1]) > 2 * (1 + 1e-9)) return x - step;
  }
  return 10;
}

}  // namespace saltus
