// Which stepper does the work of which scheme for systems of first order: chains have theirs, and so have
// mechanical systems whose damping is a rate, both for positions only.
#include "saltus/core/error.hpp"
#include "saltus/scheme/first_order/chain_stepper.hpp"
#include "saltus/scheme/first_order/explicit_chain.hpp"
#include "saltus/scheme/first_order/first_order_rk.hpp"
#include "saltus/scheme/first_order/first_order_schemes.hpp"
#include "saltus/scheme/first_order/position_stepper.hpp"
#include "saltus/scheme/first_order/tailored.hpp"
#include "saltus/system/viscoelastic.hpp"

namespace saltus {
namespace {

const FirstOrderSystem& first_order(const DynamicSystem& system) {
  if (system.family() == Family::first_order) return static_cast<const FirstOrderSystem&>(system);
  fail("this scheme is for first-order systems, this one is {}", to_string(system.family()));
}

using Velocity = ChainMethod::Velocity;

std::unique_ptr<Stepper> runge_kutta(const Tableau& t, const DynamicSystem& system, const Rk& options) {
  const FirstOrderSystem& s = first_order(system);
  const bool reduced = options.newton == Rk::Newton::automatic;
  const auto method = [m = chain_method(t, order(t))](double) { return m; };
  if (const Chain* chain = reduced ? s.chain() : nullptr) {
    const bool y = chain->data().formulation == Formulation::y;
    if (is_explicit(t) && y) return make_explicit_chain(*chain, t);
    if (!is_explicit(t))
      return make_chain_stepper(*chain, y ? Velocity::damped : Velocity::plain, 0, method, options.tolerance);
  }
  const ViscoelasticSystem* newtonian = reduced && !is_explicit(t) ? s.newtonian() : nullptr;
  if (newtonian && !newtonian->viscosity().turns)
    return make_position_stepper(*newtonian, Velocity::damped, 0, method, options.tolerance);
  return std::make_unique<FirstOrderRk>(s, t, options);
}

// The tailored method on the system without its damping.
std::unique_ptr<Stepper> tailored(const StageSolve& s, double gamma, const DynamicSystem& system,
                                  Velocity velocity, std::function<ChainMethod(double)> method) {
  if (const Chain* chain = first_order(system).chain())
    return make_chain_stepper(*chain, velocity, gamma, std::move(method), s.tolerance);
  return make_position_stepper(*first_order(system).newtonian(), velocity, gamma, std::move(method),
                               s.tolerance);
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
  const auto method = [s](double) { return additive_theta(s.theta, s.mu); };
  if (const Chain* chain = first_order(system).chain()) {
    if (chain->data().formulation == Formulation::x && chain->damping() != 0)
      fail("scheme additive-theta works on formulation y of a damped chain: choose formulation=y");
    return make_chain_stepper(*chain, Velocity::damped, 0, method, s.tolerance);
  }
  const ViscoelasticSystem& newtonian = newtonian_of(s.name, first_order(system));
  if (newtonian.viscosity().turns)
    fail(
        "scheme additive-theta needs contacts in fixed directions, those of these bodies may turn: use "
        "gauss-2");
  return make_position_stepper(newtonian, Velocity::damped, 0, method, s.tolerance);
}
std::unique_ptr<Stepper> build_stepper(const KkTheta& s, const DynamicSystem& system, const SolverSpec&) {
  const double gamma = tailored_gamma(s, first_order(system));
  return tailored(s, gamma, system, Velocity::theta, [gamma, lambda = s.lambda](double h) {
    const double theta = 0.5 + gamma / (2 * h);  // (41)
    return additive_theta(theta, theta - lambda);
  });
}
std::unique_ptr<Stepper> build_stepper(const KkIrk& s, const DynamicSystem& system, const SolverSpec&) {
  const double gamma = tailored_gamma(s, first_order(system));
  return tailored(s, gamma, system, Velocity::irk,
                  [gamma](double h) { return chain_method(tailored_tableau(gamma / (2 * h)), 3); });
}

}  // namespace saltus
