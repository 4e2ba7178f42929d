#include "saltus/scheme/symplectic/vibration.hpp"

#include <cmath>

#include "saltus/linalg/constraint_factor.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

namespace {

// The system at a state: mass, Jacobians, and the velocities that its joints admit.
class Linearised {
 public:
  Linearised(const System& system, double t, const Vec& q, const Vec& u) {
    const CheckedSystem at(system);
    const Shape shape = system.shape();
    const int n = shape.nu;
    M_ = Matrix(n, shape.mass);
    by_q = by_u = Matrix(n, shape.jacobian);
    at.mass(t, q, M_);
    at.force_jacobians(t, q, u, by_q, by_u);
    ContactSet set;
    at.list(t, q, set);
    at.directions(t, q, set);
    for (const Contact& c : set.contacts)
      if (std::holds_alternative<Equality>(system.laws()[c.law]))
        for (int r = 0; r < rows(system.laws()[c.law]); ++r)
          joints_.append_row(std::as_const(set.Wt).row(c.row + r));
    lambda_.resize(joints_.rows());
    sound_ = mass_.factorize(M_) && (joints_.rows() == 0 || held_.factorize(mass_, joints_));
  }

  // The fastest motion with q̈ = M⁻¹J x alone; the Rayleigh quotients of both Jacobians there.
  FastMode mode(const Matrix& J) {
    constexpr int most = 200;
    bool any = false;
    J.for_each([&](int, int, double value) { any = any || value != 0; });
    if (!any || !sound_) return {};
    const int n = M_.size();
    Vec x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = std::cos(1.0 + 2.3 * i);  // a bit of everything
    admit(x);
    double before = 0;
    for (int k = 0; k < most; ++k) {
      const double size = std::sqrt(M_.bilinear(x, x));
      if (!(size > 0) || !std::isfinite(size)) return {};
      x /= size;
      const double now = quotient(J, x, y);
      if (k > 5 && std::abs(now - before) <= 1e-6 * std::abs(now)) break;
      before = now;
      if (k + 1 == most) break;
      mass_.solve(y);
      admit(y);
      x.swap(y);
    }
    return {std::sqrt(std::max(0.0, quotient(by_q, x, y))), std::max(0.0, quotient(by_u, x, y))};
  }

  Matrix by_q, by_u;

 private:
  // y = −J x and xᵀy
  static double quotient(const Matrix& J, const Vec& x, Vec& y) {
    y.setZero();
    J.multiply_add(-1, x, y);
    return x.dot(y);
  }
  void admit(Vec& x) {
    if (joints_.rows() == 0) return;
    for (int k = 0; k < joints_.rows(); ++k) lambda_[k] = -joints_.dot(k, x.data());
    held_.solve(lambda_.data());
    held_.add(lambda_.data(), x.data());
  }

  Matrix M_;
  Factor mass_;
  SparseRows joints_;
  ConstraintFactor held_;
  std::vector<double> lambda_;
  bool sound_ = false;
};

}  // namespace

std::array<FastMode, 2> fast_modes(const System& system, double t, const Vec& q, const Vec& u) {
  Linearised at(system, t, q, u);
  return {at.mode(at.by_q), at.mode(at.by_u)};
}

double fastest_vibration(const System& system, double t, const Vec& q, const Vec& u) {
  return fast_modes(system, t, q, u)[0].omega;
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
