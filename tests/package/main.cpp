// Uses an installed saltus as a stranger would: a ball that bounces to rest, compared with its closed form.
#include <fmt/core.h>

#include <saltus/saltus.hpp>

int main() try {
  const saltus::CatalogProblem ball = saltus::make_problem("bouncing-ball", {{"e", "0.5"}}, 5);
  saltus::Trajectory path;
  const auto result =
      saltus::run(ball.problem, {saltus::MoreauJean{}, saltus::FixedSteps{5.0 / 3170}}, path.sink());
  const saltus::TrajectoryError error = saltus::compare(path, *ball.reference);
  fmt::print("{}, largest error of q {:.1e}\n", result.message, error.q_sup);
  if (result.status != saltus::RunStatus::finished || path.size() != 3171) return 1;
  if (!(error.q_sup < 5e-3) || path.events().empty()) return 1;

  try {  // mistakes come back as exceptions of the library's own type
    saltus::make_problem("bouncing-ball", {{"e", "1.5"}});
  } catch (const saltus::Error&) {
    return 0;
  }
  return 1;
} catch (const saltus::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
