// Team::alternate by several workers. Each has a lane, units that follow each other, and waits only where a
// neighbour of its first or last unit, in the lane of another worker, is behind. Those two have the first
// turns of their lane, so that the other lane needs them half a round later: small differences in speed cost
// nothing.
//
// A worker that is blocked takes turns for a lane whose worker is not there: so all lanes come to their end
// also with one worker.
#pragma once
#include <array>
#include <atomic>

#include "saltus/core/team.hpp"

namespace saltus {

class Lanes {
 public:
  struct Job {
    Team::Turn turn;
    void* context;
  };
  Lanes(int units, int rounds, int workers, const Job& job);
  int count() const { return count_; }
  /// Takes turns until this lane has had all of its own.
  void work(int home);

 private:
  static constexpr int most_lanes = 16;
  struct Lane {
    alignas(64) std::atomic<bool> taken{false};  // by the one worker that takes its turns now
    std::atomic<bool> over{false};
    int begin = 0, end = 0;
    int round = 0, place = 0;  // of its next turn
  };
  int unit_at(const Lane& lane) const;
  bool ready(int unit, int round) const;
  bool go_on(Lane& lane);

  int units_, rounds_, count_;
  Job job_;
  std::array<Lane, most_lanes> lanes_;
  struct Rounds {
    alignas(64) std::atomic<int> done{0};
  };
  std::array<Rounds, most_units> had_;  // turns of each unit
};

}  // namespace saltus
