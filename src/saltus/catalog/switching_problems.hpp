// Problems with switching points: those of Studer, Leine, Glocker 2008, Sect. 10 (the impact oscillator is in
// problems.hpp, preset studer), a stick–slip oscillator and a shaken mass.
#pragma once
#include "saltus/catalog/catalog.hpp"

namespace saltus {

/// Sect. 10.1: the bouncing ball under gravity. Closed form.
struct FallingMass {
  static constexpr std::string_view name = "falling-mass",
                                    summary = "point mass falling on a table; impacts accumulate";
  static constexpr double t_end = 1.2;
  double m = 1, g = 9.81, e = 0.7, z0 = 0.07, v0 = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::non_negative()}, g);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"z0", "m", "start height", Range::non_negative()}, z0);
    v(FieldInfo{"v0", "m/s", "start velocity"}, v0);
  }
  CatalogProblem build(double t_end) const;
};

/// Sect. 10.2: a mass on a table, pushed until t_off, with friction of fixed size in the plane. Closed form.
struct SlidingMass {
  static constexpr std::string_view name = "sliding-mass",
                                    summary = "point mass sliding on a table, friction in the plane";
  static constexpr double t_end = 4.5;
  double m = 1, a = 2, ux = 2, uy = -0.2, Fx = -2.5, Fy = -0.25, t_off = 3;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"a", "N", "largest friction force", Range::non_negative()}, a);
    v(FieldInfo{"ux", "m/s", "start velocity along x"}, ux);
    v(FieldInfo{"uy", "m/s", "start velocity along y"}, uy);
    v(FieldInfo{"Fx", "N", "force along x until t_off"}, Fx);
    v(FieldInfo{"Fy", "N", "force along y until t_off"}, Fy);
    v(FieldInfo{"t_off", "s", "when the force ends", Range::non_negative()}, t_off);
  }
  CatalogProblem build(double t_end) const;
};
std::shared_ptr<const Reference> sliding_mass_reference(const SlidingMass& p);

/// Sect. 10.4: sleeve on a pole, spring, woodpecker; q = (y, φ_M, φ_S), three contacts with Coulomb friction.
/// Data of Glocker 1995 and Leine, Glocker, van Campen 2001. No closed form.
struct Woodpecker {
  static constexpr std::string_view name = "woodpecker",
                                    summary = "woodpecker toy: three frictional contacts on a pole";
  static constexpr double t_end = 0.2;
  double m_M = 3e-4, J_M = 5e-9, m_S = 4.5e-3, J_S = 7e-7, c_phi = 0.0056, g = 9.81;
  double r_0 = 0.0025, r_M = 0.0031, h_M = 0.0058, l_M = 0.010, l_G = 0.015, h_S = 0.020, l_S = 0.0201;
  double mu = 0.3, e_beak = 0.5, e_sleeve = 0, y0 = 0, phi_M0 = -0.1036, phi_S0 = -0.2788;
  double v0 = -0.3411, omega_M0 = 0, omega_S0 = -7.4583;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m_M", "kg", "mass of the sleeve", Range::positive()}, m_M);
    v(FieldInfo{"J_M", "kg m^2", "inertia of the sleeve", Range::positive()}, J_M);
    v(FieldInfo{"m_S", "kg", "mass of the woodpecker", Range::positive()}, m_S);
    v(FieldInfo{"J_S", "kg m^2", "inertia of the woodpecker", Range::positive()}, J_S);
    v(FieldInfo{"c_phi", "N m/rad", "stiffness of the spring", Range::non_negative()}, c_phi);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::non_negative()}, g);
    v(FieldInfo{"r_0", "m", "radius of the pole", Range::positive()}, r_0);
    v(FieldInfo{"r_M", "m", "inner radius of the sleeve", Range::positive()}, r_M);
    v(FieldInfo{"h_M", "m", "half the height of the sleeve", Range::positive()}, h_M);
    v(FieldInfo{"l_M", "m", "sleeve to spring", Range::positive()}, l_M);
    v(FieldInfo{"l_G", "m", "spring to woodpecker", Range::positive()}, l_G);
    v(FieldInfo{"h_S", "m", "height of the beak", Range::positive()}, h_S);
    v(FieldInfo{"l_S", "m", "length of the beak", Range::positive()}, l_S);
    v(FieldInfo{"mu", "", "friction of all contacts", Range::non_negative()}, mu);
    v(FieldInfo{"e_beak", "", "restitution of the beak", Range::closed(0, 1)}, e_beak);
    v(FieldInfo{"e_sleeve", "", "restitution of the sleeve", Range::closed(0, 1)}, e_sleeve);
    v(FieldInfo{"y0", "m", "start height"}, y0);
    v(FieldInfo{"phi_M0", "rad", "start angle of the sleeve"}, phi_M0);
    v(FieldInfo{"phi_S0", "rad", "start angle of the woodpecker"}, phi_S0);
    v(FieldInfo{"v0", "m/s", "start velocity of y"}, v0);
    v(FieldInfo{"omega_M0", "rad/s", "start velocity of the sleeve's angle"}, omega_M0);
    v(FieldInfo{"omega_S0", "rad/s", "start velocity of the woodpecker's angle"}, omega_S0);
  }
  CatalogProblem build(double t_end) const;
};

/// A block held by a spring on a moving belt, friction of fixed size: stick, slip, stick. Closed form by
/// pieces.
struct BeltBlock {
  static constexpr std::string_view name = "belt-block",
                                    summary = "block on a moving belt, held by a spring: stick and slip";
  static constexpr double t_end = 3;
  double m = 1, k = 25, a = 5, v_belt = 0.5, x0 = 0, v0 = 2;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"k", "N/m", "stiffness of the spring", Range::positive()}, k);
    v(FieldInfo{"a", "N", "largest friction force", Range::non_negative()}, a);
    v(FieldInfo{"v_belt", "m/s", "velocity of the belt"}, v_belt);
    v(FieldInfo{"x0", "m", "start position, spring unstressed at 0"}, x0);
    v(FieldInfo{"v0", "m/s", "start velocity"}, v0);
  }
  CatalogProblem build(double t_end) const;
};

/// A mass on a table that moves as A sin(ωt): rest, lift-off, flight, impacts. Exact by pieces.
struct Shaker {
  static constexpr std::string_view name = "shaker", summary = "mass on an oscillating table";
  static constexpr double t_end = 1;
  double m = 1, g = 9.81, e = 0.5, A = 1e-3, omega = 40;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::positive()}, g);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"A", "m", "amplitude of the table", Range::non_negative()}, A);
    v(FieldInfo{"omega", "rad/s", "angular frequency of the table", Range::positive()}, omega);
  }
  CatalogProblem build(double t_end) const;
};

}  // namespace saltus
