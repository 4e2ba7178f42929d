// What a verification is told and what it finds.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "saltus/run/trajectory.hpp"

namespace saltus {

/// Fixed steps of Moreau's scheme from (q_k, u_k). Contacts are looked at in q_k + look h u_k, and act where
/// g + ahead h γ⁻ ≤ 0. Forces, masses and directions are those of the time t_k + θh and of the state there:
/// with `explicitly` it is (q_k + θ h u_k, u_k), else between both ends.
struct MoreauSteps {
  double look = 0, ahead = 1, theta = 0.5;
  bool explicitly = false;
};

/// What was recorded of a run beside its trajectory.
struct Claims {
  std::string status = "finished";
  double t_end = 0;
  double rtol = 0;  ///< of a run by tolerance; 0: another method, whose states are joined by cubics
  /// Steps of Moreau's scheme: all of them, or, of a run by tolerance, those after the end of its dense
  /// output.
  std::optional<MoreauSteps> moreau;
  double stepped_from = infinity;                  ///< of a run by tolerance: when Moreau's scheme took over
  std::int64_t every = 1;                          ///< so many steps per sample
  double residual = 0;                             ///< the largest of a contact problem
  std::optional<double> energy_start, energy_end;  ///< as the run told them at its end
  std::span<const double> energy = {};             ///< by sample
  std::optional<Ledger> ledger;
};

struct VerifyOptions {
  /// Of every measure, relative to its scale; 0: from the tolerance, and none for other methods.
  double limit = 0;
};

/// The worst of a kind: its size, its part of the scale that a limit is compared with, and where it is.
struct Misfit {
  double value = 0, part = 0, t = 0;
  std::string where;        ///< a contact, where there is one
  double limit = infinity;  ///< of its part

  void take(double size, double relative, double time, std::string_view name = {}) {
    if (relative <= part) return;
    value = size, part = relative == relative ? relative : infinity, t = time, where = name;
  }
};

struct Misfits {
  Misfit load;     ///< M u̇ − f − W λ: the largest force; its part is what it makes of u in a step
  Misfit held;     ///< M u̇ − f − W λ with the recorded forces of contacts that stay closed; as load
  Misfit rate;     ///< q̇ − u
  Misfit jump;     ///< of q where pieces meet
  Misfit impulse;  ///< M (u⁺ − u⁻) − W P
  Misfit restitution;  ///< of an impact: (γ⁺ + e γ⁻)/γ⁻
  Misfit closing;      ///< velocities of contacts that end without a rebound, and of friction at impacts
  Misfit penetration;  ///< of gaps
  Misfit joint;        ///< gaps of joints
  Misfit energy;       ///< of the balance of energy, computed anew
  Misfit ledger;       ///< sums of the recorded ledger, against those computed anew

  struct Named {
    const char* name;
    const char* what;
    const Misfit* misfit;
  };
  std::vector<Named> all() const;
  /// Every measure has the limit that the errors of a run by this tolerance leave room for.
  void limit_by_tolerance(double rtol);
  void limit_states(double rtol);  ///< the same for families whose states alone are recorded
  void limit_all(double limit);
  void limit_at_least(double limit);
};

struct Verification : Misfits {
  double limit = 0;    ///< the widest of the measures' own; infinite: nothing is limited
  bool dense = false;  ///< of the method's own polynomials; false: states joined by cubics, or steps
  /// From there on steps of Moreau's scheme, of which only their own equations are limited; infinite: none.
  double stepped_from = infinity;
  Misfits steps;  ///< of those after dense output; those of a whole run are above
  std::int64_t pieces = 0, points = 0, impacts = 0;
  double start = 0;  ///< what gaps and joints miss at the start, of their scales: no limit is below that
  /// What cannot be, each a sentence: a record that contradicts another one, or the equations.
  std::vector<std::string> findings;
  std::vector<std::string> missing;            ///< where there is no dense output: what cannot be checked
  const char *defect = "loads", *unit = " N";  ///< of the sentence

  /// One more finding, up to a number of them.
  void find(std::string text);
  /// The equations of Moreau's steps hold to this part: a hundred times what the contact problems were solved
  /// to.
  double step_limit = 1e-6;
  double step_misfit() const;  ///< the worst of them; 0 without such steps
  bool accepted() const;
  /// "solves exactly a problem whose loads differ by at most …", or why not.
  std::string sentence() const;

 private:
  bool within_limits() const;
  std::string verdict() const;  ///< of what was checked
};

}  // namespace saltus
