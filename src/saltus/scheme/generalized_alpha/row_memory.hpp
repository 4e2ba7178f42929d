// What generalized-α keeps from step to step in State::aux. With a fixed list of contacts: v̇, λ and γ of a
// start, where a = v̇ and η = λ; v̇, a, λ, η, γ after a step. Where the list changes: v̇ of a start, of which
// the first step finds λ; v̇, a, and λ, η of the contacts in State::contacts, row by row like their impulses,
// which follow their contacts by id. γ is then found anew.
//
// η of a contact that opened decays over some steps, its part of a with it: W Λ* = 0 needs both. A contact
// that leaves the list cannot carry it, so where the list changes η of open contacts is taken from a at once,
// a ← a − M⁻¹ W η, η ← 0: the same motion as long as M and W stay.
#pragma once
#include "saltus/scheme/generalized_alpha/step_data.hpp"

namespace saltus::generalized_alpha {

class RowMemory {
 public:
  explicit RowMemory(bool changing) : changing_(changing) {}
  bool accepts(Eigen::Index size, Eigen::Index at_start, Eigen::Index n, Eigen::Index m) const {
    return size == at_start || (changing_ ? size >= 2 * n && (size - 2 * n) % 2 == 0 : size == 2 * n + 3 * m);
  }
  bool is_start(const Vec& aux, Eigen::Index n, Eigen::Index m) const {
    return aux.size() == (changing_ ? n : n + 2 * m);
  }
  void store_start(const StepData& x, const Vec& gamma, Vec& aux) const;
  /// Of a state that is no start, or of a fixed list. `gamma`: of the rows as they are listed now.
  Past recall(const State& x0, const ContactSet& set, const StepData& x, const Vec& gamma);
  /// After the contacts of x1 are known. The factor of M is at hand.
  void store(const SystemValues& at, StepData& x, State& x1);

 private:
  bool changing_;
  Vec lambda_, eta_, force_;
};

}  // namespace saltus::generalized_alpha
