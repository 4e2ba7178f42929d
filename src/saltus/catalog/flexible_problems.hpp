// The parameter structs of Brüls, Acary, Cardona 2018: a pendulum against a stop, rigid and flexible, and an
// elastic bar against a wall.
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/flexible/bar.hpp"
#include "saltus/flexible/beam.hpp"

namespace saltus {

/// The rigid pendulum with a stop x ≥ x_min. The reference integrates the angle between exactly located
/// impacts, through their accumulation.
struct BouncingPendulum {
  static constexpr std::string_view name = "bouncing-pendulum",
                                    summary = "rigid pendulum in x, y, theta that bounces on a stop";
  static constexpr double t_end = 4;
  double L = 1, m = 1, J = 0.1, g = 10, theta0 = 0.2617993877991494, omega0 = 0, x_min = 0.7071067811865476,
         e = 0.6;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"L", "m", "distance from the pivot to the centre of mass", Range::positive()}, L);
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"J", "kg m^2", "moment of inertia about the centre", Range::positive()}, J);
    v(FieldInfo{"g", "m/s^2", "gravity, along -y"}, g);
    v(FieldInfo{"theta0", "rad", "start angle from the x axis"}, theta0);
    v(FieldInfo{"omega0", "rad/s", "start angular velocity"}, omega0);
    v(FieldInfo{"x_min", "m", "the stop: x of the centre stays above it"}, x_min);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
  }
  CatalogProblem build(double t_end) const;
};
/// The impacts {t, ġ−, ġ+} of the exact motion up to t_end, and the time of their accumulation (NaN).
struct BouncingPendulumHistory {
  std::vector<std::array<double, 3>> impacts;
  double accumulation = std::nan("");
};
std::shared_ptr<const Reference> bouncing_pendulum_reference(const BouncingPendulum& p, double t_end,
                                                             BouncingPendulumHistory* history = nullptr);

/// A bar of n linear elements that flies against a wall; exact motion of the continuous bar (d'Alembert).
struct ElasticBar {
  static constexpr std::string_view name = "elastic-bar",
                                    summary = "elastic bar of n elements that hits a rigid wall";
  static constexpr double t_end = 2;
  int n = 200;
  double E = 900, rho = 1, L = 10, A = 1, d0 = 5, v0 = 10, e = 0;
  MassKind mass = MassKind::lumped;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of elements", Range::closed(1, 1e7)}, n);
    v(FieldInfo{"E", "N/m^2", "Young's modulus", Range::positive()}, E);
    v(FieldInfo{"rho", "kg/m^3", "density", Range::positive()}, rho);
    v(FieldInfo{"L", "m", "length", Range::positive()}, L);
    v(FieldInfo{"A", "m^2", "cross section", Range::positive()}, A);
    v(FieldInfo{"d0", "m", "start distance from the wall", Range::non_negative()}, d0);
    v(FieldInfo{"v0", "m/s", "start velocity towards the wall", Range::positive()}, v0);
    v(FieldInfo{"e", "", "restitution of the first node", Range::closed(0, 1)}, e);
    v(FieldInfo{"mass", "", "mass matrix"}, mass, Names(mass_names));
  }
  BarData data() const { return {n, L, A, E, rho, d0, e, mass}; }
  CatalogProblem build(double t_end) const;
};

/// A hinged geometrically exact beam that falls from the horizontal onto a stop at its tip.
struct FlexiblePendulum {
  static constexpr std::string_view name = "flexible-pendulum",
                                    summary = "flexible beam on a hinge whose tip hits a stop";
  static constexpr double t_end = 0.35;
  int n = 4;
  double L = 1, A = 1e-4, I = 8.33e-10, k_s = 5.0 / 6, E = 2.1e11, nu = 0.3, rho = 7800, g = 10, theta0 = 0,
         omega0 = 0, x_min = 0.7071067811865476, e = 0;
  MassKind mass = MassKind::consistent;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of elements", Range::closed(1, 1e6)}, n);
    v(FieldInfo{"L", "m", "length", Range::positive()}, L);
    v(FieldInfo{"A", "m^2", "cross section", Range::positive()}, A);
    v(FieldInfo{"I", "m^4", "second moment of area", Range::positive()}, I);
    v(FieldInfo{"k_s", "", "shear area over A", Range::positive()}, k_s);
    v(FieldInfo{"E", "N/m^2", "Young's modulus", Range::positive()}, E);
    v(FieldInfo{"nu", "", "Poisson's ratio", Range{-1, 0.5, false, true}}, nu);
    v(FieldInfo{"rho", "kg/m^3", "density", Range::positive()}, rho);
    v(FieldInfo{"g", "m/s^2", "gravity, along -y"}, g);
    v(FieldInfo{"theta0", "rad", "start angle from the x axis"}, theta0);
    v(FieldInfo{"omega0", "rad/s", "start angular velocity, as a rigid body"}, omega0);
    v(FieldInfo{"x_min", "m", "the stop: x of the tip stays above it"}, x_min);
    v(FieldInfo{"e", "", "restitution of the tip", Range::closed(0, 1)}, e);
    v(FieldInfo{"mass", "", "mass matrix"}, mass, Names(mass_names));
  }
  BeamData data() const;
  CatalogProblem build(double t_end) const;
};

}  // namespace saltus
