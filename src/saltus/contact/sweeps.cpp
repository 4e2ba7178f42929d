// One sweep of projected Gauss–Seidel: block after block, with the newest values,
//
//     y_i = (G P + c)_i,    P_i ← prox_{C_i}(P_i − ρ y_i).
//
//     one row              ρ = ω / G_ii, which for ω = 1 solves the row exactly
//     coulomb              the normal with ρ = ω / G_NN, then y_T += G_TN ΔP_N, then the tangent with
//                          ρ = ω / λmax(G_TT) onto the disc of the new P_N
//     rolling friction     the same, disc after disc
//     equality             P_i −= ω G_ii⁻¹ y_i, or ρ = ω / λmax(G_ii) when the block is singular
//     tresca, user's law   ρ = ω / λmax(G_ii)
//
// Large sparse problems are swept strip by strip (strips.hpp), several at the same time by the team, and when
// there have been many sweeps, some of them together: no worker then waits for the end of each.
//
// A row without any freedom (G_ii = 0, a contact of fixed bodies) keeps its impulse unless y > 0 forbids it.
#include <algorithm>

#include "saltus/contact/sweeps.hpp"

namespace saltus::detail {
namespace {

// λmax of the symmetric m×m block at g (rows `stride` apart): exact up to two rows, a bound beyond
double largest_eigenvalue(int m, const double* g, int stride) {
  if (m == 1) return g[0];
  if (m == 2) {
    const double half = (g[0] - g[stride + 1]) / 2, middle = (g[0] + g[stride + 1]) / 2;
    return middle + std::sqrt(std::max(0.0, half * half + g[1] * g[stride]));
  }
  double largest = 0;
  for (int a = 0; a < m; ++a) {
    double sum = 0;
    for (int b = 0; b < m; ++b) sum += std::abs(g[a * stride + b]);
    largest = std::max(largest, sum);
  }
  return largest;
}

double step_for(double relaxation, double lambda) {
  return lambda > 0 ? relaxation / lambda : 0;
}

}  // namespace

void Sweeps::prepare_equality(int n, const double* g, Step& step, double relaxation) {
  const auto at = lu_.size();
  lu_.resize(at + static_cast<std::size_t>(n) * n);
  pivot_.resize(lu_.size());  // one place per entry keeps the two aligned
  double* lu = lu_.data() + at;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) lu[b * n + a] = g[a * n + b] / relaxation;
  if (dense_lu(n, lu, pivot_.data() + at, 1e-10) < 0)
    step.lu = static_cast<int>(at);
  else
    step.normal = step_for(relaxation, largest_eigenvalue(n, g, n));
}

void Sweeps::prepare(const ContactProblem& problem, const Steps& steps, double relaxation) {
  step_.resize(problem.laws.size());
  lu_.clear();
  for_pieces(0, problem.blocks(), blocks_a_piece, [&](int from, int to) {
    for (int i = from; i < to; ++i) prepare_block(problem, steps, relaxation, i);
  });
  for (int i = 0; i < problem.blocks(); ++i)
    if (const int n = problem.G.block_size(i); n > 1 && std::holds_alternative<Equality>(*problem.laws[i]))
      prepare_equality(n, problem.G.block(i), step_[i], relaxation);
  strips_.update(problem.G);
  prepare_plane(problem, steps);
  prepare_space(problem, steps);
}

void Sweeps::prepare_block(const ContactProblem& problem, const Steps& steps, double relaxation, int i) {
  const int n = problem.G.block_size(i);
  const double* g = problem.G.block(i);
  const Law& law = *problem.laws[i];
  Step& step = step_[i] = {};
  if (n == 1) {
    step.normal = step_for(relaxation, g[0]);
  } else if (is_frictional(law)) {
    step.normal = step_for(relaxation, g[0]);
    double* rho = step.disc;
    for (const FrictionDisc& d : discs_of(law)) {
      *rho = step_for(relaxation, largest_eigenvalue(d.rows, g + d.at * n + d.at, n));
      if (*rho == 0) *rho = steps.rho[i];
      ++rho;
    }
  } else if (!std::holds_alternative<Equality>(law)) {
    step.normal = step_for(relaxation, largest_eigenvalue(n, g, n));
  }
}

// Fills plane_ where all contacts are Coulomb's with one tangent, none of them immovable: most planar
// problems.
void Sweeps::prepare_plane(const ContactProblem& problem, const Steps& steps) {
  plane_.clear();
  if (!problem.G.pairs()) return;
  const auto suits = [&](int i) {
    return std::holds_alternative<Coulomb>(*problem.laws[i]) && step_[i].normal > 0;
  };
  for (int i = 0; i < problem.blocks(); ++i)
    if (!suits(i)) return;
  plane_.prepare(problem, strips_, [&](int i) {
    const double mu = std::get<Coulomb>(*problem.laws[i]).mu;
    return PlaneSweeps::Weights{step_[i].normal, step_[i].disc[0], mu, steps.trace[i]};
  });
}

// Fills space_ where all contacts are Coulomb's with two tangents, none of them immovable, or leaves it
// empty.
void Sweeps::prepare_space(const ContactProblem& problem, const Steps& steps) {
  space_.clear();
  if (!problem.G.body_rows()) return;
  for (int i = 0; i < problem.blocks(); ++i) {
    const auto* law = std::get_if<Coulomb>(problem.laws[i]);
    if (!law || law->tangents != 2 || !(step_[i].normal > 0)) return space_.clear();
    const double* g = problem.G.block(i);
    space_.push_back({step_[i].normal, step_[i].disc[0], {g[3], g[6]}, law->mu, steps.trace[i]});
  }
}

double Sweeps::sweep_space(ContactProblem& problem, double* P, int count) const {
  problem.G.begin_sweep(P);
  const BodyRows& rows = *problem.G.body_rows();
  double* velocity = problem.G.sweep_velocity();
  return strips_.sweep(problem.blocks(), count, [&](int place, Swept& part) {
    const int i = strips_.block_at(place);
    const SpaceContact& k = space_[i];
    const double* c = problem.c.data() + 3 * static_cast<std::ptrdiff_t>(i);
    double* p = P + 3 * static_cast<std::ptrdiff_t>(i);
    double y[3], d[3];
    rows.row(i, velocity, y);
    for (int a = 0; a < 3; ++a) y[a] += c[a], part.sum += y[a];
    const double normal = std::max(0.0, p[0] - k.normal * y[0]), most = k.mu * normal;
    d[0] = normal - p[0];
    double s = p[1] - k.tangent * (y[1] + k.coupling[0] * d[0]),
           t = p[2] - k.tangent * (y[2] + k.coupling[1] * d[0]);
    if (const double square = s * s + t * t; !(square <= most * most)) {
      const double shorter = most / std::sqrt(square);
      s *= shorter, t *= shorter;
    }
    d[1] = s - p[1], d[2] = t - p[2];
    const double change = std::max({std::abs(d[0]), std::abs(d[1]), std::abs(d[2])}),
                 free = std::max({std::abs(c[0]), std::abs(c[1]), std::abs(c[2])}),
                 size = std::max({normal, std::abs(s), std::abs(t)});
    part.change = std::max(part.change, change * k.trace);
    part.scale = std::max({part.scale, change_floor * free, size * k.trace});
    p[0] = normal, p[1] = s, p[2] = t;
    if (change > 0) rows.add(i, d, velocity);
  });
}

// P_i ← prox of one block; y is its velocity at the old P.
void Sweeps::update_block(const Law& law, double dt, const Step& step, int n, const double* g,
                          const double* y, double* P) const {
  const bool free = step.normal > 0;
  if (std::holds_alternative<Unilateral>(law)) {
    P[0] = free ? std::max(0.0, P[0] - step.normal * y[0]) : y[0] > 0 ? 0 : std::max(0.0, P[0]);
  } else if (is_frictional(law)) {
    double x[max_block_rows] = {free ? P[0] - step.normal * y[0] : y[0] > 0 ? 0 : P[0]};
    const double* rho = step.disc;
    const double normal = std::max(0.0, x[0]) - P[0];
    for (const FrictionDisc& d : discs_of(law)) {
      for (int a = d.at; a < d.at + d.rows; ++a) {
        double moved = y[a] + g[a * n] * normal;
        for (int b = 1; b < d.at; ++b) moved += g[a * n + b] * (x[b] - P[b]);
        x[a] = P[a] - *rho * moved;
      }
      project(law, dt, x);  // rows of later discs are zero so far
      ++rho;
    }
    std::copy_n(x, n, P);
  } else if (std::holds_alternative<Equality>(law) && n > 1 && step.lu >= 0) {
    double x[max_block_rows];
    std::copy_n(y, n, x);
    dense_lu_solve(n, lu_.data() + step.lu, pivot_.data() + step.lu, x);
    for (int a = 0; a < n; ++a) P[a] -= x[a];
  } else if (const auto limits = free ? std::nullopt : limits_of(law)) {
    if (y[0] != 0) P[0] = (y[0] > 0 ? limits->lower : limits->upper) * dt;
    project(law, dt, P);
  } else {
    for (int a = 0; a < n; ++a) P[a] -= step.normal * y[a];
    project(law, dt, P);
  }
}

double Sweeps::sweep(ContactProblem& problem, const Steps& steps, double* P, int count) {
  if (!plane_.empty()) return plane_.sweep(P, count);
  if (!space_.empty()) return sweep_space(problem, P, count);
  problem.G.begin_sweep(P);
  return strips_.sweep(problem.blocks(), count, [&](int place, Swept& part) {
    const int i = strips_.block_at(place);
    double y[max_block_rows], d[max_block_rows];
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    problem.G.row(i, P, y);
    for (int a = 0; a < n; ++a) {
      y[a] += problem.c[at + a];
      d[a] = P[at + a];
      part.sum += y[a];
    }
    update_block(*problem.laws[i], problem.dt, step_[i], n, problem.G.block(i), y, P + at);
    bool moved = false;
    for (int a = 0; a < n; ++a) {
      d[a] = P[at + a] - d[a];
      moved = moved || d[a] != 0;
      part.change = std::max(part.change, std::abs(d[a]) * steps.trace[i]);
      part.scale = std::max(
          {part.scale, change_floor * std::abs(problem.c[at + a]), std::abs(P[at + a]) * steps.trace[i]});
    }
    if (moved) problem.G.update(i, d);
  });
}

}  // namespace saltus::detail
