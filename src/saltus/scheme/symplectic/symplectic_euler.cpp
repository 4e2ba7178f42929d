#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/scheme/symplectic/body_euler_stepper.hpp"
#include "saltus/scheme/symplectic/vibration.hpp"

namespace saltus {
namespace {

using Composition = SymplecticEuler::Composition;

bool is_natural(EulerVariant v) {
  return v == EulerVariant::natural || v == EulerVariant::natural_conjugate;
}

EulerPart adjoint_of(const EulerPart& p) {
  switch (p.variant) {
    case EulerVariant::natural:
      return {p.c, EulerVariant::natural_conjugate, 1 - p.alpha};
    case EulerVariant::natural_conjugate:
      return {p.c, EulerVariant::natural, 1 - p.alpha};
    case EulerVariant::consistent:
      return {p.c, EulerVariant::adjoint, p.alpha};
    case EulerVariant::adjoint:
      return {p.c, EulerVariant::consistent, p.alpha};
    case EulerVariant::consistent_conjugate:
      break;
  }
  fail(
      "symplectic-euler: true-conjugate has no adjoint here; compose variant true (or true-adjoint, "
      "natural)");
}

}  // namespace

std::vector<EulerPart> parts_of(const SymplecticEuler& o) {
  const auto name = euler_variant_names[static_cast<std::size_t>(o.variant)];
  if (o.alpha == 0)
    fail("symplectic-euler.alpha = 0 is not allowed for variant {}: Psi0 would have no effect; choose 0.5",
         name);
  if (is_natural(o.variant) && o.alpha == 1)
    fail(
        "symplectic-euler.alpha = 1 is not allowed for variant {}: Psi1 would have no effect; choose 0.5, or "
        "variant true",
        name);
  if (!std::isfinite(o.alpha)) fail("symplectic-euler.alpha = {} is not a finite number", o.alpha);
  if (o.composition == Composition::none) return {{1, o.variant, o.alpha}};
  std::vector<double> steps = {1};
  if (o.composition == Composition::yoshida4) {
    const double c = 1 / (2 - std::cbrt(2.0));
    steps = {c, 1 - 2 * c, c};
  } else if (o.composition == Composition::suzuki4) {
    const double c = 1 / (4 - std::cbrt(4.0));
    steps = {c, c, 1 - 4 * c, c, c};
  }
  std::vector<EulerPart> out;
  for (double c : steps) {
    const EulerPart half{c / 2, o.variant, o.alpha};
    out.push_back(half);
    out.push_back(adjoint_of(half));
  }
  return out;
}

SymplecticEulerStepper::SymplecticEulerStepper(std::shared_ptr<const OdaeSystem> system,
                                               const SymplecticEuler& options)
    : OdaeStepper(std::move(system), 2 * static_cast<int>(parts_of(options).size()), options.project),
      options_(options),
      parts_(parts_of(options)),
      map_(*system_, faults()) {
  const int m = system_->m();
  y_.resize(system_->ny()), z_.resize(system_->nz());
  Psi0_ = Psi1_ = rate0_ = Vec::Zero(m);
  u_minus_.reserve(m), u_plus_.reserve(m), target_.assign(m, 0.0), forced_.assign(m, 0);
}

SmoothMotion SymplecticEuler::smooth() const {
  const auto parts = parts_of(*this);
  return {parts.size() == 1 ? 1 : parts.size() == 2 ? 2 : 4, stability_limit(parts)};
}

int SymplecticEulerStepper::order() const {
  return options_.smooth().order;
}

StepReport SymplecticEulerStepper::try_step(const State& x0, double h, State& x1) {
  const int m = system_->m();
  const auto now = active(x0);
  StepReport report;
  assign(x0.q, y_), assign(x0.u, z_);
  double t = x0.t;
  for (std::size_t k = 0; k < parts_.size() && report.status == StepStatus::ok; ++k) {
    const EulerPart& part = parts_[k];
    const Eigen::Index offset = m * (1 + 2 * static_cast<Eigen::Index>(k));
    Psi0_ = x1.aux.segment(offset, m), Psi1_ = x1.aux.segment(offset + m, m);
    report.status = map_.step(part.variant, {t, part.c * h, part.alpha, y_, z_}, now, Psi0_, Psi1_);
    if (report.status != StepStatus::ok) break;
    x1.aux.segment(offset, m) = Psi0_, x1.aux.segment(offset + m, m) = Psi1_;
    assign(map_.y(), y_), assign(map_.z(), z_);
    t += part.c * h;
  }
  return report;
}

StepReport SymplecticEulerStepper::take_locked_step(const State& x0, double h, State& x1) {
  const int m = system_->m();
  map_.iterations = map_.evaluations = 0;
  assign(x0.aux, x1.aux);
  StepReport report = try_step(x0, h, x1);
  if (report.status != StepStatus::ok) {  // guesses led astray: once more from ψ
    for (int k = 1; k <= guesses_; ++k) x1.aux.segment(k * m, m) = x0.aux.head(m);
    report = try_step(x0, h, x1);
  }
  assign(y_, x1.q), assign(z_, x1.u);
  report.newton_iterations = map_.iterations, report.force_evaluations = map_.evaluations;
  report.stage_residual = map_.change();
  finish_locked(x0, h, x1, report);
  return report;
}

StepReport SymplecticEulerStepper::take_step(const State& x0, double h, State& x1) {
  const bool decides = system_->has_unilateral() && options_.composition == Composition::none &&
                       options_.variant == EulerVariant::consistent;
  return decides ? complementarity_step(x0, h, x1) : locked_step(x0, h, x1);
}

int multipliers_of(const DynamicSystem& system) {
  if (system.family() == Family::odae) return static_cast<const OdaeSystem&>(system).m();
  const System* bodies = as_mechanical(&system);
  if (!bodies || bodies->shape().changing_contacts) return 0;
  int n = 0;
  const auto laws = bodies->laws();
  for (const Contact& c : bodies->contacts()) {
    const Law& law = laws[c.law];
    n += needs_closed_gap(law) ? 1 : std::holds_alternative<Equality>(law) ? rows(law) : 0;
  }
  return n;
}

std::unique_ptr<Stepper> build_stepper(const SymplecticEuler& options, const DynamicSystem& system,
                                       const SolverSpec& solver) {
  if (const System* bodies = as_mechanical(&system))
    return std::make_unique<BodyEulerStepper>(*bodies, options, solver);
  return std::make_unique<SymplecticEulerStepper>(as_odae(system), options);
}

}  // namespace saltus
