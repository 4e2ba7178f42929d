// How the warning begins that Moreau's scheme has taken over from a run by tolerance.
#pragma once
#include <string_view>

namespace saltus {

inline constexpr std::string_view taken_over_words = "Moreau's scheme took over from t = ";

}  // namespace saltus
