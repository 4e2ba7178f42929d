// What comes out of a run: segments on the way, status, statistics and residuals at the end; and what a
// caller can do while it lasts.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "saltus/core/tandem.hpp"
#include "saltus/run/event.hpp"
#include "saltus/scheme/dense_piece.hpp"
#include "saltus/scheme/moreau/extrapolation.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

/// What closed contacts and joints do to the velocities in a smooth step, W λ at its start, in its middle and
/// at its end; q is in its middle.
struct Reactions {
  Vec begin, middle, end, q;
};

/// One accepted step; the references are valid during the call only.
struct Segment {
  const State& begin;
  const State& end;
  const StepReport& report;
  std::span<const Event> events;
  bool grid_point = true;  ///< false where a driver ends a sub-step of its own, at an event
  int multipliers = 0;     ///< ODAEs: so many entries at the head of State::aux are multipliers
  /// Of methods with dense output, where the motion is smooth: polynomials that hold from begin to end.
  /// Several segments in a row may be parts of one piece, which then has one start.
  const DensePiece* dense = nullptr;
  /// Of methods that know forces, where RunControl asks for them and any act.
  const Reactions* reactions = nullptr;
  bool inside = false;  ///< the next segment is a part of the same piece
};
using Sink = std::function<void(const Segment&)>;

enum class RunStatus : std::uint8_t { finished, stopped, failed, interrupted };
std::string_view to_string(RunStatus status);

struct RunStats {
  std::int64_t steps = 0, rejected = 0, force_evaluations = 0, newton_iterations = 0, contact_iterations = 0;
  // stepping switching: steps tried, steps of the base scheme (contact problems), switching points detected
  // and resolved, and steps taken though they missed the tolerance, because h_min allowed no more rows
  std::int64_t calculated = 0, base_steps = 0, detections = 0, switches = 0, above_tolerance = 0;
  std::int64_t equal_steps = 0;  ///< of stepping switching, where switching points were dense
  std::int64_t stiff_steps = 0;  ///< of a run by tolerance: steps that an implicit method took
  double cpu_seconds = 0;
  std::int64_t unsolved = 0;  ///< steps accepted although their contact problem missed the tolerance
  int newton_max = 0;         ///< most Newton iterations of one step
  /// The ledger of energy, summed over the steps: see StepReport. Event capturing counts its impacts only.
  double contact_loss = 0, wall_work = 0;
};
/// Largest over the run: contact (natural residual), penetration, joints at position and velocity level, and
/// what schemes with accelerations report: joints at that level, closed contacts at all three.
struct RunResiduals {
  double contact = 0, gap = 0, position = 0, velocity = 0;
  double acceleration = 0, contact_position = 0, contact_velocity = 0, contact_acceleration = 0;
};
/// Impacts that accumulate: estimated time, how many were resolved before the contact was closed, and how far
/// the time may be off: the rough location of those impacts, plus the error of the Runge–Kutta method
/// estimated from a companion run at twice the step (infinite when that run has no such accumulation).
struct Accumulation {
  std::uint64_t contact = 0;
  double t = 0, bound = 0;
  int impacts = 0;
};
/// Runs by tolerance: where the gap of an open contact came closest to zero, beside what its coordinates move
/// it by (`share`), and turned without an impact. Kept where it is less than a thousand tolerances.
struct ClosestApproach {
  std::uint64_t contact = 0;
  double t = 0, gap = infinity, share = infinity;
  Vec weights;  ///< of the coordinates in the gap
};
/// Momentum of bodies, linear and angular about the origin:
///     end = start + loads (weights too) + contacts (of the ground, joints too) + remainder.
/// In the plane: x, y, and one that is angular. In space: x, y, z, and angular about x, y, z.
struct Momentum {
  bool known = false;  ///< the system consists of such bodies
  int size = 3;        ///< so many entries count: 3 in the plane, 6 in space
  std::array<double, 6> start = {}, end = {}, loads = {}, contacts = {}, remainder = {};
};
/// Where the energy of a run came from and went,
///     energy_end = energy_start + work − damping − friction − impacts + remainder,
/// and how far contacts and joints are from where they belong at its end. The remainder is the scheme's own.
/// NaN: the system has no energy, or does not tell the power of its forces (DynamicSystem::powers).
struct Ledger {
  double energy_start = 0, energy_end = 0, work = 0, damping = 0, friction = 0, impacts = 0, remainder = 0;
  double scale = 0;        ///< the largest energy that moved: kinetic, or one of the sums above
  double penetration = 0;  ///< of the deepest contact, over the thickness of its bodies or the motion
  double drift = 0;        ///< of the worst joint or prescribed motion, over the motion
  double motion = 0;       ///< of the worst prescribed motion alone
  std::uint64_t deepest = 0, loosest = 0, strayed = 0;  ///< which they are
  Momentum momentum;
};
/// When a run is not trusted: parts of the ledger's scales.
struct Trust {
  static constexpr std::string_view name = "trust", summary = "what the ledger may show without a warning";
  double energy = 0.1, penetration = 0.1, drift = 5e-3, motion = 2e-4;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"energy", "", "remainder of the energy ledger over the largest energy that moved",
                Range::positive()},
      energy);
    v(FieldInfo{"penetration", "", "depth of a contact over the thickness of its bodies, or the motion",
                Range::positive()},
      penetration);
    v(FieldInfo{"drift", "", "violation of a joint over the motion", Range::positive()}, drift);
    v(FieldInfo{"motion", "", "violation of a prescribed motion over the motion", Range::positive()}, motion);
  }
};
struct RunResult {
  RunStatus status = RunStatus::finished;
  std::string message;
  /// What a user should know of a run that is not to be trusted as it stands, though it reached its end. Each
  /// is a sentence with the remedy; drivers and rules append.
  std::vector<std::string> warnings;
  State final;
  RunStats stats;
  RunResiduals residuals;
  double energy_initial = 0, energy_final = 0;
  std::vector<Accumulation> accumulations;
  /// Event capturing, runs by tolerance: so many times contacts were hit together that would close one after
  /// the other. Within the critical step the order of impacts is not resolved.
  std::int64_t ties = 0;
  ClosestApproach closest;
  /// From here on redundant contacts slide, and the motion depends on how they share their load.
  double undetermined_from = infinity;
  /// Runs by tolerance: from here on Moreau's scheme took over, with equal steps.
  double stepped_from = infinity;
  Ledger ledger;
};

/// One try of stepping switching. A step that is taken may still be dropped by a later try, which says so.
struct Attempt {
  double t = 0, h = 0;
  Outcome outcome = Outcome::success;
  int order = 0;       ///< rows of its tableau
  bool taken = false;  ///< as it stands; false: the step is tried again
  bool drops = false;  ///< the step before it, taken so far, is dropped
};

/// Optional: a flag that ends the run early, a callback for a progress bar (a few times a second at most),
/// and one for every try of stepping switching.
struct RunControl {
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double t, std::int64_t steps)> progress;
  std::function<void(const Attempt&)> attempt;
  Trust trust = {};
  /// The ledger, and states within steps that it needs. Without them a run is cheaper: a second one, of which
  /// only states and events count.
  bool books = true;
  bool reactions = false;  ///< segments tell forces of closed contacts and joints where the method knows them
  /// Of runs by tolerance of mechanical systems: the longest step from t on. For companions, which follow
  /// another run.
  std::function<double(double t)> longest_step;
  /// Two runs side by side, where error bars need a second one; null: one after the other.
  Tandem* tandem = nullptr;
};

}  // namespace saltus
