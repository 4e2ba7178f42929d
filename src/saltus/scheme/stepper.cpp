#include "saltus/scheme/stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/scheme/kit/gap_report.hpp"

namespace saltus {

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return "ok";
    case StepStatus::not_finite:
      return "the state is no longer finite";
    case StepStatus::newton_diverged:
      return "Newton's iteration did not converge";
    case StepStatus::singular:
      return "the iteration matrix is singular";
    case StepStatus::contact_unsolved:
      return "the contact problem was not solved to its tolerance";
    case StepStatus::gap_not_finite:
      return "a gap is not a number";
    case StepStatus::redundant_contacts:
      return "the joints and closed contacts contradict each other";
    case StepStatus::not_unique:
      return "the stage equations may have several solutions here";
  }
  return "?";
}

std::string_view what_failed(const StepReport& report) {
  if (report.fault && std::isfinite(report.fault.value)) return "the mass is not positive definite";
  return to_string(report.status);
}

void Stepper::note_fault(StepReport& report) {
  report.fault = faults().first();
  if (report.status == StepStatus::gap_not_finite) return;
  report.status = StepStatus::not_finite;
  report.bad_component = -1;
}

void report_gaps(const System& system, const ContactSet& set, StepReport& report) {
  const auto laws = system.laws();
  for (const Contact& c : set.contacts) {
    const Law& law = laws[c.law];
    if (needs_closed_gap(law)) {
      report.min_gap = std::min(report.min_gap, set.gap[c.row]);
    } else if (const auto* joint = std::get_if<Equality>(&law)) {
      for (int r = 0; r < joint->size; ++r)
        report.joint_position = std::max(report.joint_position, std::abs(set.gap[c.row + r]));
    }
  }
}

}  // namespace saltus
