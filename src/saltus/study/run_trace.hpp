// What of a run is compared with a second run of the same problem: its states at some hundred times, its
// events, the sizes of its coordinates and velocities. A sink of run(); its memory does not grow with the
// steps.
#pragma once
#include <vector>

#include "saltus/run/problem.hpp"
#include "saltus/run/run.hpp"
#include "saltus/study/event_match.hpp"

namespace saltus {

class RunTrace {
 public:
  static constexpr int intervals = 256;  ///< between the times

  explicit RunTrace(const Problem& problem);
  void operator()(const Segment& segment);

  int size() const { return next_; }  ///< of the times, those that the run reached
  double time(int k) const { return t0_ + (t_end_ - t0_) * k / intervals; }
  auto q(int k) const { return q_.col(k); }
  auto u(int k) const { return u_.col(k); }
  const Vec& q_size() const { return q_size_; }  ///< the largest magnitudes so far
  const Vec& u_size() const { return u_size_; }
  double longest_step() const { return longest_; }  ///< of those with dense output
  const std::vector<EventMark>& events() const { return events_; }

 private:
  double t0_, t_end_, longest_ = 0;
  int next_ = 0;
  Eigen::MatrixXd q_, u_;
  Vec q_size_, u_size_;
  std::vector<EventMark> events_;
};

}  // namespace saltus
