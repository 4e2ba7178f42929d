// The piles of the friction benchmark. `write FOLDER` writes them as FCP files, for the peers; `solve
// PROBLEM TOLERANCE` solves one with the automatic solver and prints one line of JSON.

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
    std::cerr << "usage: " << argv[0] << " write FOLDER | solve PROBLEM TOLERANCE\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  return 2;
}
