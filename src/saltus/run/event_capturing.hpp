// Higher-order event capturing, Algorithm 1 of Acary 2012 (corrected). Between events the motion is
// integrated by a Runge–Kutta method of order p with the contact set frozen; an event is located only
// roughly, in a critical step of length h̄ = C h (h/T)^p, T the time scale of the motion, in which an impact
// is taken by Moreau's scheme with its contacts forced active. The local error of the critical step is O(h̄),
// so the global order stays p, through accumulations of impacts too.
//
// One macro step of length h:
//   1. a contact that is closed and approaches now: critical step at once;
//   2. trial step over all that remains; no event at its end (nor a dip of a gap inside): accept, done;
//   3. bracket the first event to h̄, integrating anew from the start of the sub-step;
//   4. closing: accept up to the bracket, Moreau over it, bring the impacting gaps to zero;
//      opening, stick, slip: accept to the end of the bracket;
//   5. contacts whose next flight would be shorter than h̄ stay closed iff the acceleration problem presses
//      them; go to 1.
#pragma once
#include <functional>
#include <limits>
#include <memory>

#include "saltus/run/between.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/scheme/kit/position_projection.hpp"
#include "saltus/scheme/runge_kutta/acceleration_problem.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/scheme/runge_kutta/flow.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class MoreauJeanStepper;

class EventCapture {
 public:
  static constexpr const char* too_dense = "contacts are too dense to be located one by one";
  /// What integrates between events; it shares the record of values that are not finite.
  using MakeFlow = std::function<std::unique_ptr<Flow>(Faults&)>;
  EventCapture(const System& system, const MakeFlow& flow, const EventCapturing& options,
               const SolverSpec& solver, const Sink& sink, const RunControl& control, RunResult& result);
  virtual ~EventCapture();

  /// Takes the start and decides which contacts are closed there.
  bool start(double t, const Vec& q, const Vec& u);
  /// On to `target`, one macro step; false when the run must end (the result says why).
  virtual bool advance(double target);
  /// The same, and false when any value of the system was not finite on the way.
  bool guarded_advance(double target);
  State& state() { return x_; }
  /// What it keeps beside the state between two macro steps.
  virtual void memory(Memory& m);
  std::int64_t force_evaluations() const { return flow_->dynamics().evaluations(); }
  std::int64_t newton_iterations() const { return flow_->newton_iterations(); }
  /// Whether it ended because events cost too much.
  bool is_crowded() const { return crowded_; }
  /// Why a run that failed did, where a step was to blame.
  StepStatus failure() const { return failure_; }

 protected:
  // What a function of one contact tells when its sign changes.
  enum class Tells : std::uint8_t {
    gap,     // of an open contact: it closes
    force,   // normal force of a closed one: it opens
    cone,    // how far friction is from its limit: it slips
    slip,    // velocity of one that slides, along its slip: it stops
    spring,  // gap of a pre-stressed spring that yields: it is back
    edge,    // ±1, of a closed one: it slid over an edge, and its geometry is another
    kink     // gap of a compliant contact: it touches or parts
  };
  struct Watch {
    std::uint64_t contact = 0;
    Tells tells = Tells::gap;
    double value = 0, rate = 0;  // rate: of gaps; of an edge its normal velocity
    double rounding = 0;         // of the value
    bool flagged = false;
    std::uint8_t disc = 0;  // of friction: which one
    double off = 0;         // of an edge: how far the step left the contact from closed
    double surface = 0;     // of a gap, a slip or an edge: the velocity of the other side
    double bend = 0;        // of an edge: the acceleration by which a curved surface turns the velocity
  };
  // A disc of friction, or a law without a gap, whose slip just reached zero.
  struct Turn {
    std::uint64_t contact;
    std::uint8_t disc;
  };
  using Turning = std::vector<Turn>;
  enum class Attempt : std::uint8_t { done, diverged, failed };
  struct Trial {
    double s = 0;
    Vec q, u;
    std::vector<Watch> watches;
    bool flagged = false;
  };
  // Ever shorter flights of one contact: an accumulation in the making.
  struct Bounces {
    std::uint64_t contact = 0;
    int count = 0, before = 0;  // impacts with ever shorter flights; before some that were longer
    double last = 0, interval = infinity;
    bool longer = false;  // than the flight before
    double shortest = infinity;
    int stalled = 0;  // flights since one was clearly shorter than all before
    void memory(Memory& m) {
      m(contact, count, before, last, interval, longer, shortest, stalled);
      for (const int n : {count, before, stalled}) m.require(n >= 0 && n < 1'000'000'000);
      m.require(last == last && interval == interval && shortest == shortest);
    }
  };

  // Contacts that were touched and fly, and when they would be back.
  struct Landing {
    std::uint64_t contact;
    double up, pressing;  // velocity, and the acceleration that brings it back
  };

  StepStatus accelerate(double t, const Vec& q, const Vec& u);
  std::string contradiction(StepStatus status) const;
  bool fail(const std::string& what, StepStatus status);  // with the remedy of that status; false
  bool end_with(const std::string& message);              // false
  Method method() const { return {RungeKutta{}, options_, solver_}; }
  /// The length of a step over an impact; flights shorter than that are none.
  virtual double critical_step() const;
  /// The length of the bracket of an event.
  virtual double location_width() const { return critical_step(); }
  /// Impacts that are closer in time are taken together, whether their order is resolved or not.
  virtual double tie_time() const { return 0; }
  /// By what part of them loads of redundant contacts are shared otherwise than usual.
  virtual double other_shares() const { return 0; }
  /// Of the steps between events: what velocities change by in such a step has no rounding below that.
  virtual double step_length() const { return options_.h; }
  /// A length of steps that the motion allows, however short the last one was cut.
  virtual double usual_length() const { return step_length(); }
  /// What a row may rebound with and yet stay closed, where its law hardly dissipates: elastic contacts that
  /// are pressed would tremble for ever.
  virtual double quiet_velocity(const ContactSet& /*set*/, int /*row*/) const { return 0; }
  /// What rounding leaves of the velocities that a row has had.
  virtual double resting_velocity(const ContactSet& /*set*/, int /*row*/) const {
    return 64 * std::numeric_limits<double>::epsilon() * fastest_;
  }
  /// What is left of the velocity of a row when impacts in turn have ended it.
  virtual double still_velocity(const ContactSet& /*set*/, int /*row*/) const {
    return critical_step() / step_length() * fastest_;
  }
  void follow_time_scale(double h);
  // event_capturing_run.cpp
  double owed(std::int64_t evaluations, int events) const;
  bool costs_too_much(std::int64_t evaluations, int events) const;
  bool is_at_rest(double h);
  bool begins_to_slip() const;
  double negligible() const;  // what is left of a macro step when it counts as done
  bool is_free() const { return closed_.empty() && !has_joints_; }  // no row has a force
  const FrozenContact* frozen(std::uint64_t id) const;
  const std::vector<std::uint64_t>& closed_ids();  // valid until the next call
  const Law& law_of(std::uint64_t id) const;

  // event_location.cpp
  void look(const Vec& q, const Vec& u, double s, std::vector<Watch>& out);
  void look_at_open(const Contact& c, const Vec& q, const Vec& u, std::vector<Watch>& out) const;
  void look_at_closed(const Contact& c, const FrozenContact& f, const Vec& u, double s,
                      std::vector<Watch>& out) const;
  Watch edge_watch(const Contact& c, const Vec& u, double s) const;
  double tie_force(int row) const;
  void watch_hold(const Contact& c, int first, int n, int disc, const Vec& u, std::vector<Watch>& out) const;
  bool jumps(const Watch& w, const Watch* before) const;
  void look_at_disc(const Contact& c, const FrozenContact& f, const FrictionDisc& d, int index, const Vec& u,
                    std::vector<Watch>& out) const;
  Watch slip_watch(const Contact& c, const FrozenContact& f, int first, int n, const Vec& u) const;
  double gap_rounding(const ContactSet& set, int row, const Vec& q, const Vec& u) const;
  const Vec& sizes(const Vec& q) const;  // of each displacement; valid until the next call
  double rate_rounding(std::uint64_t contact) const;
  static const Watch* find(const std::vector<Watch>& watches, const Watch& like);
  Attempt try_step(double s, Trial& out);
  /// The same for a look at the watches alone: no force is evaluated where nothing is closed.
  Attempt look_at(double s, Trial& out);
  Attempt try_shorter(Trial& out, bool& whole);
  /// The trial step of a sub-step, over `left` if nothing is against it (`whole`).
  virtual Attempt first_trial(double left, bool& whole);
  bool flag(Watch& watch) const;
  double dip(const Trial& end) const { return dip(now_, end.watches, end.s); }
  static double dip(const std::vector<Watch>& begin, const std::vector<Watch>& end, double s);
  virtual bool look_inside();
  template <class Visit>
  void for_each_closed_slip(Visit visit) const;
  double until_stop() const;
  double slip_rounding() const;
  // event_onset.cpp
  double onset_speed() const;
  double onset_slip(const Contact& c, const Vec& u) const;
  double fastest_onset(const Vec& u) const;
  /// In which forces could turn a slip that begins: an explicit step.
  virtual double onset_time() const { return step_length(); }
  void note_onsets(std::span<const AccelerationProblem::Candidate> candidates, bool after_impact);
  bool steer_onsets();
  bool oppose_force(const AccelerationProblem::Candidate& k, FrozenContact& f) const;
  double normal_force(std::uint64_t id) const;
  virtual bool locate(Trial& lo, Trial& hi);
  double secant(const Trial& lo, const Trial& hi) const;

  // event_capturing.cpp
  bool substep(bool first);
  void begin_substep(double s);
  bool follow_slip(FrozenContact& f) const;
  void accept(Trial& trial, bool reaches_target, bool grid_point) {
    take_dense(trial);
    show_inside(trial);
    accept_part(trial, reaches_target, grid_point);
    is_dense_ = false;
  }
  void accept(Trial& trial, bool reaches_target) { accept(trial, reaches_target, reaches_target); }
  void accept_part(const Trial& trial, bool reaches_target, bool grid_point);
  /// The polynomials of the step that is about to be accepted.
  virtual void take_dense(const Trial& /*trial*/) {}
  /// States between x_ and a trial that is about to be accepted, as steps of their own; the trial then begins
  /// at the last of them.
  virtual void show_inside(Trial& /*trial*/) {}
  bool obeys_laws() const;
  void remember_forces(double s);
  void emit(bool grid_point);
  void note(EventKind kind, std::uint64_t contact, Mode from, Mode to, double t_before);
  bool handle();

  // event_edges.cpp
  bool cross_kinks();
  bool just_behind_edge(double time) const;
  void look_behind_corners();
  bool move_watch(Watch& w) const;
  bool comes_over_edge(double before, double behind) const;
  bool pass_edges(const std::vector<std::uint64_t>& edges, const std::vector<std::uint64_t>& entering);

  // event_impacts.cpp
  bool order_is_lost(const std::vector<std::uint64_t>& closing) const;
  /// A step of length s in which these contacts are hit, and all that meet within `together`, if that is
  /// longer.
  bool impact(double s, const std::vector<std::uint64_t>& named = {}, double together = 0);
  double land();
  double jump_step();
  bool stalls();
  void count_bounce(std::uint64_t contact, double t);
  bool bounces_on(std::uint64_t contact) const;  // its flights no longer get shorter
  const Bounces* bounces_of(std::uint64_t contact) const;
  /// Its last flight was too short to be located, and another contact was hit meanwhile.
  bool collapses(const Bounces& b) const;
  void find_last_hits();
  double unresolved() const;
  double fall_over_rounding(std::uint64_t contact) const;
  void close(const FrozenContact& f, double t_before);

  // event_settle.cpp
  bool settle(const std::vector<std::uint64_t>& touched, const Turning& turning, double t_before,
              bool after_impact = false);
  static bool turns(const Turning& turning, std::uint64_t contact, int disc = 0);
  AccelerationProblem::Candidate candidate(int contact, const Turning& turning, bool after_impact) const;
  AccelerationProblem::Candidate rolling(int contact, const Turning& turning, bool after_impact) const;
  AccelerationProblem::Candidate spring(int contact, bool turns, bool after_impact) const;
  bool rests(int first, int n, bool turns, bool after_impact) const;
  double velocity_rounding(int row, bool after_impact) const;
  bool returns_soon(const Contact& c);
  void end_collapse(std::vector<std::uint64_t>& touched);
  bool let_go(std::vector<AccelerationProblem::Candidate>& candidates);
  void forget_ties();
  void stop_slip(std::span<const AccelerationProblem::Candidate> candidates);
  void tell_changes(const std::vector<FrozenContact>& old, double t_before);
  bool admissible(double t, const Vec& q, const Vec& u);
  void share_loads();
  bool try_shares(std::span<const Load> loads);
  bool take_other_shares();

  /// Rates of energy of the rows that are closed, at the last evaluation of the dynamics.
  struct RowPower {
    bool acts = false;  ///< some row rubs, or is driven
    double friction = 0, walls = 0;
  };
  RowPower row_power(const Vec& u) const;
  void begin_books();
  void book_rows();
  bool mean_power(double h, RowPower& mean);
  bool simpson_power(bool tells, RowPower& mean);

  const System& system_;
  EventCapturing options_;
  SolverSpec solver_;
  const Sink& sink_;
  const RunControl& control_;
  RunResult& result_;
  Shape shape_;
  bool has_joints_ = false;
  StepStatus failure_ = StepStatus::ok;
  bool is_dense_ = false;  // dense_ is of the step that is being accepted
  DensePiece dense_;
  bool inside_ = false;      // a state within a step is being accepted
  bool newton_ = false;      // events are located by Newton's steps too
  double guess_ = 0;         // of where the event of this sub-step is; 0: none
  bool equal_steps_ = true;  // the grid are the ends of macro steps, not those of all steps
  Faults faults_;            // of all that evaluate the system here
  std::unique_ptr<Flow> flow_;
  std::unique_ptr<MoreauJeanStepper> moreau_;  // over impacts
  PositionProjection projection_;
  AccelerationProblem accelerations_;
  std::vector<FrozenContact> closed_;
  std::vector<Load> loads_;       // of the instant when that set was decided
  double shared_at_ = -infinity;  // that instant
  double tied_ = 0;               // accelerations of which part of those at play counted as ties then
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> released_;   // let go at this instant: not an impact
  std::vector<std::uint64_t> beginning_;  // slip in two directions, too slow yet to have its own
  std::vector<std::uint64_t> parting_;    // open and close by, but not hit by the impact
  std::vector<std::uint64_t> pulled_;     // whose force just went below zero by more than rounding
  std::vector<Landing> landings_;         // of this instant
  std::vector<Bounces> bounces_;          // increasing ids
  double last_hit_ = -infinity, hit_before_ = -infinity;  // of all contacts, and the last one at another time
  double fastest_ = 0;                                    // velocity of a contact at an impact
  double jump_ = 0, jumped_ = -infinity;                  // the last jump_step(), and its end
  int stalls_ = 0;                                        // see stalls()
  double acceleration_scale_ = 0;                         // of contacts, when the set was decided
  double moved_ = 0, pushed_ = 0;  // ∫ uᵀMu dt and ∫ aᵀMa dt: the time scale of the motion
  bool rested_ = false;            // nothing moved until now
  double longest_rest_ = 0;        // the longest step without motion
  double radian_ = std::numeric_limits<double>::quiet_NaN();  // √(moved_/pushed_)
  CheckedSystem checked_;
  Matrix mass_;
  bool mass_known_ = false;  // of x_
  double target_ = 0;        // the end of the macro step
  double debt_ = 0;          // see owed()
  bool crowded_ = false;
  double edge_passed_ = -infinity;
  int flat_edges_ = 0;  // passed
  State x_, before_, after_, middle_;
  Between between_;
  mutable Vec size_;  // see sizes()
  Vec a_;
  std::vector<Watch> now_;
  bool looked_ = false;  // now_ is of x_ already
  std::vector<Kink> kinks_;
  Trial trial_, lo_, hi_, probe_;
  std::vector<Event> events_;
  StepReport report_;
  // Of an instant, kept from one to the next: events need no memory of their own.
  struct Instant {
    std::vector<std::uint64_t> closing, entering, edges;
    Turning turning;
    void clear() { closing.clear(), entering.clear(), edges.clear(), turning.clear(); }
  };
  Instant instant_;
  std::vector<std::uint64_t> striking_, struck_;  // contacts of an impact, and those that have an impulse
  std::vector<AccelerationProblem::Candidate> candidates_;
  std::vector<int> flying_;
  double coarseness_ = 1;  // of the decisions after an impact, in critical steps
  std::vector<FrozenContact> old_, held_;
  RowPower power_;  // at the start of the sub-step
  Reactions reactions_;
  bool tells_reactions_ = false;  // those of the step that is being accepted
};

/// The driver: macro steps to the end and, where impacts accumulated, a companion run at twice the step, from
/// which the error of the accumulation times is estimated.
void run_event_capturing(const EventCapturing& stepping, const RunContext& context);

}  // namespace saltus
