// Rolling and spinning friction: one contact against its closed form, random problems by every solver, and
// FCLIB's files of such problems.
#include <gtest/gtest.h>

#include <unistd.h>

#include <Eigen/Geometry>

#include <filesystem>
#include <map>

#include "contact/random_problems.hpp"
#include "contact/small_problems.hpp"
#include "saltus/contact/file/friction_problem.hpp"
#include "support/errors.hpp"

namespace saltus::test_rolling {
namespace {

std::vector<testing::NamedSolver> all_solvers() {
  auto out = testing::all_solvers();
  out.push_back({"interior-point", InteriorPoint{}.tolerance, make_contact_solver(InteriorPoint{})});
  return out;
}

// A disk of mass 1 and radius 1 rolls on a floor: rows N, T, R with W = (0 1 0; 1 0 1; 0 0 1) and inertia
// 1/2. In a step with P_N = 1 it slows down by 2ℓ/3, or comes to rest.
TEST(Rolling, OneContactHasItsClosedForm) {
  const std::vector<double> G = {1, 0, 0, 0, 3, 2, 0, 2, 2};
  const std::vector<int> sizes = {3};
  for (const double speed : {1.0, 0.01}) {
    const Law law = RollingFriction{0.5, 0.1, 0, 0, 0, 1, 1};
    ContactProblem p;
    p.G.build_dense(G, sizes);
    p.c = {-1, 0, -speed};  // rolling to the right: ω = −v
    p.laws = {&law};
    const bool stops = speed < 2 * 0.1 / 3;
    for (auto& [name, tolerance, solver] : all_solvers()) {
      Vec P = Vec::Zero(3), y(3);
      const SolveReport report = solver->solve(p, P);
      ASSERT_TRUE(report.solved) << name << " at speed " << speed;
      p.G.apply(P.data(), y.data());
      EXPECT_NEAR(P[0], 1, 1e-9) << name;
      EXPECT_NEAR(P[2], stops ? 1.5 * speed : 0.1, 1e-8) << name;
      EXPECT_NEAR(y[2] - speed, stops ? 0 : -speed + 0.2 / 3, 1e-8) << name;
      EXPECT_NEAR(y[1], 0, 1e-8) << name;
    }
  }
}

struct RollingProblem {
  std::deque<Law> laws;
  ContactProblem problem;
};

// Bodies with random masses and rows, as in random_problems.hpp: normals open along d, all other rows leave
// it.
RollingProblem random_rolling(int index, int tangents, bool spins, bool redundant) {
  testing::Random random(77000u + static_cast<unsigned>(index));
  const int block = tangents == 1 ? 3 : 6, contacts = 1 + random.below(25);
  const int rows_each = tangents == 1 ? 3 : spins ? 6 : 5;
  const double dofs = contacts * rows_each * (redundant ? 0.5 : 1.3);
  const int bodies = std::max(1, static_cast<int>(std::ceil(dofs / block))), n = bodies * block;
  Matrix M(n, {Pattern::diagonal, 0, nullptr});
  std::vector<double> d(n), free(n);
  for (int k = 0; k < n; ++k) {
    M.set(k, k, random.uniform(0.5, 2));
    d[k] = random.uniform(0.2, 1) * (random.uniform() < 0.5 ? -1 : 1);
    free[k] = random.uniform(-1, 1) - d[k];
  }
  Factor mass;
  if (!mass.factorize(M)) fail("random mass matrix is singular");
  RollingProblem out;
  SparseRows Wt;
  std::vector<int> sizes;
  for (int i = 0; i < contacts; ++i) {
    const int a = random.below(bodies), b = random.below(bodies);
    std::vector<int> columns;
    for (int k = 0; k < block; ++k) columns.push_back(a * block + k);
    for (int k = 0; b != a && k < block; ++k) columns.push_back(b * block + k);
    for (int r = 0; r < rows_each; ++r) {
      std::vector<double> w(columns.size());
      double wd = 0, dd = 0;
      for (std::size_t k = 0; k < w.size(); ++k) {
        w[k] = random.uniform(-1, 1);
        wd += w[k] * d[columns[k]], dd += d[columns[k]] * d[columns[k]];
      }
      const double product = r == 0 ? random.uniform(0.1, 1) : 0;
      for (std::size_t k = 0; k < w.size(); ++k)
        Wt.add(columns[k], w[k] + (product - wd) / dd * d[columns[k]]);
      Wt.end_row();
    }
    out.laws.push_back(RollingFriction{random.uniform(0, 1), random.uniform(0, 0.5),
                                       spins ? random.uniform(0.01, 0.5) : 0, 0, 0, 1, tangents});
    sizes.push_back(rows_each);
    out.problem.laws.push_back(&out.laws.back());
  }
  for (int r = 0; r < contacts * rows_each; ++r) out.problem.c.push_back(Wt.dot(r, free.data()));
  out.problem.G.build(mass, Wt, sizes);
  return out;
}

TEST(Rolling, RandomProblemsAreSolvedByAllSolvers) {
  constexpr int count = 40;
  std::map<std::string, int> solved, tried;
  auto solvers = all_solvers();
  for (int kind = 0; kind < 6; ++kind)
    for (int k = 0; k < count; ++k) {
      const int tangents = kind % 3 == 0 ? 1 : 2;
      RollingProblem r = random_rolling(count * kind + k, tangents, kind % 3 == 2, kind >= 3);
      for (auto& [name, tolerance, solver] : solvers) {
        if (name == "lemke" && tangents == 2) continue;
        Vec P = Vec::Zero(r.problem.rows());
        const SolveReport report = solver->solve(r.problem, P);
        ASSERT_TRUE(P.allFinite()) << name;
        EXPECT_DOUBLE_EQ(report.residual, natural_residual(r.problem, P)) << name;
        ++tried[name];
        solved[name] += report.solved;
      }
    }
  for (const auto& [name, n] : tried)
    RecordProperty(name, std::to_string(solved[name]) + "/" + std::to_string(n));
  EXPECT_EQ(solved["automatic"], tried["automatic"]);
  EXPECT_EQ(solved["lemke"], tried["lemke"]);
  EXPECT_GE(solved["interior-point"], 0.97 * tried["interior-point"]);
  EXPECT_GE(solved["semismooth-newton"], 0.97 * tried["semismooth-newton"]);
  EXPECT_GE(solved["psor"], 0.8 * tried["psor"]);
}

TEST(Rolling, LemkeRefusesDiscs) {
  RollingProblem r = random_rolling(1, 2, true, false);
  Vec P = Vec::Zero(r.problem.rows());
  const auto solver = make_contact_solver(Lemke{});
  EXPECT_NE(testing::message_of([&] { solver->solve(r.problem, P); }).find("polyhedral"), std::string::npos);
}

// Spheres on a floor and on each other, as FCLIB's global rolling problems have them: rows N, T, T, R, R.
FrictionProblem rolling_pile() {
  FrictionProblem p;
  p.name = "rolling-pile", p.dim = 5;
  const int bodies = 3, n = 6 * bodies;
  const double x[bodies][3] = {{0, 0, 0.5}, {1, 0, 0.5}, {0.5, 0, 0.5 + std::sqrt(0.75)}};
  const int pairs[][2] = {{-1, 0}, {-1, 1}, {0, 1}, {0, 2}, {1, 2}};
  std::vector<Eigen::Triplet<double>> M, H;
  auto& g = p.global.emplace();
  g.free.resize(n);
  for (int k = 0; k < n; ++k) {
    M.emplace_back(k, k, k % 6 < 3 ? 1 : 0.1);
    g.free[k] = (k % 6 == 2 ? -0.1 : 0) + 0.02 * std::sin(3.0 * k + 1);
  }
  for (int i = 0; i < 5; ++i) {
    const int a = pairs[i][0], b = pairs[i][1];
    const Eigen::Vector3d xb(x[b]),
        xa = a < 0 ? Eigen::Vector3d(xb - Eigen::Vector3d::UnitZ()) : Eigen::Vector3d(x[a]);
    const Eigen::Vector3d normal = (xb - xa).normalized(), t = Eigen::Vector3d::UnitY(), s = normal.cross(t);
    const Eigen::Vector3d point = xb - 0.5 * normal, axes[3] = {normal, t, s};
    for (const int body : {a, b}) {
      if (body < 0) continue;
      const double sign = body == b ? 1 : -1;
      for (int r = 0; r < 3; ++r) {
        const Eigen::Vector3d spin = (point - Eigen::Vector3d(x[body])).cross(axes[r]);
        for (int k = 0; k < 3; ++k) {
          H.emplace_back(5 * i + r, 6 * body + k, sign * axes[r][k]);
          H.emplace_back(5 * i + r, 6 * body + 3 + k, sign * spin[k]);
        }
      }
      for (int r = 1; r < 3; ++r)
        for (int k = 0; k < 3; ++k) H.emplace_back(5 * i + 2 + r, 6 * body + 3 + k, sign * axes[r][k]);
    }
    p.mu.push_back(0.3);
    p.rolling.push_back(i == 2 ? 0 : 0.02);
  }
  g.M.resize(n, n), g.M.setFromTriplets(M.begin(), M.end());
  g.H.resize(p.rows(), n), g.H.setFromTriplets(H.begin(), H.end());
  g.b = Vec::Zero(p.rows());
  g.J.resize(0, n);
  auto& local = p.local.emplace();
  local.W = FrictionProblem::Sparse(g.H * Vec(g.M.diagonal()).cwiseInverse().asDiagonal() *
                                    FrictionProblem::Sparse(g.H.transpose()));
  local.q = g.H * g.free;
  return p;
}

TEST(Rolling, FclibProblemsAreReadAndSolved) {
  namespace fs = std::filesystem;
  const std::string file =
      (fs::temp_directory_path() / ("saltus-rolling" + std::to_string(::getpid()) + ".hdf5")).string();
  const FrictionProblem p = rolling_pile();
  try {
    write_friction_problem(file, p);
  } catch (const Error& e) {
    if (std::string(e.what()).find("without HDF5") != std::string::npos) GTEST_SKIP() << e.what();
    throw;
  }
  for (const bool local : {false, true}) {
    FrictionProblem part = p;
    local ? part.global.reset() : part.local.reset();
    write_friction_problem(file, part);
    const FrictionProblem back = read_friction_problem(file);
    EXPECT_EQ(back.dim, 5);
    EXPECT_EQ(back.mu, p.mu);
    EXPECT_EQ(back.rolling, p.rolling);
    ASSERT_EQ(back.local.has_value(), local);
    PosedFriction posed(back);
    Vec P = Vec::Zero(posed.problem.rows());
    const SolveReport report = solve_to_file_residual(posed, AutomaticSolver{}, 1e-10, P);
    EXPECT_TRUE(report.solved) << report.residual;
    EXPECT_LE(posed.file_residual(P), 1e-10);
    // what the law says, without any prox: cones, and moments against the rolling
    Vec u(P.size());
    posed.problem.G.apply(P.data(), u.data());
    for (int i = 0; i < p.contacts(); ++i) {
      const int at = 5 * i;
      for (int k = at; k < at + 5; ++k) u[k] += posed.problem.c[k];
      EXPECT_GE(P[at], 0);
      EXPECT_GE(u[at], -1e-9);
      EXPECT_NEAR(P[at] * u[at], 0, 1e-9);
      EXPECT_LE(P.segment(at + 1, 2).norm(), p.mu[i] * P[at] + 1e-9);
      EXPECT_LE(P.segment(at + 3, 2).norm(), p.rolling[i] * P[at] + 1e-9);
      EXPECT_NEAR(P.segment(at + 1, 2).dot(u.segment(at + 1, 2)),
                  -p.mu[i] * P[at] * u.segment(at + 1, 2).norm(), 1e-9);
      EXPECT_NEAR(P.segment(at + 3, 2).dot(u.segment(at + 3, 2)),
                  -p.rolling[i] * P[at] * u.segment(at + 3, 2).norm(), 1e-9);
    }
  }
  FrictionProblem bad = p;
  bad.rolling[1] = -1;
  write_friction_problem(file, bad);
  EXPECT_NE(testing::message_of([&] { read_friction_problem(file); }).find("mu_r"), std::string::npos);
  EXPECT_NE(testing::message_of([&] { write_friction_problem(file + ".fcp", p); }).find("rolling"),
            std::string::npos);
  fs::remove(file);
}

}  // namespace
}  // namespace saltus::test_rolling
