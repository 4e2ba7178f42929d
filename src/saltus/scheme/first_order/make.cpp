// Which stepper does the work of which scheme for systems of first order: chains have theirs, for positions
// only.
#include "saltus/core/error.hpp"
#include "saltus/scheme/first_order/chain_stepper.hpp"
#include "saltus/scheme/first_order/explicit_chain.hpp"
#include "saltus/scheme/first_order/first_order_rk.hpp"
#include "saltus/scheme/first_order/first_order_schemes.hpp"

namespace saltus {
namespace {

const FirstOrderSystem& first_order(const DynamicSystem& system) {
  if (system.family() == Family::first_order) return static_cast<const FirstOrderSystem&>(system);
  fail("this scheme is for first-order systems, this one is {}", to_string(system.family()));
}

using Velocity = ChainMethod::Velocity;

std::unique_ptr<Stepper> runge_kutta(const Tableau& t, const DynamicSystem& system, const Rk& options) {
  const Chain* chain = first_order(system).chain();
  const bool reduced = chain && options.newton == Rk::Newton::automatic;
  const bool y = chain && chain->data().formulation == Formulation::y;
  if (!reduced || (is_explicit(t) && !y))
    return std::make_unique<FirstOrderRk>(first_order(system), t, options);
  if (is_explicit(t)) return make_explicit_chain(*chain, t);
  return make_chain_stepper(
      *chain, y ? Velocity::damped : Velocity::plain, [m = chain_method(t, order(t))](double) { return m; },
      options.tolerance);
}

const Chain& chain_for(std::string_view scheme, const DynamicSystem& system) {
  const Chain* chain = first_order(system).chain();
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

}  // namespace

std::unique_ptr<Stepper> build_stepper(const Rk& s, const DynamicSystem& system, const SolverSpec&) {
  return runge_kutta(s.table(), system, s);
}
std::unique_ptr<Stepper> build_stepper(const CrankNicolson& s, const DynamicSystem& system,
                                       const SolverSpec&) {
  return runge_kutta(find_tableau("lobatto-iiia-2"), system, {.tolerance = s.tolerance});
}
std::unique_ptr<Stepper> build_stepper(const Gauss2& s, const DynamicSystem& system, const SolverSpec&) {
  return runge_kutta(find_tableau("gauss-4"), system, {.tolerance = s.tolerance});
}
std::unique_ptr<Stepper> build_stepper(const AdditiveTheta& s, const DynamicSystem& system,
                                       const SolverSpec&) {
  const Chain& chain = chain_for(s.name, system);
  if (chain.data().formulation == Formulation::x && chain.damping() != 0)
    fail("scheme additive-theta works on formulation y of a damped chain: choose formulation=y");
  return make_chain_stepper(
      chain, Velocity::damped, [s](double) { return additive_theta(s.theta, s.mu); }, s.tolerance);
}
std::unique_ptr<Stepper> build_stepper(const KkTheta& s, const DynamicSystem& system, const SolverSpec&) {
  const Chain& chain = tailored_chain(s.name, system);
  return make_chain_stepper(
      chain, Velocity::theta,
      [gamma = chain.damping(), lambda = s.lambda](double h) {
        const double theta = 0.5 + gamma / (2 * h);  // (41)
        return additive_theta(theta, theta - lambda);
      },
      s.tolerance);
}
std::unique_ptr<Stepper> build_stepper(const KkIrk& s, const DynamicSystem& system, const SolverSpec&) {
  const Chain& chain = tailored_chain(s.name, system);
  return make_chain_stepper(
      chain, Velocity::irk,
      [gamma = chain.damping()](double h) { return chain_method(tailored_tableau(gamma / (2 * h)), 3); },
      s.tolerance);
}

}  // namespace saltus
