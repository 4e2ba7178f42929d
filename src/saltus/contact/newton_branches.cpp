// Which branch each block is on, and the move of P onto it (formulas in newton_system.hpp).
#include <algorithm>

#include "saltus/contact/newton_system.hpp"

namespace saltus::detail {
namespace {

constexpr double branch_tie =
    1e-14;  // of the velocities at play: below it a contact is on the edge of two branches

}  // namespace

void NewtonSystem::begin(const ContactProblem& problem, const Steps& steps) {
  const auto blocks = problem.laws.size();
  if (!keep_) factored_ = false;
  edge_ = branch_tie * Eigen::Map<const Vec>(problem.c.data(), problem.rows()).cwiseAbs().maxCoeff();
  if (stamp_ == problem.G.stamp() && branch_.size() == blocks) return;
  stamp_ = problem.G.stamp();
  factored_ = false;
  branch_.assign(blocks, Branch::fixed);
  tangent_.resize(blocks);
  target_.resize(problem.c.size());
  root_.resize(problem.c.size());
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const double* g = problem.G.block(i);
    for (int a = 0; a < n; ++a) {
      const double d = g[a * n + a];
      root_[at + a] = d > 0 ? 1 / std::sqrt(d) : n > 1 && g[0] > 0 ? std::sqrt(steps.rho[i]) : 0;
    }
  }
}

NewtonSystem::Branch NewtonSystem::choose_friction(const Coulomb& law, int i, double rho, const double* x) {
  Tangent& t = tangent_[i];
  const double radius = law.mu * x[0];
  const double length = law.tangents == 1 ? std::abs(x[1]) : std::hypot(x[1], x[2]);
  if (law.mu > 0 && length <= radius - std::min(edge_ * rho, 1e-3 * radius)) return Branch::full;
  Tangent now;
  if (law.mu > 0)
    for (int k = 0; k < law.tangents; ++k) now.slope[k] = law.mu * x[1 + k] / length;
  const bool turns = law.tangents == 2 && radius > 1e-12 * length;
  if (!turns) {
    if (now.slope[0] != t.slope[0] || now.slope[1] != t.slope[1]) factored_ = false;
  } else {
    factored_ = false;
    now.turn[0] = -x[2] / length;
    now.turn[1] = x[1] / length;
    now.stiffness = (length - radius) / (rho * radius);
  }
  t = now;
  return turns ? Branch::turn : Branch::slide;
}

NewtonSystem::Branch NewtonSystem::choose_general(const Law& law, int i, double dt, const double* x,
                                                  const double* projected, double* target) {
  const int n = rows(law);
  BlockMatrix D(n, n);
  prox_jacobian(law, dt, x, D);
  if (D.isZero(0)) {
    std::copy_n(projected, n, target);
    return Branch::fixed;
  }
  factored_ = false;
  jacobian_.resize(branch_.size() * block_area);
  for (int a = 0; a < n; ++a) {
    target[a] = projected[a];
    for (int b = 0; b < n; ++b) {
      jacobian_[i * block_area + a * n + b] = D(a, b);
      target[a] -= D(a, b) * x[b];
    }
  }
  return Branch::general;
}

// x = P − ρ y and its projection; the branch of block i (not unilateral), with what it needs noted.
NewtonSystem::Branch NewtonSystem::choose(const ContactProblem& problem, int i, double rho, const double* P,
                                          const double* y, const double* x, const double* projected) {
  const Law& law = *problem.laws[i];
  const int at = problem.G.offset(i), n = problem.G.block_size(i);
  double* target = target_.data() + at;
  const bool movable = root_[at] > 0;
  if (const auto* c = std::get_if<Coulomb>(&law)) {
    if (x[0] > (P[0] > 0 ? 0 : edge_ * rho) && movable) return choose_friction(*c, i, rho, x);
    std::fill_n(target, n, 0.0);
  } else if (std::holds_alternative<Equality>(law)) {
    if (movable) return Branch::full;
    std::copy_n(P, n, target);
  } else if (const auto r = limits_of(law)) {
    if (movable && projected[0] == x[0]) return Branch::full;
    target[0] = movable || y[0] == 0 ? projected[0] : (y[0] > 0 ? r->lower : r->upper) * problem.dt;
  } else {
    return choose_general(law, i, problem.dt, x, projected, target);
  }
  return Branch::fixed;
}

double NewtonSystem::examine(const ContactProblem& problem, const Steps& steps, const double* P,
                             const double* y, int* worst) {
  Residual r;
  const double edge = edge_;
  const auto refuse = [&](int i) {
    factored_ = false;  // some branches may be new already
    *worst = i;
    return not_a_number;
  };
  double x[max_block_rows], projected[max_block_rows];
  bool changed = false;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i);
    const double *p = P + at, *c = problem.c.data() + at, rho = steps.rho[i];
    Branch b;
    if (std::holds_alternative<Unilateral>(*problem.laws[i])) {  // most contacts of most problems
      const double z = *p - rho * y[at], positive = std::max(0.0, z);
      if (!std::isfinite(z)) return refuse(i);
      r.add(i, 1, steps.trace[i], p, c, &positive);
      b = z > (*p > 0 ? 0 : edge * rho) && root_[at] > 0 ? Branch::full : Branch::fixed;
      target_[at] = 0;
    } else {
      const int n = problem.G.block_size(i);
      if (!prox_argument(n, rho, p, y + at, x)) return refuse(i);
      std::copy_n(x, n, projected);
      project(*problem.laws[i], problem.dt, projected);
      r.add(i, n, steps.trace[i], p, c, projected);
      b = choose(problem, i, rho, p, y + at, x, projected);
    }
    changed = changed || b != branch_[i];
    branch_[i] = b;
  }
  if (changed) factored_ = false;
  edge_ = branch_tie * r.scale;
  return r.conclude(problem, P, y, worst);
}

bool NewtonSystem::move_to_branches(const ContactProblem& problem, double* P) const {
  bool moved = false;
  const auto set = [&moved](double& p, double value) {
    moved = moved || p != value;
    p = value;
  };
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    if (branch_[i] == Branch::fixed) {
      for (int a = at; a < at + n; ++a) set(P[a], target_[a]);
    } else if (branch_[i] == Branch::slide || branch_[i] == Branch::turn) {
      const Tangent& t = tangent_[i];
      const double q = n == 3 ? t.turn[0] * P[at + 1] + t.turn[1] * P[at + 2] : 0;
      for (int a = 1; a < n; ++a) set(P[at + a], t.slope[a - 1] * P[at] + t.turn[a - 1] * q);
    }
  }
  return moved;
}

std::uint64_t NewtonSystem::fingerprint() const {
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t i = 0; i < branch_.size(); ++i) {
    const bool back = branch_[i] == Branch::slide && tangent_[i].slope[0] < 0;
    hash = (hash ^ (static_cast<std::uint64_t>(branch_[i]) * 2 + back)) * 1099511628211u;
  }
  return hash;
}

}  // namespace saltus::detail
