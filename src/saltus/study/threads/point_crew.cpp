#include "saltus/study/threads/point_crew.hpp"

#include <chrono>

namespace saltus {

PointCrew::PointCrew(std::size_t threads, RunPoint run) : run_(std::move(run)) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

PointCrew::~PointCrew() {
  {
    const std::lock_guard lock(door_);
    interrupt_ = true;
  }
  given_.notify_all();
}

void PointCrew::give(std::vector<NumberedPoint> points) {
  {
    const std::lock_guard lock(door_);
    for (auto& p : points) points_.push_back(std::move(p));
  }
  given_.notify_all();
}

std::vector<std::pair<std::size_t, SweepRow>> PointCrew::collect() {
  const std::lock_guard lock(door_);
  return std::exchange(rows_, {});
}

void PointCrew::wait(double seconds) {
  std::unique_lock lock(door_);
  finished_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !rows_.empty(); });
}

void PointCrew::work() {
  for (;;) {
    NumberedPoint point;
    {
      std::unique_lock lock(door_);
      given_.wait(lock, [&] { return interrupt_ || !points_.empty(); });
      if (interrupt_) return;
      point = std::move(points_.front());
      points_.pop_front();
    }
    SweepRow row = run_(point.values, interrupt_);
    if (row.status == SweepRow::Status::missing) continue;
    const std::lock_guard lock(door_);
    rows_.emplace_back(point.index, std::move(row));
    if (points_.empty()) finished_.notify_one();  // nothing left to do: do not let it sleep
  }
}

}  // namespace saltus
