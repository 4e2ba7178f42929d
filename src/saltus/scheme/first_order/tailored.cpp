#include "saltus/scheme/first_order/tailored.hpp"

#include <cmath>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/linalg/factor.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {
namespace {

// The largest eigenvalue of M⁻¹K, K = −∂L/∂q of the forces that are not of contacts, by power iteration from
// a start that has all components.
double stiffness(const ViscoelasticSystem& soft, double t, In q) {
  const CheckedSystem system(soft.mechanical());
  const Shape shape = system.shape();
  Matrix M(shape.nu, shape.mass), all(shape.nu, shape.jacobian), contacts(all), dampers(all);
  Factor factor;
  system.mass(t, q, M);
  if (!soft.viscosity().gamma || !factor.factorize(M)) return 0;  // no contacts: nothing is local
  system.force_jacobians(t, q, Vec::Zero(shape.nu), all, dampers);
  soft.contact_jacobian(t, q, contacts, system.workspace());
  Vec x(shape.nu), y(shape.nu);
  for (int i = 0; i < shape.nu; ++i) x[i] = 1 + 0.1 * std::sin(1.0 + 7 * i);
  double size = 0;
  for (int it = 0; it < 100; ++it) {
    x /= std::max(x.cwiseAbs().maxCoeff(), 1e-300);
    y.setZero();
    all.multiply_add(-1, x, y), contacts.multiply_add(1, x, y);
    factor.solve(y);
    const double last = size;
    size = y.dot(x) / x.squaredNorm();
    if (std::abs(size - last) <= 1e-6 * std::abs(size)) break;
    x = y;
  }
  return size;
}

double stiffness(const Chain& chain) {
  if (!chain.has_local()) return 0;
  return (chain.data().K.array() / chain.data().m.array()).maxCoeff();
}

}  // namespace

const ViscoelasticSystem& newtonian_of(std::string_view scheme, const FirstOrderSystem& system) {
  if (const ViscoelasticSystem* newtonian = system.newtonian()) return *newtonian;
  fail(
      "scheme {} is for M x'' = g(x) with a constant mass, where velocities occur in no force but the "
      "damping of "
      "compliant contacts that stand still and, in formulas, have linear gaps; for other systems use rk or "
      "gauss-2",
      scheme);
}

namespace {

double gamma_of(std::string_view scheme, double wanted, const FirstOrderSystem& system) {
  const Chain* chain = system.chain();
  const Viscosity v = chain ? Viscosity{.gamma = chain->damping(),
                                        .proportional = chain->proportional(),
                                        .autonomous = !chain->pushed()}
                            : newtonian_of(scheme, system).viscosity();
  const double own = v.gamma.value_or(0);
  if (!v.proportional)
    fail(
        "scheme {} makes one damping for all contacts, gamma times the rate of their elastic force "
        "(kuwabara-kono "
        "with beta = 1.5); {}: use gauss-2",
        scheme,
        !chain                           ? "here gamma differs from contact to contact, or beta is another"
        : !chain->uniform_damping()      ? "gamma differs in this chain"
        : chain->data().betas.size() > 0 ? "beta differs in this chain"
                                         : fmt::format("this chain has beta = {}", chain->data().beta));
  if (chain && chain->has_dashpots())
    fail(
        "scheme {} makes the damping of contacts only, and beads of this chain have dashpots of their own: "
        "use "
        "gauss-2",
        scheme);
  if (wanted > 0 && own != 0 && wanted != own)
    fail(
        "scheme {}: gamma = {} is for systems without damping, and these contacts have gamma = {}: leave it "
        "out, "
        "or take the damping out of the contacts",
        scheme, wanted, own);
  const double gamma = own != 0 ? own : wanted;
  if (scheme == KkIrk::name && !v.autonomous && gamma != 0)
    fail(
        "scheme kk-irk would take the rate of loads that vary with time for damping: use kk-theta, or "
        "gauss-2");
  return gamma;
}

}  // namespace

double tailored_gamma(const KkTheta& options, const FirstOrderSystem& system) {
  return gamma_of(options.name, options.gamma, system);
}
double tailored_gamma(const KkIrk& options, const FirstOrderSystem& system) {
  return gamma_of(options.name, options.gamma, system);
}

double local_growth(const KkTheta& options, const FirstOrderSystem& system, double t, In q, double h) {
  const double gamma = tailored_gamma(options, system), excess = gamma * (gamma - 2 * options.lambda * h);
  if (!(excess > 0)) return 0;
  return excess * (system.chain() ? stiffness(*system.chain()) : stiffness(*system.newtonian(), t, q));
}

}  // namespace saltus
