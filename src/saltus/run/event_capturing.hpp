// Higher-order event capturing, Algorithm 1 of Acary 2012 (corrected). Between events the motion is
// integrated by a Runge–Kutta method of order p with the contact set frozen; an event is located only
// roughly, in a critical step of length h̄ = C h^{p+1}, in which an impact is taken by Moreau's scheme with
// its contacts forced active. The local error of the critical step is O(h̄), so the global order stays p,
// through accumulations of impacts too.
//
// One macro step of length h:
//   1. a contact that is closed and approaches now: critical step at once;
//   2. trial step over all that remains; no event at its end (nor a dip of a gap inside): accept, done;
//   3. bracket the first event to h̄, integrating anew from the start of the sub-step;
//   4. closing: accept up to the bracket, Moreau over it, bring the impacting gaps to zero;
//      opening, stick, slip: accept to the end of the bracket;
//   5. contacts whose next flight would be shorter than h̄ stay closed iff the acceleration problem presses
//   them;
//      go to 1.
#pragma once
#include "saltus/run/family_rules.hpp"
#include "saltus/scheme/kit/position_projection.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"
#include "saltus/scheme/runge_kutta/acceleration_problem.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/smooth_flow.hpp"

namespace saltus {

class EventCapture {
 public:
  EventCapture(const System& system, const Tableau& tableau, const EventCapturing& options,
               const SolverSpec& solver, const Sink& sink, const RunControl& control, RunResult& result);

  /// Takes the start and decides which contacts are closed there.
  bool start(double t, const Vec& q, const Vec& u);
  /// One macro step to `target`; false when the run must end (the result says why).
  bool advance(double target);
  /// The same, and false when any value of the system was not finite on the way.
  bool guarded_advance(double target);
  State& state() { return x_; }
  /// What it keeps beside the state between two macro steps.
  void memory(Memory& m);
  std::int64_t force_evaluations() const { return flow_.dynamics().evaluations(); }
  std::int64_t newton_iterations() const { return flow_.newton_iterations(); }

 private:
  // A function of one contact whose sign indicates an event, with its rate for gaps.
  struct Watch {
    int contact = 0;  // index into the contact set
    EventKind kind = EventKind::close;
    double value = 0, rate = 0;
    bool flagged = false;
  };
  struct Trial {
    double s = 0;
    Vec q, u;
    std::vector<Watch> watches;
    bool flagged = false;
  };
  // Ever shorter flights of one contact: an accumulation in the making.
  struct Bounces {
    std::uint64_t contact = 0;
    int count = 0;
    double last = 0, interval = infinity;
    void memory(Memory& m) {
      m(contact, count, last, interval);
      m.require(count >= 0 && count < 1'000'000'000 && last == last && interval == interval);
    }
  };

  bool fail(const std::string& what, StepStatus status);  // with the remedy of that status; false
  bool end_with(const std::string& message);              // false
  Method method() const { return {RungeKutta{}, options_, solver_}; }
  double critical_step() const;
  double negligible() const;  // what is left of a macro step when it counts as done
  const FrozenContact* frozen(std::uint64_t id) const;
  const Law& law_of(std::uint64_t id) const;

  void look(const Vec& u, std::vector<Watch>& out) const;
  bool try_step(double s, Trial& out);
  bool flag(Watch& watch, const Watch& before) const;
  double dip(const Trial& end) const;
  bool locate(Trial& lo, Trial& hi);
  void accept(const Trial& trial, bool grid_point);
  void emit(bool grid_point);
  void note(EventKind kind, std::uint64_t contact, double t_before);
  bool handle();
  bool impact(double s, std::vector<std::uint64_t> closing);
  bool settle(const std::vector<std::uint64_t>& touched, const std::vector<std::uint64_t>& turning,
              double t_before, bool after_impact = false);
  double rebound_floor(int row) const;
  void close(std::uint64_t id, double t_before);
  void count_bounce(std::uint64_t contact, double t);
  void remember_slip();
  /// Rates of energy of the rows that are closed, at the last evaluation of the dynamics.
  struct RowPower {
    bool acts = false;  ///< some row rubs, or is driven
    double friction = 0, walls = 0;
  };
  RowPower row_power(const Vec& u) const;
  void book_rows();

  const System& system_;
  EventCapturing options_;
  SolverSpec solver_;
  const Sink& sink_;
  const RunControl& control_;
  RunResult& result_;
  Shape shape_;
  bool has_joints_ = false;
  Faults faults_;  // of all that evaluate the system here
  SmoothFlow flow_;
  MoreauJeanStepper moreau_;
  PositionProjection projection_;
  AccelerationProblem accelerations_;
  std::vector<FrozenContact> closed_;
  std::vector<std::uint64_t> released_;  // let go at this instant: not an impact
  std::vector<double> slip_start_;       // slip velocities at the start of the sub-step, by row
  std::vector<Bounces> bounces_;
  double target_ = 0;  // the end of the macro step
  State x_, before_, after_;
  Vec a_;
  std::vector<Watch> now_;
  Trial trial_, lo_, hi_, probe_;
  std::vector<Event> events_;
  StepReport report_;
  RowPower power_;  // at the start of the sub-step
};

/// The driver: macro steps to the end and, where impacts accumulated, a companion run at twice the step, from
/// which the error of the accumulation times is estimated.
void run_event_capturing(const EventCapturing& stepping, const RunContext& context);

}  // namespace saltus
