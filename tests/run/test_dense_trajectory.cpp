// Trajectories of runs by tolerance: states at any time, from the dense output of the steps.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/catalog/catalog.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/run/trajectory.hpp"

namespace saltus::test_dense_trajectory {
namespace {

struct Case {
  CatalogProblem p;
  Trajectory path;
  RunResult result;
};

Case run_case(const char* problem, double rtol, std::size_t limit = std::size_t{1} << 28) {
  Case c{make_problem(problem, {}), {}, {}};
  c.path.dense_limit = limit;
  c.result = run(c.p.problem, by_tolerance(rtol), c.path.sink());
  EXPECT_EQ(c.result.status, RunStatus::finished) << c.result.message;
  return c;
}

// Far from impacts, where a shift in time by the tolerance matters in proportion only.
double worst(const Case& c, double& largest) {
  double out = 0;
  Vec q, u;
  for (int k = 1; k < 1000; ++k) {
    const double t = c.p.problem.t0 + (c.p.problem.t_end - c.p.problem.t0) * (k + 0.1234567) / 1001;
    bool near = false;
    for (const Event& e : c.path.events()) near = near || std::abs(e.t - t) < 1e-4;
    if (near) continue;
    c.p.reference->state(t, Side::right, q, u);
    const auto x = c.path(t, Side::right);
    out = std::max({out, (x.q - q).lpNorm<Eigen::Infinity>(), (x.u - u).lpNorm<Eigen::Infinity>()});
    largest = std::max({largest, q.lpNorm<Eigen::Infinity>(), u.lpNorm<Eigen::Infinity>()});
  }
  return out;
}

TEST(DenseTrajectory, StatesBetweenStepsFollowTheTolerance) {
  for (const char* problem : {"bouncing-ball", "impact-oscillator", "pendulum"})
    for (const double rtol : {1e-4, 1e-6, 1e-9, 1e-11}) {
      const Case c = run_case(problem, rtol);
      double largest = 0;
      const double error = worst(c, largest);
      EXPECT_LT(error, 30 * rtol * largest) << problem << " at " << rtol;
      EXPECT_GT(c.path.pieces().size(), 1U);
    }
}

TEST(DenseTrajectory, BothLimitsAtAnImpactAreThere) {
  const Case c = run_case("bouncing-ball", 1e-9);
  ASSERT_FALSE(c.path.events().empty());
  int seen = 0;
  for (const Event& e : c.path.events()) {
    if (e.kind != EventKind::impact) continue;
    EXPECT_NEAR(c.path.u(e.t, Side::left)[0], e.u_minus[0], 1e-8);
    EXPECT_NEAR(c.path.u(e.t, Side::right)[0], e.u_plus[0], 1e-8);
    EXPECT_NEAR(c.path.q(e.t, Side::left)[0], 0, 1e-8);
    ++seen;
  }
  EXPECT_GT(seen, 10);
}

TEST(DenseTrajectory, PiecesFollowEachOtherWithoutHolesButOverImpacts) {
  const Case c = run_case("impact-oscillator", 1e-8);
  const auto& pieces = c.path.pieces();
  ASSERT_FALSE(pieces.empty());
  EXPECT_EQ(pieces.front().start, c.p.problem.t0);
  EXPECT_EQ(pieces.back().end, c.p.problem.t_end);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const double hole = pieces[i].start - pieces[i - 1].end;
    EXPECT_GE(hole, 0);
    if (hole == 0) continue;
    bool told = false;
    for (const Event& e : c.path.events())
      told = told || (e.t_before == pieces[i - 1].end && e.t == pieces[i].start);
    EXPECT_TRUE(told) << "nothing happened in the hole at t = " << pieces[i].start;
  }
}

TEST(DenseTrajectory, ALimitOfItsMemoryIsKeptAndTold) {
  const Case all = run_case("impact-oscillator", 1e-8);
  EXPECT_EQ(all.path.dense_until(), infinity);
  const Case some = run_case("impact-oscillator", 1e-8, 2000);
  EXPECT_LT(some.path.pieces().size(), all.path.pieces().size());
  EXPECT_GT(some.path.pieces().size(), 0U);
  EXPECT_EQ(some.path.dense_until(), all.path.pieces()[some.path.pieces().size()].start);
  const double late = 0.9 * some.p.problem.t_end;
  EXPECT_NEAR(some.path.q(late)[0], all.path.q(late)[0], 1e-2);  // samples joined linearly
  EXPECT_EQ(run_case("impact-oscillator", 1e-8, 0).path.pieces().size(), 0U);
}

TEST(DenseTrajectory, ChosenTimesHaveBothLimitsWhereVelocitiesJump) {
  const Case c = run_case("bouncing-ball", 1e-9);
  const double hit = c.path.events().front().t;
  const double times[] = {0.25, hit, 1.5};
  const Trajectory chosen = c.path.sampled(times);
  ASSERT_EQ(chosen.size(), 4);
  EXPECT_EQ(chosen.t(1), hit);
  EXPECT_EQ(chosen.t(2), hit);
  EXPECT_LT(chosen.u(1)[0], 0);
  EXPECT_GT(chosen.u(2)[0], 0);
  EXPECT_EQ(chosen.events().size(), c.path.events().size());
}

}  // namespace
}  // namespace saltus::test_dense_trajectory
