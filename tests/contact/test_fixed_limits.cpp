// Laws with fixed limits (relay, tresca, pre-stressed spring) in all solvers, the sweeps of PSOR and PJOR one
// by one against golden values, and what their stopping rule is for.
#include <gtest/gtest.h>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"
#include "support/errors.hpp"
#include "support/studer.hpp"

namespace saltus::test_fixed_limits {
namespace {

using testing::all_solvers, testing::SmallProblem, testing::studer, testing::numbers;

template <class Spec>
Vec after(Spec spec, int sweeps, SmallProblem& p) {
  spec.max_iterations = sweeps;
  Vec P = Vec::Zero(p.problem.rows());
  make_contact_solver(spec)->solve(p.problem, P);
  return P;
}

template <class Spec>
void expect_sweeps(const char* id, const Spec& spec, SmallProblem& p) {
  std::vector<double> all;
  for (std::size_t k = 1; k <= studer(id)["expected"].size(); ++k)
    for (double x : after(spec, static_cast<int>(k), p)) all.push_back(x);
  testing::expect_studer(id, all);
}

TEST(Sweeps, OfPsorAndPjorAreThoseOfThePaper) {
  SmallProblem pair({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-1, -1});
  expect_sweeps("C01_psor", Psor{}, pair);
  SmallProblem one_opens({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-1, -0.2});
  expect_sweeps("C02_pjor", Pjor{1e-10, 1.5}, one_opens);  // ω = 1.5 makes r = ω/Σ|G_ij| the 1/G_ii of (22)
  SmallProblem friction({Coulomb{0.5, 0, 0, 1}}, {1, 0.4, 0.4, 1}, {-1, 0.8});
  expect_sweeps("C05_psor_coulomb", Psor{}, friction);
}

TEST(Sweeps, OfPjorWithTheDiagonalGoInCirclesAndWithRowSumsConverge) {
  const std::vector<double> G = {1, 0.9, 0.9, 0.9, 1, 0.9, 0.9, 0.9, 1};
  SmallProblem p({Unilateral{}, Unilateral{}, Unilateral{}}, G, {-1, -1, -1});
  Vec P = Vec::Zero(3);
  std::vector<double> first;
  for (int k = 0; k < 4; ++k) {  // r_i = 1/G_ii, by hand
    const Vec y = p.y(P);
    for (int i = 0; i < 3; ++i) P[i] = std::max(0.0, P[i] - y[i]);
    first.push_back(P[0]);
  }
  testing::expect_studer("C03_pjor_2cycle", first);
  const Vec found = after(Pjor{}, 1, p);
  testing::expect_studer("C04_pjor_rowsum", {found[0], found[1], found[2]});
}

// Many random problems: contacts, joints and all laws with fixed limits. All solvers agree.
TEST(FixedLimits, AllSolversAgreeOnRandomProblems) {
  testing::Random random(5);
  for (int round = 0; round < 60; ++round) {
    const bool polyhedral = round % 2 == 0;
    std::vector<Law> laws;
    int n = 0;
    for (int k = 0; k < 5; ++k) {
      const double a = random.uniform(0, 2);
      switch (random.below(5)) {
        case 0:
          laws.push_back(Unilateral{});
          break;
        case 1:
          laws.push_back(Relay{-a, 0.5 * a});
          break;
        case 2:
          laws.push_back(PrestressedSpring{a});
          break;
        case 3:
          laws.push_back(Tresca{a, 0, 1});
          break;
        default:
          laws.push_back(Tresca{a, 0, polyhedral ? 1 : 2});
      }
      n += rows(laws.back());
    }
    Eigen::MatrixXd W(n, n + 2);
    for (double& x : W.reshaped()) x = random.uniform(-1, 1);
    const Eigen::MatrixXd G = W * W.transpose();
    std::vector<double> c(n);
    for (double& x : c) x = random.uniform(-3, 3);
    SmallProblem p(laws, std::vector<double>(G.data(), G.data() + G.size()), c, 0.5);
    Vec reference;
    for (auto& [name, tolerance, solver] : all_solvers()) {
      Vec P = Vec::Zero(n);
      if (name == "lemke" && !std::all_of(laws.begin(), laws.end(), is_polyhedral)) {
        const std::string said = testing::message_of([&, s = solver.get()] { s->solve(p.problem, P); });
        EXPECT_NE(said.find("tresca with two tangents"), std::string::npos) << said;
        continue;
      }
      const SolveReport report = solver->solve(p.problem, P);
      if (!report.solved && name == "pjor") continue;  // few sweeps in these tests
      EXPECT_TRUE(report.solved) << name << " in round " << round << ": " << report.residual;
      EXPECT_LE(natural_residual(p.problem, P), tolerance);
      if (reference.size() == 0) reference = P;
      EXPECT_LE((P - reference).lpNorm<Eigen::Infinity>(), 1e-6) << name << " in round " << round;
    }
  }
}

// In a step of 1e−10 s the impulses are 1e−10 of the velocities: a residual relative to those is no measure.
TEST(Sweeps, FindSmallImpulsesNextToLargeVelocities) {
  const double tiny = 1e-10;
  for (int sliding = 0; sliding < 2; ++sliding) {
    SmallProblem p({Unilateral{}, Unilateral{}, Tresca{0.3, 0, 1}}, {1, 0.5, 0.2, 0.5, 1, 0.1, 0.2, 0.1, 1},
                   {-tiny, -2 * tiny, sliding ? 0.7 : 0.0}, tiny);
    Vec exact = Vec::Zero(3);
    ASSERT_TRUE(make_contact_solver(SemismoothNewton{})->solve(p.problem, exact).solved);
    for (const SolverSpec& spec : {SolverSpec(Psor{}), SolverSpec(Pjor{})}) {
      Vec P = Vec::Zero(3);
      EXPECT_TRUE(make_contact_solver(spec)->solve(p.problem, P).solved);
      EXPECT_LE((P - exact).lpNorm<Eigen::Infinity>(), 1e-8 * tiny) << to_text(spec);
    }
  }
}

}  // namespace
}  // namespace saltus::test_fixed_limits
