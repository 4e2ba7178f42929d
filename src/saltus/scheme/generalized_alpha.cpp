#include "saltus/scheme/generalized_alpha_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
using Levels = GeneralizedAlpha::Levels;

bool joints_only(Levels levels) {
  return levels != Levels::pva && levels != Levels::pvv;
}

double max_abs(In x) {
  double most = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i]));
  return most;
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
    : system_(system),
      curved_(dynamic_cast<const CurvedSystem*>(&system)),
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
  if (shape_.constant_mass && shape_.constant_directions) curved_ = nullptr;
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
  for (Vec* x : {&base_q_, &base_v_, &a_known_, &a_smooth_, &U_, &V_, &v_, &a_, &displacement_, &force_, &r1_,
                 &r2_, &r3_, &da_, &dq_, &dv_, &u2_, &u3_, &work_})
    x->setZero(n_);
  q_.setZero(shape_.nq);
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
                 &nu_star_, &Lambda_star_, &gamma_, &row_acceleration_, &row_mass_})
    x->setZero(m_);
  for (auto* x : {&in_A_, &in_B_, &in_S_}) x->assign(m_, 0);
  slot_.assign(m_, -1);
}

void GeneralizedAlphaStepper::evaluate_mass(double t, In q) {
  if (mass_known_) return;
  system_.mass(t, q, M_);
  mass_known_ = shape_.constant_mass;
  mass_factored_ = false;
}

// Gaps, directions, γ, and Wᵀv̇ + bias where somebody asks for it.
void GeneralizedAlphaStepper::geometry(double t, In q, In v, bool accelerations) {
  system_.gaps(t, q, set_);
  if (set_.rows() != m_ || !listed_) list_rows();
  const bool fresh = !directions_known_;
  if (fresh) {
    system_.directions(t, q, set_);
    directions_known_ = shape_.constant_directions;
  }
  if (m_ == 0) return;
  if (accelerations) system_.bias(t, q, v, set_);
  const bool masses = fresh || !shape_.constant_mass;
  for (int r = 0; r < m_; ++r) {
    gamma_[r] = set_.Wt.dot(r, v.data()) + set_.drift[r];
    if (accelerations) row_acceleration_[r] = set_.Wt.dot(r, a_smooth_.data()) + set_.bias[r];
    if (!masses) continue;
    double inverse = 0;
    for (const auto& e : std::as_const(set_.Wt).row(r)) inverse += e.value * e.value / M_(e.column, e.column);
    row_mass_[r] = inverse > 0 ? 1 / inverse : 1;
  }
}

State GeneralizedAlphaStepper::start(double t, In q, In u) {
  State x;
  x.t = t, x.q = q, x.u = u;
  Vec a = Vec::Zero(n_), lambda;
  evaluate_mass(t, q);
  solve_acceleration(t, q, u, a, lambda);
  if (options_.start == GeneralizedAlpha::Start::zero) a.setZero();
  a_smooth_ = a, a_ = a, lambda_ = lambda;
  x.aux.resize(n_ + 2 * m_);  // v̇, λ, γ; the first step, which knows h, makes a and η
  x.aux << a, lambda, gamma_;
  return x;
}

// Reads the state, makes what is constant in the step, and predicts: v̇ and λ as they were, no corrections.
void GeneralizedAlphaStepper::begin(const State& x0, double h) {
  t_ = x0.t + h, h_ = h;
  cq_ = h * h * c_.beta * c_.kappa(), cv_ = h * c_.gamma * c_.kappa();
  scales_[pos] = 1 / (h * h), scales_[vel] = 1 / h;
  scales_[acc] = smooth_ == Smooth::position                                         ? 1 / cq_
                 : smooth_ == Smooth::velocity || smooth_ == Smooth::smooth_velocity ? 1 / cv_
                                                                                     : 1;
  const double* aux = x0.aux.data();
  const bool first = x0.aux.size() == n_ + 2 * m_;
  const double *a0 = aux, *lambda0 = aux + n_;
  const double *shifted = a0, *eta0 = lambda0, *gamma0 = aux + n_ + m_;
  if (first && options_.start == GeneralizedAlpha::Start::shifted) {
    const double d = (c_.am - c_.af) * h;
    Vec move = d * x0.u + 0.5 * d * d * x0.aux.head(n_), u = x0.u + d * x0.aux.head(n_), eta;
    Vec q(shape_.nq);
    system_.retract(x0.q, move, q);
    evaluate_mass(x0.t + d, q);
    solve_acceleration(x0.t + d, q, u, work_, eta);
    eta_ = eta;
    shifted = work_.data(), eta0 = eta_.data();
  } else if (!first) {
    shifted = aux + n_, lambda0 = aux + 2 * n_, eta0 = lambda0 + m_, gamma0 = eta0 + m_;
  }
  const double outer = 1 / (1 - c_.am), q_weight = h * h * (0.5 - c_.beta), v_weight = h * (1 - c_.gamma);
  for (int i = 0; i < n_; ++i) {
    a_smooth_[i] = a0[i];
    a_known_[i] = outer * (c_.af * a0[i] - c_.am * shifted[i]);
    base_q_[i] = h * x0.u[i] + q_weight * shifted[i] + h * h * c_.beta * a_known_[i];
    base_v_[i] = x0.u[i] + v_weight * shifted[i] + h * c_.gamma * a_known_[i];
  }
  U_.setZero(), V_.setZero();
  for (int r = 0; r < m_; ++r) {
    lambda_[r] = lambda0[r];
    eta_known_[r] = outer * (c_.af * lambda0[r] - c_.am * eta0[r]);
    nu_base_[r] = q_weight * eta0[r] + h * h * c_.beta * eta_known_[r];
    Lambda_base_[r] = v_weight * eta0[r] + h * c_.gamma * eta_known_[r];
    gamma0_[r] = gamma0[r];
    nu_[r] = Lambda_[r] = 0;
  }
  for (const Contact& c : set_.contacts)
    restitution(system_.laws()[c.law], gamma0_.data() + c.row, rebound_.data() + c.row);
  if (options_.levels == Levels::pv73) {
    directions_known_ = false;
    system_.gaps(x0.t, x0.q, set_);
    system_.directions(x0.t, x0.q, set_);
    W0_ = set_.Wt;
  }
  moved_ = false;
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

// The sets (55)-(57); true when one of them changed.
bool GeneralizedAlphaStepper::find_sets() {
  bool changed = false;
  const auto put = [&](char& old, bool now) { changed = changed || (old != 0) != now, old = now; };
  for (int r = 0; r < m_; ++r) {
    const RowInfo& i = info_[r];
    const double w = weight(r);
    bool A = true, B = true, S = smooth_ != Smooth::none && i.kind == Kind::joint;
    if (i.kind == Kind::normal) {
      A = nu_star_[r] - w * set_.gap[r] >= 0;
      B = A && Lambda_star_[r] - w * (gamma_[r] + rebound_[r]) >= 0;
      S = B && smooth_ == Smooth::acceleration && options_.strategy == 3 &&
          lambda_[r] - w * row_acceleration_[r] >= 0;
    } else if (i.kind == Kind::tangent) {
      A = in_A_[i.first] != 0, B = in_B_[i.first] != 0;
    }
    put(in_A_[r], A), put(in_B_[r], B), put(in_S_[r], S);
  }
  return changed;
}

bool GeneralizedAlphaStepper::active(int r, Level level) const {
  const Kind kind = info_[r].kind;
  if (level == pos) return kind == Kind::joint || (kind == Kind::normal && in_A_[r]);
  return level == vel ? in_B_[r] != 0 : in_S_[r] != 0;
}

double GeneralizedAlphaStepper::violation(int r, Level level) const {
  const double s = scales_[level];
  if (level == pos) return s * set_.gap[r];
  if (level == vel) return s * (gamma_[r] + rebound_[r]);
  switch (smooth_) {
    case Smooth::position:
      return s * set_.gap[r];
    case Smooth::velocity:
      return s * gamma_[r];
    case Smooth::smooth_velocity:
      return s * (gamma_[r] - set_.Wt.dot(r, V_.data()));
    case Smooth::baumgarte:
      return row_acceleration_[r] + 2 * options_.alpha * gamma_[r] +
             options_.beta * options_.beta * set_.gap[r];
    default:
      return row_acceleration_[r];
  }
}

double GeneralizedAlphaStepper::remainder(int r, Level level) const {
  const bool star = options_.inactive == GeneralizedAlpha::Inactive::star;
  const Kind kind = info_[r].kind;
  if (level == acc) return lambda_[r];
  if (level == vel) return (star || kind != Kind::normal ? Lambda_star_[r] : Lambda_[r]) / h_;
  if (kind == Kind::normal) return (star ? nu_star_[r] : nu_[r]) / (h_ * h_);
  return nu_star_[r] / (h_ * h_) - 0.5 * Lambda_star_[r] / h_;
}

// r₁ = M v̇ − W λ − f, r₂ = M U − W ν, r₃ = M V − W Λ, and the sizes of the forces in them.
void GeneralizedAlphaStepper::residuals() {
  system_.force(t_, q_, v_, force_);
  r1_.setZero();
  M_.multiply_add(1, a_smooth_, r1_);
  scale_ = std::max(max_abs(force_), max_abs(r1_));
  for (int i = 0; i < n_; ++i) r1_[i] -= force_[i];
  work_.setZero();
  for (int r = 0; r < m_; ++r)
    if (lambda_[r] != 0) set_.Wt.add_to(r, lambda_[r], work_.data());
  scale_ = std::max(scale_, max_abs(work_));
  r1_ -= work_;
  scale_pos_ = scale_vel_ = scale_;
  if (!moved_) return r2_.setZero(), r3_.setZero(), void();
  const auto correction = [&](const Vec& x, const Vec& multiplier, double unit, Vec& out) {
    out.setZero();
    if (options_.levels != Levels::pv73) M_.multiply_add(1, x, out);
    const double size = max_abs(out) * unit;
    for (int r = 0; r < m_; ++r)
      if (multiplier[r] != 0) set_.Wt.add_to(r, -multiplier[r], out.data());
    return size;
  };
  if (options_.levels == Levels::pv73) {
    r2_.setZero();  // U = W₀ ν by construction
    scale_pos_ += max_abs(U_) / (h_ * h_);
  } else if (has_U_) {
    scale_pos_ += correction(U_, nu_, 1 / (h_ * h_), r2_);
  }
  if (has_V_) scale_vel_ += correction(V_, Lambda_, 1 / h_, r3_);
}

// Every residual in units of force against the forces, with floors for what rounding leaves.
bool GeneralizedAlphaStepper::converged(StepReport& report) {
  const double tol = options_.tolerance, q = max_abs(q_), v = max_abs(v_), a = max_abs(a_smooth_);
  report.bad_component = -1;
  double worst = 0;
  const auto look = [&](double residual, double allowed, int row) {
    if (residual <= allowed) return;
    const double excess = allowed > 0 ? residual / allowed : infinity;
    if (!(excess <= worst)) worst = excess, report.bad_component = row;
  };
  look(max_abs(r1_), tol * scale_ + 8 * epsilon * stiffness_ * q, -1);
  const double m = 16 * epsilon;
  if (has_U_) look(max_abs(r2_) / (h_ * h_), tol * scale_pos_, -1);
  if (has_V_) look(max_abs(r3_) / h_, tol * scale_vel_, -1);
  for (int r = 0; r < m_; ++r) {
    const double mass = row_mass_[r];
    const auto level = [&](Level l, double scale, double floor) {
      if (active(r, l) && info_[r].prox && l == vel) return;  // below
      if (active(r, l))
        look(mass * std::abs(violation(r, l)), tol * scale + mass * floor, r);
      else
        look(std::abs(remainder(r, l)), tol * scale, r);
    };
    if (has_U_) level(pos, scale_pos_, m * (q + std::abs(set_.gap[r])) / (h_ * h_));
    if (has_V_) level(vel, scale_vel_, m * v / h_);
    const double smooth_floor = smooth_ == Smooth::position ? q / cq_
                                : smooth_ == Smooth::velocity || smooth_ == Smooth::smooth_velocity
                                    ? v / cv_
                                    : a + (set_.bias.empty() ? 0.0 : std::abs(set_.bias[r]));
    level(acc, scale_, m * smooth_floor);
    if (info_[r].prox && info_[r].first == r && has_V_ && in_B_[r]) {
      double x[max_block_rows], P[max_block_rows];
      const double w = weight(r);
      for (int k = 0; k < info_[r].size; ++k) {
        P[k] = Lambda_star_[r + k] / h_;
        x[k] = P[k] - w * violation(r + k, vel);
      }
      prox(*info_[r].law, 1, x);
      for (int k = 0; k < info_[r].size; ++k)
        look(std::abs(P[k] - x[k]), tol * scale_vel_ + w * m * v / h_, r + k);
    }
  }
  // Floors cannot know every rounding (a gap may be a difference of large numbers): a residual that is small
  // and does not shrink any more is one.
  const bool coupled = options_.newton == GeneralizedAlpha::Newton::coupled;
  const bool stalled = worst >= (coupled ? 0.25 : 0.9) * excess_ && worst * tol <= std::max(1e-8, 10 * tol);
  excess_ = worst;
  return worst == 0 || stalled;
}

StepReport GeneralizedAlphaStepper::step(const State& x0, double h, State& x1) {
  StepReport report;
  if (!listed_) {  // a state of another stepper
    evaluate_mass(x0.t, x0.q);
    geometry(x0.t, x0.q, x0.u, true);
  }
  q0_ = x0.q;
  begin(x0, h);
  const bool levels_of_acceleration = smooth_ == Smooth::acceleration || smooth_ == Smooth::baumgarte;
  report.status = StepStatus::newton_diverged;
  for (int k = 0; k <= options_.max_iterations; ++k) {
    dependent();
    evaluate_mass(t_, q_);
    geometry(t_, q_, v_, levels_of_acceleration);
    const bool changed = find_sets();
    if (changed || k == 0) excess_ = infinity;
    const bool solved =
        k > 0 && linear_ && !changed && !prox_rows_ && options_.newton == GeneralizedAlpha::Newton::coupled;
    if (!solved) {
      residuals();
      ++report.force_evaluations;
    }
    if (!std::isfinite(scale_)) {
      report.status = StepStatus::not_finite;
      break;
    }
    if (solved || converged(report)) {
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
  if (smooth_ != Smooth::acceleration && smooth_ != Smooth::baumgarte && m_ > 0) {
    system_.bias(t_, q_, v_, set_);
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
  const double nothing = 1e-18 * scale_;  // what is left of an old impact: below the rounding of the forces
  for (int r = 0; r < m_; ++r) {
    eta_[r] = eta_known_[r] + c_.kappa() * lambda_[r];
    if (std::abs(eta_[r]) < nothing) eta_[r] = 0;
    out[r] = lambda_[r], out[m_ + r] = eta_[r], out[2 * m_ + r] = gamma_[r];
  }
  auto& memory = x1.contacts;
  memory.clear();
  memory.step = h_;
  u_minus_.clear(), u_plus_.clear();
  for (int k = 0; k < static_cast<int>(set_.contacts.size()); ++k) {
    const Contact& c = set_.contacts[k];
    const RowInfo& i = info_[c.row];
    const bool joint = i.kind == Kind::joint;
    if (i.kind == Kind::normal) {
      report.min_gap = std::min(report.min_gap, set_.gap[c.row]);
      if (!std::isfinite(set_.gap[c.row]) && report.status == StepStatus::ok)
        report.status = StepStatus::gap_not_finite, report.bad_contact = c.id;
    }
    if (has_V_ && !in_B_[c.row]) continue;
    Mode mode_now = Mode::closed;
    double y[max_block_rows];
    for (int r = 0; r < i.size; ++r) {
      const int row = c.row + r;
      y[r] = gamma_[row] + rebound_[row];
      const double P = has_V_ ? Lambda_star_[row] : h_ * lambda_[row];
      memory.impulse.push_back(P);
      u_minus_.push_back(gamma0_[row]), u_plus_.push_back(gamma_[row]);
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
      if (in_S_[c.row])
        report.contact_acceleration =
            std::max(report.contact_acceleration, std::abs(row_acceleration_[c.row]));
    }
    const bool resting = std::abs(gamma_[c.row]) <= 1e-12 * (std::abs(gamma0_[c.row]) + 1e-3);
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

// (38): v̇ and λ from q and u. Joints, and with strategy 3 the contacts that are closed and stay so; an
// active-set iteration finds which of them carry a force.
void GeneralizedAlphaStepper::solve_acceleration(double t, In q, In u, Vec& a, Vec& lambda) {
  geometry(t, q, u, true);
  lambda.setZero(m_);
  if (!mass_factored_ && !mass_factor_.factorize(M_)) fail("the mass matrix is singular at the start");
  mass_factored_ = true;
  Vec free(n_);
  system_.force(t, q, u, free);
  mass_factor_.solve(free.data());
  a = free;
  if (smooth_ == Smooth::none || m_ == 0) return;
  const double near = 1e-9 * (1 + max_abs(q)), slow = 1e-9 * (1 + max_abs(u));
  std::vector<int> candidates, on;
  for (int r = 0; r < m_; ++r)
    if (info_[r].kind == Kind::joint ||
        (info_[r].kind == Kind::normal && smooth_ == Smooth::acceleration && options_.strategy == 3 &&
         set_.gap[r] <= near && std::abs(gamma_[r]) <= slow))
      candidates.push_back(r);
  const int k = static_cast<int>(candidates.size());
  std::vector<Vec> Y(k, Vec::Zero(n_));
  for (int j = 0; j < k; ++j) {
    set_.Wt.add_to(candidates[j], 1, Y[j].data());
    mass_factor_.solve(Y[j].data());
  }
  on.assign(k, 1);
  for (int iteration = 0; iteration < 100; ++iteration) {
    std::vector<double> G(static_cast<std::size_t>(k) * k, 0.0), x(k, 0.0);
    std::vector<int> pivot(k);
    for (int i = 0; i < k; ++i) {
      if (!on[i]) {
        G[static_cast<std::size_t>(i) * k + i] = 1;
        continue;
      }
      const int r = candidates[i];
      for (int j = 0; j < k; ++j) G[static_cast<std::size_t>(j) * k + i] = set_.Wt.dot(r, Y[j].data());
      x[i] = -set_.Wt.dot(r, free.data()) - set_.bias[r];
    }
    const int bad = dense_lu(k, G.data(), pivot.data(), 4 * epsilon);
    if (bad >= 0)
      fail(
          "contact {}: the joints and closed contacts at the start are redundant; remove one of them, or use "
          "levels=pva with strategy=1",
          system_.contact_name(id_of(candidates[bad])));
    dense_lu_solve(k, G.data(), pivot.data(), x.data());
    a = free;
    for (int j = 0; j < k; ++j) a += x[j] * Y[j], lambda[candidates[j]] = x[j];
    bool changed = false;
    for (int i = 0; i < k; ++i) {
      const int r = candidates[i];
      if (info_[r].kind == Kind::joint) continue;
      const double y = set_.Wt.dot(r, a.data()) + set_.bias[r];
      const int now = x[i] - row_mass_[r] * (on[i] ? 0 : y) >= 0;
      changed = changed || now != on[i], on[i] = now;
    }
    if (!changed) return;
  }
}

}  // namespace saltus
