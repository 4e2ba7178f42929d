#include "saltus/scheme/scheme.hpp"

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/scheme/chain_stepper.hpp"
#include "saltus/scheme/explicit_chain.hpp"
#include "saltus/scheme/first_order_rk.hpp"
#include "saltus/scheme/generalized_alpha_stepper.hpp"
#include "saltus/scheme/symplectic_euler_stepper.hpp"

namespace saltus {
namespace {

const System& mechanical(const DynamicSystem& system) {
  return static_cast<const System&>(system);
}

std::unique_ptr<Stepper> make(const MoreauJean& s, const DynamicSystem& system, const SolverSpec& solver) {
  return std::make_unique<MoreauJeanStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const MoreauMidpoint& s, const DynamicSystem& system,
                              const SolverSpec& solver) {
  return std::make_unique<MoreauMidpointStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const MoreauProjected& s, const DynamicSystem& system,
                              const SolverSpec& solver) {
  return std::make_unique<MoreauProjectedStepper>(mechanical(system), s, solver);
}
std::unique_ptr<Stepper> make(const GeneralizedAlpha& s, const DynamicSystem& system, const SolverSpec&) {
  return std::make_unique<GeneralizedAlphaStepper>(mechanical(system), s);
}
std::unique_ptr<Stepper> make(const RungeKutta&, const DynamicSystem&, const SolverSpec&) {
  fail("scheme runge-kutta integrates between events: use it with stepping event-capturing");
}

// ---- systems of first order
using Velocity = ChainMethod::Velocity;

std::unique_ptr<Stepper> runge_kutta(const Tableau& t, const DynamicSystem& system, const Rk& options) {
  const auto* chain = dynamic_cast<const Chain*>(&system);
  const bool reduced = chain && options.newton == Rk::Newton::automatic;
  const bool y = chain && chain->data().formulation == Formulation::y;
  if (!reduced || (is_explicit(t) && !y))
    return std::make_unique<FirstOrderRk>(static_cast<const FirstOrderSystem&>(system), t, options);
  if (is_explicit(t)) return make_explicit_chain(*chain, t);
  return make_chain_stepper(
      *chain, y ? Velocity::damped : Velocity::plain, [m = chain_method(t, order(t))](double) { return m; },
      options.tolerance);
}

const Chain& chain_for(std::string_view scheme, const DynamicSystem& system) {
  const auto* chain = dynamic_cast<const Chain*>(&system);
  if (!chain) fail("scheme {} is for chains of beads; for other first-order systems use rk", scheme);
  return *chain;
}

// The tailored schemes make one damping γ of Kuwabara and Kono's law, the same in all contacts.
const Chain& tailored_chain(std::string_view scheme, const DynamicSystem& system) {
  const Chain& chain = chain_for(scheme, system);
  if (chain.data().beta != 1.5 && chain.damping() != 0)
    fail(
        "scheme {} makes the damping of Kuwabara and Kono, beta = 1.5; this chain has beta = {}: use gauss-2",
        scheme, chain.data().beta);
  if (!chain.uniform_damping())
    fail("scheme {} makes one damping for all contacts; gamma differs in this chain: use gauss-2", scheme);
  return chain;
}

std::unique_ptr<Stepper> make(const Rk& s, const DynamicSystem& system, const SolverSpec&) {
  return runge_kutta(s.table(), system, s);
}
std::unique_ptr<Stepper> make(const CrankNicolson& s, const DynamicSystem& system, const SolverSpec&) {
  return runge_kutta(find_tableau("lobatto-iiia-2"), system, {.tolerance = s.tolerance});
}
std::unique_ptr<Stepper> make(const Gauss2& s, const DynamicSystem& system, const SolverSpec&) {
  return runge_kutta(find_tableau("gauss-4"), system, {.tolerance = s.tolerance});
}
std::unique_ptr<Stepper> make(const AdditiveTheta& s, const DynamicSystem& system, const SolverSpec&) {
  const Chain& chain = chain_for(s.name, system);
  if (chain.data().formulation == Formulation::x && chain.damping() != 0)
    fail("scheme additive-theta works on formulation y of a damped chain: choose formulation=y");
  return make_chain_stepper(
      chain, Velocity::damped, [s](double) { return additive_theta(s.theta, s.mu); }, s.tolerance);
}
std::unique_ptr<Stepper> make(const KkTheta& s, const DynamicSystem& system, const SolverSpec&) {
  const Chain& chain = tailored_chain(s.name, system);
  return make_chain_stepper(
      chain, Velocity::theta,
      [gamma = chain.damping(), lambda = s.lambda](double h) {
        const double theta = 0.5 + gamma / (2 * h);  // (41)
        return additive_theta(theta, theta - lambda);
      },
      s.tolerance);
}
std::unique_ptr<Stepper> make(const KkIrk& s, const DynamicSystem& system, const SolverSpec&) {
  const Chain& chain = tailored_chain(s.name, system);
  return make_chain_stepper(
      chain, Velocity::irk,
      [gamma = chain.damping()](double h) { return chain_method(tailored_tableau(gamma / (2 * h)), 3); },
      s.tolerance);
}

// The stepper borrows the system, or owns its view of a mechanical one.
std::unique_ptr<Stepper> make(const SymplecticEuler& s, const DynamicSystem& system, const SolverSpec&) {
  return std::make_unique<SymplecticEulerStepper>(as_odae(system), s);
}

template <class Scheme>
constexpr Family family = Family::first_order;
template <>
constexpr Family family<MoreauJean> = Family::mechanical;
template <>
constexpr Family family<MoreauMidpoint> = Family::mechanical;
template <>
constexpr Family family<MoreauProjected> = Family::mechanical;
template <>
constexpr Family family<RungeKutta> = Family::mechanical;
template <>
constexpr Family family<GeneralizedAlpha> = Family::mechanical;
template <>
constexpr Family family<SymplecticEuler> = Family::odae;

}  // namespace

Family family_of(const SchemeSpec& scheme) {
  return std::visit([]<class S>(const S&) { return family<S>; }, scheme);
}

bool fits(const SchemeSpec& scheme, const DynamicSystem& system) {
  const Family family = family_of(scheme);
  return family == system.family() || (family == Family::odae && system.family() == Family::mechanical);
}

std::vector<std::string> schemes_for(Family family) {
  std::vector<std::string> out;
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    if (family_of(s) == family) out.emplace_back(S::name);
  });
  return out;
}

std::unique_ptr<Stepper> make_stepper(const SchemeSpec& scheme, const DynamicSystem& system,
                                      const SolverSpec& solver) {
  check(scheme);
  if (!fits(scheme, system))
    fail("scheme {} is for {} systems, this one is {}; schemes that fit: {}", to_text(scheme),
         to_string(family_of(scheme)), to_string(system.family()),
         fmt::join(schemes_for(system.family()), ", "));
  return std::visit([&](const auto& s) { return make(s, system, solver); }, scheme);
}

}  // namespace saltus
