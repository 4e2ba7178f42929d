// What a verification is told and what it finds.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/run/trajectory.hpp"

namespace saltus {

/// What was recorded of a run beside its trajectory.
struct Claims {
  std::string status = "finished";
  double t_end = 0;
  double rtol = 0;  ///< of a run by tolerance; 0: another method, whose states are joined by cubics
  std::span<const double> energy = {};  ///< by sample
  std::optional<Ledger> ledger;
};

struct VerifyOptions {
  /// Of every measure, relative to its scale; 0: from the tolerance, and none for other methods.
  double limit = 0;
};

/// The worst of a kind: its size, its part of the scale that a limit is compared with, and where it is.
struct Misfit {
  double value = 0, part = 0, t = 0;
  std::string where;  ///< a contact, where there is one

  void take(double size, double relative, double time, std::string_view name = {}) {
    if (relative <= part) return;
    value = size, part = relative == relative ? relative : infinity, t = time, where = name;
  }
};

struct Verification {
  double limit = 0;    ///< infinite: nothing is limited
  bool dense = false;  ///< of the method's own polynomials; false: states joined by cubics
  std::int64_t pieces = 0, points = 0, impacts = 0;
  double start = 0;  ///< what gaps and joints miss at the start, of their scales: no limit is below that

  Misfit load;         ///< M u̇ − f − W λ: the largest force; its part is what it makes of u in a step
  Misfit rate;         ///< q̇ − u
  Misfit jump;         ///< of q where pieces meet
  Misfit impulse;      ///< M (u⁺ − u⁻) − W P
  Misfit restitution;  ///< of an impact: (γ⁺ + e γ⁻)/γ⁻
  Misfit closing;      ///< velocities of contacts that end without a rebound, and of friction at impacts
  Misfit penetration;  ///< of gaps
  Misfit joint;        ///< gaps of joints
  Misfit energy;       ///< of the balance of energy, computed anew
  /// What cannot be, each a sentence: a record that contradicts another one, or the equations.
  std::vector<std::string> findings;

  struct Named {
    const char* name;
    const char* what;
    const Misfit* misfit;
  };
  std::vector<Named> all() const;
  bool accepted() const;
  /// "solves exactly a problem whose loads differ by at most …", or why not.
  std::string sentence() const;
};

}  // namespace saltus
