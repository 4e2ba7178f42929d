// The parameter structs of the catalog; each builds its problem in the source file of the same name.
#pragma once
#include "saltus/catalog/catalog.hpp"

namespace saltus {

/// m q̈ = f + λ, 0 ≤ q ⊥ λ ≥ 0, u⁺ = −e u⁻. Closed form through the accumulation of impacts and after it.
struct BouncingBall {
  static constexpr std::string_view name = "bouncing-ball",
                                    summary = "ball on the floor; impacts accumulate for e < 1";
  static constexpr double t_end = 5;
  double m = 1, f = -2, e = 0.5, q0 = 1, v0 = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"f", "N", "constant force, < 0 downward"}, f);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"q0", "m", "start height"}, q0);
    v(FieldInfo{"v0", "m/s", "start velocity"}, v0);
  }
  CatalogProblem build(double t_end) const;
};
std::shared_ptr<const Reference> bouncing_ball_reference(const BouncingBall& ball);
double accumulation_time(const BouncingBall& ball);  ///< infinity when impacts do not accumulate

/// m q̈ + c q̇ + k q = A + B sin(Ω t) + λ with a wall at q = 0. Piecewise exact by Taylor series.
struct ImpactOscillator {
  enum class Wall : std::uint8_t { below, above };
  static constexpr std::string_view sides[] = {"below", "above"};
  static constexpr std::string_view name = "impact-oscillator",
                                    summary = "damped forced oscillator against a wall at q = 0";
  static constexpr double t_end = 5;
  double m = 1, c = 0.5, k = 10, A = 0, B = 0, Omega = 0, e = 0.8, q0 = 1, v0 = 0;
  Wall side = Wall::below;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"c", "N s/m", "damping", Range::non_negative()}, c);
    v(FieldInfo{"k", "N/m", "stiffness", Range::non_negative()}, k);
    v(FieldInfo{"A", "N", "constant force"}, A);
    v(FieldInfo{"B", "N", "amplitude of the force B sin(Omega t)"}, B);
    v(FieldInfo{"Omega", "rad/s", "its angular frequency", Range::non_negative()}, Omega);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"side", "", "where the wall is: motion stays above it or below it"}, side, Names(sides));
    v(FieldInfo{"q0", "m", "start position"}, q0);
    v(FieldInfo{"v0", "m/s", "start velocity"}, v0);
  }
  static std::vector<std::string> presets() { return {"acary-a", "acary-b", "acary-c", "studer"}; }
  bool set_preset(std::string_view preset);
  CatalogProblem build(double t_end) const;
};
/// What the exact solution does, for tests: impacts {t, v−, v+}, start of rest, release (NaN when there is
/// none).
struct OscillatorHistory {
  std::vector<std::array<double, 3>> impacts;
  double rest = std::nan(""), release = std::nan("");
};
std::shared_ptr<const Reference> impact_oscillator_reference(const ImpactOscillator& o, double t_end,
                                                             OscillatorHistory* history = nullptr);

/// n balls stacked on the floor; coordinates are displacements from the touching stack.
struct BallColumn {
  static constexpr std::string_view name = "ball-column",
                                    summary = "n balls stacked on the floor under gravity";
  static constexpr double t_end = 1;
  int n = 10;
  double m = 1, g = 9.81, e = 0, gap = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of balls", Range::closed(1, 1e6)}, n);
    v(FieldInfo{"m", "kg", "mass of each", Range::positive()}, m);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::non_negative()}, g);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"gap", "m", "start distance between neighbours"}, gap);
  }
  CatalogProblem build(double t_end) const;
};

/// n beads on a line with gaps; the first moves at v0 and hits the others.
struct CollinearChain {
  static constexpr std::string_view name = "collinear-chain",
                                    summary = "n rigid beads on a line, the first one moving";
  static constexpr double t_end = 1;
  int n = 10;
  double m = 1, v0 = 1, e = 1, gap = 0.01;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of beads", Range::closed(2, 1e6)}, n);
    v(FieldInfo{"m", "kg", "mass of each", Range::positive()}, m);
    v(FieldInfo{"v0", "m/s", "start velocity of the first bead"}, v0);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"gap", "m", "start distance between neighbours"}, gap);
  }
  CatalogProblem build(double t_end) const;
};

/// A rigid bar bouncing on its two ends: q = (height, small angle), two coupled contacts.
struct RockingBar {
  static constexpr std::string_view name = "rocking-bar",
                                    summary = "rigid bar bouncing on its two ends (two coupled contacts)";
  static constexpr double t_end = 1.5;
  double m = 1, l = 0.5, J = 0.1, g = 9.81, e = 0.4, y0 = 0.3, phi0 = 0.2, v0 = 0, omega0 = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"l", "m", "half length", Range::positive()}, l);
    v(FieldInfo{"J", "kg m^2", "moment of inertia", Range::positive()}, J);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::non_negative()}, g);
    v(FieldInfo{"e", "", "coefficient of restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"y0", "m", "start height of the centre"}, y0);
    v(FieldInfo{"phi0", "rad", "start angle"}, phi0);
    v(FieldInfo{"v0", "m/s", "start velocity of the centre"}, v0);
    v(FieldInfo{"omega0", "rad/s", "start angular velocity"}, omega0);
  }
  CatalogProblem build(double t_end) const;
};

/// A block on an incline with Coulomb friction: q = (downhill, away from the plane). Exact stick and slip.
struct SlidingBlock {
  static constexpr std::string_view name = "sliding-block",
                                    summary = "block on an incline with Coulomb friction";
  static constexpr double t_end = 2;
  double m = 1, g = 9.81, angle = 0.3, mu = 0.5, v0 = 2;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::non_negative()}, g);
    v(FieldInfo{"angle", "rad", "slope of the plane", Range{-1.5707963267948966, 1.5707963267948966}}, angle);
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"v0", "m/s", "start velocity, > 0 downhill"}, v0);
  }
  CatalogProblem build(double t_end) const;
};

/// n disks of random size in a drum, or round a stirrer: they settle, then the drum or the stirrer turns.
/// Drum radius by fill: fill·πR² holds the disks at a packing of 0.82; Ω by the Froude number Ω²R/g.
struct DiskMixer {
  enum class Mode : std::uint8_t { drum, stirrer };
  static constexpr std::string_view modes[] = {"drum", "stirrer"};
  static constexpr std::string_view name = "disk-mixer",
                                    summary = "n disks with friction in a turning drum or round a stirrer";
  static constexpr double t_end = 2;
  int n = 60, seed = 1, layers = 4;
  double r = 0.01, spread = 0.1, m = 0.01, fill = 0.4, mu = 0.5, e = 0.1, g = 9.81, froude = 0.05,
         settle = 0.4;
  Mode mode = Mode::drum;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of disks", Range::closed(1, 1e6)}, n);
    v(FieldInfo{"seed", "", "of radii and start positions", Range::non_negative()}, seed);
    v(FieldInfo{"mode", "", "what turns: the drum, or a round stirrer in it"}, mode, Names(modes));
    v(FieldInfo{"r", "m", "mean radius", Range::positive()}, r);
    v(FieldInfo{"spread", "", "radii are r (1 ± spread), uniform", Range{0, 0.9, true, true}}, spread);
    v(FieldInfo{"m", "kg", "mass of a disk of mean radius; others as their area", Range::positive()}, m);
    v(FieldInfo{"fill", "", "part of the drum that the settled disks take", Range{0, 0.9, false, true}},
      fill);
    v(FieldInfo{"mu", "", "coefficient of friction", Range::non_negative()}, mu);
    v(FieldInfo{"e", "", "normal restitution", Range::closed(0, 1)}, e);
    v(FieldInfo{"g", "m/s^2", "gravity", Range::positive()}, g);
    v(FieldInfo{"froude", "", "Omega^2 R / g", Range::non_negative()}, froude);
    v(FieldInfo{"settle", "s", "time before the turning starts", Range::non_negative()}, settle);
    v(FieldInfo{"layers", "", "colours of the picture, by start height", Range::closed(1, 8)}, layers);
  }
  CatalogProblem build(double t_end) const;
};

/// A rigid pendulum in redundant coordinates (x, y, θ) with two bilateral constraints.
struct RigidPendulum {
  static constexpr std::string_view name = "pendulum",
                                    summary = "rigid pendulum in x, y, theta with two joint equations";
  static constexpr double t_end = 1;
  double L = 1, m = 1, J = 0.1, g = 10, theta0 = 0.5235987755982988, omega0 = 10;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"L", "m", "distance from the pivot to the centre of mass", Range::positive()}, L);
    v(FieldInfo{"m", "kg", "mass", Range::positive()}, m);
    v(FieldInfo{"J", "kg m^2", "moment of inertia about the centre", Range::positive()}, J);
    v(FieldInfo{"g", "m/s^2", "gravity, along -y"}, g);
    v(FieldInfo{"theta0", "rad", "start angle from the x axis"}, theta0);
    v(FieldInfo{"omega0", "rad/s", "start angular velocity"}, omega0);
  }
  CatalogProblem build(double t_end) const;
};

}  // namespace saltus
