// The five solvers on problems whose solution is known by hand, and what they promise besides: warm starts,
// no allocation, the same bits twice, honest reports.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"
#include "saltus/core/error.hpp"
#include "support/allocations.hpp"

namespace saltus::test_solvers {
namespace {

using testing::all_solvers;
using testing::SmallProblem;

// Every solver (that can) must find P, from zero and from a bad guess.
void expect_impulse(SmallProblem& s, const Vec& expected, double relative = 1e-8) {
  for (auto& [name, tolerance, solver] : all_solvers()) {
    if (name == "lemke" && !std::all_of(s.laws.begin(), s.laws.end(), is_polyhedral)) continue;
    for (const double guess : {0.0, 3.0}) {
      Vec P = Vec::Constant(expected.size(), guess);
      const SolveReport r = solver->solve(s.problem, P);
      EXPECT_TRUE(r.solved) << name << " residual " << r.residual;
      EXPECT_LE(natural_residual(s.problem, P), tolerance) << name;
      EXPECT_LE((P - expected).norm(), relative * (1 + expected.norm())) << name << ": " << P.transpose();
    }
  }
}

TEST(ClosedForm, BallOnTheFloor) {
  SmallProblem lands({Unilateral{0.5}}, {1 / 2.0}, {-3});
  expect_impulse(lands, Vec::Constant(1, 6));
  SmallProblem leaves({Unilateral{0.5}}, {1 / 2.0}, {3});
  expect_impulse(leaves, Vec::Zero(1));
  SmallProblem rests({Unilateral{0.5}}, {1 / 2.0}, {0});
  expect_impulse(rests, Vec::Zero(1));
}

TEST(ClosedForm, OneRowOfEachLaw) {
  SmallProblem joint({Equality{1}}, {4}, {2});
  expect_impulse(joint, Vec::Constant(1, -0.5));
  SmallProblem held({Relay{-3, 2}}, {4}, {2}, 0.5);
  expect_impulse(held, Vec::Constant(1, -0.5));
  SmallProblem slips({Relay{-3, 2}}, {4}, {-20}, 0.5);
  expect_impulse(slips, Vec::Constant(1, 1));
  SmallProblem slips_down({Relay{-3, 2}}, {4}, {20}, 0.5);
  expect_impulse(slips_down, Vec::Constant(1, -1.5));
}

TEST(ClosedForm, TwoStackedBalls) {
  // masses 1 and 2, weight for a step of 0.3 s at 9.81: the floor carries both, the contact above it one
  const double m1 = 1, m2 = 2, v = 9.81 * 0.3;
  const std::vector<double> G = {1 / m1, -1 / m1, -1 / m1, 1 / m1 + 1 / m2};
  SmallProblem rest({Unilateral{}, Unilateral{}}, G, {-v, 0});
  expect_impulse(rest, Vec{{(m1 + m2) * v, m2 * v}});
  SmallProblem parts({Unilateral{}, Unilateral{}}, G, {-v, v});  // the upper one flies off
  expect_impulse(parts, Vec{{m1 * v, 0}});
  SmallProblem flies({Unilateral{}, Unilateral{}}, G, {2 * v, -v});  // both up, the lower one faster
  expect_impulse(flies, Vec{{0, v / (1 / m1 + 1 / m2)}});
}

TEST(ClosedForm, SmallComplementarityProblems) {
  SmallProblem a({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-5, -6});
  expect_impulse(a, Vec{{4 / 3.0, 7 / 3.0}});
  SmallProblem b({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-1, -6});  // unconstrained P₁ would be negative
  expect_impulse(b, Vec{{0, 3}});
  SmallProblem c({Unilateral{}, Unilateral{}, Unilateral{}}, {4, -1, 0, -1, 4, -1, 0, -1, 4}, {-3, 9, -4});
  expect_impulse(c, Vec{{0.75, 0, 1}});
}

// A block of mass m pressed on an incline: rows are its own velocities, so G = 1/m on the diagonal.
TEST(ClosedForm, BlockOnAnIncline) {
  const double m = 3, h = 0.1, slope = 30 * std::numbers::pi / 180;
  const double into = 9.81 * h * std::cos(slope), along = 9.81 * h * std::sin(slope);
  for (const double mu : {0.1, 0.3, 0.57, 0.58, 0.9}) {
    const bool sticks = mu >= std::tan(slope);
    const double PN = m * into, PT = sticks ? -m * along : -mu * PN;
    SmallProblem plane({Coulomb{mu, 0, 0, 1}}, {1 / m, 0, 0, 1 / m}, {-into, along});
    expect_impulse(plane, Vec{{PN, PT}});
    const double a = 0.6, b = 0.8;  // the way down, seen from tangents turned against it
    SmallProblem space({Coulomb{mu, 0, 0, 2}}, {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m},
                       {-into, a * along, b * along});
    expect_impulse(space, Vec{{PN, a * PT, b * PT}});
  }
}

TEST(ClosedForm, StickingIsExact) {
  SmallProblem s(
      {Coulomb{0.9, 0, 0, 1}, Coulomb{0.9, 0, 0, 2}},
      {2, 0.1, 0.3, 0, 0, 0.1, 3, 0, 0.2, 0, 0.3, 0, 2, 0.1, 0, 0, 0.2, 0.1, 4, 0.1, 0, 0, 0, 0.1, 3},
      {-2, 0.5, -3, 0.7, 0.2});
  for (const SolverSpec& spec : {SolverSpec(AutomaticSolver{}), SolverSpec(SemismoothNewton{})}) {
    Vec P = Vec::Zero(5);
    const SolveReport r = make_contact_solver(spec)->solve(s.problem, P);
    EXPECT_LE(r.residual, 1e-15);
    EXPECT_LE(s.y(P).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(ClosedForm, ContactWithCoupledRows) {
  // a rod's tip: G_NT ≠ 0; slipping forward, P_T = −μ P_N, P_N = −c_N / (G_NN − μ G_NT)
  SmallProblem s({Coulomb{0.3, 0, 0, 1}}, {2, 0.8, 0.8, 1.5}, {-1, 2});
  const double PN = 1 / (2 - 0.3 * 0.8);
  expect_impulse(s, Vec{{PN, -0.3 * PN}});
}

TEST(ClosedForm, ThreePointSupport) {
  // a plank (mass 1, inertia 1/12) on supports at −1/2, 0, 1/2: one too many; y is unique, P is not
  const double x[] = {-0.5, 0, 0.5}, v = 0.981;
  std::vector<double> G, c(3, -v);
  for (const double a : x)
    for (const double b : x) G.push_back(1 + 12 * a * b);
  SmallProblem s({Unilateral{}, Unilateral{}, Unilateral{}}, G, c);
  for (auto& [name, tolerance, solver] : all_solvers()) {
    Vec P = Vec::Zero(3);
    const SolveReport r = solver->solve(s.problem, P);
    EXPECT_TRUE(r.solved) << name;
    EXPECT_NEAR(P.sum(), v, 1e-9) << name;
    EXPECT_NEAR(P[2] - P[0], 0, 1e-9) << name;
    EXPECT_GE(P.minCoeff(), 0) << name;
    EXPECT_LE(s.y(P).norm(), 1e-9) << name;
  }
}

TEST(ClosedForm, JointAndContactTogether) {
  SmallProblem s({Equality{2}, Unilateral{}}, {2, 0, 1, 0, 2, 0, 1, 0, 2}, {1, -1, -4});
  // P₃ = 3 solves y₃ = 0 with P₁ = −(1 + P₃)/2; P₂ = 1/2
  expect_impulse(s, Vec{{-2, 0.5, 3}});
}

TEST(ClosedForm, UserLaw) {
  class Disc final : public LawInterface {  // two rows in a disc of radius 1 around (1, 0)
   public:
    int rows() const override { return 2; }
    void prox(double, Block& x) const override {
      x[0] -= 1;
      if (x.norm() > 1) x.normalize();
      x[0] += 1;
    }
    void prox_jacobian(double, const Block& x, BlockMatrix& J) const override {
      const Block z{{x[0] - 1, x[1]}};
      J.setIdentity();
      if (z.norm() > 1) J = ((J - z * z.transpose() / z.squaredNorm()) / z.norm()).eval();
    }
    Mode mode(double, const Block&, const Block&) const override { return Mode::closed; }
  };
  const auto disc = std::make_shared<Disc>();
  SmallProblem inner({UserLaw{disc}, Unilateral{}}, {2, 0, 0, 0, 2, 0, 0, 0, 1}, {-2, -1, -3});
  expect_impulse(inner, Vec{{1, 0.5, 3}});
  SmallProblem edge({UserLaw{disc}, Unilateral{}}, {2, 0, 0, 0, 2, 0, 0, 0, 1}, {-8, -8, -3});
  expect_impulse(edge, Vec{{1.6, 0.8, 3}});  // (4, 4) drawn to the circle: direction (3, 4)/5 … from (1, 0)
}

TEST(Degenerate, NoRows) {
  for (auto& [name, tolerance, solver] : all_solvers()) {
    ContactProblem empty;
    Vec P(0);
    const SolveReport r = solver->solve(empty, P);
    EXPECT_TRUE(r.solved) << name;
    EXPECT_EQ(r.residual, 0) << name;
  }
}

TEST(Degenerate, ContactOfFixedBodies) {
  for (auto& [name, tolerance, solver] : all_solvers()) {
    SmallProblem apart({Unilateral{}, Unilateral{}}, {0, 0, 0, 2}, {1, -4});
    Vec P = Vec::Constant(2, 5);
    EXPECT_TRUE(solver->solve(apart.problem, P).solved) << name;
    EXPECT_LE((P - Vec{{0, 2}}).norm(), 1e-8) << name;
    SmallProblem crossed({Unilateral{}, Unilateral{}}, {0, 0, 0, 2}, {-1, -4});  // nothing can help
    P.setZero();
    const SolveReport r = solver->solve(crossed.problem, P);
    EXPECT_FALSE(r.solved) << name;
    EXPECT_GT(r.residual, 0.1) << name;
    if (name != "lemke") {  // which gives the guess back
      EXPECT_EQ(r.worst_block, 0) << name;
    }
    SmallProblem friction({Coulomb{0.5, 0, 0, 1}, Relay{-1, 1}, Unilateral{}},
                          {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}, {1, 1, -3, -4});
    P = Vec::Zero(4);
    EXPECT_TRUE(solver->solve(friction.problem, P).solved) << name;
    EXPECT_LE((P - Vec{{0, 0, 1, 2}}).norm(), 1e-8) << name;
  }
}

TEST(Degenerate, RepeatedContacts) {
  for (auto& [name, tolerance, solver] : all_solvers()) {
    SmallProblem s({Unilateral{}, Unilateral{}, Unilateral{}}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {-3, -3, -2});
    Vec P = Vec::Zero(3);
    EXPECT_TRUE(solver->solve(s.problem, P).solved) << name;
    EXPECT_NEAR(P.sum(), 3, 1e-9) << name;
    EXPECT_NEAR(P[2], 0, 1e-9) << name;
  }
}

TEST(Degenerate, JacobiWithTheDiagonalWouldSwing) {
  // ρ = 1/G_ii gives (1, 1), then (0, 0), then (1, 1) … for a body held by the same contact twice
  SmallProblem s({Unilateral{}, Unilateral{}}, {1, 1, 1, 1}, {-1, -1});
  Vec P = Vec::Zero(2);
  const SolveReport r = make_contact_solver(Pjor{})->solve(s.problem, P);
  EXPECT_TRUE(r.solved);
  EXPECT_NEAR(P.sum(), 1, 1e-10);
}

TEST(Degenerate, JointsThatContradictEachOtherAreNotSolved) {
  for (auto& [name, tolerance, solver] : all_solvers()) {
    SmallProblem s({Equality{1}, Equality{1}}, {1, 1, 1, 1}, {1, -1});
    Vec P = Vec::Zero(2);
    const SolveReport r = solver->solve(s.problem, P);
    EXPECT_FALSE(r.solved) << name;
    EXPECT_TRUE(P.allFinite()) << name;
    EXPECT_DOUBLE_EQ(r.residual, natural_residual(s.problem, P)) << name;
  }
}

TEST(Degenerate, NotANumber) {
  for (const double bad : {std::nan(""), infinity})
    for (auto& [name, tolerance, solver] : all_solvers()) {
      SmallProblem in_c({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-1, bad});
      SmallProblem in_G({Unilateral{}, Unilateral{}}, {2, bad, bad, 2}, {-1, -1});
      SmallProblem single({Unilateral{}}, {2}, {bad});
      for (SmallProblem* s : {&in_c, &in_G, &single}) {
        Vec P = Vec::Zero(s->problem.rows());
        const SolveReport r = solver->solve(s->problem, P);
        EXPECT_FALSE(r.solved) << name;
        EXPECT_TRUE(std::isnan(r.residual)) << name;
      }
      SmallProblem fine({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-5, -6});
      Vec P = Vec::Constant(2, bad);  // a guess that is none
      EXPECT_TRUE(solver->solve(fine.problem, P).solved) << name;
      EXPECT_NEAR(P[0], 4 / 3.0, 1e-8) << name;
    }
}

TEST(Errors, AreNamed) {
  SmallProblem s({Unilateral{}, Unilateral{}}, {2, 1, 1, 2}, {-5, -6});
  for (auto& [name, tolerance, solver] : all_solvers()) {
    Vec P = Vec::Zero(3);
    EXPECT_THROW(solver->solve(s.problem, P), Error) << name;
  }
  Psor psor;
  psor.relaxation = 2;
  EXPECT_THROW(make_contact_solver(psor), Error);
  SmallProblem space({Coulomb{0.3, 0, 0, 2}}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0});
  Vec P = Vec::Zero(3);
  try {
    make_contact_solver(Lemke{})->solve(space.problem, P);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("coulomb"), std::string::npos) << e.what();
  }
  SmallProblem smooth({Coulomb{0, 0, 0, 2}}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 2, 3});
  EXPECT_TRUE(make_contact_solver(Lemke{})->solve(smooth.problem, P).solved);
  EXPECT_LE((P - Vec{{1, 0, 0}}).norm(), 1e-14);
}

TEST(WarmStart, SavesIterations) {
  for (const int index : {12, 131, 245, 333, 451, 633, 771, 845}) {
    testing::RandomProblem r = testing::random_problem(index);
    for (auto& [name, tolerance, solver] : all_solvers()) {
      if (name == "lemke" && !r.polyhedral()) continue;
      Vec P = Vec::Zero(r.problem.rows());
      const SolveReport cold = solver->solve(r.problem, P);
      if (!cold.solved || cold.iterations == 0) continue;
      EXPECT_LT(solver->solve(r.problem, P).iterations, cold.iterations) << name << " on " << index;
    }
  }
}

TEST(Forms, GiveTheSameResult) {
  for (const int index : {12, 131, 245, 333, 451, 551, 633, 771, 845, 925}) {
    testing::RandomProblem r = testing::random_problem(index);
    for (auto& [name, tolerance, solver] : all_solvers()) {
      if (name == "lemke" && !r.polyhedral()) continue;
      Vec first;
      for (const auto form : {Delassus::Form::dense, Delassus::Form::sparse, Delassus::Form::product}) {
        r.build(form);
        Vec P = Vec::Zero(r.problem.rows()), y(P.size());
        const SolveReport report = solver->solve(r.problem, P);
        if (!report.solved) break;
        r.problem.G.apply(P.data(), y.data());
        if (first.size() == 0) first = y;
        EXPECT_LE((y - first).cwiseAbs().maxCoeff(), 1e-6 * (1 + y.cwiseAbs().maxCoeff()))
            << name << " " << index;
      }
    }
  }
}

TEST(Reports, AreTheSameBitsTwice) {
  for (int index = 5; index < testing::problem_count; index += 97) {
    testing::RandomProblem a = testing::random_problem(index), b = testing::random_problem(index);
    auto fresh = all_solvers(), used = all_solvers();
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      if (fresh[k].name == "lemke" && !a.polyhedral()) continue;
      testing::RandomProblem other = testing::random_problem((index + 300) % 600);
      Vec dirt = Vec::Zero(other.problem.rows());
      if (fresh[k].name != "lemke" || other.polyhedral()) used[k].solver->solve(other.problem, dirt);
      Vec P = Vec::Zero(a.problem.rows()), Q = P, again = P;
      const SolveReport r = fresh[k].solver->solve(a.problem, P), s = used[k].solver->solve(b.problem, Q);
      EXPECT_EQ(P, Q) << fresh[k].name << " " << index;
      EXPECT_EQ(r.iterations, s.iterations);
      EXPECT_EQ(r.residual, s.residual);
      used[k].solver->solve(b.problem, again);  // the same operator again: factors kept
      EXPECT_EQ(P, again) << fresh[k].name << " " << index;
    }
  }
}

TEST(Memory, IsNotAllocatedOnceWarm) {
#if SALTUS_COUNTS_ALLOCATIONS
  const std::size_t start = testing::allocations();
  std::make_unique<std::vector<int>>(1000)->push_back(1);
  ASSERT_GT(testing::allocations(), start) << "the counter does not count";
  for (const int index : {12, 131, 245, 333, 451, 551, 633, 771, 845, 925}) {
    testing::RandomProblem r = testing::random_problem(index);
    for (auto& [name, tolerance, solver] : all_solvers()) {
      if (name == "lemke" && !r.polyhedral()) continue;
      Vec P = Vec::Zero(r.problem.rows());
      std::size_t before = 0;
      for (int round = 0; round < 3; ++round) {
        if (round == 2) before = testing::allocations();
        P.setZero();
        r.build();
        solver->solve(r.problem, P);
        solver->solve(r.problem, P);
      }
      EXPECT_EQ(testing::allocations(), before) << name << " on " << index;
    }
  }
#else
  GTEST_SKIP() << "another allocator is at work";
#endif
}

}  // namespace
}  // namespace saltus::test_solvers
