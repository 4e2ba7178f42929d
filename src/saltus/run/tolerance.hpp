// Runs by tolerance: the user says how accurate, and steps follow. Between events an explicit pair of order 5
// or 8 (scheme/runge_kutta/dense_pair.hpp) with error control; events are roots of its dense output, located
// to far below the tolerance without integrating again; what happens at an event is that of event capturing
// (event_capturing.hpp), whose critical step follows from the tolerance.
//
// A local error is measured in each coordinate's own scale, rtol·(the largest size it has had) + atol: units
// do not matter, and a coordinate that passes zero does not stop the run.
#pragma once
#include "saltus/run/coordinate_groups.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/scheme/runge_kutta/chart.hpp"
#include "saltus/scheme/runge_kutta/controlled_flow.hpp"

namespace saltus {

class ToleranceCapture final : public EventCapture {
 public:
  ToleranceCapture(const System& system, const DensePair& pair, const ToleranceSteps& options,
                   const SolverSpec& solver, double duration, const Sink& sink, const RunControl& control,
                   RunResult& result);
  /// One step towards `target`, to the next event at most.
  bool advance(double target) override;
  void memory(Memory& m) override;
  /// The period of the harmonic motion with the mean square velocities and accelerations so far.
  double time_scale() const;
  const ControlledFlow& steps() const { return *steps_; }
  /// What it has cost so far: evaluations times coordinates and rows of contacts.
  double work() const { return work_; }
  bool reached(double target) const { return !(target - x_.t > negligible()); }

 private:
  double critical_step() const override;
  double location_width() const override;
  double tie_time() const override { return x_.t >= options_.together_from ? options_.together : 0; }
  double other_shares() const override { return options_.shares; }
  double row_speed(const ContactSet& set, int row) const;  // the largest that its coordinates could make
  double quiet_velocity(const ContactSet& set, int row) const override;
  double resting_velocity(const ContactSet& set, int row) const override;
  double still_velocity(const ContactSet& set, int row) const override;
  double step_length() const override { return h_; }
  double usual_length() const override { return std::max(h_, 1e-2 * time_scale()); }
  double onset_time() const override;
  double onset_part(double s, double enough) const;
  Attempt first_trial(double left, bool& whole) override;
  bool look_inside() override;
  bool locate(Trial& lo, Trial& hi) override;
  void take_dense(const Trial& trial) override;
  void show_inside(Trial& trial) override;

  // tolerance_look.cpp
  double gap_size(std::uint64_t contact, double* weights = nullptr) const;
  double nearness(std::uint64_t contact) const;
  void keep_approach(std::uint64_t contact, double t, double gap);
  Attempt find_dip(const Trial& from, const Trial& to, bool& found);

  void find_groups();
  void measure(const Vec& q, const Vec& u);
  void set_scales(double h, const Vec& end_q, const Vec& end_u);
  double first_step() const;
  Attempt controlled_step(double s);
  double follow_gaps();
  int pieces_of(double s) const;
  double follow_turns(const Vec& q, const Vec& u, double s);
  /// What the gap of a contact does within a step.
  enum class Course : std::uint8_t { open, closes, unclear };
  struct Bend {  // values, rates and accelerations of a gap at both ends of a step of length s
    double s, g0, r0, a0, g1, r1, a1;
    Course course(double near) const;
    double root() const;  // of one that closes
  };
  bool foresee();

  ToleranceSteps options_;
  ControlledFlow* steps_;
  Chart chart_;
  double duration_;
  double work_ = 0;
  double h_ = 0;                         // the next step
  Vec q_size_, u_size_;                  // the largest values so far
  CoordinateGroups tied_to_, moved_by_;  // by masses, contacts and joints; by forces too
  Vec momentum_;
  ErrorScales scales_;
  Trial node_, last_node_;
  // The fastest that the gap of a contact has moved, and its largest acceleration.
  struct GapScale {
    std::uint64_t contact = 0;
    double speed = 0, acceleration = 0;
    void memory(Memory& m) { m(contact, speed, acceleration), m.require(speed >= 0 && acceleration >= 0); }
  };
  std::vector<GapScale> gap_scales_;  // increasing ids
  /// A step is at most so many radians of the fastest gap.
  static constexpr double most_gap_radians = 2;
  double gap_radian_ = 0;  // of the step that is being made
  std::vector<double> row_rate_, row_scale_,
      end_rate_;  // accelerations of gaps: at x_, and at the end of the trial
};

/// Of any family: mechanical systems by the class above, others by their own methods.
void run_by_tolerance(const ToleranceSteps& stepping, const RunContext& context);

}  // namespace saltus
