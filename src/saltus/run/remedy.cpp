#include "saltus/run/remedy.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

template <class... S>
bool is_one_of(const SchemeSpec& scheme) {
  return (std::holds_alternative<S>(scheme) || ...);
}

// Drivers that choose the step have tried smaller ones already.
std::string smaller_step(const Stepping& stepping) {
  if (std::holds_alternative<AdaptiveSteps>(stepping))
    return "larger tolerances (--stepping adaptive:atol=…,rtol=…)";
  if (std::holds_alternative<SwitchingSteps>(stepping)) return "a smaller --stepping switching:h_min=…";
  return "a smaller step (--h)";
}

// Where iterations fail or contacts are too many for a scheme.
std::string other_scheme(const Method& m) {
  if (family_of(m.scheme) == Family::first_order) return "--scheme gauss-2, or --stepping adaptive";
  if (is_one_of<MoreauJean>(m.scheme)) return "--scheme moreau-midpoint, which solves each step once";
  if (is_one_of<SymplecticEuler>(m.scheme))
    return "another start, off the place where the constraints degenerate";
  return std::holds_alternative<FixedSteps>(m.stepping) || std::holds_alternative<AdaptiveSteps>(m.stepping)
             ? "--scheme moreau-jean"
             : "--scheme moreau-jean --stepping fixed";
}

std::string for_singular(const Method& m) {
  if (is_one_of<SymplecticEuler>(m.scheme))
    return "remove a constraint that follows from the others, or try " + other_scheme(m);
  if (family_of(m.scheme) == Family::first_order)
    return fmt::format("try {}, or {}", smaller_step(m.stepping), other_scheme(m));
  if (is_one_of<GeneralizedAlpha>(m.scheme))
    return fmt::format(
        "a joint or a closed contact follows from the others, or a coordinate has no mass: remove it, or use "
        "{}, "
        "which handles redundant ones",
        other_scheme(m));
  if (is_one_of<MoreauMidpoint>(m.scheme)) return "give every coordinate a mass above zero";
  return fmt::format("give every coordinate a mass above zero, or try {}", smaller_step(m.stepping));
}

}  // namespace

std::string remedy(const Method& m, StepStatus status) {
  switch (status) {
    case StepStatus::ok:
      return {};
    case StepStatus::not_finite:
      return fmt::format("check that forces are finite and masses above zero there, or try {}",
                         smaller_step(m.stepping));
    case StepStatus::gap_not_finite:
      return fmt::format(
          "check the formula of this gap, or try {}, which stays closer to where it is defined",
          smaller_step(m.stepping));
    case StepStatus::newton_diverged:
      return fmt::format("try {}, or {}", smaller_step(m.stepping), other_scheme(m));
    case StepStatus::singular:
      return for_singular(m);
    case StepStatus::contact_unsolved:
      return fmt::format("try another --solver, {} or a larger tolerance of the solver",
                         smaller_step(m.stepping));
    case StepStatus::redundant_contacts:
      return fmt::format("no acceleration keeps all of them: remove one, or use {}", other_scheme(m));
    case StepStatus::not_unique:
      return "use --scheme gauss-2, or try a larger step (--h)";
  }
  return {};
}

}  // namespace saltus
