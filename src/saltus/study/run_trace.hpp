// What of a run is compared with a second run of the same problem: its states at some hundred times, its
// events, the sizes of its coordinates and velocities. A sink of run(); its memory does not grow with the
// steps. Checkpoints keep it, so that a resumed run is compared as a whole.
//
// A method without dense output is known at the ends of its steps only: times move there, and the second run
// is made to end steps at the same times.
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
  explicit RunTrace(const Problem& problem);
  /// At the times of another trace.
  RunTrace(const Problem& problem, const RunTrace& other);
  void operator()(const Segment& segment);
  /// A run that goes on to a later end has other times: of those that were kept the nearest.
  void memory(Memory& m);

  int intervals() const { return intervals_; }
  int size() const { return next_; }  ///< of the times, those that the run reached
  double time(int k) const { return times_[static_cast<std::size_t>(k)]; }
  std::span<const double> times() const { return times_; }
  /// Those at ends of steps.
  std::vector<double> step_ends() const;
  auto q(int k) const { return q_.col(k); }
  auto u(int k) const { return u_.col(k); }
  const Vec& q_size() const { return q_size_; }  ///< the largest magnitudes so far
  const Vec& u_size() const { return u_size_; }
  double longest_step() const { return longest_; }
  const std::vector<EventMark>& events() const { return events_; }

 private:
  int intervals_;
  double t_end_, longest_ = 0;
  int next_ = 0;
  bool follows_ = false;  // the times are another's
  std::vector<double> times_;
  std::vector<bool> at_step_;
  Eigen::MatrixXd q_, u_;
  Vec q_size_, u_size_;
  std::vector<EventMark> events_;
};

}  // namespace saltus
