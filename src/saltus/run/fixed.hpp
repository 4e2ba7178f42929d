// Equal steps, for every family. A step that fails for a reason that shorter ones may cure is taken in 2, 4,
// … 64 equal parts before the run fails; stats.rejected counts the tries and the message says how many
// steps were cut.
#pragma once
#include "saltus/run/family_rules.hpp"

namespace saltus {

void run_fixed(const FixedSteps& stepping, const RunContext& context);

}  // namespace saltus
