// How far two runs of one problem are apart: at the end, over the whole run, at events, and how that grew.
#pragma once
#include "saltus/study/error_bars.hpp"
#include "saltus/study/run_trace.hpp"

namespace saltus {

/// A run as it is compared.
struct TracedRun {
  const RunTrace& trace;
  const RunResult& result;
};

class RunDifference {
 public:
  /// A bar over the difference of the two runs; and where they have other events, so that one of them is no
  /// better than the other.
  static constexpr double usual_safety = 2, lost_safety = 10;
  /// The difference is the error of the other run where that is the worse one, and bounds this run's.
  static constexpr double looser_safety = 1;
  /// In place of `looser`: either run may be the right one.
  static constexpr double either = 0;

  /// `rtol`: of the run. `looser`: the tolerance of the other over that, where it is known to be the worse
  /// one by about as much; else 1, or `either`.
  RunDifference(const Problem& problem, double rtol, const TracedRun& run, const TracedRun& other,
                double looser = 1);

  /// Bars of everything but measures.
  void fill(ErrorEstimate& out) const;
  /// Adds to the bound of each accumulation how far the other run's is away; infinite where it has none.
  void bound_accumulations(std::vector<Accumulation>& accumulations) const;

  const EventMatch& events() const { return match_; }
  /// The time from which on a coordinate or a velocity has no digit; the end when all keep one.
  double known_until() const { return known_until_; }
  std::string unknown(const Problem& problem) const;  ///< which are those
  /// What the gap that came closest to zero may be wrong by there.
  double approach_bar() const;
  /// The largest difference after t, each component over its size.
  double largest_after(double t) const;

  double q_bar(int i) const { return q_bar_[i]; }  ///< at the end, whether it leaves a digit or not
  double u_bar(int i) const { return u_bar_[i]; }
  double q_sup(int i) const { return q_sup_[i]; }  ///< the largest difference over the run
  double u_sup(int i) const { return u_sup_[i]; }
  double q_size(int i) const { return q_size_[i]; }
  double u_size(int i) const { return u_size_[i]; }
  double rounding() const { return rounding_; }  ///< relative to sizes
  double safety() const { return safety_; }      ///< bars over differences
  /// Bars of energies, given their size.
  double energy_bar(double difference, double size) const;
  const TracedRun& run() const { return run_; }
  const TracedRun& other() const { return other_; }

 private:
  void mark_shifted_jumps();
  bool shifted(double t) const;
  void compare_inner();
  void compare_states();
  void share_errors(double rtol);
  void compare_times();
  void follow_growth();
  void widen_after_loss();

  TracedRun run_, other_;
  double t0_, t_end_, least_ = 0, duration_ = 0, relative_ = 0;
  EventMatch match_;
  // then one of the runs is before an event, the other behind it; in order, apart from each other
  std::vector<std::pair<double, double>> shifts_;
  std::vector<double> apart_;  // difference over size at the times, the largest component
  Vec q_size_, u_size_, q_bar_, u_bar_, q_sup_, u_sup_;
  Vec q_rounding_, u_rounding_;  // the least bars
  double safety_ = 1, time_bar_ = 0, rounding_ = 0, known_until_ = 0, digits_lost_ = 0;
};

}  // namespace saltus
