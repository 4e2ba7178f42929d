#include "saltus/scheme/kit/contact_stage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/contact/kernels.hpp"

namespace saltus {
namespace {

constexpr double least_rounding = 1e-10;  // of the free velocities: below it is not what made them fail
constexpr int rows_a_piece = 2048;        // that a worker of a team takes at a time, at least

}  // namespace

ContactStage::ContactStage(const System& system, const SolverSpec& solver)
    : laws_(system.laws()),
      solver_(make_contact_solver(solver)),
      tolerance_(std::visit([](const auto& s) { return s.tolerance; }, solver)),
      rounding_(std::max(1e-8, 1e4 * tolerance_)),
      can_open_(std::all_of(laws_.begin(), laws_.end(), needs_closed_gap)) {}

void ContactStage::look_closely(const ContactSet& set, const Vec& u, const ContactRule& how, double rounding,
                                const ContactMemory& memory, StepReport& report) {
  kept_.clear();
  how_ = how;
  const bool all = how.activation == Activation::listed;
  const int n = static_cast<int>(set.contacts.size());
  if (static_cast<int>(gamma_minus_.size()) != set.rows()) gamma_minus_.resize(set.rows());
  const bool may_drift = rule_.gap_tolerance > 0;
  for_pieces(0, set.rows(), rows_a_piece, [&](int from, int to) {
    for (int r = from; r < to; ++r) gamma_minus_[r] = set.Wt.dot(r, u.data()) + set.drift[r];
  });
  for (int i = 0; i < n; ++i) {
    const Contact& c = set.contacts[i];
    const Law& law = laws_[c.law];
    const double gamma = gamma_minus_[c.row];
    if (!needs_closed_gap(law)) {
      active_.push_back(i);
      kept_.push_back(0);
      if (std::holds_alternative<Equality>(law))
        for (int r = c.row; r < c.row + rows(law); ++r)
          report.joint_position = std::max(report.joint_position, std::abs(set.gap[r]));
      continue;
    }
    const double gap = set.gap[c.row];
    if (!std::isfinite(gap)) report.status = StepStatus::gap_not_finite, report.bad_contact = c.id;
    report.min_gap = std::min(report.min_gap, gap);
    bool active = (all && !is_absent(gap)) || gap + how.lead * gamma <= 0 || (touch_ && touches(set, c)),
         kept = false;
    if (!active && (gap <= rounding || (may_drift && gap <= rule_.gap_tolerance))) {
      const auto* record = memory.find(c.id);
      active = record && (record->resting || may_drift);
      kept = active && may_drift;
    }
    if (!active && !forced_.empty()) active = std::binary_search(forced_.begin(), forced_.end(), c.id);
    if (active && !parting_.empty()) active = !std::binary_search(parting_.begin(), parting_.end(), c.id);
    if (active) active_.push_back(i), kept_.push_back(kept);
  }
}

void ContactStage::position_rebound(const Law& law, double gap, double before, double dt, double* out) const {
  if (std::holds_alternative<Equality>(law))
    out[0] = gap / dt;
  else if (const auto e = normal_restitution(law))
    out[0] = -*e * before + (1 + *e) * gap / dt;
}

// `part` of the products in c: what they may have lost
double ContactStage::rounding_of_free(const ContactSet& set, const Vec& v, double part) const {
  double most = 0;
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k)
    for (int r = 0; r < sizes_[k]; ++r) {
      const int at = static_cast<int>(row) + r;
      double size = std::abs(rebound_[at]) + std::abs(set.drift[set.contacts[active_[k]].row + r]);
      for (const auto& e : Wt_.row(at)) size += std::abs(e.value * v[e.column]);
      most = std::max(most, size);
    }
  return part * most;
}

void ContactStage::blame(const ContactSet& set, const SolveReport& solved, StepReport& report) const {
  report.bad_contact = solved.worst_block >= 0 ? contact_id(set, solved.worst_block) : 0;
  report.contradictory = solved.contradictory;
  report.has_rival = solved.contradictory && solved.rival_block >= 0;
  if (report.has_rival) report.rival_contact = contact_id(set, solved.rival_block);
  report.immovable = solved.immovable;
}

void ContactStage::build(const ContactSet& set, const Factor& A) {
  Wt_.clear();
  sizes_.clear();
  problem_.laws.clear();
  for (int i : active_) {
    const Contact& c = set.contacts[i];
    const int n = rows(laws_[c.law]);
    sizes_.push_back(n);
    problem_.laws.push_back(&laws_[c.law]);
    for (int r = 0; r < n; ++r) Wt_.append_row(std::as_const(set.Wt).row(c.row + r));
  }
  problem_.G.build(A, Wt_, sizes_);
  rho_.resize(active_.size());
  for (std::size_t k = 0; k < rho_.size(); ++k) rho_[k] = prox_step(problem_, static_cast<int>(k));
  built_for_ = active_;
  built_ = true;
}

SolveReport ContactStage::solve(const ContactSet& set, const Factor& A, bool fresh, double dt,
                                const ContactMemory& memory, Vec& v) {
  violation_ = 0;
  if (active_.empty()) return {.solved = true};
  const bool same =
      active_.size() == 1 ? built_for_.size() == 1 && active_[0] == built_for_[0] : active_ == built_for_;
  if (fresh || !built_ || !same) build(set, A);
  SolveReport report;
  if (!solve_one(set, dt, v, report) && !solve_several(set, A, dt, memory, v, report)) return report;
  if (report.residual != 0) violation_ = report.residual * velocity_scale(problem_, P_.data());
  if (impulse_.size() != static_cast<std::size_t>(A.size()))
    impulse_.assign(static_cast<std::size_t>(A.size()), 0.0);
  bool any = false;
  for (int r = 0, m = Wt_.rows(); r < m; ++r)
    if (P_[r] != 0) Wt_.add_to(r, P_[r], impulse_.data()), any = true;
  if (any) {
    double *impulse = impulse_.data(), *to = v.data();
    A.solve(impulse);
    for (Eigen::Index i = 0, n = v.size(); i < n; ++i) to[i] += impulse[i], impulse[i] = 0;
  }
  return report;
}

// One contact without friction under Newton's law: most impacts of a few bodies, and every step of one that
// lies there. The closed form that all solvers have for it, P = max(0, −c/G), without posing the problem to
// them. False where it is not that, or misses the tolerance: then nothing has changed.
[[gnu::always_inline]] inline bool ContactStage::solve_one(const ContactSet& set, double dt, const Vec& v,
                                                           SolveReport& report) {
  if (active_.size() != 1 || how_.rebound != Rebound::velocity || !rule_.restitution ||
      rule_.gap_tolerance > 0 || rule_.full_step > 0)
    return false;
  const Contact& contact = set.contacts[active_[0]];
  const auto* law = std::get_if<Unilateral>(&laws_[contact.law]);
  const double G = *problem_.G.block(0);
  if (!law || !(G > 0)) return false;
  const double rebound = law->e * gamma_minus_[contact.row];
  const double c = rebound + Wt_.dot(0, v.data()) + set.drift[contact.row];
  const double P = std::max(0.0, -c / G), y = G * P + c;
  double x;
  if (!detail::prox_argument(1, rho_[0], &P, &y, &x)) return false;
  x = std::max(0.0, x);
  detail::Residual residual;
  residual.add(0, 1, G, &P, &c, &x);
  report.residual = residual.value();
  report.solved = report.residual <= tolerance_;
  if (!report.solved) return false;
  if (P_.size() != 1)
    for (auto* values : {&problem_.c, &P_, &rebound_, &bend_}) values->resize(1);
  problem_.c[0] = c, P_[0] = P, rebound_[0] = rebound, bend_[0] = 0;
  problem_.dt = dt, problem_.rounding = 0;
  posed_ = true;
  return true;
}

// False: none of them stays active, and nothing is to be solved.
bool ContactStage::solve_several(const ContactSet& set, const Factor& A, double dt,
                                 const ContactMemory& memory, const Vec& v, SolveReport& report) {
  if (ruled() && !posed_) {
    find_staying(set, dt, memory, v);
    if (drop_parting()) {
      report = {.solved = true};
      if (active_.empty()) return false;
      build(set, A);
    }
  }
  report = solve_all(set, dt, memory, v);
  return true;
}

SolveReport ContactStage::solve_all(const ContactSet& set, double dt, const ContactMemory& memory,
                                    const Vec& v) {
  const int m = Wt_.rows();
  problem_.c.resize(m);
  problem_.dt = dt;
  const bool again =
      std::exchange(posed_, true);  // in this step: the impulses so far are a better guess than the memory's
  P_.resize(m);
  rebound_.resize(m);
  bend_.assign(m, 0.0);
  auto remembered = memory.closed.begin();  // both lists have increasing ids
  const double grown = memory.step > 0 ? dt / memory.step : 1;
  for (std::size_t k = 0, row = 0; k < active_.size(); row += sizes_[k], ++k) {
    const Contact& c = set.contacts[active_[k]];
    while (remembered != memory.closed.end() && remembered->id < c.id) ++remembered;
    const bool known =
        remembered != memory.closed.end() && remembered->id == c.id && remembered->rows == sizes_[k];
    const Law& law = laws_[c.law];
    restitution(law, gamma_minus_.data() + c.row, rebound_.data() + row);
    if (rule_.full_step > 0) fade(gamma_minus_.data() + c.row, dt, sizes_[k], rebound_.data() + row);
    if (how_.rebound == Rebound::position)
      position_rebound(law, set.gap[c.row], gamma_minus_[c.row], dt, rebound_.data() + row);
    if (on_position_level(law))
      rebound_[row] = (set.gap[c.row] + how_.end.before * gamma_minus_[c.row]) / how_.end.after;
    else if (!rule_.restitution && staying_[k].stays)
      std::fill_n(rebound_.data() + row,
                  is_constraint(remembered->mode) ? sizes_[k]
                  : needs_closed_gap(law)         ? 1
                                                  : 0,
                  0.0);
    if (bias_known_) hold_at_end(set, k, row, known ? remembered->mode : Mode::open);
    const double* guess = known ? memory.impulse.data() + remembered->offset : nullptr;
    for (int r = 0; r < sizes_[k]; ++r) {
      const int at = static_cast<int>(row) + r;
      problem_.c[at] = rebound_[at] + bend_[at] + Wt_.dot(at, v.data()) + set.drift[c.row + r];
      if (!again) P_[row + r] = guess ? grown * guess[r] : 0;
    }
  }
  problem_.rounding = 0;
  SolveReport report = solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
  const auto solve_again = [&] {
    const int iterations = report.iterations;
    report = solver_->solve(problem_, Eigen::Map<Vec>(P_.data(), m));
    report.iterations += iterations;
  };
  // Free velocities may be nothing but rounding: a body without friction in a guide it just fits. Or what is
  // left of the velocities of redundant joints and contacts, which are held no better than that.
  for (const double part : {4 * std::numeric_limits<double>::epsilon(), 1e-11}) {
    if (report.solved || !std::isfinite(report.residual)) break;
    double free = 0;
    for (double c : problem_.c) free = std::max(free, std::abs(c));
    problem_.rounding = rounding_of_free(set, v, part);
    if (problem_.rounding < least_rounding * free) continue;
    std::fill(P_.begin(), P_.end(), 0.0);
    solve_again();
  }
  if (how_.rebound == Rebound::velocity && raise_restitution(set, dt, memory, v)) solve_again();
  return report;
}

// One row in all, as of a body that lies there, is compiled on its own: no loops, less than a third of the
// time.
void ContactStage::remember(const ContactSet& set, const Vec& u, const Vec& v, double dt,
                            const ContactMemory& before, ContactMemory& memory, StepReport& report) {
  if (P_.size() == 1) return write<true>(set, u, v, dt, before, memory, report);
  write<false>(set, u, v, dt, before, memory, report);
}

template <bool single>
void ContactStage::write(const ContactSet& set, const Vec& u, const Vec& v, double dt,
                         const ContactMemory& before, ContactMemory& memory, StepReport& report) {
  const std::size_t n = single ? 1 : active_.size(), m = single ? 1 : P_.size();
  const auto size_of = [&](std::size_t k) { return single ? 1 : sizes_[k]; };
  if (memory.closed.size() != n) memory.closed.resize(n);
  if (memory.impulse.size() != m) memory.impulse.resize(m);
  if (u_minus_.size() != m) u_minus_.resize(m), u_plus_.resize(m);
  for (std::size_t k = 0, row = 0; k < n; row += size_of(k), ++k)
    memory.speed = std::max(memory.speed, std::abs(P_[row]) / rho_[k]);
  const double still = std::max(rest_level(memory.speed, tolerance_), 10 * violation_);
  double free = 0;
  for (std::size_t r = 0; r < m; ++r) free = std::max(free, std::abs(problem_.c[r]));
  const double margin = still + 2 * tolerance_ * free;  // what the solver leaves undecided, a velocity
  std::size_t closed = 0;
  int used = 0;
  double y[max_block_rows];
  auto remembered = before.closed.begin();  // both lists have increasing ids
  for (std::size_t k = 0, row = 0; k < n; row += size_of(k), ++k) {
    const Contact& c = set.contacts[active_[k]];
    const Law& law = laws_[c.law];
    const auto* plain = single ? std::get_if<Unilateral>(&law) : nullptr;
    const bool has_gap = plain || needs_closed_gap(law);
    const int size = size_of(k);
    double* P = P_.data() + row;
    for (int r = 0; r < size; ++r) {  // γ⁺, y = γ⁺ + E γ⁻, and the energy
      const int at = static_cast<int>(row) + r;
      const double wall = set.drift[c.row + r], before_it = Wt_.dot(at, u.data()) + wall,
                   after_it = Wt_.dot(at, v.data()) + wall;
      u_plus_[used + r] = after_it;
      y[r] = after_it + rebound_[at] + bend_[at];
      const double loss = -0.5 * P[r] * (before_it + after_it);
      report.contact_loss += loss;
      report.wall_work -= P[r] * wall;
      if (r > 0 || !has_gap) (is_lossless(law) ? report.ideal_loss : report.friction_loss) += loss;
    }
    while (remembered != before.closed.end() && remembered->id < c.id) ++remembered;
    const Mode was =
        remembered != before.closed.end() && remembered->id == c.id ? remembered->mode : Mode::open;
    const Mode now = plain ? mode(*plain, rho_[k], P[0], y[0], rho_[k] * margin, was)
                           : mode(law, dt, rho_[k], P, y, rho_[k] * margin, was);
    if (now == Mode::open) continue;
    if (!is_constraint(now)) {  // impressed: exactly on the edge of its set
      for (int r = 0; r < size; ++r) P[r] -= rho_[k] * y[r];
      prox(law, dt, P);
    }
    // after a hit it does not rest yet: the impulse of the hit is none that holds it
    const bool hit = rule_.gap_tolerance > 0 && std::abs(gamma_minus_[c.row]) > staying_[k].level + still;
    const bool resting = !hit && std::abs(u_plus_[used] + bend_[row]) <= still;
    memory.closed[closed++] = {c.id, used, static_cast<std::uint8_t>(size), has_gap, resting, now};
    for (int r = 0; r < size; ++r) {
      memory.impulse[used + r] = P[r];
      u_minus_[used + r] = gamma_minus_[c.row + r];
      if (std::holds_alternative<Equality>(law))
        report.joint_velocity = std::max(report.joint_velocity, std::abs(u_plus_[used + r]));
    }
    used += size;
  }
  if (closed < n) memory.closed.resize(closed), memory.impulse.resize(used);
  report.u_minus = {u_minus_.data(), static_cast<std::size_t>(used)};
  report.u_plus = {u_plus_.data(), static_cast<std::size_t>(used)};
}

}  // namespace saltus
