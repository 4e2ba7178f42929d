// Which rows act on which level: the sets A, B and S.
#pragma once
#include "saltus/scheme/generalized_alpha/step_data.hpp"

namespace saltus::generalized_alpha {

/// The rows of the contacts. Joints are in all sets and laws without a gap in B, from now on.
void list_rows(const Scheme& scheme, const ContactSet& set, std::span<const Law> laws, Sets& out);
void begin_step(Sets& sets);
/// (55)-(57) for contacts; true when a set changed.
bool find_sets(const Scheme& scheme, const StepData& x, const SystemValues& at, Sets& sets);

/// A contact, by its normal row, closed or opened in the iteration.
void note_flip(int normal, Sets& sets);

/// r of the activation tests.
inline double weight(const Scheme& scheme, const SystemValues& at, int row) {
  return scheme.options.r * at.row_mass[row];
}

}  // namespace saltus::generalized_alpha
