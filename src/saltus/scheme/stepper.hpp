// A scheme is options (a plain struct), a Stepper made from it (owns every buffer) and a State (a value).
// step() reads x0 and writes x1: to reject a step is to drop x1. In steady state it neither allocates nor
// throws.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "saltus/contact/solver.hpp"
#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

enum class StepStatus : std::uint8_t {
  ok,
  not_finite,
  newton_diverged,
  singular,
  contact_unsolved,
  redundant_contacts
};
std::string_view to_string(StepStatus status);

struct StepReport {
  StepStatus status = StepStatus::ok;
  int force_evaluations = 0, newton_iterations = 0, contact_iterations = 0;
  double contact_residual = 0;    ///< natural residual of the step's contact problem
  std::uint64_t bad_contact = 0;  ///< where it is largest, when contact_unsolved
  double min_gap = infinity;      ///< smallest gap where the step looked: its start, or the midpoint
  double joint_position = 0;      ///< largest |g| of the joints there
  double joint_velocity = 0;      ///< largest |γ| of the joints at its end
  /// γ before and after, row by row as in x1.contacts.impulse; valid until the next step
  std::span<const double> u_minus, u_plus;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual int order() const = 0;
  virtual State start(double t, In q, In u) = 0;
  virtual StepReport step(const State& x0, double h, State& x1) = 0;
  /// The contact problem that the last step solved last; null when no contact was active, or the scheme has
  /// none.
  virtual const ContactProblem* contact_problem() const { return nullptr; }
  /// The physical configuration and velocity of a state; schemes with other variables override it.
  virtual void output(const State& x, Vec& q, Vec& u) const { q = x.q, u = x.u; }
};

}  // namespace saltus
