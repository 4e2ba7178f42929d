#include "mechanisms/methods.hpp"

namespace saltus::mechanisms {
namespace {

template <class Variant>
std::string text_of_name(const Variant& v) {
  return std::visit([](const auto& s) { return std::string(s.name); }, v);
}

Named named(const SchemeSpec& scheme, const Stepping& stepping, const SolverSpec& solver) {
  return {{scheme, stepping, solver}, text_of_name(scheme), text_of_name(stepping), text_of_name(solver)};
}

// Steps and tolerances that resolve the motion: the makers choose h so. Drivers that choose their steps begin
// with h and may go up to eight times as far.
Stepping stepping_for(const Mechanism& m, Stepping s) {
  if (auto* x = std::get_if<FixedSteps>(&s)) x->h = m.h;
  if (auto* x = std::get_if<AdaptiveSteps>(&s)) x->h = 8 * m.h, x->h0 = m.h, x->atol = 1e-5 * m.length;
  if (auto* x = std::get_if<EventCapturing>(&s)) x->h = 2 * m.h;
  if (auto* x = std::get_if<SwitchingSteps>(&s))
    x->h = 8 * m.h, x->h_min = 1e-3 * m.h, x->atol = 1e-6 * m.length;
  if (auto* x = std::get_if<EventLocation>(&s)) x->h = m.h;
  return s;
}

template <class Enum>
Enum any(Dice& dice, int count) {
  return static_cast<Enum>(dice.integer(0, count - 1));
}

// Options a user may choose. Left out: what the documentation says makes energy (θ < 1/2, rows as printed in
// the paper) or disturbs the start.
SchemeSpec with_options(SchemeSpec scheme, Dice& dice) {
  if (auto* s = std::get_if<MoreauJean>(&scheme))
    s->theta = dice.uniform(0.5, 1), s->gamma = dice.uniform(0.5, 1);
  if (auto* s = std::get_if<MoreauProjected>(&scheme))
    s->theta = dice.uniform(0.5, 1), s->coupling = any<MoreauProjected::Coupling>(dice, 2);
  if (auto* s = std::get_if<GeneralizedAlpha>(&scheme)) {
    s->rho_inf = dice.uniform(0.5, 1), s->parameters = any<GeneralizedAlpha::Parameters>(dice, 3);
    s->levels = any<GeneralizedAlpha::Levels>(dice, 2), s->strategy = dice.integer(1, 3);
    s->newton = any<GeneralizedAlpha::Newton>(dice, 2);
  }
  // of order one to six, the first in the list: a tableau that is added does not change what a seed means
  if (auto* s = std::get_if<RungeKutta>(&scheme)) s->tableau = any<RungeKutta::Choice>(dice, 22);
  if (auto* s = std::get_if<SymplecticEuler>(&scheme)) {
    s->variant = any<EulerVariant>(dice, 5);
    s->composition = any<SymplecticEuler::Composition>(dice, 4);
  }
  if (auto* s = std::get_if<AdditiveTheta>(&scheme)) s->theta = dice.uniform(0.5, 1), s->mu = 1 - s->theta;
  return scheme;
}

bool listed(Family scheme, Family system) {
  return scheme == system || (scheme == Family::odae && system == Family::mechanical);
}

}  // namespace

namespace {
// Only what differs from the defaults.
template <class... Specs>
std::string short_text(const std::variant<Specs...>& spec) {
  return std::visit(
      []<class S>(const S& s) {
        std::string out(S::name);
        char mark = ':';
        using Spec = std::variant<Specs...>;
        const auto usual = describe(Spec(S{})), now = describe(Spec(s));
        for (std::size_t i = 0; i < now.size(); ++i)
          if (now[i].value != usual[i].value)
            out += fmt::format("{}{}={}", std::exchange(mark, ','), now[i].name, now[i].value);
        return out;
      },
      spec);
}
}  // namespace

std::string text_of(const Method& method) {
  return fmt::format("--scheme {} --stepping {} --solver {}", short_text(method.scheme),
                     short_text(method.stepping), short_text(method.solver));
}

std::vector<Named> methods_for(const Mechanism& m, Family family) {
  Dice dice(m.seed * 2 + 1);
  std::vector<SchemeSpec> schemes;
  for_each_alternative<SchemeSpec>([&](auto s) {
    if (listed(family_of(SchemeSpec{s}), family)) schemes.push_back(s);
  });
  std::vector<Stepping> steppings;
  for_each_alternative<Stepping>([&](auto s) { steppings.push_back(stepping_for(m, s)); });
  std::vector<SolverSpec> solvers;
  for_each_alternative<SolverSpec>([&](auto s) { solvers.push_back(s); });

  std::vector<Named> out;
  for (const auto& scheme : schemes)
    for (const auto& stepping : steppings) out.push_back(named(scheme, stepping, AutomaticSolver{}));
  if (family == Family::mechanical)
    for (std::size_t k = 1; k < solvers.size(); ++k) {
      out.push_back(named(MoreauJean{}, steppings[0], solvers[k]));
      out.push_back(named(schemes[dice.next() % 3], steppings[dice.next() % steppings.size()], solvers[k]));
    }
  for (const auto& scheme : schemes)
    out.push_back(named(with_options(scheme, dice), steppings[dice.next() % steppings.size()],
                        solvers[dice.chance(0.7) ? 0 : dice.next() % solvers.size()]));
  return out;
}

Method refined(Method method, double factor) {
  if (auto* s = std::get_if<FixedSteps>(&method.stepping)) s->h /= factor;
  if (auto* s = std::get_if<AdaptiveSteps>(&method.stepping))
    s->h /= factor, s->h0 /= factor, s->atol /= factor * factor;
  if (auto* s = std::get_if<EventCapturing>(&method.stepping)) s->h /= factor;
  if (auto* s = std::get_if<SwitchingSteps>(&method.stepping))
    s->h /= factor, s->h_min /= factor, s->atol /= factor * factor;
  if (auto* s = std::get_if<EventLocation>(&method.stepping)) s->h /= factor;
  if (auto* s = std::get_if<ToleranceSteps>(&method.stepping))
    s->rtol = std::max(1e-12, s->rtol / (factor * factor));
  return method;
}

Method reference_method(Family family, double h) {
  if (family == Family::first_order) return {Gauss2{}, FixedSteps{.h = h}, AutomaticSolver{}};
  if (family == Family::odae)
    return {SymplecticEuler{.composition = SymplecticEuler::Composition::strang}, EventLocation{.h = h},
            AutomaticSolver{}};
  return {MoreauJean{}, FixedSteps{.h = h}, AutomaticSolver{}};
}

bool on_positions(const Method& method) {
  if (!std::holds_alternative<FixedSteps>(method.stepping)) return false;
  return std::holds_alternative<MoreauProjected>(method.scheme) ||
         std::holds_alternative<GeneralizedAlpha>(method.scheme);
}

}  // namespace saltus::mechanisms
