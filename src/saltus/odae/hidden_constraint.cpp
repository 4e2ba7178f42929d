#include "saltus/odae/hidden_constraint.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/linalg/factor.hpp"

namespace saltus {
namespace {

constexpr double tolerance = 1e-9;  // of a consistent start, relative to what its terms are made of
constexpr int iterations = 50;

Mat part(const Mat& A, std::span<const int> rows, std::span<const int> columns) {
  Mat out(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) out(i, j) = A(rows[i], columns[j]);
  return out;
}

Mat some_rows(const Mat& A, std::span<const int> rows) {
  Mat out(rows.size(), A.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(i) = A.row(rows[i]);
  return out;
}

Vec some(const Vec& x, std::span<const int> rows) {
  Vec out(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = x[rows[i]];
  return out;
}

// The allowed |g| and |γ| of a point that counts as consistent
struct Allowed {
  Vec g, gamma, gap, rate;
  Allowed(const OdaeSystem& s, double t, In y, In z) : g(s.m()), gamma(s.m()), gap(s.m()), rate(s.m()) {
    Mat G(s.m(), s.ny()), gamma_z(s.m(), s.nz());
    const CheckedOdae at(s);
    at.gap_jacobian(t, y, G);
    at.rate_jacobians(t, y, z, nullptr, &gamma_z);
    at.gap(t, y, gap);
    at.rate(t, y, z, rate);
    g = tolerance * (1 + y.lpNorm<Eigen::Infinity>()) * G.rowwise().lpNorm<1>();
    gamma = tolerance * (1 + z.lpNorm<Eigen::Infinity>()) * gamma_z.rowwise().lpNorm<1>();
  }
};

}  // namespace

bool solve_complementarity(const Mat& A, const Vec& c, std::span<const char> equality, Vec& x) {
  const auto n = static_cast<int>(c.size());
  std::vector<char> basic(n, 1);
  std::vector<int> list;
  const double scale = 1e-14 * (c.lpNorm<Eigen::Infinity>() + 1e-300);
  for (int pivots = 0; pivots <= 20 * n + 100; ++pivots) {
    list.clear();
    for (int i = 0; i < n; ++i)
      if (basic[i]) list.push_back(i);
    x.setZero(n);
    if (!list.empty()) {
      const std::optional<Vec> solution = solve_regular(part(A, list, list), -some(c, list));
      if (!solution) return false;
      for (std::size_t k = 0; k < list.size(); ++k) x[list[k]] = (*solution)[k];
    }
    const Vec w = A * x + c;
    int flip = -1;
    for (int i = 0; i < n && flip < 0; ++i)
      if (!equality[i] && (basic[i] ? x[i] < 0 : w[i] < -scale)) flip = i;
    if (flip < 0) return x.allFinite();
    basic[flip] = !basic[flip];
  }
  return false;
}

HiddenConstraint::HiddenConstraint(const OdaeSystem& system, Faults& faults)
    : system_(system, faults),
      f_(system.nz()),
      r_(system.nz()),
      b_(system.m()),
      acceleration_(system.m()),
      g_(system.m()),
      gamma_z_(system.m(), system.nz()),
      r_psi_(system.nz(), system.m()),
      A_(system.m(), system.m()),
      lu_(static_cast<std::size_t>(system.m()) * system.m()),
      step_(system.m()),
      pivot_(system.m()) {}

void HiddenConstraint::prepare(double t, In y, In z) {
  system_.force(t, y, z, f_);
  system_.bias(t, y, z, b_);
  system_.rate_jacobians(t, y, z, nullptr, &gamma_z_);
}

const Vec& HiddenConstraint::accelerations(double t, In y, In z, const Vec& psi) {
  prepare(t, y, z);
  evaluate(t, y, z, psi);
  return acceleration_;
}

void HiddenConstraint::evaluate(double t, In y, In z, const Vec& psi) {
  system_.reaction(t, y, z, psi, r_);
  system_.reaction_jacobians(t, y, z, psi, nullptr, nullptr, &r_psi_);
  r_ += f_;
  acceleration_ = b_;
  acceleration_.noalias() += gamma_z_ * r_;
  A_.noalias() = gamma_z_ * r_psi_;
}

// How large ψ would be if nothing cancelled: what is small against it is rounding, though ψ itself may be
// zero.
double HiddenConstraint::weight(std::span<const int> active) const {
  double most = 0;
  for (int i : active) {
    double terms = std::abs(b_[i]);
    for (int j = 0; j < f_.size(); ++j) terms += std::abs(gamma_z_(i, j) * f_[j]);
    if (A_(i, i) != 0) most = std::max(most, terms / std::abs(A_(i, i)));
  }
  return most;
}

bool HiddenConstraint::multipliers(double t, In y, In z, std::span<const int> active, Vec& psi) {
  for (int i = 0, k = 0; i < psi.size(); ++i)
    if (k < static_cast<int>(active.size()) && active[k] == i)
      ++k;
    else
      psi[i] = 0;
  change_ = 0;
  if (active.empty()) return true;
  prepare(t, y, z);
  const bool one = active.size() == 1;
  double previous = infinity;
  for (int k = 0; k < iterations; ++k) {
    evaluate(t, y, z, psi);
    if (one) {
      const int i = active[0];
      const double step = acceleration_[i] / A_(i, i);
      psi[i] -= step;
      change_ = std::abs(step);
    } else {
      const auto n = static_cast<int>(active.size());
      for (int i = 0; i < n; ++i) {
        step_[i] = acceleration_[active[i]];
        for (int j = 0; j < n; ++j) lu_[j * n + i] = A_(active[i], active[j]);
      }
      if (dense_lu(n, lu_.data(), pivot_.data(), 1e-15) >= 0) return false;
      dense_lu_solve(n, lu_.data(), pivot_.data(), step_.data());
      change_ = 0;
      for (int i = 0; i < n; ++i) {
        psi[active[i]] -= step_[i];
        change_ = std::max(change_, std::abs(step_[i]));
      }
    }
    if (!std::isfinite(change_)) return false;
    const double size = std::max(psi.lpNorm<Eigen::Infinity>(), weight(active));
    const double ratio = change_ / previous;  // what is left is about ratio · change
    if (change_ <= 1e-15 * size || (k > 0 && ratio < 0.5 && ratio * change_ <= 1e-16 * size)) return true;
    if (ratio >= 0.5 && change_ <= 1e-9 * size) return true;  // stands still
    if (change_ < 1e-300) return true;
    previous = change_;
  }
  return false;
}

bool HiddenConstraint::complementary_multipliers(double t, In y, In z, std::span<const int> closed,
                                                 Vec& psi) {
  if (!multipliers(t, y, z, closed, psi)) return false;
  bool pushing = true;
  std::vector<char> equality;
  for (int i : closed) {
    equality.push_back(!system_.constraints()[i].unilateral);
    if (!equality.back() && psi[i] < 0) pushing = false;
  }
  Vec x;
  double previous = infinity;
  for (int k = 0; k < iterations && !pushing; ++k) {
    evaluate(t, y, z, psi);
    const Mat A = part(A_, closed, closed);
    const Vec now = some(psi, closed);
    if (!solve_complementarity(A, some(acceleration_, closed) - A * now, equality, x)) return false;
    for (std::size_t i = 0; i < closed.size(); ++i) psi[closed[i]] = x[i];
    change_ = (x - now).lpNorm<Eigen::Infinity>();
    const double size = std::max(x.lpNorm<Eigen::Infinity>(), weight(closed));
    pushing =
        change_ <= 1e-14 * size || (change_ <= 1e-9 * size && change_ >= 0.5 * previous) || change_ == 0;
    previous = change_;
  }
  return pushing;
}

bool HiddenConstraint::impact(double t, In y, Vec& z, std::span<const int> touching,
                              std::span<const char> plastic, Vec& P) {
  const auto n = static_cast<int>(touching.size());
  Mat N(system_.nz(), system_.m());
  Vec before(system_.m()), gamma(system_.m()), x = Vec::Zero(n), target(n);
  std::vector<char> equality;
  system_.impact_directions(t, y, z, N);
  system_.rate(t, y, z, before);
  const auto bounces = [&](int i) {
    return system_.constraints()[i].unilateral && (plastic.empty() || !plastic[i]);
  };
  // A constraint that parts while another hits has Newton's law too, with the largest e of all: held at zero,
  // it would pass on more than came in.
  double most = 0;
  for (int i : touching)
    if (bounces(i) && before[i] < 0) most = std::max(most, system_.constraints()[i].e);
  for (int k = 0; k < n; ++k) {
    const auto& c = system_.constraints()[touching[k]];
    const double b = before[touching[k]];
    target[k] = !c.unilateral ? 0 : b > 0 ? most * b : bounces(touching[k]) ? c.e * b : 0;
    equality.push_back(!c.unilateral);
  }
  const Vec start = z;
  P.setZero(system_.m());
  for (int k = 0; k < iterations; ++k) {  // once where γ is linear in z
    system_.rate(t, y, z, gamma);
    system_.rate_jacobians(t, y, z, nullptr, &gamma_z_);
    const Mat A = part(gamma_z_ * N, touching, touching);
    const Vec last = x;
    if (!solve_complementarity(A, some(gamma, touching) + target - A * last, equality, x)) return false;
    for (int i = 0; i < n; ++i) P[touching[i]] = x[i];
    z = start + N * P;
    if (n == 0 || (x - last).lpNorm<Eigen::Infinity>() <= 1e-13 * x.lpNorm<Eigen::Infinity>()) return true;
  }
  return false;
}

bool HiddenConstraint::project(double t, Vec& y, Vec& z, std::span<const int> active) {
  if (active.empty()) return true;
  Mat G(system_.m(), system_.ny());
  const auto nearest = [&](const Mat& all, const Vec& values, Vec& x) {
    const Mat J = some_rows(all, active);
    const Vec step = least_norm_solution(J, some(values, active));
    x -= step;
    return step.lpNorm<Eigen::Infinity>() <= 1e-14 * (x.lpNorm<Eigen::Infinity>() + 1e-300);
  };
  bool done = false;
  for (int k = 0; k < iterations && !done; ++k) {
    system_.gap(t, y, g_);
    system_.gap_jacobian(t, y, G);
    done = nearest(G, g_, y);
  }
  for (int k = 0; k < iterations; ++k) {
    system_.rate(t, y, z, g_);
    system_.rate_jacobians(t, y, z, nullptr, &gamma_z_);
    if (nearest(gamma_z_, g_, z)) return done;
    if (some(g_, active).isZero(0)) return done;
  }
  return false;
}

double HiddenConstraint::regularity(std::span<const int> active) const {
  if (active.empty()) return 1;
  const Mat A = part(A_, active, active), left = some_rows(gamma_z_, active);
  const Mat right = some_rows(r_psi_.transpose(), active);
  const double scale = left.norm() * right.norm();
  if (!A.allFinite() || !(scale > 0)) return 0;
  return smallest_singular_value(A) / scale;
}

std::vector<int> touching_constraints(const OdaeSystem& system, double t, In y, In z, bool moving) {
  const Allowed at(system, t, y, z);
  std::vector<int> out;
  for (int i = 0; i < system.m(); ++i) {
    const bool touches = at.gap[i] <= at.g[i], rests = std::abs(at.rate[i]) <= at.gamma[i];
    if (!system.constraints()[i].unilateral || (touches && (rests || (moving && at.rate[i] < 0))))
      out.push_back(i);
  }
  return out;
}

void check_consistent(const OdaeSystem& system, double t, In y, In z) {
  const Allowed at(system, t, y, z);
  const char* remedy = "choose a consistent start, or let the scheme project it (project=true)";
  for (int i = 0; i < system.m(); ++i) {
    const auto& c = system.constraints()[i];
    if (c.unilateral) {
      if (at.gap[i] < -at.g[i])
        fail("constraint {}: the start penetrates, g = {:.6g} at t = {:.6g}; {}", c.name, at.gap[i], t,
             remedy);
      continue;
    }
    if (!(std::abs(at.gap[i]) <= at.g[i]))
      fail("constraint {}: the start is inconsistent, g = {:.6g} at t = {:.6g}; {}", c.name, at.gap[i], t,
           remedy);
    if (!(std::abs(at.rate[i]) <= at.gamma[i]))
      fail("constraint {}: the start is inconsistent, g_y v = {:.6g} at t = {:.6g}; {}", c.name, at.rate[i],
           t, remedy);
  }
}

}  // namespace saltus
