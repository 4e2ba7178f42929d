// A bouncing ball through infinitely many impacts, and how wrong the answer is.
#include <fmt/core.h>

#include "saltus/catalog/problems.hpp"
#include "saltus/run/trajectory.hpp"

int main() {
  const saltus::CatalogProblem ball = saltus::BouncingBall{.e = 0.5, .q0 = 1}.build(5);
  const saltus::Method method{.scheme = saltus::MoreauJean{.theta = 0.5},
                              .stepping = saltus::FixedSteps{1e-3}};
  saltus::Trajectory path;
  const saltus::RunResult result = saltus::run(ball.problem, method, path.sink());
  const saltus::TrajectoryError error = saltus::compare(path, *ball.reference);
  fmt::print("{}: {} steps, {} events\n", result.message, result.stats.steps, path.events().size());
  fmt::print("largest error of q {:.1e}, graph distance of u {:.1e}\n", error.q_sup, error.u_hausdorff);
  return result.status == saltus::RunStatus::finished && error.q_sup < 5e-3 ? 0 : 1;
}
