#include "saltus/scheme/generalized_alpha/contact_levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/linalg/loops.hpp"
#include "saltus/linalg/small.hpp"
#include "saltus/scheme/generalized_alpha/residuals.hpp"
#include "saltus/scheme/generalized_alpha/sets.hpp"
#include "saltus/scheme/generalized_alpha/sparse_levels.hpp"

namespace saltus::generalized_alpha {
namespace {

constexpr double force_rounding = 16 * std::numeric_limits<double>::epsilon();

// A step may have no solution because of friction that positions feel (sets.cpp), also where several contacts
// open and close each other in turn. What still flips after many iterations keeps its friction to the
// velocities, and in the end all contacts do: then positions do not depend on velocities at all.
void settle_friction(int iteration, Sets& sets) {
  constexpr int many = 12, too_many = 20;
  if (!sets.prox || (iteration != many && iteration != too_many)) return;
  for (std::size_t r = 0; r < sets.rows.size(); ++r)
    if (sets.rows[r].kind == Row::tangent && (iteration == too_many || sets.flips[sets.rows[r].first] > 0))
      sets.carried[r] = 0;
}

bool is_normal(const Sets& sets, int r) {
  return sets.rows[r].kind == Row::normal;
}

}  // namespace

ContactLevels::ContactLevels(int n, const SolverSpec& solver)
    : solver_(make_contact_solver(solver)),
      tolerance_(std::visit([](const auto& s) { return s.tolerance; }, solver)) {
  for (Vec* x : {&da_, &dq_, &dv_, &u2_, &u3_, &force_, &z1_, &ca_, &cq_, &cv_}) x->setZero(n);
}

// dv̇, dq₁ and dv₁ that the vectors' residuals ask for while the totals of the multipliers stay.
void ContactLevels::free_motion(const Scheme& scheme, const SystemValues& at, const Residuals& left,
                                const Factor& A, StepData& x) {
  const Eigen::Index n = da_.size();
  da_ = -left.r1;
  if (x.corrected) {
    u2_ = left.r2, u3_ = left.r3;
    at.mass_factor.solve(u2_.data()), at.mass_factor.solve(u3_.data());
    x.U -= u2_, x.V -= u3_;
    if (at.stiff) at.K.multiply_add(1, u2_, da_);
    if (at.damped) at.Fv.multiply_add(-1, u3_, da_);
  }
  A.solve(da_.data());
  for (Eigen::Index i = 0; i < n; ++i) dq_[i] = scheme.cq * da_[i], dv_[i] = scheme.cv * da_[i];
  if (x.corrected) dq_ -= u2_, dv_ -= u3_;
}

void ContactLevels::respond(Level level, const Scheme& scheme, const SystemValues& at, const Factor& A,
                            Vec& da, Vec& dq, Vec& dv) {
  const double h = scheme.h, unit = level == pos ? h * h : level == vel ? h : 1;
  at.mass_factor.solve(force_.data());
  force_ *= unit;
  if (level == acc) {
    da += force_;
    return;
  }
  (level == pos ? dq : dv) += force_;
  if (level == pos ? !at.stiff : !at.damped) return;
  z1_.setZero();
  if (level == pos)
    at.K.multiply_add(1, force_, z1_);
  else
    at.Fv.multiply_add(-1, force_, z1_);
  A.solve(z1_.data());
  da -= z1_, dq -= scheme.cq * z1_, dv -= scheme.cv * z1_;
}

void ContactLevels::begin_step(const ContactMemory& before, const Scheme& scheme, const SystemValues& at,
                               const Sets& sets, StepData& x) {
  last_ = moved_ = infinity;
  iterations_ = 0;
  std::fill_n(violation_, 3, 0.0), std::fill_n(reached_, 3, -1.0);
  const double grown = before.step > 0 ? scheme.h / before.step : 1;
  if (sets.springs) {
    springs_.resize(at.set.rows());
    for (const Contact& c : at.set.contacts)
      if (const auto* spring = std::get_if<PrestressedSpring>(sets.rows[c.row].law))
        springs_[c.row] = {spring->limit, Relay{-spring->limit / 2, spring->limit / 2},
                           Relay{-spring->limit, spring->limit}};
  }
  for (const Contact& c : at.set.contacts) {
    const Row& row = sets.rows[c.row];
    const auto* record = row.prox ? before.find(c.id) : nullptr;
    if (!record || record->rows != row.size) continue;
    for (int k = row.kind == Row::normal ? 1 : 0; k < row.size; ++k) {
      const int r = c.row + k;
      x.Lambda[r] = grown * before.impulse[record->offset + k] - x.Lambda_known[r];
      x.nu[r] = sets.carried[r] * scheme.h * (x.Lambda[r] + x.Lambda_known[r]) - x.nu_known[r];
      x.corrected = true;
    }
  }
}

// Rows without a gap: ν̂ follows Λ̂ of the last iteration.
void ContactLevels::carry_friction(const Scheme& scheme, const SystemValues& at, const Factor& A,
                                   const StepData&, const Sets& sets) {
  bool any = false;
  force_.setZero();
  for (int r = 0; r < at.set.rows(); ++r) {
    const Row::Kind kind = sets.rows[r].kind;
    if (kind != Row::tangent && kind != Row::force) continue;
    const double d = change_[pos][r] = sets.carried[r] * total_[vel][r] - total_[pos][r];
    if (d == 0) continue;
    total_[pos][r] += d, any = true;
    at.set.Wt.add_to(r, d, force_.data());
  }
  if (any) respond(pos, scheme, at, A, da_, dq_, dv_);
}

// The law's value of a row with the vectors as they are now, as an acceleration.
double ContactLevels::row_value(Level level, const Scheme& scheme, const SystemValues& at, const StepData& x,
                                int r) const {
  const SparseRows& W = at.set.Wt;
  const double h = scheme.h;
  const auto bent = [&](const Vec& d) { return at.curved ? at.curvature.velocity.dot(r, d.data()) : 0.0; };
  if (level == pos) return (at.set.gap[r] + W.dot(r, dq_.data())) / (h * h);
  if (level == vel) return (at.gamma[r] + x.rebound[r] + W.dot(r, dv_.data()) + bent(dq_)) / h;
  if (scheme.on_velocities)
    return (at.gamma[r] - W.dot(r, x.V.data()) + scheme.cv * W.dot(r, da_.data()) + bent(dq_)) / scheme.cv;
  double y = at.acceleration[r] + W.dot(r, da_.data());
  if (at.curved) y += at.curvature.acceleration.dot(r, dq_.data()) + 2 * bent(dv_);
  return y;
}

// The blocks of a level's problem. On the position level contacts that are open and stay so are left out: if
// they do not, the next iteration has them. So are those that have no place at this iterate: their gap would
// be the scale of the problem, and anything its solution.
void ContactLevels::choose(Level level, const Scheme& scheme, const SystemValues& at, const Sets& sets,
                           const StepData& x) {
  blocks_.clear();
  for (const Contact& c : at.set.contacts) {
    const Row& row = sets.rows[c.row];
    if (row.kind == Row::joint) {
      if (level != acc || scheme.smooth != Condition::none) blocks_.push_back({row.law, c.row, row.size});
    } else if (row.kind == Row::force) {
      if (level == vel) blocks_.push_back({row.law, c.row, row.size});
    } else if (row.kind == Row::spring) {
      if (level == pos) blocks_.push_back({&springs_[c.row].positions, c.row, 1});
      if (level == vel && sets.in[pos][c.row]) blocks_.push_back({&springs_[c.row].velocities, c.row, 1});
    } else if (level == pos) {
      if (is_absent(at.set.gap[c.row])) continue;
      if (total_[pos][c.row] != 0 || sets.in[pos][c.row] || row_value(pos, scheme, at, x, c.row) <= 0)
        blocks_.push_back({&contact_, c.row, 1});
    } else if (level == vel) {
      if (sets.in[pos][c.row]) blocks_.push_back({row.law, c.row, row.size});
    } else if (scheme.contacts_in_S && sets.in[vel][c.row]) {
      blocks_.push_back({&contact_, c.row, 1});
    }
  }
}

void ContactLevels::build_operator(Level level, const Scheme& scheme, const SystemValues& at,
                                   const Factor& A) {
  Wt_.clear(), sizes_.clear(), problem_.laws.clear();
  for (const Block& b : blocks_) {
    sizes_.push_back(b.size), problem_.laws.push_back(b.law);
    for (int k = 0; k < b.size; ++k) Wt_.append_row(std::as_const(at.set.Wt).row(b.row + k));
  }
  const bool stiff = at.stiff && !is_weak(at.K, scheme.cq, at.inverse_mass),
             damped = at.damped && !is_weak(at.Fv, scheme.cv, at.inverse_mass);
  if (level == acc || (level == vel && !damped) || (level == pos && !stiff))
    return problem_.G.build(at.mass_factor, Wt_, sizes_);
  if (level == pos && !damped) return problem_.G.build(A, Wt_, sizes_);
  const int m = Wt_.rows();
  const double unit = level == pos ? scheme.h * scheme.h : scheme.h;
  dense_.resize(static_cast<std::size_t>(m) * m);
  for (int j = 0; j < m; ++j) {
    force_.setZero(), ca_.setZero(), cq_.setZero(), cv_.setZero();
    Wt_.add_to(j, 1, force_.data());
    respond(level, scheme, at, A, ca_, cq_, cv_);
    for (int i = 0; i < m; ++i)
      dense_[static_cast<std::size_t>(i) * m + j] = Wt_.dot(i, (level == pos ? cq_ : cv_).data()) / unit;
  }
  problem_.G.build_dense(dense_, sizes_);
}

StepStatus ContactLevels::solve(Level level, const Scheme& scheme, const SystemValues& at, const Factor& A,
                                const StepData& x, StepReport& report) {
  Vec& total = total_[level];
  violation_[level] = 0;
  if (blocks_.empty()) return StepStatus::ok;
  build_operator(level, scheme, at, A);
  const int m = Wt_.rows();
  P_.resize(m), z_.resize(m), problem_.c.resize(m);
  problem_.dt = 1;
  int at_row = 0;
  double free = 0, rounding = 0;
  for (const Block& b : blocks_)
    for (int k = 0; k < b.size; ++k, ++at_row) P_[at_row] = total[b.row + k];
  problem_.G.apply(P_.data(), z_.data());
  at_row = 0;
  for (const Block& b : blocks_)
    for (int k = 0; k < b.size; ++k, ++at_row) {
      const double y = row_value(level, scheme, at, x, b.row + k);
      problem_.c[at_row] = y - z_[at_row];
      free = std::max({free, std::abs(y), std::abs(z_[at_row])});
      rounding = std::max(rounding, rounding_of_row(level, scheme, x, at, b.row + k));
    }
  problem_.rounding = std::max(force_rounding * free, rounding);  // of gaps over h² too
  // A solver that is asked again for what it has solved moves along multipliers that are not unique, or by
  // its tolerance, and the iteration would follow for ever: what is about as good as it gets stays.
  Eigen::Map<Vec> P(P_.data(), m);
  constexpr double as_good = 4;
  SolveReport solved;
  if (reached_[level] >= 0) solved.residual = natural_residual(problem_, P);
  if (reached_[level] >= 0 && solved.residual <= as_good * std::max(reached_[level], tolerance_)) {
    solved.solved = true;
  } else {
    solved = solver_->solve(problem_, P);
    reached_[level] = solved.solved ? solved.residual : -1;
  }
  report.contact_iterations += solved.iterations;
  report.contact_residual = std::max(report.contact_residual, solved.residual);
  violation_[level] = solved.residual == 0 ? 0 : solved.residual * velocity_scale(problem_, P_.data());
  force_.setZero();
  at_row = 0;
  for (const Block& b : blocks_)
    for (int k = 0; k < b.size; ++k, ++at_row) {
      const double d = P_[at_row] - total[b.row + k];
      if (!std::isfinite(d)) return StepStatus::not_finite;
      change_[level][b.row + k] += d, total[b.row + k] = P_[at_row];
      if (d != 0) Wt_.add_to(at_row, d, force_.data());
    }
  respond(level, scheme, at, A, da_, dq_, dv_);
  if (solved.solved) return StepStatus::ok;
  if (solved.worst_block >= 0) report.bad_component = blocks_[solved.worst_block].row;
  report.contradictory = solved.contradictory;
  report.immovable = solved.immovable;
  return StepStatus::contact_unsolved;
}

void ContactLevels::apply(const Scheme& scheme, const SystemValues& at, const Residuals& left, StepData& x) {
  const double h = scheme.h;
  moved_ = 0;
  for (Eigen::Index i = 0; i < da_.size(); ++i) {
    const double most =
        std::max({std::abs(da_[i]) / left.enough[acc], std::abs(dv_[i]) / (h * left.enough[vel]),
                  std::abs(dq_[i]) / (h * h * left.enough[pos])});
    moved_ = std::max(moved_, most / at.unit[i]);
  }
  x.vdot += da_;
  force_.setZero(), z1_.setZero();
  for (int r = 0; r < at.set.rows(); ++r) {
    const double a = change_[acc][r], dnu = h * h * change_[pos][r] - scheme.cq * a,
                 dLambda = h * change_[vel][r] - scheme.cv * a;
    x.lambda[r] = total_[acc][r];
    x.nu[r] += dnu, x.Lambda[r] += dLambda;
    if (dnu != 0) at.set.Wt.add_to(r, dnu, force_.data());
    if (dLambda != 0) at.set.Wt.add_to(r, dLambda, z1_.data());
  }
  at.mass_factor.solve(force_.data()), at.mass_factor.solve(z1_.data());
  x.U += force_, x.V += z1_;
  x.corrected = true;
}

StepStatus ContactLevels::correct(const Scheme& scheme, const SystemValues& at, const Residuals& left,
                                  const Factor& A, StepData& x, Sets& sets, StepReport& report) {
  const int m = at.set.rows();
  const double h = scheme.h;
  auto& in = sets.in;
  total_[pos] = x.nu_star / (h * h), total_[vel] = x.Lambda_star / h, total_[acc] = x.lambda;
  for (Vec& c : change_) c.setZero(m);
  report.contact_residual = 0, report.bad_component = -1;
  settle_friction(++iterations_, sets);
  free_motion(scheme, at, left, A, x);
  carry_friction(scheme, at, A, x, sets);
  // multipliers of contacts that a level does not see
  const auto release = [&](Level level) {
    bool any = false;
    force_.setZero();
    for (int r = 0; r < m; ++r) {
      const Row& row = sets.rows[r];
      if (row.kind == Row::joint || row.kind == Row::force) continue;
      const bool held = level == pos   ? !is_absent(at.set.gap[row.first])
                        : level == vel ? in[pos][row.first] != 0
                                       : row.kind == Row::normal && scheme.contacts_in_S && in[vel][r];
      const double wanted = row.kind == Row::spring && level == vel ? 2 * total_[pos][r] : 0;  // it yields
      const double d = wanted - total_[level][r];
      if (held || d == 0) continue;
      change_[level][r] += d;
      at.set.Wt.add_to(r, d, force_.data());
      total_[level][r] = wanted, any = true;
    }
    if (any) respond(level, scheme, at, A, da_, dq_, dv_);
  };
  const auto put = [&](Level level, int r, bool now) {
    if (level == vel && sets.prox && (in[vel][r] != 0) != now) note_flip(r, sets);
    in[level][r] = now;
  };
  StepStatus status = StepStatus::ok;
  for (const Level level : {pos, vel, acc}) {
    if (level == acc && scheme.smooth == Condition::none) break;
    release(level);
    choose(level, scheme, at, sets, x);
    const StepStatus now = solve(level, scheme, at, A, x, report);
    if (now == StepStatus::not_finite) return now;
    if (now != StepStatus::ok && status == StepStatus::ok) status = now;
    for (int r = 0; r < m; ++r) {
      if (sets.rows[r].kind == Row::tangent && level == vel) in[vel][r] = in[vel][sets.rows[r].first];
      if (sets.rows[r].kind == Row::spring && level == pos) {  // it holds: inside its limits
        const double y = total_[pos][r] - weight(scheme, at, r) * row_value(pos, scheme, at, x, r);
        in[pos][r] = std::abs(y) < springs_[r].limit / 2;
      }
      if (!is_normal(sets, r)) continue;
      const double w = weight(scheme, at, r), y = row_value(level, scheme, at, x, r);
      const bool candidate = level == pos || in[level - 1][r];
      // with a margin: what touches without force belongs to the set, as does what rounding lifts
      put(level, r,
          candidate && (level != acc || scheme.contacts_in_S) &&
              total_[level][r] - w * y >=
                  -(allowed(level, scheme, x, at, left, r) + 2 * w * violation_[level]));
    }
  }
  apply(scheme, at, left, x);
  return status;
}

}  // namespace saltus::generalized_alpha
