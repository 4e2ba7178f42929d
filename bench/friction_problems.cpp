// The piles of the friction benchmark. `write FOLDER` writes them as FCP files, for the peers; `solve
// PROBLEM TOLERANCE` solves one with the automatic solver and prints one line of JSON; `random COUNT
// TOLERANCE FIRST` solves COUNT random piles and tells each of them, and how many were not solved.

#include <iostream>

#include "peers/bench.hpp"
#include "saltus/contact/solver.hpp"
#include "support/friction_piles.hpp"

namespace {

using namespace saltus;

struct Case {
  const char* family;
  int n;
  double mu;
};
constexpr Case cases[] = {{"pile2d", 8, 0.3}, {"pile2d", 12, 0.3}, {"pile2d", 25, 0.3}, {"pile3d", 4, 0.3},
                          {"pile3d", 6, 0.3}, {"pile3d", 8, 0.3},  {"pile3d", 10, 0.3}, {"wall3d", 4, 0.6},
                          {"wall3d", 6, 0.6}, {"wall3d", 10, 0.6}};

std::string name_of(const Case& c) {
  return std::string(c.family) + "-" + std::to_string(c.n);
}

void solve(const Case& c, double tolerance) {
  const FrictionProblem file = testing::FrictionPile::make(c.family, c.n, c.mu);
  const double before = bench::snap().user;
  PosedFriction posed(file);
  const double posed_at = bench::snap().user;
  Vec P;
  SolveReport report;
  double seconds = 0;
  int times = 0;
  do {  // the clock ticks in hundredths of a second at worst: short ones again, always from a cold start
    P = Vec::Zero(posed.problem.rows());
    report = solve_to_file_residual(posed, AutomaticSolver{}, tolerance, P);
    ++times;
    seconds = bench::snap().user - posed_at;
  } while (seconds < 0.2);
  seconds /= times;
  std::cout << fmt::format(
      "@@{{\"problem\": \"{}\", \"contacts\": {}, \"rows\": {}, \"iterations\": {}, \"pose_s\": {:.6f}, "
      "\"solve_s\": "
      "{:.6f}, \"residual\": {:.3e}, \"natural\": {:.3e}}}\n",
      name_of(c), file.contacts(), file.rows(), report.iterations, posed_at - before, seconds,
      posed.file_residual(P), report.residual);
}

// Families, sizes, friction and masses by the seed; equal seeds are equal problems.
bool solve_random(std::uint64_t seed, double tolerance) {
  struct Kind {
    const char* family;
    int smallest, largest;
  };
  constexpr Kind kinds[] = {
      {"pile2d", 4, 20}, {"pile3d", 3, 6}, {"wall3d", 3, 10}, {"rocks2d", 4, 16}, {"rocks3d", 3, 6}};
  constexpr double frictions[] = {0.1, 0.2, 0.3, 0.5, 0.7, 1}, decades[] = {0, 2, 4};
  const Kind& kind = kinds[seed % std::size(kinds)];
  const std::uint64_t s = seed / std::size(kinds);
  const int n =
      kind.smallest + static_cast<int>(s * 7 % static_cast<std::uint64_t>(kind.largest - kind.smallest + 1));
  const double mu = frictions[s % std::size(frictions)], spread = decades[s / 2 % std::size(decades)];
  PosedFriction posed(testing::FrictionPile::make(kind.family, n, mu, seed + 1, spread));
  const double before = bench::snap().user;
  Vec P = Vec::Zero(posed.problem.rows());
  const SolveReport report = solve_to_file_residual(posed, AutomaticSolver{}, tolerance, P);
  const bool solved = posed.file_residual(P) <= tolerance;
  std::cout << fmt::format(
                   "{:5} {:8} n {:2} mu {:3} decades {} contacts {:4} iterations {:6} {:9.3f} s  {:.1e} {}\n",
                   seed, kind.family, n, mu, spread, posed.problem.blocks(), report.iterations,
                   bench::snap().user - before, posed.file_residual(P), solved ? "" : "NOT SOLVED")
            << std::flush;
  return solved;
}

int solve_randomly(std::uint64_t count, double tolerance, std::uint64_t first) {
  std::uint64_t missed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    missed += solve_random(seed, tolerance) ? 0 : 1;
  std::cout << fmt::format("{} of {} solved\n", count - missed, count);
  return missed ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "write" && argc == 3) {
      for (const Case& c : cases)
        write_friction_problem(std::string(argv[2]) + "/" + name_of(c) + ".fcp",
                               testing::FrictionPile::make(c.family, c.n, c.mu));
      return 0;
    }
    for (const Case& c : cases)
      if (what == "solve" && argc == 4 && name_of(c) == argv[2]) {
        solve(c, std::stod(argv[3]));
        return 0;
      }
    if (what == "random" && argc == 5)
      return solve_randomly(std::stoull(argv[2]), std::stod(argv[3]), std::stoull(argv[4]));
    std::cerr << "usage: " << argv[0]
              << " write FOLDER | solve PROBLEM TOLERANCE | random COUNT TOLERANCE FIRST\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return 2;
}
