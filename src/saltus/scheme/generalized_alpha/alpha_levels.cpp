#include "saltus/scheme/generalized_alpha/alpha_levels.hpp"

#include <algorithm>

namespace saltus {

// The layout of aux is that of row_memory.hpp.
std::optional<AlphaLevels> alpha_levels(const State& state, const System& system) {
  const Shape shape = system.shape();
  const ContactMemory& memory = state.contacts;
  const Eigen::Index n = shape.nu;
  Eigen::Index rows_in_all = static_cast<Eigen::Index>(memory.impulse.size()), parts = 2;
  if (!shape.changing_contacts) {
    rows_in_all = 0, parts = 3;
    for (const Contact& c : system.contacts()) rows_in_all += rows(system.laws()[c.law]);
  }
  if (state.aux.size() == n + (shape.changing_contacts ? 0 : 2 * rows_in_all))  // a start
    return AlphaLevels{state.aux.head(n), state.aux.head(n), {}};
  if (!(memory.step > 0) || state.aux.size() != 2 * n + parts * rows_in_all) return {};
  AlphaLevels out{state.aux.head(n), state.aux.segment(n, n), {}};
  const double* lambda = state.aux.data() + 2 * n;
  for (const auto& record : memory.closed) {
    int row = record.offset;
    if (!shape.changing_contacts) {
      const auto listed = system.contacts();
      const auto at =
          std::find_if(listed.begin(), listed.end(), [&](const Contact& c) { return c.id == record.id; });
      if (at == listed.end()) continue;
      row = at->row;
    }
    AlphaLevels::OfContact& c = out.contacts.emplace_back();
    c.id = record.id;
    for (int k = 0; k < record.rows; ++k) {
      c.lambda.push_back(lambda[row + k]);
      c.impulse.push_back(memory.impulse[record.offset + k]);
      c.reaction.push_back(memory.impulse[record.offset + k] / memory.step);
    }
  }
  return out;
}

}  // namespace saltus
