// The part of a chain that moves. An impact on a long chain at rest stirs a few beads per unit of time; steps
// look at those only, so that they cost what moves and not what there is. A bead counts as resting when its
// velocities and the impulses on it are below 1e-20 of the largest velocity at the start.
#pragma once
#include "saltus/chain/chain.hpp"
#include "saltus/system/state.hpp"

namespace saltus {

class Front {
 public:
  explicit Front(const Chain& chain) : chain_(chain) {}

  int lo = 0, hi = 0;  ///< beads of the step: [lo, hi[
  double rest = 0;     ///< velocities below it are none

  /// Numbers a start and finds what does not rest there. A bead at an end that moves never does.
  void begin(State& x, const ChainEnds& ends);
  /// The beads of x for which `rests(n)` does not hold, and `margin` more on either side.
  template <class Rests>
  void find(const State& x, int margin, Rests&& rests) {
    const int N = chain_.beads();
    lo = x.moved.start ? x.moved.begin : 0, hi = x.moved.start ? x.moved.end : N;
    while (hi > lo && rests(hi - 1)) --hi;
    while (lo < hi && rests(lo)) ++lo;
    lo = std::max(0, std::min(lo, N - 1) - margin), hi = std::min(N, hi + margin);
  }
  /// Outside [lo, hi[ the step changes nothing: x1 = x0 there, written only where the two can differ.
  void carry(const State& x0, State& x1) const;

 private:
  const Chain& chain_;
};

}  // namespace saltus
