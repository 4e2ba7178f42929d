// Patterns from lists of places, and back.
#pragma once
#include "saltus/linalg/matrix.hpp"

namespace saltus {

/// (row, column) of every place of the pattern; the diagonal is left out where the pattern is only that.
Pattern::Entries entries_of(const Pattern& pattern, int n);

/// The cheapest of our patterns that holds these places.
Pattern pattern_holding(int n, Pattern::Entries places);

}  // namespace saltus
