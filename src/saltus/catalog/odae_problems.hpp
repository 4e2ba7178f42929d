// Overdetermined DAEs of the catalog: the two test problems of "Consistent extensions of the symplectic Euler
// method for a class of overdetermined DAEs", and two constrained Hamiltonian systems. The models are here,
// for tests and examples; build() is in the source.
#pragma once
#include <cmath>

#include "saltus/catalog/catalog.hpp"
#include "saltus/odae/odae_model.hpp"

namespace saltus {

/// (4.1). Exact: y₁ = z₁ = e^{2t}, y₂ = z₂ = e^{−t}, ψ = e^t. The print is damaged; see
/// docs/explanation/odae.md.
struct OdaeExponential {
  static constexpr std::string_view name = "odae-exponential",
                                    summary = "ODAE quadratic in its multiplier, exact solution (4.1)";
  static constexpr double t_end = 1;
  template <class V>
  void fields(V&&) {}
  CatalogProblem build(double t_end) const;
};

struct ExponentialModel {
  static constexpr int ny = 2, nz = 2, m = 1;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> v(const V<S>&, const V<S>& z) const {
    return {2.0 * z[0], -z[1]};
  }
  template <class S>
  V<S> f(const V<S>& y, const V<S>& z) const {
    return {2.0 * y[0] * y[1] * z[0] * z[1] - y[0] * z[0] * z[1], z[0] - y[0] * z[1] * z[1] * z[1]};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>& z, const L<S>& psi) const {
    using std::sqrt;
    return {y[1] * z[0] * psi[0] * psi[0], -sqrt(y[0]) * z[0] * z[1] * z[1] * psi[0]};
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    return L<S>(y[0] * y[1] * y[1] - 1.0);
  }
};

/// (4.2): a mass on (or above) x₂ = b x₁³ with friction ‖F‖ = c ‖N‖^r.
struct CubicSlide {
  enum class Contact : std::uint8_t { bilateral, unilateral };
  static constexpr std::string_view contacts[] = {"bilateral", "unilateral"};
  static constexpr std::string_view name = "cubic-slide",
                                    summary = "mass on a cubic, friction a power of the normal force (4.2)";
  static constexpr double t_end = 1;
  double m = 1, b = 0.01, g = 9.81, c = 0.1, r = 0.85, x0 = 10, v0 = -3.6, gap0 = 0, w0 = 0, e = 0;
  Contact contact = Contact::bilateral;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"b", "1/m^2", "of the surface y = b x^3"}, b);
    v(FieldInfo{"g", "m/s^2", "gravity"}, g);
    v(FieldInfo{"c", "", "coefficient of friction", Range::non_negative()}, c);
    v(FieldInfo{"r", "", "exponent of the normal force", Range::positive()}, r);
    v(FieldInfo{"contact", "", "held on the surface, or free to leave it"}, contact, Names(contacts));
    v(FieldInfo{"e", "", "restitution when it lands", Range::closed(0, 1)}, e);
    v(FieldInfo{"x0", "m", "start"}, x0);
    v(FieldInfo{"v0", "m/s", "start velocity along x"}, v0);
    v(FieldInfo{"gap0", "m", "start height above the surface (unilateral)", Range::non_negative()}, gap0);
    v(FieldInfo{"w0", "m/s", "start velocity away from the surface (unilateral)"}, w0);
  }
  static std::vector<std::string> presets() { return {"paper", "detach", "land", "frictionless"}; }
  bool set_preset(std::string_view preset);
  /// free to leave or to land, it does so within two seconds
  double usual_end() const { return contact == Contact::unilateral ? 2 : t_end; }
  CatalogProblem build(double t_end) const;
};

struct CubicModel {
  static constexpr int ny = 2, nz = 2, m = 1;
  CubicSlide p;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> v(const V<S>&, const V<S>& z) const {
    return z;
  }
  template <class S>
  V<S> f(const V<S>&, const V<S>&) const {
    return {S(0), S(-p.g)};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>& z, const L<S>& psi) const {
    using std::sqrt;
    const S slope = -3 * p.b * y[0] * y[0], normal = (1 + slope * slope) * psi[0] * psi[0];
    V<S> out(slope * psi[0], psi[0]);
    if (p.c > 0) {
      const S friction = p.c * power_of_square(normal, p.r) / sqrt(z[0] * z[0] + z[1] * z[1]);
      out -= V<S>(friction * z[0], friction * z[1]);
    }
    return V<S>(out[0] / p.m, out[1] / p.m);
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    return L<S>(y[1] - p.b * y[0] * y[0] * y[0]);
  }
  Mat impact(const V<double>& y, const V<double>&) const {
    return V<double>(-3 * p.b * y[0] * y[0] / p.m, 1 / p.m);
  }
  double energy(const V<double>& y, const V<double>& z) const {
    return 0.5 * p.m * z.squaredNorm() + p.m * p.g * y[1];
  }
  std::vector<OdaeConstraint> constraints() const {
    return {{"surface", p.contact == CubicSlide::Contact::unilateral, p.e}};
  }
};

/// H = |p|²/2m + m g q₃ on |q| = l.
struct SphericalPendulum {
  static constexpr std::string_view name = "spherical-pendulum",
                                    summary = "mass on a sphere, a constrained Hamiltonian system";
  static constexpr double t_end = 10;
  double m = 1, l = 1, g = 1, p2 = 1, p3 = 0.5;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"l", "m", "length", Range::positive()}, l);
    v(FieldInfo{"g", "m/s^2", "gravity, along -q3"}, g);
    v(FieldInfo{"p2", "kg m/s", "start momentum, horizontal; it starts at (l, 0, 0)"}, p2);
    v(FieldInfo{"p3", "kg m/s", "start momentum, upward"}, p3);
  }
  CatalogProblem build(double t_end) const;
};

struct SphericalModel {
  static constexpr int ny = 3, nz = 3, m = 1;
  static constexpr bool affine = true;
  SphericalPendulum p;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> v(const V<S>&, const V<S>& z) const {
    return z / S(p.m);
  }
  template <class S>
  V<S> f(const V<S>&, const V<S>&) const {
    return {S(0), S(0), S(-p.m * p.g)};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>&, const L<S>& psi) const {
    return y * (-psi[0]);
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    return L<S>(0.5 * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - p.l * p.l));
  }
  double energy(const V<double>& y, const V<double>& z) const {
    return z.squaredNorm() / (2 * p.m) + p.m * p.g * y[2];
  }
};

/// A bead on ρ = 1 + eps cos θ in polar coordinates: H = p_ρ²/2 + p_θ²/(2ρ²) + g ρ sin θ is not separable.
struct PolarBead {
  static constexpr std::string_view name = "polar-bead",
                                    summary =
                                        "bead on a curve in polar coordinates: Hamiltonian, not separable";
  static constexpr double t_end = 2;
  double g = 1, eps = 0.3, theta0 = 0.2, omega0 = 1.1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"g", "m/s^2", "gravity"}, g);
    v(FieldInfo{"eps", "m", "of the curve rho = 1 + eps cos(theta)", Range::closed(-0.9, 0.9)}, eps);
    v(FieldInfo{"theta0", "rad", "start angle"}, theta0);
    v(FieldInfo{"omega0", "rad/s", "start angular velocity"}, omega0);
  }
  CatalogProblem build(double t_end) const;
};

struct PolarModel {
  static constexpr int ny = 2, nz = 2, m = 1;
  static constexpr bool affine = true;
  PolarBead p;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  using L = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> v(const V<S>& y, const V<S>& z) const {
    return {z[0], z[1] / (y[0] * y[0])};
  }
  template <class S>
  V<S> f(const V<S>& y, const V<S>& z) const {
    using std::cos, std::sin;
    return {z[1] * z[1] / (y[0] * y[0] * y[0]) - p.g * sin(y[1]), -p.g * y[0] * cos(y[1])};
  }
  template <class S>
  V<S> r(const V<S>& y, const V<S>&, const L<S>& psi) const {
    using std::sin;
    return {-psi[0], -p.eps * sin(y[1]) * psi[0]};
  }
  template <class S>
  L<S> g(const V<S>& y) const {
    using std::cos;
    return L<S>(y[0] - 1.0 - p.eps * cos(y[1]));
  }
  double energy(const V<double>& y, const V<double>& z) const {
    return 0.5 * (z[0] * z[0] + z[1] * z[1] / (y[0] * y[0])) + p.g * y[0] * std::sin(y[1]);
  }
};

}  // namespace saltus
