// All solvers on the thousand random problems: none lies about its residual, y agrees where it is unique, and
// the automatic solver solves (nearly) all. Then problems too large for the small factorisations.
#include <gtest/gtest.h>

#include <map>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"

namespace saltus::test_solvers_random {
namespace {

using testing::all_solvers;
using testing::RandomProblem;

struct Outcome {
  int tried = 0, solved = 0;
};

// What velocities are measured against, as in natural_residual
double velocity_scale(const ContactProblem& p, const Vec& P) {
  double scale = 0;
  for (int i = 0; i < p.blocks(); ++i)
    for (int k = p.G.offset(i); k < p.G.offset(i) + p.G.block_size(i); ++k)
      scale = std::max({scale, std::abs(p.c[k]), std::abs(P[k]) / prox_step(p, i)});
  return scale;
}

class Family : public ::testing::TestWithParam<int> {};

TEST_P(Family, HundredProblems) {
  std::map<std::string, Outcome> outcomes;
  auto solvers = all_solvers();
  for (int member = 0; member < testing::problems_per_family; ++member) {
    const int index = GetParam() * testing::problems_per_family + member;
    RandomProblem r = testing::random_problem(index), dense = testing::random_problem(index);
    dense.build(Delassus::Form::dense);
    const bool unique = !r.frictional();
    Vec reference;
    int successes = 0;
    for (auto& [name, tolerance, solver] : solvers) {
      if (name == "lemke" && !r.polyhedral()) continue;
      Vec P = Vec::Zero(r.problem.rows()), y(P.size());
      const SolveReport report = solver->solve(r.problem, P);
      ++outcomes[name].tried;
      ASSERT_TRUE(P.allFinite()) << name << " on " << index;
      // no lies: the residual is what it says, with this operator and with another form of it
      EXPECT_DOUBLE_EQ(report.residual, natural_residual(r.problem, P)) << name << " on " << index;
      const bool met = report.residual <= tolerance;
      if (name == "automatic" && report.solved)  // takes what only rounding keeps above the tolerance
        EXPECT_LE(report.residual, std::min(100 * tolerance, 1e-10)) << name << " on " << index;
      else
        EXPECT_EQ(report.solved, met) << name << " on " << index;
      EXPECT_NEAR(report.residual, natural_residual(dense.problem, P), 1e-14) << name << " on " << index;
      if (!met) continue;
      ++outcomes[name].solved;
      ++successes;
      r.problem.G.apply(P.data(), y.data());
      if (reference.size() == 0) reference = y;
      if (unique) {
        EXPECT_LE((y - reference).cwiseAbs().maxCoeff(), 1e-6 * velocity_scale(r.problem, P))
            << name << " on " << index;
      }
    }
    if (unique) {
      EXPECT_GT(successes, 0) << index;
    }
  }
  for (const auto& [name, o] : outcomes)
    if (o.tried > 0) RecordProperty(name, std::to_string(o.solved) + "/" + std::to_string(o.tried));
  const Outcome best = outcomes["automatic"];
  const bool frictionless = GetParam() < 3, scaled = GetParam() == 9;
  EXPECT_GE(best.solved, (frictionless ? 1 : scaled ? 0.98 : 0.99) * best.tried);
  EXPECT_GE(outcomes["semismooth-newton"].solved, 0.97 * outcomes["semismooth-newton"].tried);
  EXPECT_EQ(outcomes["lemke"].solved, outcomes["lemke"].tried);
  EXPECT_GE(outcomes["psor"].solved, 0.8 * outcomes["psor"].tried);
}

INSTANTIATE_TEST_SUITE_P(All, Family, ::testing::Range(0, static_cast<int>(testing::families.size())),
                         [](const auto& i) {
                           std::string name(testing::families[i.param]);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(Random, ThereAreAThousand) {
  EXPECT_EQ(testing::problem_count, 1000);
  RandomProblem a = testing::random_problem(777), b = testing::random_problem(777);
  EXPECT_EQ(a.problem.c, b.problem.c);
  int largest = 0, redundant = 0;
  for (int k = 0; k < testing::problem_count; ++k) {
    const RandomProblem r = testing::random_problem(k);
    largest = std::max(largest, r.problem.blocks());
    redundant += r.problem.rows() > r.mass.size();
  }
  EXPECT_GE(largest, 60);
  EXPECT_GE(redundant, 200);
}

// One contact with little friction: the solution is unique, so all solvers must meet in P.
TEST(Random, SingleContactsWithLittleFrictionAgree) {
  testing::Random random(99);
  auto solvers = all_solvers();
  for (int trial = 0; trial < 200; ++trial) {
    const int tangents = 1 + trial % 2, n = 1 + tangents;
    std::vector<double> G(static_cast<std::size_t>(n) * n), c(n);
    Eigen::MatrixXd L(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) L(i, j) = random.uniform(-0.4, 0.4) + (i == j);
    Eigen::Map<Eigen::MatrixXd>(G.data(), n, n) = L * L.transpose();
    for (double& v : c) v = random.uniform(-2, 2);
    c[0] = -std::abs(c[0]);
    testing::SmallProblem s({Coulomb{random.uniform(0, 0.1), 0, 0, tangents}}, G, c);
    Vec reference;
    for (auto& [name, tolerance, solver] : solvers) {
      if (name == "lemke" && tangents == 2) continue;
      Vec P = Vec::Zero(n);
      ASSERT_TRUE(solver->solve(s.problem, P).solved) << name << " on " << trial;
      if (reference.size() == 0) reference = P;
      EXPECT_LE((P - reference).norm(), 1e-8 * (1 + P.norm())) << name << " on " << trial;
    }
  }
}

// ---- large problems
// -----------------------------------------------------------------------------------------

struct Large {
  Law law = Unilateral{};
  SparseRows Wt;
  std::vector<int> sizes;
  Factor mass;
  ContactProblem problem;

  void finish(int dofs, Delassus::Form form = Delassus::Form::automatic) {
    Matrix M(dofs, {Pattern::diagonal, 0, nullptr});
    for (int k = 0; k < dofs; ++k) M.set(k, k, 1 + 0.1 * (k % 5));
    ASSERT_TRUE(mass.factorize(M));
    sizes.assign(Wt.rows(), rows(law));
    for (int k = 0; k < Wt.rows(); ++k) problem.laws.push_back(&law);
    problem.G.build(mass, Wt, sizes, form);
  }
};

TEST(LargeProblem, ColumnOfAThousandBalls) {
  constexpr int n = 1000;
  const double v = 9.81e-3;
  Large s;
  for (int i = 0; i < n; ++i) {
    if (i > 0) s.Wt.add(i - 1, -1);
    s.Wt.add(i, 1);
    s.Wt.end_row();
  }
  s.problem.c.assign(n, 0.0);
  s.problem.c[0] = -v;
  s.finish(n);
  auto solver = make_contact_solver(AutomaticSolver{});
  Vec P = Vec::Zero(n);
  const SolveReport cold = solver->solve(s.problem, P);
  EXPECT_TRUE(cold.solved);
  EXPECT_LE(cold.residual, 1e-14);
  double above = 0;
  for (int i = n - 1; i >= 0; --i) {
    above += (1 + 0.1 * (i % 5)) * v;
    ASSERT_NEAR(P[i], above, 1e-9 * above);  // the condition number is near 1e6
  }
  s.problem.c[0] *= 1.01;
  EXPECT_EQ(solver->solve(s.problem, P).iterations, 1);  // one solve with the factors at hand
}

// Each contact joins two bodies far apart in the list: no band, and more rows than the dense factors take.
void solve_scattered(Delassus::Form form) {
  constexpr int dofs = 700, contacts = 400;
  testing::Random random(5);
  Large s;
  for (int i = 0; i < contacts; ++i) {
    const int a = random.below(dofs), b = (a + 1 + random.below(dofs - 1)) % dofs;
    s.Wt.add(a, 1), s.Wt.add(b, -1);
    s.Wt.end_row();
    s.problem.c.push_back(random.uniform(-1, 0.2));
  }
  s.finish(dofs, form);
  for (const SolverSpec& spec :
       {SolverSpec(AutomaticSolver{}), SolverSpec(SemismoothNewton{}), SolverSpec(Psor{})}) {
    auto solver = make_contact_solver(spec);
    Vec P = Vec::Zero(contacts);
    EXPECT_TRUE(solver->solve(s.problem, P).solved) << to_text(spec);
    EXPECT_GT((P.array() > 0).count(), 301);
  }
}

TEST(LargeProblem, ScatteredSparse) {
  solve_scattered(Delassus::Form::sparse);
}
TEST(LargeProblem, ScatteredDense) {
  solve_scattered(Delassus::Form::dense);
}
TEST(LargeProblem, ScatteredProduct) {
  solve_scattered(Delassus::Form::product);
}

}  // namespace
}  // namespace saltus::test_solvers_random
