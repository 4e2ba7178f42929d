// What of a run is compared with a second run of the same problem: its states at some hundred times, its
// events, the sizes of its coordinates and velocities. A sink of run(); its memory does not grow with the
// steps. Checkpoints keep it, so that a resumed run is compared as a whole.
//
// Beside the times, which are evenly spaced, states at the ends of some steps are kept: of every one, of
// every second, fourth … when those become too many. What moves for a short time only, or with the period of
// the times, is seen there.
//
// A method without dense output is known at the ends of its steps only: times move there, and the second run
// is made to end steps at the same times.
//
// The second run may follow the first while that is under way.
#pragma once
#include <span>
#include <vector>

#include "saltus/run/problem.hpp"
#include "saltus/run/run.hpp"
#include "saltus/study/event_match.hpp"

namespace saltus {

class RunTrace {
 public:
  static constexpr int most_intervals = 256;  ///< between the times; fewer where states are large
  static constexpr int first_steps = 100;     ///< see longest_step
  explicit RunTrace(const Problem& problem);
  /// At the times of another trace.
  RunTrace(const Problem& problem, const RunTrace& other);
  /// Those that have come to the other trace since. States at ends of steps that it has dropped are dropped
  /// here, too.
  void catch_up(const RunTrace& other);
  void operator()(const Segment& segment);
  /// A run that goes on to a later end has other times: of those that were kept the nearest.
  void memory(Memory& m);

  int intervals() const { return intervals_; }
  int size() const { return next_; }  ///< of the times, those that the run reached
  double time(int k) const { return times_[static_cast<std::size_t>(k)]; }
  std::span<const double> times() const { return times_; }
  /// Those at ends of steps.
  std::vector<double> step_ends() const;
  /// States at ends of steps of the first run, where both runs are known.
  struct Inner {
    double t;
    std::span<const double> q, u;
  };
  int inner_size() const { return follows_ ? next_inner_ : static_cast<int>(inner_times_.size()); }
  Inner inner(int k) const;
  auto q(int k) const { return q_.col(k); }
  auto u(int k) const { return u_.col(k); }
  const Vec& q_size() const { return q_size_; }  ///< the largest magnitudes so far
  const Vec& u_size() const { return u_size_; }
  /// The largest accelerations of smooth motion.
  const Vec& u_rate() const { return u_rate_; }
  double longest_step() const { return longest_; }
  /// Of its first steps and of those that began until t, to a part in a thousand.
  double longest_step(double t) const;
  /// Whether that is known while the run is under way.
  bool first_steps_known() const { return steps_ >= first_steps; }
  const std::vector<EventMark>& events() const { return events_; }

 private:
  void keep_inner(const Segment& s);
  void follow_inner(const Segment& s);
  void keep_length(double start, double length);

  int intervals_;
  double t_end_, longest_ = 0;
  int next_ = 0;
  bool follows_ = false;                      // the times are another's
  int known_times_ = 0;                       // of the other's, those that are final
  std::vector<double> longer_from_, longer_;  // times from which steps were longer, and how long
  double last_start_ = infinity;
  std::int64_t steps_ = 0;
  std::vector<double> times_;
  std::vector<bool> at_step_;
  Eigen::MatrixXd q_, u_;
  Vec q_size_, u_size_, u_rate_;
  std::vector<double> inner_times_, inner_;  // of each q, then u
  std::int64_t segments_ = 0, every_ = 1;    // of which so many are left out
  int next_inner_ = 0;
  std::vector<EventMark> events_;
};

}  // namespace saltus
