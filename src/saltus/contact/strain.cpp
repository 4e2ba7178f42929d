#include "saltus/contact/strain.hpp"

#include "saltus/contact/kernels.hpp"

namespace saltus::detail {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double roundings = 8, most_strain_rounding = 1e-6;
constexpr double most_give = 1e-8;  // G z of a direction that moves nothing, relative to its parts

bool has_limit(const Law& law) {
  return limits_of(law).has_value() || std::holds_alternative<Tresca>(law);
}

// The block that pushes most against the first row of block i
int strongest_rival(const ContactProblem& problem, int i, const double* P) {
  int rival = -1;
  double most = 0;
  if (problem.G.form() == Delassus::Form::product) return rival;
  problem.G.for_row(i, [&](int j, const double* g) {
    if (j == i) return;
    double push = 0;
    const int m = problem.G.block_size(j);
    for (int b = 0; b < m; ++b) push += g[b] * P[problem.G.offset(j) + b];
    if (push * P[problem.G.offset(i)] < most) most = push * P[problem.G.offset(i)], rival = j;
  });
  return rival;
}

}  // namespace

double free_velocity(const ContactProblem& problem, const double* P) {
  double free = 0;
  for (int i = 0; i < problem.blocks(); ++i) {
    const double moves = has_limit(*problem.laws[i]) ? trace_of(problem.G, i) : 0;
    for (int k = problem.G.offset(i); k < problem.G.offset(i + 1); ++k)
      free = std::max(free, std::max(std::abs(problem.c[k]), moves * std::abs(P[k])));
  }
  return free;
}

double strained_residual(const ContactProblem& problem, const double* P, const double* y, int* worst) {
  const std::span<const double> sizes = problem.G.row_sizes(P);
  const double free = free_velocity(problem, P);
  double violation = 0, pressed = free, x[max_block_rows];
  if (worst) *worst = -1;
  for (int i = 0; i < problem.blocks(); ++i) {
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const double trace = trace_of(problem.G, i);
    double largest_impulse = 0;
    for (int a = 0; a < n; ++a) largest_impulse = std::max(largest_impulse, std::abs(P[at + a]));
    pressed = std::max(pressed, trace * largest_impulse);
    const double rho = std::max(step_of(trace), largest_impulse / free);
    if (!prox_argument(n, rho, P + at, y + at, x)) {
      if (worst) *worst = i;
      return not_a_number;
    }
    project(*problem.laws[i], problem.dt, x);
    for (int a = 0; a < n; ++a) {
      const double allowed = std::min(roundings * epsilon * sizes[at + a], most_strain_rounding * free);
      const double v = std::abs(P[at + a] - x[a]) / rho - allowed - problem.rounding;
      if (v > violation) {
        violation = v;
        if (worst) *worst = i;
      }
    }
  }
  return violation / std::min(pressed, most_leverage * free);
}

// Farkas: impulses z ≥ 0 with G z = 0 and cᵀz < 0 prove that no P makes y = G P + c ≥ 0, for zᵀy would be
// cᵀz. In numbers, any solution has Σ P ≥ |cᵀz| / max |G z|.
void find_contradiction(const ContactProblem& problem, const double* z, std::vector<double>& moved,
                        SolveReport& report) {
  moved.resize(problem.c.size());
  problem.G.apply(z, moved.data());
  double product = 0, size = 0, give = 0, heaviest = 0;
  int heavy = -1;
  for (int i = 0; i < problem.blocks(); ++i) {
    const double trace = trace_of(problem.G, i);
    for (int k = problem.G.offset(i); k < problem.G.offset(i + 1); ++k) {
      product += problem.c[k] * z[k], size += std::abs(problem.c[k] * z[k]);
      give = std::max(give, std::abs(moved[k]));
      if (std::abs(z[k]) * trace > heaviest) heaviest = std::abs(z[k]) * trace, heavy = i;
    }
  }
  report.immovable = report.worst_block >= 0 && trace_of(problem.G, report.worst_block) == 0;
  if (report.immovable || heavy < 0 || !(give <= most_give * heaviest) || !(product < -1e-10 * size)) return;
  report.contradictory = true;
  report.worst_block = heavy;
  report.rival_block = strongest_rival(problem, heavy, z);
}

}  // namespace saltus::detail
