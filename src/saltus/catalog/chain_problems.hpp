// The chains of James, Vorotnikov and Brogliato as problems of the catalog; units are the paper's
// (dimensionless).
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/chain/chain.hpp"

namespace saltus {

/// What every chain of the catalog can be asked.
struct ChainOptions {
  enum class ReferenceKind : std::uint8_t { extrapolation, none };
  static constexpr std::string_view reference_names[] = {"extrapolation", "none"};
  double gamma = 0.1, beta = 1.5;
  Formulation formulation = Formulation::y;
  ReferenceKind reference = ReferenceKind::extrapolation;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"gamma", "s", "damping of the contacts; 0: Hertz", Range::non_negative()}, gamma);
    v(FieldInfo{"beta", "", "law (1): 1 dashpot, 1.5 Kuwabara-Kono, 2.5 Simon-Hunt-Crossley",
                Range::at_least(1)},
      beta);
    v(FieldInfo{"formulation", "", "x: velocities, y: generalised velocities (10)-(11)"}, formulation,
      Names(formulation_names));
    v(FieldInfo{"reference", "", "extrapolation to rounding (up to 2000 beads), or none"}, reference,
      Names(reference_names));
  }
};

/// How a chain starts and is held: overlaps, disorder, gravity, walls.
struct ChainSetting {
  double v0 = 1, overlap = 0, disorder = 0, gravity = 0;
  bool hold = false, left_wall = false, right_wall = false;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"v0", "m/s", "velocity of the first bead at the start"}, v0);
    v(FieldInfo{"overlap", "m", "precompression: overlap of every contact at the start",
                Range::non_negative()},
      overlap);
    v(FieldInfo{"hold", "", "constant forces on free ends keep the precompression"}, hold);
    v(FieldInfo{"disorder", "m/s", "largest random velocity of every bead at the start",
                Range::non_negative()},
      disorder);
    v(FieldInfo{"gravity", "m/s^2", "acceleration along the chain, towards the last bead"}, gravity);
    v(FieldInfo{"left_wall", "", "a wall before the first bead"}, left_wall);
    v(FieldInfo{"right_wall", "", "a wall behind the last bead"}, right_wall);
  }
};

struct Trimer : ChainOptions {
  static constexpr std::string_view name = "trimer",
                                    summary = "three spheres of one material (Figures 2, 3 and 6)";
  static constexpr double t_end = 5;
  double r1 = 1, r2 = 0.8, r3 = 0.9, x1 = 0, x2 = 0, x3 = 0, v1 = 1, v2 = 0, v3 = 0;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"r1", "m", "radius of the first; m = r^3, k = 1 between the first two", Range::positive()},
      r1);
    v(FieldInfo{"r2", "m", "radius of the second", Range::positive()}, r2);
    v(FieldInfo{"r3", "m", "radius of the third", Range::positive()}, r3);
    v(FieldInfo{"x1", "m", "start position of the first, from touching"}, x1);
    v(FieldInfo{"x2", "m", "of the second"}, x2);
    v(FieldInfo{"x3", "m", "of the third"}, x3);
    v(FieldInfo{"v1", "m/s", "start velocity of the first"}, v1);
    v(FieldInfo{"v2", "m/s", "of the second"}, v2);
    v(FieldInfo{"v3", "m/s", "of the third"}, v3);
    ChainOptions::fields(v);
  }
  static std::vector<std::string> presets() { return {"impact", "compressed"}; }
  bool set_preset(std::string_view preset);
  CatalogProblem build(double t_end) const;
};

struct NewtonsCradle : ChainOptions {
  static constexpr std::string_view name = "newtons-cradle",
                                    summary = "beads on pendulums, the first one moving (Figures 4 and 5)";
  static constexpr double t_end = 40;
  int n = 10;
  double m = 1, k = 1, K = 0.01, v0 = 1;
  NewtonsCradle() { gamma = 0.3; }
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of beads", Range::closed(1, 1e7)}, n);
    v(FieldInfo{"m", "kg", "mass of each", Range::positive()}, m);
    v(FieldInfo{"k", "N/m^1.5", "stiffness of the contacts", Range::positive()}, k);
    v(FieldInfo{"K", "N/m", "stiffness of the pendulums", Range::non_negative()}, K);
    v(FieldInfo{"v0", "m/s", "velocity of the first bead at the start"}, v0);
    ChainOptions::fields(v);
  }
  static std::vector<std::string> presets() { return {"fig-4", "fig-5"}; }
  bool set_preset(std::string_view preset);
  CatalogProblem build(double t_end) const;
};

struct DimerChain : ChainOptions, ChainSetting {
  static constexpr std::string_view name = "dimer-chain",
                                    summary =
                                        "beads of masses 1 and eps in turn (Table 1, Figures 7, 9 to 11)";
  static constexpr double t_end = 30;
  int n = 25;
  double eps = 0.59, k = 1;
  DimerChain() { gamma = 0.06; }
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of beads", Range::closed(1, 1e7)}, n);
    v(FieldInfo{"eps", "kg", "mass of every second bead; the others have 1", Range::positive()}, eps);
    v(FieldInfo{"k", "N/m^1.5", "stiffness of the contacts", Range::positive()}, k);
    ChainSetting::fields(v);
    ChainOptions::fields(v);
  }
  static std::vector<std::string> presets() { return {"table-1", "precompressed", "stiff"}; }
  bool set_preset(std::string_view preset);
  CatalogProblem build(double t_end) const;
};

struct HomogeneousChain : ChainOptions, ChainSetting {
  static constexpr std::string_view name = "homogeneous-chain",
                                    summary = "equal beads, the first one moving (Figure 8)";
  static constexpr double t_end = 70;
  int n = 50;
  double m = 1, k = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"n", "", "number of beads", Range::closed(1, 1e7)}, n);
    v(FieldInfo{"m", "kg", "mass of each", Range::positive()}, m);
    v(FieldInfo{"k", "N/m^1.5", "stiffness of the contacts", Range::positive()}, k);
    ChainSetting::fields(v);
    ChainOptions::fields(v);
  }
  CatalogProblem build(double t_end) const;
};

struct TwoBeads : ChainOptions {
  static constexpr std::string_view name = "bead-collision", summary = "two beads collide (5)-(9)";
  static constexpr double t_end = 5;
  double m1 = 1, m2 = 1, k = 1, v0 = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"m1", "kg", "mass of the moving bead", Range::positive()}, m1);
    v(FieldInfo{"m2", "kg", "mass of the other", Range::positive()}, m2);
    v(FieldInfo{"k", "N/m^1.5", "stiffness of the contact", Range::positive()}, k);
    v(FieldInfo{"v0", "m/s", "approach velocity"}, v0);
    ChainOptions::fields(v);
  }
  CatalogProblem build(double t_end) const;
};

}  // namespace saltus
