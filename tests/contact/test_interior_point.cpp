// The interior-point method: hyperstatic piles with friction from a cold start, to the residual asked for, by
// the default solver; the folds of its path; its two linear systems; and that it tells the truth.
#include <gtest/gtest.h>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"
#include "saltus/contact/body_system.hpp"
#include "saltus/contact/interior_point.hpp"
#include "saltus/contact/lorentz.hpp"
#include "support/errors.hpp"
#include "support/friction_piles.hpp"

namespace saltus::test_interior_point {
namespace {

using testing::FrictionPile;

struct PileCase {
  const char* family;
  int n;
  double mu;
};
std::ostream& operator<<(std::ostream& out, const PileCase& c) {
  return out << c.family << "_" << c.n;
}
class Piles : public ::testing::TestWithParam<PileCase> {};

TEST_P(Piles, AreSolvedFromAColdStartByTheDefaultSolver) {
  const auto [family, n, mu] = GetParam();
  const FrictionProblem pile = FrictionPile::make(family, n, mu);
  ASSERT_GT(pile.rows(), 1.3 * static_cast<double>(pile.global->M.rows()));  // hyperstatic
  PosedFriction posed(pile);
  Vec P = Vec::Zero(posed.problem.rows());
  const SolveReport report = make_contact_solver(AutomaticSolver{})->solve(posed.problem, P);
  EXPECT_TRUE(report.solved) << report.residual;
  EXPECT_LE(posed.file_residual(P), 1e-8);
  EXPECT_LE(natural_residual(posed.problem, P), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, Piles,
                         ::testing::Values(PileCase{"pile2d", 5, 0.3}, PileCase{"pile2d", 8, 0.3},
                                           PileCase{"pile2d", 12, 0.3},  // its path has folds
                                           PileCase{"pile3d", 3, 0.3}, PileCase{"pile3d", 4, 0.3},
                                           PileCase{"pile3d", 6, 0.3}, PileCase{"wall3d", 3, 0.6},
                                           PileCase{"wall3d", 4, 0.6}, PileCase{"wall3d", 6, 0.6},
                                           PileCase{"wall3d", 10, 0.6}, PileCase{"rocks2d", 11, 0.2},
                                           PileCase{"rocks3d", 3, 0.1}, PileCase{"rocks3d", 5, 0.5}),
                         [](const auto& i) {
                           return std::string(i.param.family) + "_" + std::to_string(i.param.n);
                         });

// Its path has hundreds of folds, and comes down all the same.
TEST(InteriorPoint, ALongPathIsFollowedToItsEnd) {
  PosedFriction posed(FrictionPile::make("pile2d", 25, 0.3));
  Vec P = Vec::Zero(posed.problem.rows());
  const SolveReport report = solve_to_file_residual(posed, AutomaticSolver{}, 1e-8, P);
  EXPECT_TRUE(report.solved) << report.residual;
  EXPECT_LE(posed.file_residual(P), 1e-8);
}

TEST(InteriorPoint, OtherSeedsToo) {
  for (const std::uint64_t seed : {2, 3, 4, 5, 6})
    for (const PileCase c : {PileCase{"pile2d", 6, 0.3}, {"pile3d", 3, 0.5}, {"wall3d", 3, 0.2}}) {
      PosedFriction posed(FrictionPile::make(c.family, c.n, c.mu, seed));
      Vec P = Vec::Zero(posed.problem.rows());
      const SolveReport report = make_contact_solver(AutomaticSolver{})->solve(posed.problem, P);
      EXPECT_TRUE(report.solved) << c << " seed " << seed << ": " << report.residual;
      EXPECT_LE(posed.file_residual(P), 1e-8) << c << " seed " << seed;
    }
}

// Heavy on light: masses up to two decades apart.
TEST(InteriorPoint, RocksOfVeryDifferentMassesAreSolved) {
  for (const std::uint64_t seed : {2, 3, 4})
    for (const PileCase c :
         {PileCase{"rocks2d", 12, 0.5}, {"rocks3d", 4, 0.3}, {"pile3d", 4, 0.7}, {"wall3d", 5, 1}}) {
      PosedFriction posed(FrictionPile::make(c.family, c.n, c.mu, seed, 2));
      Vec P = Vec::Zero(posed.problem.rows());
      const SolveReport report = solve_to_file_residual(posed, AutomaticSolver{}, 1e-8, P);
      EXPECT_TRUE(report.solved) << c << " seed " << seed << ": " << report.residual;
      EXPECT_LE(posed.file_residual(P), 1e-8) << c << " seed " << seed;
    }
}

// The centre of its path is found from the second start only.
TEST(InteriorPoint, AHeavyPileOfDiscsIsSolved) {
  PosedFriction posed(FrictionPile::make("pile2d", 16, 0.5, 46, 2));
  Vec P = Vec::Zero(posed.problem.rows());
  const SolveReport report = solve_to_file_residual(posed, AutomaticSolver{}, 1e-8, P);
  EXPECT_TRUE(report.solved) << report.residual;
  EXPECT_LE(posed.file_residual(P), 1e-8);
}

// W and A known, G entry by entry in blocks, and G dense: three linear systems, one solution.
TEST(InteriorPoint, NeedsNoBodies) {
  const FrictionProblem p = FrictionPile::make("wall3d", 2, 0.6);
  FrictionProblem local = p;
  local.global.reset();
  PosedFriction bodies(p), blocks(local), dense(local);
  const int m = p.rows();
  std::vector<double> G(static_cast<std::size_t>(m) * m);
  bodies.problem.G.to_dense(G.data());
  dense.problem.G.build_dense(G, std::vector<int>(p.contacts(), p.dim));
  Vec y[3];
  int k = 0;
  for (PosedFriction* posed : {&bodies, &blocks, &dense}) {
    Vec P = Vec::Zero(m);
    y[k].resize(m);
    EXPECT_TRUE(make_contact_solver(InteriorPoint{})->solve(posed->problem, P).solved);
    posed->problem.G.apply(P.data(), y[k++].data());
  }
  EXPECT_LE((y[0] - y[1]).norm(), 1e-7 * y[0].norm());
  EXPECT_LE((y[0] - y[2]).norm(), 1e-7 * y[0].norm());
}

TEST(InteriorPoint, SaysWhatItReachedAndRepeatsItsBits) {
  int tried = 0, solved = 0;
  for (int index = 0; index < testing::problem_count; index += 7) {
    testing::RandomProblem a = testing::random_problem(index);
    if (!detail::InteriorPointSolver::can_treat(a.problem)) continue;
    const auto solver = make_contact_solver(InteriorPoint{});
    Vec P = Vec::Zero(a.problem.rows()), Q = P;
    const SolveReport r = solver->solve(a.problem, P), s = solver->solve(a.problem, Q);
    ASSERT_TRUE(P.allFinite()) << index;
    EXPECT_EQ(P, Q) << index;
    EXPECT_EQ(r.iterations, s.iterations) << index;
    EXPECT_DOUBLE_EQ(r.residual, natural_residual(a.problem, P)) << index;
    EXPECT_EQ(r.solved, r.residual <= 1e-10) << index;
    ++tried;
    solved += r.solved;
  }
  EXPECT_GT(tried, 100);
  EXPECT_GE(solved, 0.95 * tried);
  RecordProperty("solved", std::to_string(solved) + "/" + std::to_string(tried));
}

TEST(InteriorPoint, AGoodGuessIsPolishedOnly) {
  PosedFriction posed(FrictionPile::make("wall3d", 4, 0.6));
  const auto solver = make_contact_solver(InteriorPoint{1e-11});
  Vec P = Vec::Zero(posed.problem.rows());
  const int cold = solver->solve(posed.problem, P).iterations;
  for (double& c : posed.problem.c) c *= 1 + 1e-7;
  const SolveReport warm = solver->solve(posed.problem, P);
  EXPECT_TRUE(warm.solved);
  EXPECT_LT(warm.iterations, cold);
}

TEST(InteriorPoint, RefusesLawsItCannotTreat) {
  testing::SmallProblem p({Relay{}, Unilateral{}}, {1, 0, 0, 1}, {1, 1});
  Vec P = Vec::Zero(2);
  const std::string message =
      testing::message_of([&] { make_contact_solver(InteriorPoint{})->solve(p.problem, P); });
  EXPECT_NE(message.find("relay"), std::string::npos) << message;
}

TEST(Lorentz, ScalingMapsOnePointToTheOther) {
  testing::Random random(3);
  for (int n = 1; n <= 3; ++n)
    for (int round = 0; round < 50; ++round) {
      double r[3] = {1 + random.uniform(), random.uniform(-0.7, 0.7), random.uniform(-0.7, 0.7)};
      double u[3] = {1e-3 * (1 + random.uniform()), 1e-3 * random.uniform(-0.7, 0.7),
                     1e-3 * random.uniform(-0.7, 0.7)};
      const auto s = detail::lorentz::scale(n, r, u);
      double a[3], b[3];
      detail::lorentz::multiply(n, s.inverse, u, a);
      for (int k = 0; k < n; ++k) EXPECT_NEAR(a[k], s.lambda[k], 1e-14);
      detail::lorentz::product(n, s.lambda, r, a);
      detail::lorentz::divide(n, s.lambda, a, b);
      for (int k = 0; k < n; ++k) EXPECT_NEAR(b[k], r[k], 1e-13);
      double d[3] = {-1, random.uniform(-1, 1), random.uniform(-1, 1)};
      const double step = detail::lorentz::longest_step(n, r, d);
      for (int k = 0; k < n; ++k) a[k] = r[k] + step * d[k];
      EXPECT_NEAR(a[0], detail::lorentz::tail_norm(n, a), 1e-14);
    }
}

TEST(BodySystem, SolvesWithTheMatrixItWasGiven) {
  for (const bool with_bodies : {true, false}) {
    FrictionProblem p = FrictionPile::make("pile2d", 8, 0.3);  // sparse: 108 degrees of freedom, or 184 rows
    if (!with_bodies) p.global.reset();
    const PosedFriction posed(p);
    detail::BodySystem system;
    system.prepare(posed.problem.G);
    EXPECT_EQ(system.size(), with_bodies ? 108 : 184);
    system.clear();
    const double D[4] = {2, 0.5, -0.25, 1};
    for (int i = 0; i < posed.problem.blocks(); ++i) system.add(i, D);
    ASSERT_TRUE(system.factorize());
    EXPECT_EQ(system.sign(), 1);
    // (1 + Σ Z_i D W_iᵀ) x by its parts
    Vec x = Vec::LinSpaced(system.size(), -1, 1), u(p.rows()), r(p.rows()), b(system.size());
    system.rows(x.data(), u.data());
    for (int i = 0; i < p.contacts(); ++i) {
      r[2 * i] = D[0] * u[2 * i] + D[1] * u[2 * i + 1];
      r[2 * i + 1] = D[2] * u[2 * i] + D[3] * u[2 * i + 1];
    }
    system.velocity(r.data(), b.data());
    b += x;
    system.solve(b.data());
    EXPECT_LE((b - x).norm(), 1e-12 * x.norm());
  }
}

}  // namespace
}  // namespace saltus::test_interior_point
