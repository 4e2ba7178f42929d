// The contact part every velocity-level scheme shares: from the active contacts, the free velocity and the
// factor of the iteration matrix A, pose and solve
//
//     y = Wᵀ v + χ + E γ⁻,   v = v_free + A⁻¹ W P,   −y ∈ N_C(P),
//
// warm-started from the memory, and add A⁻¹ W P to the velocity. For laws on the position level y is the gap
// at the end of the step divided by the time it takes a velocity to change it.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "saltus/contact/solver.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/gap_rounding.hpp"
#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// The gap at the end of a step as a scheme makes it: g_E = g + before·γ⁻ + after·γ⁺, g where survey() looks.
struct EndGap {
  double before = 0, after = 0;
};

/// Which contacts take part in a step: those with a predicted gap g + lead·γ⁻ ≤ 0, or all that are listed
/// (the complementarity of the step then decides).
enum class Activation : std::uint8_t { predicted, listed };
/// What is demanded of a normal row, y ≥ 0: on the velocity level γ⁺ + e γ⁻ (Newton); on the position level,
/// with the gap g in the middle of two steps, γ⁺ − e γ⁻ + (1 + e) g/h, of joints γ⁺ + g/h (Schatzman–Paoli).
enum class Rebound : std::uint8_t { velocity, position };

/// The choices of a scheme.
struct ContactRule {
  double lead = 0;
  EndGap end = {};
  Activation activation = Activation::predicted;
  Rebound rebound = Rebound::velocity;
  double to_end = 0;  ///< from where the directions are taken to the end of the step
};

/// Normal velocities up to this are rest: rounding next to the largest velocity that an impulse of the step
/// made.
inline double rest_level(double speed, double tolerance = 0) {
  return std::max(1e-12, 10 * tolerance) * speed;
}
/// e of laws that have one for their normal row.
std::optional<double> normal_restitution(const Law& law);

class ContactStage {
 public:
  ContactStage(const System& system, const SolverSpec& solver);

  /// One look at the contacts before the step: γ⁻ = Wᵀ u + χ on every row, the position residuals for the
  /// report, and which contacts are active: those that act always, and those the rule activates. A
  /// contact that the memory knows to rest stays active while its gap is rounding: below 1e-8 (or 1e4 solver
  /// tolerances) of the way that the last step's impulses could make in h. Without this a resting stack loses
  /// contacts to gaps like 1e-19. True: all contacts are open and far, with finite gaps.
  [[gnu::always_inline]] bool survey(const ContactSet& set, const Vec& u, const ContactRule& how, double h,
                                     const ContactMemory& memory, StepReport& report) {
    active_.clear();
    posed_ = false;
    const double rounding = rounding_ * h * memory.speed;
    if (all_far(set, u, how, rounding, report)) return true;
    look_closely(set, u, how, rounding, memory, report);
    return false;
  }
  bool set_closed_rule(const ClosedRule& rule) {
    rule_ = rule;
    return true;
  }
  /// Contacts whose gap is rounding are active even while they part (null: only those that close, see
  /// survey). It must live until the next survey.
  void set_touch(const GapRounding* rounding) { touch_ = rounding; }
  bool any_active() const { return !active_.empty(); }
  std::size_t active() const { return active_.size(); }
  /// Contacts (increasing ids) that the next surveys take as active whatever their gap: an impact already
  /// located. Those of `parting` are not, however small their gap.
  void force(std::span<const std::uint64_t> contacts, std::span<const std::uint64_t> parting = {}) {
    forced_.assign(contacts.begin(), contacts.end());
    parting_.assign(parting.begin(), parting.end());
  }

  /// Whether the next solve needs ContactSet::bias where the directions are: laws hold at the end of the
  /// step.
  bool needs_bias() const { return !rule_.restitution && how_.to_end > 0 && any_active(); }
  void set_bias_known(bool known) { bias_known_ = known; }

  /// v ← v + A⁻¹ W P. `fresh`: A or W changed since the last call.
  SolveReport solve(const ContactSet& set, const Factor& A, bool fresh, double dt,
                    const ContactMemory& memory, Vec& v);

  /// Into the report of a step: which contacts a failed solve is about.
  void blame(const ContactSet& set, const SolveReport& solved, StepReport& report) const;

  /// The residual of the last solve as a velocity: the largest violation of a law.
  double violation() const { return violation_; }

  /// Writes impulses and modes of the closed contacts, their γ⁻ and γ⁺, and the joints' residual. A mode that
  /// hangs on the solver's last digits stays what it was in `before`. The energy they took is counted with
  /// the directions of the impulses, from the velocity u before the step.
  void finish(const ContactSet& set, const Vec& u, const Vec& v, double dt, const ContactMemory& before,
              ContactMemory& memory, StepReport& report) {
    memory.speed = 0, memory.step = dt;
    if (posed_) return remember(set, u, v, dt, before, memory, report);
    memory.closed.clear(), memory.impulse.clear();  // nothing was active, or nothing was solved
    report.apart = active_.empty();
  }

  /// What `solve` posed last; null when no contact is active.
  const ContactProblem* problem() const { return active_.empty() || !built_ ? nullptr : &problem_; }

  /// The impulses found for it, row by row.
  std::span<const double> impulses() const { return posed_ ? P_ : std::span<const double>(); }

  std::uint64_t contact_id(const ContactSet& set, int block) const { return set.contacts[active_[block]].id; }

 private:
  bool touches(const ContactSet& set, const Contact& c) const {
    return set.gap[c.row] <= touching_roundings * (*touch_)(set, c.row, rows(laws_[c.law]), c.row);
  }
  bool all_far(const ContactSet& set, const Vec& u, const ContactRule& how, double rounding,
               StepReport& report) const;
  void look_closely(const ContactSet& set, const Vec& u, const ContactRule& how, double rounding,
                    const ContactMemory& memory, StepReport& report);
  void position_rebound(const Law& law, double gap, double before, double dt, double* out) const;
  double rounding_of_free(const ContactSet& set, const Vec& v, double part) const;
  /// Δγ that forces alone make at a contact in this step, and which contacts of the memory are at rest.
  struct Staying {
    double level = 0;    // |γ⁻| up to this is the work of the step's own forces
    bool known = false;  // remembered as closed
    bool kept = false;   // active for the sake of the closed rule only
    bool stays = false;  // known, and |γ⁻| is within the level
  };
  void build(const ContactSet& set, const Factor& A);
  bool solve_one(const ContactSet& set, double dt, const Vec& v, SolveReport& report);
  [[gnu::noinline]] bool solve_several(const ContactSet& set, const Factor& A, double dt,
                                       const ContactMemory& memory, const Vec& v, SolveReport& report);
  SolveReport solve_all(const ContactSet& set, double dt, const ContactMemory& memory, const Vec& v);
  void remember(const ContactSet& set, const Vec& u, const Vec& v, double dt, const ContactMemory& before,
                ContactMemory& memory, StepReport& report);
  template <bool single>
  void write(const ContactSet& set, const Vec& u, const Vec& v, double dt, const ContactMemory& before,
             ContactMemory& memory, StepReport& report);
  void find_staying(const ContactSet& set, double dt, const ContactMemory& memory, const Vec& v);
  bool drop_parting();
  bool ruled() const { return !rule_.restitution || rule_.gap_tolerance > 0; }
  void fade(const double* before, double dt, int rows, double* rebound) const;
  void hold_at_end(const ContactSet& set, std::size_t k, std::size_t row, Mode before);
  bool raise_restitution(const ContactSet& set, double dt, const ContactMemory& memory, const Vec& v);

  std::span<const Law> laws_;
  std::unique_ptr<ContactSolver> solver_;
  double tolerance_;  // of the solver
  double rounding_;   // of a gap, relative to the way that impulses could make
  bool can_open_;     // all contacts: there are no joints and other laws that act always
  ClosedRule rule_;
  ContactRule how_;
  ContactProblem problem_;
  SparseRows Wt_;
  std::vector<int> active_, built_for_, sizes_;
  std::vector<std::uint64_t> forced_, parting_;
  std::vector<char> kept_;         // of the contacts in active_
  std::vector<Staying> staying_;   // the same; filled where the closed rule is in force
  std::vector<double> dof_level_;  // the largest level of the contacts at a degree of freedom
  const GapRounding* touch_ = nullptr;
  std::vector<double> gamma_minus_, P_, rho_, rebound_, bend_, u_minus_, u_plus_, impulse_;
  double violation_ = 0;
  bool built_ = false;
  bool bias_known_ = false;  // of the contacts in this step
  bool posed_ = false;       // in this step: P_ and rebound_ belong to it
};

// Whether all contacts are open and stay so. That is most of the steps of a few bodies, and all that such a
// step has to know of its contacts. NaN is not far.
[[gnu::always_inline]] inline bool ContactStage::all_far(const ContactSet& set, const Vec& u,
                                                         const ContactRule& how, double rounding,
                                                         StepReport& report) const {
  if (!can_open_ || how.activation == Activation::listed || !forced_.empty()) return false;
  const double near = std::max(rounding, rule_.gap_tolerance);
  double least = report.min_gap;
  for (const Contact& c : set.contacts) {
    const double gap = set.gap[c.row], gamma = set.Wt.dot(c.row, u.data()) + set.drift[c.row];
    if (!(gap > near && gap + how.lead * gamma > 0 && gap < infinity)) return false;
    if (touch_ && touches(set, c)) return false;
    least = std::min(least, gap);
  }
  report.min_gap = least;
  return true;
}

}  // namespace saltus
