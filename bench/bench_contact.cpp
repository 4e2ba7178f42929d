// Contact solvers. The thousand random problems of the tests, one line per family and solver (counters:
// solved in per cent, median time in µs, largest residual of those not solved; the line's own time is that of
// all hundred); then columns of balls, and piles of discs and of spheres with friction, from a cold and from
// a warm start.
#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "../tests/contact/random_problems.hpp"
#include "saltus/contact/solver.hpp"

namespace {

using namespace saltus;

std::vector<SolverSpec> specs() {
  return {AutomaticSolver{}, SemismoothNewton{}, Lemke{}, Psor{}, Pjor{1e-10, 1.0, 3000}};
}
std::string name_of(const SolverSpec& spec) {
  return std::visit([](const auto& s) { return std::string(s.name); }, spec);
}

void family(benchmark::State& state, int index, const SolverSpec& spec) {
  const auto solver = make_contact_solver(spec);
  std::vector<double> times;
  int solved = 0;
  double worst = 0;
  for (auto _ : state) {
    times.clear();
    solved = 0;
    for (int k = 0; k < testing::problems_per_family; ++k) {
      auto r = testing::random_problem(index * testing::problems_per_family + k);
      if (std::holds_alternative<Lemke>(spec) && !r.polyhedral()) continue;
      Vec P = Vec::Zero(r.problem.rows());
      const auto start = std::chrono::steady_clock::now();
      const SolveReport report = solver->solve(r.problem, P);
      times.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
      solved += report.solved;
      if (!report.solved) worst = std::max(worst, report.residual);
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  state.counters["solved_percent"] = 100.0 * solved / static_cast<double>(times.size());
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["worst_unsolved"] = worst;
}

/// Balls, discs or spheres of radius 1/2 under gravity; contacts are added one by one.
struct Pile {
  Law law;
  int dofs_per_body;
  std::vector<Vec> centres;
  SparseRows Wt;
  std::vector<int> sizes;
  Factor mass;
  ContactProblem problem;
  double weight = 9.81e-3;

  Pile(Law l, int dofs) : law(std::move(l)), dofs_per_body(dofs) {}
  Pile(const Pile&) = delete;
  Pile& operator=(const Pile&) = delete;

  void add_entry(int body, int dof, double value) {
    if (body >= 0 && value != 0) Wt.add(body * dofs_per_body + dof, value);
  }
  /// Velocity of the point of `upper` relative to `lower` (−1: the floor) along `d`, in the plane or in
  /// space.
  void add_row(int lower, int upper, const Vec& d, const Vec& normal) {
    const int dim = static_cast<int>(d.size());
    for (int k = 0; k < dim; ++k) add_entry(lower, k, -d[k]), add_entry(upper, k, d[k]);
    if (dim == 2) {  // spin: r × d with r = ∓n/2, the same on both sides
      const double arm = -0.5 * (normal[0] * d[1] - normal[1] * d[0]);
      add_entry(lower, 2, arm), add_entry(upper, 2, arm);
    } else if (dim == 3) {
      const Eigen::Vector3d arm = -0.5 * Eigen::Vector3d(normal).cross(Eigen::Vector3d(d));
      for (int k = 0; k < 3; ++k) add_entry(lower, 3 + k, arm[k]), add_entry(upper, 3 + k, arm[k]);
    }
    Wt.end_row();
  }
  void add_contact(int lower, int upper, const Vec& n) {
    add_row(lower, upper, n, n);
    if (n.size() == 2) add_row(lower, upper, Vec{{-n[1], n[0]}}, n);
    if (n.size() == 3) {
      const Eigen::Vector3d a = Eigen::Vector3d(n), t = a.unitOrthogonal(), s = a.cross(t);
      add_row(lower, upper, t, n);
      add_row(lower, upper, s, n);
    }
    sizes.push_back(rows(law));
  }
  /// Contacts between all bodies that touch, and with the floor at height 0 (the last coordinate).
  void connect() {
    const int dim = static_cast<int>(centres[0].size()), count = static_cast<int>(centres.size());
    for (int i = 0; i < count; ++i) {
      if (centres[i][dim - 1] < 0.5 + 1e-9) add_contact(-1, i, Vec::Unit(dim, dim - 1));
      for (int j = 0; j < i; ++j) {
        const Vec d = centres[i] - centres[j];
        if (d.norm() < 1 + 1e-9) add_contact(j, i, d);
      }
    }
    const int n = count * dofs_per_body;
    Matrix M(n, {Pattern::diagonal, 0, nullptr});
    for (int k = 0; k < n; ++k) {
      const bool spin = k % dofs_per_body >= dim;
      M.set(k, k, !spin ? 1 : dim == 2 ? 0.125 : 0.1);
    }
    mass.factorize(M);
    std::vector<double> free(n, 0.0);
    for (int i = 0; i < count; ++i) free[i * dofs_per_body + dim - 1] = -weight;
    for (int r = 0; r < Wt.rows(); ++r) problem.c.push_back(Wt.dot(r, free.data()));
    problem.laws.assign(sizes.size(), &law);
    problem.G.build(mass, Wt, sizes);
  }
};

std::unique_ptr<Pile> column(int count) {
  auto pile = std::make_unique<Pile>(Unilateral{}, 1);
  for (int i = 0; i < count; ++i) pile->centres.push_back(Vec::Constant(1, 0.5 + i));
  pile->connect();
  return pile;
}
std::unique_ptr<Pile> triangle_of_discs(int layers) {
  auto pile = std::make_unique<Pile>(Coulomb{0.5, 0, 0, 1}, 3);
  for (int k = 0; k < layers; ++k)
    for (int i = 0; i < layers - k; ++i)
      pile->centres.push_back(Vec{{i + 0.5 * k, 0.5 + k * std::sqrt(0.75)}});
  pile->connect();
  return pile;
}
std::unique_ptr<Pile> pyramid_of_spheres(int layers) {
  auto pile = std::make_unique<Pile>(Coulomb{0.5, 0, 0, 2}, 6);
  for (int k = 0; k < layers; ++k)
    for (int i = 0; i < layers - k; ++i)
      for (int j = 0; j < layers - k; ++j)
        pile->centres.push_back(Vec{{i + 0.5 * k, j + 0.5 * k, 0.5 + k * std::sqrt(0.5)}});
  pile->connect();
  return pile;
}

/// Solves under a weight that changes a little from one solve to the next, as it does along a trajectory.
void solve_pile(benchmark::State& state, Pile& pile, const SolverSpec& spec, bool warm, bool rebuild) {
  const auto solver = make_contact_solver(spec);
  const std::vector<double> c = pile.problem.c;
  Vec P = Vec::Zero(pile.problem.rows());
  SolveReport report = solver->solve(pile.problem, P);
  int k = 0, solved = 0, iterations = 0;
  double worst = 0;
  for (auto _ : state) {
    const double factor = 1 + 1e-3 * (++k % 7);
    for (std::size_t i = 0; i < c.size(); ++i) pile.problem.c[i] = factor * c[i];
    if (rebuild) pile.problem.G.build(pile.mass, pile.Wt, pile.sizes);
    if (!warm) P.setZero();
    report = solver->solve(pile.problem, P);
    solved += report.solved;
    iterations += report.iterations;
    worst = std::max(worst, report.residual);
  }
  pile.problem.c = c;
  state.counters["rows"] = pile.problem.rows();
  state.counters["iterations"] = static_cast<double>(iterations) / k;
  state.counters["solved_percent"] = 100.0 * solved / k;
  state.counters["residual"] = worst;
}

int register_all() {
  for (std::size_t f = 0; f < testing::families.size(); ++f)
    for (const SolverSpec& spec : specs()) {
      if (std::holds_alternative<Lemke>(spec) && testing::families[f].starts_with("space")) continue;
      benchmark::RegisterBenchmark(
          ("random/" + std::string(testing::families[f]) + "/" + name_of(spec)).c_str(),
          [f, spec](benchmark::State& s) { family(s, static_cast<int>(f), spec); })
          ->Unit(benchmark::kMillisecond)
          ->Iterations(1);
    }
  const auto pile = [](const std::string& name, const auto& make, int size, bool warm, bool rebuild,
                       const SolverSpec& spec) {
    const std::string how = std::string(rebuild ? "/rebuilt" : "") + (warm ? "/warm/" : "/cold/");
    benchmark::RegisterBenchmark((name + "/" + std::to_string(size) + how + name_of(spec)).c_str(),
                                 [=](benchmark::State& s) {
                                   const auto p = make(size);
                                   solve_pile(s, *p, spec, warm, rebuild);
                                 })
        ->Unit(benchmark::kMicrosecond);
  };
  for (const int n : {1, 2, 10, 100, 1000}) {
    pile("column", column, n, true, false, AutomaticSolver{});
    pile("column", column, n, true, true, AutomaticSolver{});
  }
  pile("column", column, 100, true, false, Psor{});
  for (const int layers : {3, 10, 15})
    for (const bool warm : {true, false})
      pile("discs", triangle_of_discs, layers, warm, true, AutomaticSolver{});
  for (const int layers : {2, 4, 6})
    for (const bool warm : {true, false})
      pile("spheres", pyramid_of_spheres, layers, warm, true, AutomaticSolver{});
  return 0;
}

[[maybe_unused]] const int registered = register_all();

}  // namespace
