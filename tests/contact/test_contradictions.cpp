// What is called solved is solved in the problem's own velocities, whatever the impulses: contacts that
// contradict each other are never solved, and problems with large impulses but a solution still are.
#include <gtest/gtest.h>

#include <map>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"

namespace saltus::test_contradictions {
namespace {

using testing::Random;

using Posed = testing::SmallProblem;

std::vector<testing::NamedSolver> every_solver() {
  auto out = testing::all_solvers();
  out.push_back({"interior-point", InteriorPoint{}.tolerance, make_contact_solver(InteriorPoint{})});
  return out;
}

bool can_treat(const std::string& solver, const std::deque<Law>& laws) {
  return solver != "lemke" || std::all_of(laws.begin(), laws.end(), is_polyhedral);
}

// The largest velocity into a contact or of a joint, over max |c|, in more digits than the solvers have
double true_violation(const ContactProblem& p, const Vec& P) {
  const int n = p.rows();
  std::vector<double> G(static_cast<std::size_t>(n) * n);
  p.G.to_dense(G.data());
  long double worst = 0, free = 0;
  for (int i = 0; i < p.blocks(); ++i)
    for (int k = p.G.offset(i); k < p.G.offset(i + 1); ++k) {
      long double y = p.c[k];
      for (int j = 0; j < n; ++j)
        y += static_cast<long double>(G[static_cast<std::size_t>(k) * n + j]) * P[j];
      free = std::max(free, std::abs(static_cast<long double>(p.c[k])));
      if (std::holds_alternative<Equality>(*p.laws[i])) worst = std::max(worst, std::abs(y));
      if (needs_closed_gap(*p.laws[i]) && k == p.G.offset(i)) worst = std::max(worst, -y);
    }
  return static_cast<double>(worst / free);
}

// A mass between a floor and a press; speeds over many decades, next to gravity and alone.
TEST(Contradictions, APressOnAFloorIsNeverSolvedAndNamed) {
  for (auto& [name, tolerance, solver] : every_solver())
    for (const double speed : {1e-6, 1e-3, 1.0, 1e6})
      for (const double fall : {0.0, 0.5 * speed, 9.81e-3}) {
        Posed p({Unilateral{}, Unilateral{}}, {1, -1, -1, 1}, {-fall, -speed + fall});
        for (const double guess : {0.0, 1.0, 1e12}) {
          Vec P = Vec::Constant(2, guess);
          const SolveReport r = solver->solve(p.problem, P);
          EXPECT_FALSE(r.solved) << name << " " << speed << " " << fall << " " << guess << " P " << P[0];
          EXPECT_TRUE(r.contradictory) << name << " " << speed << " " << fall << " " << guess;
          EXPECT_EQ(r.worst_block + r.rival_block, 1) << name;
        }
      }
}

TEST(Contradictions, AJointAgainstAJointIsNeverSolved) {
  for (auto& [name, tolerance, solver] : every_solver()) {
    Posed p({Equality{}, Equality{}}, {2, 2, 2, 2}, {-1, 1});
    Vec P = Vec::Zero(2);
    EXPECT_FALSE(solver->solve(p.problem, P).solved) << name;
    Posed same({Equality{}, Equality{}}, {2, 2, 2, 2}, {-1, -1});  // redundant, and consistent
    P.setZero();
    EXPECT_TRUE(solver->solve(same.problem, P).solved) << name;
  }
}

// Rows that nothing moves: any impulse absorbs y in P − ρ y.
TEST(Contradictions, ContactsThatNothingMovesAreNotSolvedByHugeImpulses) {
  for (auto& [name, tolerance, solver] : every_solver())
    for (const double guess : {0.0, 1e3, 1e19}) {
      std::vector<double> G(36, 0.0);
      G[4 * 6 + 4] = G[5 * 6 + 5] = 1;
      Posed p({Coulomb{0.5}, Coulomb{0.5}, Coulomb{0.5}}, G, {-1, 0, -1, 0, -1, 0});
      Vec P = Vec::Constant(6, guess);
      const SolveReport r = solver->solve(p.problem, P);
      EXPECT_FALSE(r.solved) << name << " " << guess;
      EXPECT_TRUE(r.immovable) << name << " " << guess;
      EXPECT_GT(natural_residual(p.problem, Vec::Constant(6, 1e19)), 1e-3);
    }
}

// Farkas: a last normal w = −Σ α_i w_i closes the others, and Σ α_i c_i + c < 0.
Posed impossible(Random& random, bool friction) {
  const int n = 2 + random.below(8), dofs = 2 + random.below(6), tangents = friction ? 1 : 0;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(dofs, (1 + tangents) * n);
  Vec c(W.cols());
  double sum = 0, weight = 0;
  Vec last = Vec::Zero(dofs);
  for (int i = 0; i < n; ++i) {
    const int at = i * (1 + tangents);
    for (int k = at; k <= at + tangents; ++k) {
      for (int d = 0; d < dofs; ++d) W(d, k) = random.uniform(-1, 1);
      c[k] = random.uniform(-1, 1);
    }
    if (i == n - 1) break;
    const double alpha = random.uniform(0.1, 1);
    last -= alpha * W.col(at);
    sum += alpha * c[at], weight += alpha;
  }
  const int at = (n - 1) * (1 + tangents);
  W.col(at) = last;
  c[at] = -sum - std::pow(10, random.uniform(-3, 0)) * (1 + weight);
  Vec mass(dofs);
  for (double& m : mass) m = std::pow(10, random.uniform(-2, 2));
  const Eigen::MatrixXd G = W.transpose() * mass.cwiseInverse().asDiagonal() * W;
  std::vector<double> values(static_cast<std::size_t>(G.size()));
  for (int i = 0; i < G.rows(); ++i)
    for (int j = 0; j < G.cols(); ++j) values[static_cast<std::size_t>(i * G.cols() + j)] = G(i, j);
  const Law law = friction ? Law(Coulomb{0.4}) : Law(Unilateral{});
  return {std::vector<Law>(n, law), values, {c.begin(), c.end()}};
}

TEST(Contradictions, NoSolverSolvesWhatFarkasForbids) {
  Random random(5);
  auto solvers = every_solver();
  for (int trial = 0; trial < 60; ++trial) {
    Posed p = impossible(random, trial % 3 == 2);
    for (auto& [name, tolerance, solver] : solvers) {
      if (!can_treat(name, p.laws)) continue;
      for (const double guess : {0.0, 1e9}) {
        Vec P = Vec::Constant(p.problem.rows(), guess);
        EXPECT_FALSE(solver->solve(p.problem, P).solved) << name << " on " << trial << " from " << guess;
      }
    }
  }
}

// Known solutions: c = y − G P with y ⊥ P. Masses up to sixteen decades apart, contacts given twice.
Posed possible(Random& random) {
  const int n = 1 + random.below(10), dofs = 1 + random.below(8);
  const double spread = random.uniform(0, 8);
  Eigen::MatrixXd W(dofs, n);
  Vec P(n), y(n);
  for (int i = 0; i < n; ++i) {
    const bool again = i > 0 && random.uniform() < 0.3, closed = random.uniform() < 0.6;
    for (int d = 0; d < dofs; ++d) W(d, i) = again ? W(d, i - 1) : random.uniform(-1, 1);
    P[i] = closed ? std::pow(10, random.uniform(-spread, spread)) : 0;
    y[i] = closed ? 0 : random.uniform(0, 1);
    if (again && (P[i] > 0) != (P[i - 1] > 0)) P[i] = P[i - 1], y[i] = y[i - 1];
    if (again && P[i] == 0) y[i] = y[i - 1];
  }
  Vec mass(dofs);
  for (double& m : mass) m = std::pow(10, random.uniform(-spread, spread));
  const Eigen::MatrixXd G = W.transpose() * mass.cwiseInverse().asDiagonal() * W;
  const Vec c = y - G * P;
  std::vector<double> values(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) values[static_cast<std::size_t>(i * n + j)] = G(i, j);
  return {std::vector<Law>(n, Unilateral{}), values, {c.begin(), c.end()}};
}

TEST(Contradictions, WhatIsSolvedIsSolvedInTheProblemsOwnVelocities) {
  Random random(9);
  std::map<std::string, int> solved;
  auto solvers = every_solver();
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    Posed p = possible(random);
    for (auto& [name, tolerance, solver] : solvers) {
      Vec P = Vec::Zero(p.problem.rows());
      if (!solver->solve(p.problem, P).solved) continue;
      ++solved[name];
      EXPECT_LE(true_violation(p.problem, P), std::max(1e-6, 100 * tolerance)) << name << " on " << trial;
    }
  }
  for (const auto& [name, count] : solved) RecordProperty(name, count);
  EXPECT_GE(solved["automatic"], trials * 97 / 100);
  EXPECT_GE(solved["lemke"], trials * 9 / 10);
}

// A heavy ball on light ones: what the lowest contact carries is the mass ratio times what it moves.
TEST(Contradictions, HeavyOnLightIsSolved) {
  for (const double ratio : {1e2, 1e4, 1e6, 1e8})
    for (const int n : {2, 5}) {
      std::vector<double> G(static_cast<std::size_t>(n) * n, 0.0), c(n, 0.0), inverse(n, 1.0);
      inverse.back() = 1 / ratio;
      for (int i = 0; i < n; ++i) {  // contact i is below ball i
        G[i * n + i] = inverse[i] + (i > 0 ? inverse[i - 1] : 0);
        if (i > 0) G[i * n + i - 1] = G[(i - 1) * n + i] = -inverse[i - 1];
      }
      c[0] = -9.81e-3;
      Posed p(std::vector<Law>(n, Unilateral{}), G, c);
      for (auto& [name, tolerance, solver] : every_solver()) {
        if (name == "psor" || name == "pjor") continue;  // need as many sweeps as the ratio
        Vec P = Vec::Zero(n);
        const SolveReport r = solver->solve(p.problem, P);
        EXPECT_TRUE(r.solved) << name << " " << ratio << " " << n << " " << r.residual;
        EXPECT_NEAR(P[n - 1] / (9.81e-3 * ratio), 1, 1e-6) << name << " " << ratio << " " << n;
      }
    }
}

}  // namespace
}  // namespace saltus::test_contradictions
