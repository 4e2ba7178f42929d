#include "saltus/run/driver.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/run/remedy.hpp"

namespace saltus {
namespace {

// Which quantity turned non-finite after x0?
std::string name_the_culprit(const System& system, const StepReport& report) {
  if (report.fault) return fault_message(system, report.fault);
  return "velocities or positions overflowed";
}

// What rebounds along its joint would have to slide, and friction does not let it: u = -e u⁻ has no impulse.
std::string jamming(const System& system) {
  const auto laws = system.laws();
  return std::any_of(laws.begin(), laws.end(), [](const Law& law) { return is_frictional(law); })
             ? "; a body that jams (a hinged bar that strikes the ground) may stick with e_n = 0, or slide "
               "with "
               "less friction"
             : "";
}

}  // namespace

std::string fault_message(const DynamicSystem& system, const Fault& fault) {
  const std::string contact =
      fault.has_contact ? fmt::format("contact {}: ", system.contact_name(fault.contact)) : std::string();
  return fmt::format("{}{}: see where its formula is defined, and keep the motion or the time within",
                     contact, fault.text());
}

std::string unsolved_message(const System& system, const Method& method, const StepReport& report) {
  const std::string contact = fmt::format("contact {}", system.contact_name(report.bad_contact));
  if (report.immovable)
    return fmt::format(
        "{}: its bodies approach each other, and no impulse can move them; take the contact or one of the "
        "prescribed motions away",
        contact);
  if (report.contradictory)
    return fmt::format(
        "{} and {} contradict each other: impulses of any size leave a velocity of {:.1e} into one of them; "
        "nothing rigid fits there. Stop or remove the prescribed motion that squeezes, take a contact or a "
        "joint away, or make a material compliant{}",
        contact,
        report.has_rival ? fmt::format("contact {}", system.contact_name(report.rival_contact))
                         : std::string("others"),
        report.contact_violation, jamming(system));
  return fmt::format("{}: {} reached residual {:.1e} after {} iterations, above its tolerance; {}", contact,
                     std::visit([](const auto& s) { return s.name; }, method.solver), report.contact_residual,
                     report.contact_iterations, remedy(method, StepStatus::contact_unsolved));
}

std::string failure_message(const System& system, const Method& method, const State& x0, double h,
                            const StepReport& report) {
  const std::string where = fmt::format("step from t = {:.9g} with h = {:.3g}", x0.t, h);
  const std::string what = remedy(method, report.status);
  switch (report.status) {
    case StepStatus::contact_unsolved:
      return fmt::format("{}: {}", where, unsolved_message(system, method, report));
    case StepStatus::not_finite:
      return fmt::format("{}: {}: {}; {}", where, what_failed(report), name_the_culprit(system, report),
                         what);
    case StepStatus::gap_not_finite:
      return fmt::format("{}: contact {}: {}{}; {}", where, system.contact_name(report.bad_contact),
                         to_string(report.status), report.fault ? ": " + report.fault.text() : "", what);
    case StepStatus::newton_diverged:
      return fmt::format("{}: {}{} after {} iterations; {}", where,
                         report.bad_is_contact
                             ? fmt::format("contact {}: ", system.contact_name(report.bad_contact))
                             : std::string(),
                         to_string(report.status), report.newton_iterations, what);
    case StepStatus::singular:
      return fmt::format(
          "{}: {}{}; {}", where, to_string(report.status),
          report.bad_component >= 0 ? fmt::format(" at velocity {}", report.bad_component) : std::string(),
          what);
    default:
      return fmt::format("{}: {}; {}", where, to_string(report.status), what);
  }
}

bool went_through(const System& system, double t0, const Vec& q0, double t1, const Vec& q1, std::string& why,
                  double share) {
  Passage found;
  if (!system.passes(t0, q0, t1, q1, share, found)) return false;
  const double h = t1 - t0;
  why = fmt::format(
      "step from t = {:.9g} with h = {:.3g}: {} went through each other: they moved {:.3g} in one step, and "
      "are {:.3g} thick; try steps below {:.1e}, or stepping adaptive or event-capturing",
      t0, h, found.bodies, found.travel, found.width, equal_steps_see * h * found.width / found.travel);
  return true;
}

bool stop(double t, RunResult& result) {
  result.status = RunStatus::interrupted;
  result.message = fmt::format("interrupted at t = {:.9g}; what was computed so far is kept", t);
  return true;
}

}  // namespace saltus
