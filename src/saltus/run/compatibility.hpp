// Which scheme goes with which stepping: one table, read by run(), the choice of a method, studies and
// `saltus list`.
#pragma once
#include <string_view>
#include <vector>

#include "saltus/run/method.hpp"

namespace saltus {

bool goes_with(const SchemeSpec& scheme, const Stepping& stepping);
/// The names of the steppings that go with a scheme; the first is the one to take where none is chosen.
std::vector<std::string_view> steppings_for(const SchemeSpec& scheme);
/// Throws Error, naming the steppings that fit, when the two do not go together.
void check_pair(const SchemeSpec& scheme, const Stepping& stepping);
/// The given stepping where it goes with the scheme; else the scheme's first one, with the same step.
Stepping fitting_stepping(const SchemeSpec& scheme, const Stepping& stepping);

}  // namespace saltus
