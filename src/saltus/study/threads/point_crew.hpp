// Threads that run points as they come, beside the thread that has other things to do (messages, a journal).
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "saltus/study/rank_link.hpp"
#include "saltus/study/sweep_row.hpp"

namespace saltus {

/// Runs a point; status missing when `interrupt` was set meanwhile. Called by several threads at a time.
using RunPoint = std::function<SweepRow(const Settings& point, const std::atomic<bool>& interrupt)>;

class PointCrew {
 public:
  PointCrew(std::size_t threads, RunPoint run);
  /// Interrupts what still runs.
  ~PointCrew();
  PointCrew(const PointCrew&) = delete;
  PointCrew& operator=(const PointCrew&) = delete;

  std::size_t threads() const { return threads_.size(); }
  void give(std::vector<NumberedPoint> points);
  /// Rows that were finished since the last call; those of interrupted runs are not among them.
  std::vector<std::pair<std::size_t, SweepRow>> collect();
  /// Waits until there is a row, a moment at most.
  void wait(double seconds);

 private:
  void work();

  RunPoint run_;
  std::mutex door_;
  std::condition_variable given_, finished_;
  std::deque<NumberedPoint> points_;
  std::vector<std::pair<std::size_t, SweepRow>> rows_;
  std::atomic<bool> interrupt_{false};
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace saltus
