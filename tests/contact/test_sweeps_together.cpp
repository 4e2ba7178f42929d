// Large problems are swept strip by strip, several sweeps at a time, by a team or without one.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/contact/solvers.hpp"
#include "saltus/core/threads/worker_team.hpp"

namespace saltus::test_sweeps_together {
namespace {

// Contacts with friction in a row, each coupled with the two beside it.
struct Row {
  Law law = Coulomb{0.3};
  ContactProblem problem;

  explicit Row(int n) {
    const double diagonal[] = {2, 0.1, 0.1, 2}, beside[] = {-0.8, 0.05, -0.02, -0.7},
                 back[] = {-0.8, -0.02, 0.05, -0.7};
    std::vector<Delassus::GivenBlock> blocks;
    for (int i = 0; i < n; ++i) {
      blocks.push_back({i, i, diagonal});
      if (i + 1 < n) blocks.push_back({i, i + 1, beside}), blocks.push_back({i + 1, i, back});
    }
    problem.G.build_blocks(blocks, std::vector<int>(static_cast<std::size_t>(n), 2));
    problem.laws.assign(static_cast<std::size_t>(n), &law);
    problem.c.resize(2 * n);
    for (int i = 0; i < n; ++i)
      problem.c[2 * i] = std::sin(0.1 * i) - 0.3, problem.c[2 * i + 1] = std::cos(0.7 * i);
    problem.dt = 1;
  }
};

TEST(SweepsTogether, AreThoseOneByOneWhateverTheTeam) {
  Row row(3000);
  detail::Steps steps;
  steps.update(row.problem);
  const auto sweep = [&](int calls, int count, double& change) {
    detail::Sweeps sweeps;
    sweeps.prepare(row.problem, steps, 1.2);
    Vec P = Vec::Zero(row.problem.rows());
    sweeps.begin(P.data());
    for (int k = 0; k < calls; ++k) change = sweeps.sweep(row.problem, steps, P.data(), count);
    sweeps.end(P.data());
    return P;
  };
  detail::Sweeps sweeps;
  sweeps.prepare(row.problem, steps, 1.2);
  const int together = sweeps.together(1'000'000);
  ASSERT_GT(together, 1);
  EXPECT_EQ(sweeps.together(0), 1);
  double change = 0, other = 0;
  const Vec P = sweep(3 * together, 1, change);
  EXPECT_GT(P.lpNorm<Eigen::Infinity>(), 0.1);
  EXPECT_EQ(sweep(3, together, other), P);
  EXPECT_EQ(other, change);
  for (const int threads : {2, 3, 8}) {
    const TeamOfThread team(threads);
    EXPECT_EQ(sweep(3 * together, 1, other), P) << threads;
    EXPECT_EQ(sweep(3, together, other), P) << threads;
    EXPECT_EQ(other, change);
  }
}

TEST(SweepsTogether, TheLimitOfSweepsHolds) {
  Row row(3000), small(50);
  for (Row* r : {&row, &small}) {
    Vec P = Vec::Zero(r->problem.rows());
    const SolveReport report = make_contact_solver(Psor{1e-10, 1, 10'000})->solve(r->problem, P);
    EXPECT_TRUE(report.solved);
    Vec few = Vec::Zero(r->problem.rows());
    EXPECT_EQ(make_contact_solver(Psor{1e-30, 1, 37})->solve(r->problem, few).iterations, 37);
  }
}

TEST(SweepsTogether, WhatIsNotANumberIsReported) {
  Row row(3000);
  row.problem.c[3001] = std::nan("");
  Vec P = Vec::Zero(row.problem.rows());
  const SolveReport report = make_contact_solver(Psor{})->solve(row.problem, P);
  EXPECT_FALSE(report.solved);
}

}  // namespace
}  // namespace saltus::test_sweeps_together
