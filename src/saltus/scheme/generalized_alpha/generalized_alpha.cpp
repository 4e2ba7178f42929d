#include "saltus/scheme/generalized_alpha/stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/scheme/kit/contact_stage.hpp"

namespace saltus {
namespace {

using Levels = GeneralizedAlpha::Levels;

bool joints_only(Levels levels) {
  return levels != Levels::pva && levels != Levels::pvv;
}

}  // namespace

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

GeneralizedAlphaStepper::GeneralizedAlphaStepper(const System& system, const GeneralizedAlpha& options)
    : system_(system, faults()),
      curved_(system.curved() != nullptr),
      options_(options),
      c_(alpha_coefficients(options)),
      shape_(system.shape()),
      n_(shape_.nu) {
  check(options);
  const Levels levels = options.levels;
  has_U_ = levels == Levels::pva || levels == Levels::pvv || levels == Levels::pv || levels == Levels::pv73;
  has_V_ = levels == Levels::pva || levels == Levels::pvv;
  switch (levels) {
    case Levels::pva:
      smooth_ = options.strategy == 1 ? Smooth::none : Smooth::acceleration;
      break;
    case Levels::pvv:
      smooth_ = Smooth::smooth_velocity;
      break;
    case Levels::p:
      smooth_ = Smooth::position;
      break;
    case Levels::v:
    case Levels::pv:
    case Levels::pv73:
      smooth_ = Smooth::velocity;
      break;
    case Levels::a:
      smooth_ = Smooth::acceleration;
      break;
    case Levels::baumgarte:
      smooth_ = Smooth::baumgarte;
      break;
  }
  if (shape_.constant_mass && shape_.constant_directions) curved_ = false;
  linear_ = shape_.constant_mass && shape_.linear_force && shape_.constant_directions && shape_.flat;
  if (shape_.changing_contacts)
    fail(
        "scheme generalized-alpha keeps multipliers from step to step and needs a fixed list of contacts; in "
        "this system the list changes: use moreau-jean or moreau-midpoint");
  for (const Law& law : system.laws()) {
    if (on_position_level(law))
      fail("scheme generalized-alpha has no rows for a prestressed-spring: use moreau-jean with theta > 0");
    if (joints_only(levels) && !std::holds_alternative<Equality>(law))
      fail("generalized-alpha.levels = {} is for joints only, this system has other laws: use pva or pvv",
           GeneralizedAlpha::level_names[static_cast<int>(levels)]);
    if (options.newton == GeneralizedAlpha::Newton::decoupled && !has_V_)
      fail("generalized-alpha.newton = decoupled is for levels pva and pvv: use newton = coupled");
  }
  M_ = Matrix(n_, shape_.mass);
  Fq_ = C_ = K_ = Matrix(n_, shape_.jacobian);
  A_ = Matrix(n_, merge(shape_.mass, shape_.jacobian, n_));
  for (Vec* x :
       {&base_q_, &base_v_, &a_known_, &a_smooth_,     &U_,  &V_,  &v_,  &a_,  &displacement_, &force_,
        &r1_,     &r2_,     &r3_,      &inverse_mass_, &da_, &dq_, &dv_, &u2_, &u3_,           &work_})
    x->setZero(n_);
  q_.setZero(shape_.nq);
  view_.emplace(View{q_, v_, a_smooth_, force_});
}

void GeneralizedAlphaStepper::list_rows() {
  listed_ = true;
  m_ = set_.rows();
  info_.assign(m_, {});
  prox_rows_ = false;
  const auto laws = system_.laws();
  for (int k = 0; k < static_cast<int>(set_.contacts.size()); ++k) {
    const Contact& c = set_.contacts[k];
    const Law& law = laws[c.law];
    const int size = rows(law);
    for (int r = 0; r < size; ++r) {
      RowInfo& i = info_[c.row + r];
      i = {Kind::force, &law, k, c.row, size, true};
      if (std::holds_alternative<Equality>(law)) i.kind = Kind::joint, i.prox = false;
      if (needs_closed_gap(law)) i.kind = r == 0 ? Kind::normal : Kind::tangent;
      if (std::holds_alternative<Unilateral>(law)) i.prox = false;
      prox_rows_ = prox_rows_ || i.prox;
    }
  }
  for (Vec* x : {&eta_known_, &nu_base_, &Lambda_base_, &gamma0_, &rebound_, &lambda_, &nu_, &Lambda_, &eta_,
                 &nu_star_, &Lambda_star_, &gamma_, &row_acceleration_, &row_mass_, &carried_})
    x->setZero(m_);
  for (Level level : {pos, vel, acc}) {
    left_[level].setZero(m_);
    in_[level].assign(m_, 0);
    for (int r = 0; r < m_; ++r) {
      if (info_[r].kind == Kind::joint) in_[level][r] = level != acc || smooth_ != Smooth::none;
      if (info_[r].kind == Kind::force) in_[level][r] = level == vel;
    }
  }
  slot_.assign(m_, -1), flips_.assign(m_, 0);
}

void GeneralizedAlphaStepper::evaluate_mass(double t, In q) {
  if (mass_known_) return;
  system_.mass(t, q, M_);
  for (int i = 0; i < n_; ++i) inverse_mass_[i] = 1 / M_(i, i);
  mass_known_ = shape_.constant_mass;
  mass_factored_ = false;
}

// Gaps, directions, γ, and Wᵀv̇ + bias where somebody asks for it.
void GeneralizedAlphaStepper::geometry(double t, In q, In v, bool accelerations) {
  system_.list(t, q, set_);
  if (set_.rows() != m_ || !listed_) list_rows();
  const bool fresh = !directions_known_;
  if (fresh) {
    system_.directions(t, q, set_);
    directions_known_ = shape_.constant_directions;
  }
  if (m_ == 0) return;
  if (accelerations) system_.bias(t, q, v, set_);
  const bool masses = fresh || !shape_.constant_mass;
  const double *pv = v.data(), *pa = a_smooth_.data(), *inverse_mass = inverse_mass_.data();
  for (int r = 0; r < m_; ++r) {
    double velocity = 0, acceleration = 0, inverse = 0;
    for (const auto& [column, w] : std::as_const(set_.Wt).row(r)) {
      velocity += w * pv[column], acceleration += w * pa[column];
      inverse += w * w * inverse_mass[column];
    }
    gamma_[r] = velocity + set_.drift[r];
    if (accelerations) row_acceleration_[r] = acceleration + set_.bias[r];
    if (masses) row_mass_[r] = inverse > 0 ? 1 / inverse : 1;
  }
}

// γ₀ of a contact that lands is the velocity before the step along the directions of the impulse, those of
// the iterate. Along the old directions Newton's law would make energy where they turn within the step, at
// any step size where they jump: a corner that passes from one edge to the next. A contact that was closed or
// at rest keeps its γ₀: on a curved surface that is zero, while v₀ along the new direction is of O(h).
void GeneralizedAlphaStepper::turn_rebounds(const State& x0) {
  const double* before = x0.aux.data() + x0.aux.size() - m_;
  const double still = 1e-9 * largest(x0.u);
  for (const Contact& c : set_.contacts) {
    const RowInfo& i = info_[c.row];
    if (i.kind != Kind::normal || std::abs(before[c.row]) <= still || x0.contacts.find(c.id)) continue;
    for (int r = c.row; r < c.row + i.size; ++r) gamma0_[r] = set_.Wt.dot(r, x0.u.data()) + set_.drift[r];
    restitution(*i.law, gamma0_.data() + c.row, rebound_.data() + c.row);
  }
}

void GeneralizedAlphaStepper::dependent() {
  for (int i = 0; i < n_; ++i) {
    displacement_[i] = base_q_[i] + cq_ * a_smooth_[i] + U_[i];
    v_[i] = base_v_[i] + cv_ * a_smooth_[i] + V_[i];
  }
  if (shape_.flat)
    for (int i = 0; i < n_; ++i) q_[i] = q0_[i] + displacement_[i];
  else
    system_.retract(q0_, displacement_, q_);
  for (int r = 0; r < m_; ++r) {
    nu_star_[r] = nu_base_[r] + cq_ * lambda_[r] + nu_[r];
    Lambda_star_[r] = Lambda_base_[r] + cv_ * lambda_[r] + Lambda_[r];
  }
}

StepReport GeneralizedAlphaStepper::take_step(const State& x0, double h, State& x1) {
  StepReport report;
  if (!listed_) {  // a state of another stepper
    evaluate_mass(x0.t, x0.q);
    geometry(x0.t, x0.q, x0.u, true);
  }
  assign(x0.q, q0_);
  begin(x0, h);
  report.status = StepStatus::newton_diverged;
  for (int k = 0; k <= options_.max_iterations; ++k) {
    dependent();
    evaluate_mass(t_, view_->q);
    geometry(t_, view_->q, view_->v, on_accelerations());
    if (!shape_.constant_directions) turn_rebounds(x0);
    const bool changed = find_sets();
    if (changed || k == 0) excess_ = infinity;
    const bool solved =
        k > 0 && linear_ && !changed && !prox_rows_ && options_.newton == GeneralizedAlpha::Newton::coupled;
    if (!solved) {
      residuals();
      ++report.force_evaluations;
    }
    if (!std::isfinite(scale_[acc])) {
      report.status = StepStatus::not_finite;
      break;
    }
    if (solved || converged(k == 0, report)) {
      report.status = StepStatus::ok;
      break;
    }
    if (k == options_.max_iterations) break;
    ++report.newton_iterations;
    const bool fine =
        linearise() && (options_.newton == GeneralizedAlpha::Newton::coupled ? correct({has_U_, has_V_, true})
                                                                             : correct_in_turn());
    if (!fine) {
      report.status = StepStatus::singular;
      break;
    }
    moved_ = true;
  }
  finish(x0, x1, report);
  return report;
}

// The state at the end, the memory of the contacts, and how well the constraints hold on the three levels.
void GeneralizedAlphaStepper::finish(const State& x0, State& x1, StepReport& report) {
  if (!on_accelerations() && m_ > 0) {
    system_.bias(t_, view_->q, view_->v, set_);
    for (int r = 0; r < m_; ++r) row_acceleration_[r] = set_.Wt.dot(r, a_smooth_.data()) + set_.bias[r];
  }
  x1.t = t_;
  assign(q_, x1.q), assign(v_, x1.u);
  const int size = 2 * n_ + 3 * m_;
  if (x1.aux.size() != size) x1.aux.resize(size);
  double* out = x1.aux.data();
  for (int i = 0; i < n_; ++i) {
    a_[i] = a_known_[i] + c_.kappa() * a_smooth_[i];
    out[i] = a_smooth_[i], out[n_ + i] = a_[i];
  }
  out += 2 * n_;
  const double nothing =
      1e-18 * scale_[acc];  // what is left of an old impact: below the rounding of the forces
  for (int r = 0; r < m_; ++r) {
    eta_[r] = eta_known_[r] + c_.kappa() * lambda_[r];
    if (std::abs(eta_[r]) < nothing) eta_[r] = 0;
    out[r] = lambda_[r], out[m_ + r] = eta_[r], out[2 * m_ + r] = gamma_[r];
  }
  auto& memory = x1.contacts;
  memory.clear();
  memory.step = h_;
  u_minus_.clear(), u_plus_.clear();
  double speed = 0;  // the largest change of a contact's velocity
  for (int row = 0; row < m_; ++row) speed = std::max(speed, std::abs(gamma_[row] - gamma0_[row]));
  for (int k = 0; k < static_cast<int>(set_.contacts.size()); ++k) {
    const Contact& c = set_.contacts[k];
    const RowInfo& i = info_[c.row];
    const bool joint = i.kind == Kind::joint;
    if (i.kind == Kind::normal) {
      report.min_gap = std::min(report.min_gap, set_.gap[c.row]);
      if (!std::isfinite(set_.gap[c.row]) && report.status == StepStatus::ok)
        report.status = StepStatus::gap_not_finite, report.bad_contact = c.id;
    }
    if (has_V_ && !in_[vel][c.row]) continue;
    Mode mode_now = Mode::closed;
    double y[max_block_rows];
    for (int r = 0; r < i.size; ++r) {
      const int row = c.row + r;
      y[r] = gamma_[row] + rebound_[row];
      const double P = has_V_ ? Lambda_star_[row] : h_ * lambda_[row];
      memory.impulse.push_back(P);
      u_minus_.push_back(gamma0_[row]), u_plus_.push_back(gamma_[row]);
      report.contact_loss -= 0.5 * P * (gamma0_[row] + gamma_[row]);
      report.wall_work -= P * set_.drift[row];
      if (joint) {
        report.joint_position = std::max(report.joint_position, std::abs(set_.gap[row]));
        report.joint_velocity = std::max(report.joint_velocity, std::abs(gamma_[row]));
        report.joint_acceleration = std::max(report.joint_acceleration, std::abs(row_acceleration_[row]));
      }
    }
    const int offset = static_cast<int>(memory.impulse.size()) - i.size;
    if (i.prox)
      mode_now =
          mode(*i.law, h_, weight(c.row), memory.impulse.data() + offset, y, 0, x0.contacts.mode(c.id));
    if (i.kind == Kind::normal) {
      report.contact_position = std::max(report.contact_position, std::abs(set_.gap[c.row]));
      report.contact_velocity = std::max(report.contact_velocity, std::abs(y[0]));
      if (in_[acc][c.row])
        report.contact_acceleration =
            std::max(report.contact_acceleration, std::abs(row_acceleration_[c.row]));
    }
    const bool resting = std::abs(gamma_[c.row]) <= rest_level(speed);
    memory.closed.push_back(
        {c.id, offset, static_cast<std::uint8_t>(i.size), i.kind == Kind::normal, resting, mode_now});
  }
  report.u_minus = u_minus_, report.u_plus = u_plus_;
  if (report.status != StepStatus::ok && report.bad_component >= 0 && m_ > 0)
    report.bad_contact = id_of(report.bad_component), report.bad_is_contact = true;
  report.bad_component = -1;
  if (report.status == StepStatus::ok && (!finite(x1.q) || !finite(x1.u)))
    report.status = StepStatus::not_finite;
}

std::unique_ptr<Stepper> build_stepper(const GeneralizedAlpha& options, const DynamicSystem& system,
                                       const SolverSpec&) {
  return std::make_unique<GeneralizedAlphaStepper>(mechanical(system), options);
}

}  // namespace saltus
