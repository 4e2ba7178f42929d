// What the drivers (fixed, adaptive, event capturing) share: messages, bookkeeping, progress and interrupts.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>

#include "saltus/run/method.hpp"
#include "saltus/run/outcome.hpp"

namespace saltus {

/// Written for a person: where, what, which contact or quantity, and what to try.
std::string failure_message(const System& system, const Method& method, const State& x0, double h,
                            const StepReport& report);

/// Of a contact problem without an accepted solution: which contacts, whether they contradict each other.
std::string unsolved_message(const System& system, const Method& method, const StepReport& report);

/// Of the first value that was not finite (core/fault.hpp): quantity, contact, time, what to look at.
std::string fault_message(const DynamicSystem& system, const Fault& fault);

/// Contacts are seen in the half of a pair's width where it came from. Equal steps of a quarter of it look
/// there at least once; after a longer step that ended in there unseen, a short one may already look beyond.
inline constexpr double equal_steps_see = 0.25, any_steps_see = 1.0 / 64;
/// Whether bodies went through each other in a step, where no contact showed it; `why` then says who, and
/// what to do.
bool went_through(const System& system, double t0, const Vec& q0, double t1, const Vec& q1, std::string& why,
                  double share = equal_steps_see);
inline bool went_through(const System& system, const State& x0, const State& x1, std::string& why,
                         double share = equal_steps_see) {
  return went_through(system, x0.t, x0.q, x1.t, x1.q, why, share);
}

/// Force evaluations and iterations of a step, accepted or not.
inline void count_work(RunResult& result, const StepReport& r) {
  RunStats& s = result.stats;
  s.force_evaluations += r.force_evaluations;
  s.newton_iterations += r.newton_iterations;
  s.contact_iterations += r.contact_iterations;
  s.newton_max = std::max(s.newton_max, r.newton_iterations);
}

/// Residuals of an accepted step, and its energies.
inline void accumulate(RunResult& result, const StepReport& r) {
  RunResiduals& m = result.residuals;
  m.gap = std::max(m.gap, -r.min_gap);
  if (r.apart) return;
  m.contact = std::max(m.contact, r.contact_residual);
  m.position = std::max(m.position, r.joint_position);
  m.velocity = std::max(m.velocity, r.joint_velocity);
  m.acceleration = std::max(m.acceleration, r.joint_acceleration);
  m.contact_position = std::max(m.contact_position, r.contact_position);
  m.contact_velocity = std::max(m.contact_velocity, r.contact_velocity);
  m.contact_acceleration = std::max(m.contact_acceleration, r.contact_acceleration);
  result.stats.contact_loss += r.contact_loss;
  result.stats.wall_work += r.wall_work;
}

/// Notes in the result that the user asked to stop, and is true.
[[gnu::cold]] bool stop(double t, RunResult& result);
inline bool stop_wanted(const RunControl& control) {
  return control.interrupt && control.interrupt->load(std::memory_order_relaxed);
}
/// Whether the user asked to; the result then says so.
inline bool stop_requested(const RunControl& control, double t, RunResult& result) {
  return stop_wanted(control) && stop(t, result);
}

/// Calls the progress callback at most ten times a second, looking at the clock only now and then.
class Ticker {
 public:
  explicit Ticker(const RunControl& control) : control_(control) {}
  void tick(double t, std::int64_t steps) {
    if (control_.progress) look(t, steps);
  }

 private:
  [[gnu::cold]] void look(double t, std::int64_t steps) {
    if ((++calls_ & 63) != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    control_.progress(t, steps);
  }

  const RunControl& control_;
  std::int64_t calls_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace saltus
