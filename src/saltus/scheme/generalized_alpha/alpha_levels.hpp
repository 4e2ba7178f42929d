// What a state of generalized-α has beside q and u, for reports and studies.
#pragma once
#include <optional>
#include <vector>

#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct AlphaLevels {
  /// A joint, or a contact that acted in the last step, row by row.
  struct OfContact {
    std::uint64_t id = 0;
    std::vector<double> lambda;    ///< λ, the multiplier of the smooth motion
    std::vector<double> impulse;   ///< Λ*, all that acted in the step
    std::vector<double> reaction;  ///< Λ*/h
  };
  Vec vdot, a;  ///< v̇, and its shifted mean
  std::vector<OfContact> contacts;
};

/// Of a start a = v̇, without contacts; nothing for a state of another scheme.
std::optional<AlphaLevels> alpha_levels(const State& state, const System& system);

}  // namespace saltus
