// Errors of one step of Moreau's scheme over an impact, around an accumulation, and in sliding contact on a
// sphere.
#include <cmath>

#include "saltus/catalog/bead_on_sphere.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"
#include "saltus/study/convergence.hpp"
#include "support/problems.hpp"

namespace saltus::test_moreau_local {
namespace {

using testing::expect_golden, testing::golden, testing::golden_ids;

// Local errors of one step over an impact, corrected (25)/(26).
TEST(MoreauJean, LocalErrorsAreThoseOfTheCorrectedFormulas) {
  for (const auto& id : golden_ids("local-th")) {
    const auto& g = golden(id);
    const auto& p = g["parameters"];
    BouncingBall ball;
    ball.f = p["f"], ball.e = p["rho"], ball.q0 = p["q_k"], ball.v0 = p["v_k"];
    const double h = p["h"];
    const CatalogProblem problem = ball.build(1);
    Vec q, u;
    problem.reference->state(h, Side::right, q, u);
    for (const bool hit : {true, false}) {
      // γ = 1 predicts this impact; γ = 0 misses it
      const auto stepper =
          make_stepper(MoreauJean{p["theta"], hit ? 1.0 : 0.0}, *problem.problem.system, AutomaticSolver{});
      const State x0 = stepper->start(0, problem.problem.q0, problem.problem.u0);
      State x1 = x0;
      stepper->step(x0, h, x1);
      expect_golden(g, u[0] - x1.u[0], g["expected"][hit ? "ev_hit" : "ev_missed"]);
      expect_golden(g, q[0] - x1.q[0], g["expected"][hit ? "eq_hit" : "eq_missed"]);
    }
  }
}

// (27), corrected: the step [3 − h, 3 + h] around the ball's accumulation, predicted by γ = 1 and missed by γ
// = 0.
TEST(MoreauJean, TheStepOverAnAccumulationErrsByOrderH) {
  const auto& g = golden("local-27");
  const double h = g["parameters"]["h"];
  const CatalogProblem ball = BouncingBall{}.build(5);
  Vec q, u;
  ball.reference->state(3 - h, Side::right, q, u);
  for (const bool hit : {true, false}) {
    const auto stepper =
        make_stepper(MoreauJean{1, hit ? 1.0 : 0.0}, *ball.problem.system, AutomaticSolver{});
    const State x0 = stepper->start(3 - h, q, u);
    State x1 = x0;
    stepper->step(x0, 2 * h, x1);
    expect_golden(g, -x1.u[0], g["expected"][hit ? 0 : 1]);
  }
}

// Lemma 1 is sharp: a velocity that jumps by 1 at the right (left) end of the step costs θ h (or (1 − θ) h)
// in q.
TEST(MoreauJean, TheQuadratureErrorOfAJumpHasTheConstantOfLemma1) {
  const auto& g = golden("lemma1");
  for (std::size_t i = 0; i < g["expected"].size(); ++i) {
    const double theta = g["parameters"]["theta"][i], h = 0.1;
    BouncingBall ball;
    ball.f = 0, ball.e = 0, ball.q0 = 0, ball.v0 = -1;  // one step takes −1 to 0
    const CatalogProblem problem = ball.build(1);
    const auto stepper = make_stepper(MoreauJean{theta, 1}, *problem.problem.system, AutomaticSolver{});
    const State x0 = stepper->start(0, Vec::Zero(1), Vec::Constant(1, -1));
    State x1 = x0;
    stepper->step(x0, h, x1);
    const double jump_right = std::abs(-h - x1.q[0]) / h, jump_left = std::abs(0 - x1.q[0]) / h;
    expect_golden(g, std::max(jump_right, jump_left), g["expected"][i]);
  }
}

// Proposition 2: in sliding contact the velocity has local order 2 for θ = 1 only, once the direction turns.
TEST(MoreauJean, LocalOrdersInSlidingContactAreThoseOfProposition2) {
  const auto& g = golden("prop2-local-order");
  const BeadOnSphere bead;
  const Problem p = bead.problem(1);
  const Vec start = bead.sliding(0.3);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> hs, e_q, e_v;
    for (int j = 3; j <= 8; ++j) {
      const double h = 0.2 * std::pow(2.0, -j);
      MoreauJeanStepper stepper(static_cast<const System&>(*p.system), {g["parameters"]["theta"][i], 0},
                                AutomaticSolver{});
      const std::uint64_t forced[] = {0};
      stepper.force(forced);
      const State x0 = stepper.start(0.3, start.head(2), start.tail(2));
      State x1 = x0;
      stepper.step(x0, h, x1);
      const Vec exact = bead.sliding(0.3 + h);
      hs.push_back(h);
      e_q.push_back((exact.head(2) - x1.q).norm());
      e_v.push_back((exact.tail(2) - x1.u).norm());
    }
    expect_golden(g, fitted_order(hs, e_q), g["expected"][i][0], "q");
    expect_golden(g, fitted_order(hs, e_v), g["expected"][i][1], "v");
  }
}

}  // namespace
}  // namespace saltus::test_moreau_local
