#include "saltus/scheme/generalized_alpha/sets.hpp"

#include <algorithm>

namespace saltus::generalized_alpha {

// Friction that a closed contact carries to the positions may lift the body off, while without contact it
// falls in: a step without a solution, where elasticity couples the directions. A contact that closes and
// opens again and again in the iteration keeps its friction to the velocities, for this step: then gaps do
// not see it.
void note_flip(int normal, Sets& sets) {
  constexpr int most_flips = 3;
  if (++sets.flips[normal] > most_flips)
    for (int k = 1; k < sets.rows[normal].size; ++k) sets.carried[normal + k] = 0;
}

void list_rows(const Scheme& scheme, const ContactSet& set, std::span<const Law> laws, Sets& out) {
  const int m = set.rows();
  out.rows.assign(m, {});
  out.prox = out.springs = false, out.rough = 0;
  for (auto& in : out.in) in.assign(m, 0);
  out.carried.setZero(m), out.flips.assign(m, 0);
  for (int k = 0; k < static_cast<int>(set.contacts.size()); ++k) {
    const Contact& c = set.contacts[k];
    const Law& law = laws[c.law];
    const bool joint = std::holds_alternative<Equality>(law), gap = needs_closed_gap(law);
    const bool prox = !joint && !std::holds_alternative<Unilateral>(law), spring = on_position_level(law);
    const int size = rows(law);
    for (int r = 0; r < size; ++r) {
      const Row::Kind kind = gap      ? (r == 0 ? Row::normal : Row::tangent)
                             : joint  ? Row::joint
                             : spring ? Row::spring
                                      : Row::force;
      out.rows[c.row + r] = {kind, &law, k, c.row, size, prox};
      out.in[pos][c.row + r] = kind == Row::joint;
      out.in[vel][c.row + r] = kind == Row::joint || kind == Row::force || spring;
      out.in[acc][c.row + r] = kind == Row::joint && scheme.smooth != Condition::none;
    }
    out.prox = out.prox || prox, out.rough += prox, out.springs = out.springs || spring;
  }
}

void begin_step(Sets& sets) {
  if (sets.prox) sets.carried.setConstant(0.5), std::fill(sets.flips.begin(), sets.flips.end(), 0);
}

bool find_sets(const Scheme& scheme, const StepData& x, const SystemValues& at, Sets& sets) {
  bool changed = false;
  const auto put = [&](char& old, bool now) { changed = changed || (old != 0) != now, old = now; };
  auto& in = sets.in;
  for (int r = 0, m = at.set.rows(); r < m; ++r) {
    const Row& row = sets.rows[r];
    if (row.kind == Row::tangent) put(in[vel][r], in[vel][row.first] != 0);
    if (row.kind != Row::normal) continue;
    const double w = weight(scheme, at, r);
    const bool A = x.nu_star[r] - w * at.set.gap[r] >= 0;
    const bool B = A && x.Lambda_star[r] - w * (at.gamma[r] + x.rebound[r]) >= 0;
    const bool S = B && scheme.contacts_in_S && x.lambda[r] - w * at.acceleration[r] >= 0;
    if (sets.prox && (in[vel][r] != 0) != B) note_flip(r, sets);
    put(in[pos][r], A), put(in[vel][r], B), put(in[acc][r], S);
  }
  return changed;
}

}  // namespace saltus::generalized_alpha
