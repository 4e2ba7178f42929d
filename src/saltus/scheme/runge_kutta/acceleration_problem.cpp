#include "saltus/scheme/runge_kutta/acceleration_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/contact/strain.hpp"
#include "saltus/linalg/loops.hpp"

namespace saltus {
namespace {

bool has_rest(const FrozenContact& f, const Law& law) {
  for (const FrictionDisc& d : discs_of(law))
    if (holds_on(f, law, d)) return true;
  return false;
}

// The law of the discs that do not slide: friction on the others is in the column of the normal force.
Law at_rest(const FrozenContact& f, const Law& law, RollingFriction out) {
  double* bound[] = {&out.mu, &out.rolling, &out.spinning};
  int k = 0;
  for (const FrictionDisc& d : discs_of(law)) {
    if (slides_on(f, law, d)) *bound[k] = 0;
    ++k;
  }
  return out;
}

// Impulses may be rough, and the motion hardly feels it. Here an error is an acceleration that lasts: what
// lies at rest would creep, slip, and be decided about again and again.
constexpr double fine = 1e-10;

SolverSpec for_accelerations(const SolverSpec& own) {
  SolverSpec solver = to_rounding(own);
  if (auto* s = std::get_if<AutomaticSolver>(&solver))
    s->large_tolerance = std::min(s->large_tolerance, fine);
  return solver;
}

}  // namespace

AccelerationProblem::AccelerationProblem(const System& system, const SolverSpec& solver, Faults& faults)
    : system_(system, faults),
      shape_(system.shape()),
      solver_(make_contact_solver(for_accelerations(solver))),
      M_(shape_.nu, shape_.mass) {
  u_.setZero(shape_.nu);
  free_.setZero(shape_.nu);
  acceleration_.setZero(shape_.nu);
  set_.sharp = true;
}

bool AccelerationProblem::evaluate(double t, const Vec& q, const Vec& u) {
  system_.list(t, q, set_);
  if (!known_ || !shape_.constant_directions) system_.directions(t, q, set_);
  system_.bias(t, q, u, set_);
  if (!known_ || !shape_.constant_mass) {
    system_.mass(t, q, M_);
    if (!factor_.factorize(M_)) return false;
  }
  known_ = true;
  assign(u, u_);
  system_.force(t, q, u, free_);
  factor_.solve(free_.data());
  assign(free_, acceleration_);
  gamma_.resize(set_.rows());
  for (int r = 0; r < set_.rows(); ++r) gamma_[r] = set_.Wt.dot(r, u.data()) + set_.drift[r];
  force_.assign(set_.rows(), 0.0);
  return finite(free_);
}

double AccelerationProblem::rate(int row) const {
  return set_.Wt.dot(row, acceleration_.data()) + set_.bias[row];
}

double AccelerationProblem::rate_scale(int row) const {
  double sum = std::abs(set_.bias[row]);
  for (const auto& e : set_.Wt.row(row)) sum += std::abs(e.value * acceleration_[e.column]);
  return sum;
}

void AccelerationProblem::loads(std::vector<Load>& out) const {
  out.clear();
  for (const Contact& c : set_.contacts) {
    Load load{c.id, {}};
    std::copy_n(force_.data() + c.row, rows(system_.laws()[c.law]), load.force.begin());
    out.push_back(load);
  }
}

// Friction over the normal force on the rows behind it, where they slide; returns their number.
int AccelerationProblem::friction(const Row& r, double* s) const {
  const Law& law = system_.laws()[set_.contacts[r.contact].law];
  const FrictionDiscs discs = discs_of(law);
  for (const FrictionDisc& d : discs) {
    double* at = s + d.at - 1;
    std::fill_n(at, d.rows, 0.0);
    if (!slides_on(*r.slides, law, d)) continue;
    if (d.rows == 1)
      at[0] = line_direction(*r.slides, law, d);
    else
      slip_direction(r.slides->slip.data() + d.at - 1, gamma_.data() + r.row + d.at, d.rows, at);
    for (int k = 0; k < d.rows; ++k) at[k] *= d.bound;
  }
  return discs.rows() - 1;
}

// d += factor (w_N − Σ s_k w_Tk) for a sliding contact, else the row itself.
void AccelerationProblem::add_column(const Row& r, double factor, double* d) const {
  set_.Wt.add_to(r.row, factor, d);
  if (!r.slides) return;
  double s[max_block_rows];
  for (int k = 0, n = friction(r, s); k < n; ++k) set_.Wt.add_to(r.row + 1 + k, -s[k] * factor, d);
}

// The rows of one contact, or the force of one that yields (into acceleration_, as a force).
void AccelerationProblem::add_rows(const Candidate* candidate, int i, std::vector<FrozenContact>& closed) {
  const Contact& c = set_.contacts[i];
  const Law& law = system_.laws()[c.law];
  const bool joint = std::holds_alternative<Equality>(law), slides = candidate && candidate->slides;
  if (!candidate && !joint) return;
  const int block = static_cast<int>(sizes_.size());
  if (slides && !needs_closed_gap(law)) {
    double s[max_block_rows];
    slip_direction(candidate->how, gamma_.data() + c.row, rows(law), s);
    resistance(law, s, force_.data() + c.row);
    for (int r = 0; r < rows(law); ++r) set_.Wt.add_to(c.row + r, force_[c.row + r], acceleration_.data());
    closed.push_back(candidate->how);
    return;
  }
  if (const auto* rough = std::get_if<Coulomb>(&law); rough && candidate->normal >= 0) {
    const auto add = [&](int first, int count, const Law* poses) {
      for (int r = 0; r < count; ++r)
        rows_.push_back({c.row + first + r, i, static_cast<int>(sizes_.size()), nullptr});
      sizes_.push_back(count), problem_.laws.push_back(poses), before_.push_back(candidate->how);
    };
    add(0, 1, &kept_);
    add(1, rough->tangents,
        &resting_.emplace_back(Tresca{rough->mu * candidate->normal, 0, rough->tangents}));
    return;
  }
  const bool friction_in_column = slides && is_frictional(law);
  const Law* poses = friction_in_column ? &frictionless_ : &law;
  if (const auto* rolling = std::get_if<RollingFriction>(&law);
      rolling && friction_in_column && has_rest(candidate->how, law))
    poses = &resting_.emplace_back(at_rest(candidate->how, law, *rolling));
  const int n = rows(*poses);
  for (int r = 0; r < n; ++r)
    rows_.push_back({c.row + r, i, block, friction_in_column && r == 0 ? &candidate->how : nullptr});
  sizes_.push_back(n);
  problem_.laws.push_back(poses);
  before_.push_back(candidate ? candidate->how : FrozenContact{c.id, Mode::closed, {}});
}

bool AccelerationProblem::solve(std::span<const Candidate> candidates, double tie,
                                std::vector<FrozenContact>& closed) {
  closed.clear();
  rows_.clear();
  sizes_.clear();
  before_.clear();
  problem_.laws.clear();
  resting_.clear();
  resting_.reserve(set_.contacts.size());  // they are pointed at
  std::fill(force_.begin(), force_.end(), 0.0);
  acceleration_.setZero();
  auto next = candidates.begin();
  for (int i = 0; i < static_cast<int>(set_.contacts.size()); ++i) {
    while (next != candidates.end() && next->contact < i) ++next;
    add_rows(next != candidates.end() && next->contact == i ? &*next : nullptr, i, closed);
  }
  factor_.solve(acceleration_.data());
  acceleration_ += free_;
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  problem_.c.resize(m);
  for (int k = 0; k < m; ++k) problem_.c[k] = rate(rows_[k].row);
  P_.assign(m, 0.0);
  y_.assign(m, 0.0);
  held_ = scale_ = 0;
  if (m > 0 && !solve_joints() && !solve_contacts(tie)) return false;
  Z_.assign(n, 0.0);
  for (int k = 0; k < m; ++k) {
    const Row& r = rows_[k];
    add_column(r, P_[k], Z_.data());
    force_[r.row] += P_[k];
    if (!r.slides) continue;
    double s[max_block_rows];
    for (int j = 0, tangents = friction(r, s); j < tangents; ++j) force_[r.row + 1 + j] -= s[j] * P_[k];
  }
  factor_.solve(Z_.data());
  for (int i = 0; i < n; ++i) acceleration_[i] += Z_[i];
  for (int k = 0; k < m; k += sizes_[rows_[k].block]) {
    if (std::holds_alternative<Equality>(*problem_.laws[rows_[k].block])) continue;
    const FrozenContact& before = before_[rows_[k].block];
    held_ = std::max(held_, rate_held(k, before));
    const FrozenContact now = decided(k, y_.data() + k, before, tie * scale_);
    if (now.mode != Mode::open) closed.push_back(now);
  }
  std::sort(closed.begin(), closed.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return true;
}

bool AccelerationProblem::solve_contacts(double& tie) {
  const int m = static_cast<int>(rows_.size());
  problem_.dt = 1;
  G_.resize(static_cast<std::size_t>(m) * m);
  for (int k = 0; k < m; ++k) {
    Z_.assign(shape_.nu, 0.0);
    add_column(rows_[k], 1, Z_.data());
    factor_.solve(Z_.data());
    for (int j = 0; j < m; ++j)
      G_[static_cast<std::size_t>(j) * m + k] = set_.Wt.dot(rows_[j].row, Z_.data());
  }
  problem_.G.build_dense(G_, sizes_);
  // Of a solution that is not exact the signs of what is above its error are right; the rest are ties.
  constexpr double usable = 1e-5;
  const SolveReport report = solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
  if (!report.solved && !(report.residual <= usable)) return false;
  if (!report.solved || report.residual > fine) tie = std::max(tie, 10 * report.residual);
  problem_.G.apply(P_.data(), y_.data());
  for (int k = 0; k < m; ++k) y_[k] += problem_.c[k];
  scale_ = velocity_scale(problem_, P_.data());
  return true;
}

// Many joints and nothing to decide: one sparse factor, of linear cost for chains and trees. False: it is not
// so, or joints are redundant.
bool AccelerationProblem::solve_joints() {
  constexpr int many = 16;
  const int m = static_cast<int>(rows_.size()), n = shape_.nu;
  if (m < many || !std::all_of(problem_.laws.begin(), problem_.laws.end(),
                               [](const Law* law) { return std::holds_alternative<Equality>(*law); }))
    return false;
  Wt_.clear();
  for (const Row& r : rows_) Wt_.append_row(std::as_const(set_.Wt).row(r.row));
  const SaddleFactor<double>::Block mass{1, &M_};
  const SaddleFactor<double>::Rows rows{1, &Wt_};
  if (!saddle_.factorize({{&mass, 1}, {&rows, 1}, &Wt_}) || saddle_.redundant() || saddle_.perturbed() > 0)
    return false;
  y_.assign(n, 0.0);
  for (const double c : problem_.c) y_.push_back(-c);
  saddle_.solve(y_.data());
  P_.assign(y_.begin() + n, y_.end());
  y_.assign(m, 0.0);
  find_joint_scale();
  return true;
}

// As velocity_scale() of the contact problem has it, by the diagonal of its matrix.
void AccelerationProblem::find_joint_scale() {
  double free = 0, pressed = 0;
  for (std::size_t k = 0, end = 0; k < rows_.size(); k = end) {
    double trace = 0, most = 0;
    for (end = k; end < rows_.size() && rows_[end].block == rows_[k].block; ++end) {
      Z_.assign(shape_.nu, 0.0);
      set_.Wt.add_to(rows_[end].row, 1, Z_.data());
      factor_.solve(Z_.data());
      trace += set_.Wt.dot(rows_[end].row, Z_.data());
      most = std::max(most, std::abs(P_[end])), free = std::max(free, std::abs(problem_.c[end]));
    }
    pressed = std::max(pressed, most * trace);
  }
  scale_ = free > 0 ? std::min(std::max(pressed, free), detail::most_leverage * free) : pressed;
}

// The largest |y| of the rows of a block that `before` holds.
double AccelerationProblem::rate_held(int first, const FrozenContact& before) const {
  const Law& law = system_.laws()[set_.contacts[rows_[first].contact].law];
  double largest = std::abs(y_[first]);
  for (int j = 1; j < sizes_[rows_[first].block]; ++j)
    if (is_frictional(law) ? holds_row(before, law, j) : is_constraint(before.mode))
      largest = std::max(largest, std::abs(y_[first + j]));
  return largest;
}

// Which discs of a closed contact slide from here on: those that did, and those whose moment or force is at
// its limit.
void AccelerationProblem::decide_discs(int first, const double* y, const RollingFriction& law, double tie,
                                       FrozenContact& out) const {
  const Row& r = rows_[first];
  const Law& own = system_.laws()[set_.contacts[r.contact].law];
  const double *P = P_.data() + first, rho = prox_step(problem_, r.block);
  for (const FrictionDisc& d : FrictionDiscs(law)) {
    double* slip = out.slip.data() + d.at - 1;
    if (r.slides && slides_on(*r.slides, own, d)) {
      std::copy_n(r.slides->slip.data() + d.at - 1, d.rows, slip);
      continue;
    }
    if (d.bound == 0) continue;
    double x[2] = {}, size = 0;
    for (int k = 0; k < d.rows; ++k) x[k] = P[d.at + k] - rho * y[d.at + k], size = std::hypot(size, x[k]);
    if (size <= d.bound * P[0] + rho * tie) continue;
    for (int k = 0; k < d.rows; ++k) slip[k] = -x[k] / size;
  }
  out.mode = mode_of_slips(law, out.slip);
}

// What a block does from here on; `tie` is an acceleration.
FrozenContact AccelerationProblem::decided(int first, const double* y, const FrozenContact& before,
                                           double tie) const {
  const Row& r = rows_[first];
  const int block = r.block, n = sizes_[block];
  const Law& law = *problem_.laws[block];
  const double *P = P_.data() + first, rho = prox_step(problem_, block);
  FrozenContact out{set_.contacts[r.contact].id, Mode::open, {}};
  if (const auto* user = std::get_if<UserLaw>(&law)) {
    double size = 0;
    for (int k = 0; k < n; ++k) size = std::hypot(size, y[k]);
    out.mode = size <= std::max(tie, 1e-12 * scale_)                     ? Mode::stick
               : n == 1 && !(user->impl->needs_closed_gap()) && y[0] < 0 ? Mode::slip_back
                                                                         : Mode::slip;
    for (int k = 0; k < n && size > 0; ++k) out.slip[k] = y[k] / size;
    return out;
  }
  out.mode = mode(law, 1, rho, P, y, rho * tie, r.slides ? Mode::closed : before.mode);
  if (out.mode == Mode::open) return out;
  if (const auto* rolling = std::get_if<RollingFriction>(&system_.laws()[set_.contacts[r.contact].law])) {
    decide_discs(first, y, *rolling, tie, out);
    return out;
  }
  if (r.slides) {
    out = *r.slides;
    return out;
  }
  // friction at its limit is directed against the slip that begins
  const int normal = needs_closed_gap(law) ? 1 : 0;
  if (out.mode == Mode::slip && n - normal > 1) {
    double size = 0;
    for (int k = normal; k < n; ++k) size = std::hypot(size, P[k]);
    for (int k = normal; k < n && size > 0; ++k) out.slip[k - normal] = -P[k] / size;
  }
  return out;
}

}  // namespace saltus
