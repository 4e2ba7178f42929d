// Where events are so dense that locating them one by one takes too long, or no accelerations are found,
// Moreau's scheme takes over from where a run stands, with equal steps. Their length is found by trials that
// are halved until the end stands still or the effort is spent (refine.hpp).
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

struct TakeOver {
  double rtol = 1e-6, atol = 0;
  double period = 0;  ///< of the motion so far
  double pace = 1;    ///< factor of the step that the trials found
};
/// From `now` to the end of the run; a warning says why.
void take_over(const TakeOver& wanted, const State& now, const std::string& why, const RunContext& context);

}  // namespace saltus
