#include "saltus/core/threads/lanes.hpp"

#include <algorithm>
#include <thread>

#include "saltus/core/threads/pause.hpp"

namespace saltus {
namespace {

constexpr int glances = 200;  // at a neighbour that is behind, before another lane is helped
constexpr int idlings = 2;    // times that nothing could be done, before the core is left to others

}  // namespace

Lanes::Lanes(int units, int rounds, int workers, const Job& job)
    : units_(units),
      rounds_(rounds),
      count_(std::clamp(units / 2, 1, std::min(workers, most_lanes))),
      job_(job) {
  for (int l = 0; l < count_; ++l)
    lanes_[l].begin = units * l / count_, lanes_[l].end = units * (l + 1) / count_;
}

// The even units of a lane, then the odd ones; of each kind the two at the ends of the lane first.
int Lanes::unit_at(const Lane& lane) const {
  const int first_even = lane.begin + lane.begin % 2, evens = (lane.end - first_even + 1) / 2;
  const bool odd = lane.place >= evens;
  const int first = odd ? lane.begin + 1 - lane.begin % 2 : first_even;
  const int n = odd ? lane.end - lane.begin - evens : evens, k = odd ? lane.place - evens : lane.place;
  return first + 2 * (k == 0 ? 0 : k == 1 ? n - 1 : k - 1);
}

bool Lanes::ready(int unit, int round) const {
  const int needed = round + unit % 2;
  return (unit == 0 || had_[unit - 1].done.load(std::memory_order_acquire) >= needed) &&
         (unit + 1 == units_ || had_[unit + 1].done.load(std::memory_order_acquire) >= needed);
}

// Turns of a lane until it is over or blocked; false when there was none.
bool Lanes::go_on(Lane& lane) {
  if (lane.over.load(std::memory_order_acquire) || lane.taken.exchange(true, std::memory_order_acquire))
    return false;
  bool any = false;
  for (; lane.round < rounds_; ++lane.round, lane.place = 0)
    for (; lane.place < lane.end - lane.begin; ++lane.place) {
      const int unit = unit_at(lane);
      for (int k = 0; !ready(unit, lane.round); ++k, pause())
        if (k == glances) {
          lane.taken.store(false, std::memory_order_release);
          return any;
        }
      job_.turn(job_.context, unit, lane.round);
      had_[unit].done.store(lane.round + 1, std::memory_order_release);
      any = true;
    }
  lane.over.store(true, std::memory_order_release);
  lane.taken.store(false, std::memory_order_release);
  return any;
}

void Lanes::work(int home) {
  for (int idle = 0; !lanes_[home].over.load(std::memory_order_acquire); ++idle) {
    for (int k = 0; k < count_; ++k)
      if (go_on(lanes_[(home + k) % count_])) {
        idle = 0;
        break;
      }
    if (idle > idlings) std::this_thread::yield();
  }
}

}  // namespace saltus
