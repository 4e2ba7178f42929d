// The formulas of generalized_alpha.hpp that need no system: coefficients, predictor, update.
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/generalized_alpha/step_data.hpp"

namespace saltus {

AlphaCoefficients alpha_coefficients(const GeneralizedAlpha& o) {
  AlphaCoefficients c;
  const double rho = o.rho_inf;
  switch (o.parameters) {
    case GeneralizedAlpha::Parameters::chung_hulbert:
      c.am = (2 * rho - 1) / (rho + 1), c.af = rho / (rho + 1);
      c.gamma = 0.5 + c.af - c.am;
      break;
    case GeneralizedAlpha::Parameters::newmark:  // of order 2 for rho_inf = 1 only
      c.gamma = 0.5 * (3 - rho) / (1 + rho);
      break;
    case GeneralizedAlpha::Parameters::hht:
      if (rho < 0.5)
        fail("generalized-alpha.rho_inf = {} is not allowed with parameters=hht: rho_inf must be in [0.5, 1]",
             rho);
      c.af = (1 - rho) / (1 + rho);
      c.gamma = 0.5 + c.af;
      break;
  }
  c.beta = 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5);
  return c;
}

namespace generalized_alpha {

Scheme::Scheme(const GeneralizedAlpha& o)
    : options(o), alpha(alpha_coefficients(o)), coupled(o.newton == GeneralizedAlpha::Newton::coupled) {
  static constexpr struct {
    bool U, V;
    Condition::Quantity smooth;
  } variants[] = {
      {true, true, Condition::acceleration},     // pva
      {true, true, Condition::smooth_velocity},  // pvv
      {false, false, Condition::position},       // p
      {false, false, Condition::velocity},       // v
      {true, false, Condition::velocity},        // pv
      {true, false, Condition::velocity},        // pv73
      {false, false, Condition::acceleration},   // a
      {false, false, Condition::baumgarte},
  };
  const auto& variant = variants[static_cast<int>(o.levels)];
  unknowns = {variant.U, variant.V, true};
  const bool complete = o.levels == GeneralizedAlpha::Levels::pva;
  smooth = complete && o.strategy == 1 ? Condition::none : variant.smooth;
  contacts_in_S = complete && o.strategy == 3;
  on_velocities = smooth == Condition::velocity || smooth == Condition::smooth_velocity;
  on_accelerations = smooth == Condition::acceleration || smooth == Condition::baumgarte;
  relative = o.inactive == GeneralizedAlpha::Inactive::printed;
  plain_U = o.levels == GeneralizedAlpha::Levels::pv73;
}

void Scheme::begin_step(double t0, double length) {
  t = t0 + length;
  if (h == length) return;
  h = length;
  cq = h * h * alpha.beta * alpha.kappa(), cv = h * alpha.gamma * alpha.kappa();
  conditions[pos] = {Condition::position, 1 / (h * h)};
  conditions[vel] = {Condition::velocity, 1 / h};
  const double scale = smooth == Condition::position ? 1 / cq : on_velocities ? 1 / cv : 1;
  conditions[acc] = {smooth, scale, options.alpha, options.beta};
}

void predict(const Scheme& scheme, const State& x0, const Past& past, StepData& x) {
  const AlphaCoefficients& c = scheme.alpha;
  const Eigen::Index n = x.v.size(), m = x.lambda.size();
  const auto [vdot0, a0, lambda0, eta0, gamma0] = past;
  const double h = scheme.h, af = c.af, am = c.am, outer = 1 / (1 - am);
  const double q0 = h * h * (0.5 - c.beta), q1 = h * h * c.beta, v0 = h * (1 - c.gamma), v1 = h * c.gamma;
  assign(x0.q, x.q0);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double u0 = x0.u[i], known = outer * (af * vdot0[i] - am * a0[i]);
    x.vdot[i] = vdot0[i], x.a_known[i] = known;
    x.q_known[i] = h * u0 + q0 * a0[i] + q1 * known;
    x.v_known[i] = u0 + v0 * a0[i] + v1 * known;
  }
  for (Eigen::Index r = 0; r < m; ++r) {
    const double known = outer * (af * lambda0[r] - am * eta0[r]);
    x.lambda[r] = lambda0[r], x.eta_known[r] = known;
    x.nu_known[r] = q0 * eta0[r] + q1 * known;
    x.Lambda_known[r] = v0 * eta0[r] + v1 * known;
    x.gamma0[r] = gamma0[r];
    x.nu[r] = x.Lambda[r] = 0;
  }
  x.U.setZero(), x.V.setZero();
  x.corrected = false;
}

void rebound(const std::vector<Row>& rows, const ContactSet& set, StepData& x) {
  for (const Contact& c : set.contacts)
    if (rows[c.row].kind != Row::joint)
      restitution(*rows[c.row].law, x.gamma0.data() + c.row, x.rebound.data() + c.row);
}

// γ₀ of a contact that lands is the velocity before the step along the directions of the impulse, those of
// the iterate. Along the old directions Newton's law would make energy where they turn within the step, at
// any step size where they jump: a corner that passes from one edge to the next. A contact that was closed or
// at rest keeps its γ₀: on a curved surface that is zero, while v₀ along the new direction is of O(h).
void turn_rebounds(const State& x0, const double* before, const std::vector<Row>& rows, const ContactSet& set,
                   StepData& x) {
  const double still = 1e-9 * largest(x0.u);
  for (const Contact& c : set.contacts) {
    const Row& i = rows[c.row];
    if (i.kind != Row::normal || std::abs(before[c.row]) <= still || x0.contacts.find(c.id)) continue;
    for (int r = c.row; r < c.row + i.size; ++r) x.gamma0[r] = set.Wt.dot(r, x0.u.data()) + set.drift[r];
    restitution(*i.law, x.gamma0.data() + c.row, x.rebound.data() + c.row);
  }
}

void update(const Scheme& scheme, StepData& x) {
  const double cq = scheme.cq, cv = scheme.cv;
  for (Eigen::Index i = 0; i < x.v.size(); ++i) {
    const double vdot = x.vdot[i];
    x.displacement[i] = x.q_known[i] + cq * vdot + x.U[i];
    x.v[i] = x.v_known[i] + cv * vdot + x.V[i];
  }
  for (Eigen::Index r = 0; r < x.lambda.size(); ++r) {
    x.nu_star[r] = x.nu_known[r] + cq * x.lambda[r] + x.nu[r];
    x.Lambda_star[r] = x.Lambda_known[r] + cv * x.lambda[r] + x.Lambda[r];
  }
}

void finish(const Scheme& scheme, double nothing, const Vec& row_unit, StepData& x) {
  const double kappa = scheme.alpha.kappa();
  for (Eigen::Index i = 0; i < x.v.size(); ++i) x.a[i] = x.a_known[i] + kappa * x.vdot[i];
  for (Eigen::Index r = 0; r < x.lambda.size(); ++r) {
    const double exact = x.eta_known[r] + kappa * x.lambda[r];
    x.eta[r] = std::abs(exact) < nothing * row_unit[r] ? 0 : exact;
  }
}

}  // namespace generalized_alpha
}  // namespace saltus
