// Higher-order event capturing (Acary 2012, Algorithm 1) and adaptive steps: golden values, orders, friction,
// joints, curved contacts, random systems that must all end.
#include <cmath>
#include <random>

#include "saltus/study/convergence.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "support/problems.hpp"

namespace saltus {
namespace {

using testing::golden, testing::golden_ids, testing::Json;

const std::map<std::string, std::string> names = {{"RadauIIA3", "radau-iia-3"},
                                                  {"RadauIIA5", "radau-iia-5"},
                                                  {"LobattoIIIA2", "lobatto-iiia-2"},
                                                  {"LobattoIIIA4", "lobatto-iiia-4"},
                                                  {"LobattoIIIA6", "lobatto-iiia-6"},
                                                  {"HERK1", "herk-1"},
                                                  {"HERK2", "herk-2"},
                                                  {"HERK3", "herk-3"},
                                                  {"HERK4", "herk-4"},
                                                  {"HERK5", "herk-5"}};

CatalogProblem example(const std::string& name, double t_end = 5) {
  if (name == "ball") return make_problem("bouncing-ball", {}, t_end);
  return make_problem("impact-oscillator",
                      {{"preset", fmt::format("acary-{}", static_cast<char>(std::tolower(name[3])))}}, t_end);
}
Method capturing(const std::string& tableau, double h, double C) {
  EventCapturing stepping;
  stepping.h = h, stepping.C = C;
  return {runge_kutta(tableau), stepping, AutomaticSolver{}};
}
double q_error(const CatalogProblem& p, const Method& m) {
  Trajectory t;
  const RunResult r = run(p.problem, m, t.sink());
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  return compare(t, *p.reference, {false, 1e-9}).q_sup;
}

TEST(RungeKutta, OneSmoothStepMatchesTheGoldenValues) {
  for (const auto& [theirs, ours] : names) {
    const auto& g = golden("rk-" + theirs);
    const CatalogProblem p = example("oscA", 0.25);
    const RunResult r = run(p.problem, capturing(ours, 0.25, 0.01));
    EXPECT_NEAR(r.final.q[0], g["expected"]["q1"].get<double>(), 1e-13) << ours;
    EXPECT_NEAR(r.final.u[0], g["expected"]["v1"].get<double>(), 1e-13) << ours;
  }
}

// C = 1: errors below the golden bounds for every method, example and N, slope in the golden range.
TEST(EventCapturing, ErrorsStayBelowTheGoldenBounds) {
  int seen = 0;
  for (const auto& id : golden_ids("algo1-")) {
    const auto& g = golden(id);
    if (!g["parameters"].contains("method") || !g["expected"].is_object() ||
        !g["expected"].contains("q_Linf") || id.find("clean") != std::string::npos)
      continue;
    ++seen;
    const CatalogProblem p = example(g["parameters"]["example"]);
    const auto& bound = g["tolerance"]["value"]["q_Linf"];
    for (std::size_t i = 0; i < g["parameters"]["N"].size(); ++i) {
      const double e = q_error(
          p, capturing(names.at(g["parameters"]["method"]), 5.0 / g["parameters"]["N"][i].get<double>(), 1));
      EXPECT_LE(e, bound[i].get<double>() + 2e-13) << id << " N = " << g["parameters"]["N"][i];
    }
  }
  EXPECT_EQ(seen, 40);
}

TEST(EventCapturing, TheOrderIsCleanWithASmallCriticalStep) {
  int seen = 0;
  for (const auto& id : golden_ids("algo1-clean-")) {
    const auto& g = golden(id);
    ++seen;
    const CatalogProblem p = example(g["parameters"]["example"]);
    const auto& t = g["tolerance"]["value"];
    std::vector<double> h, e;
    for (std::size_t i = 0; i < g["parameters"]["N"].size(); ++i) {
      h.push_back(5.0 / g["parameters"]["N"][i].get<double>());
      e.push_back(q_error(p, capturing(names.at(g["parameters"]["method"]), h.back(), g["parameters"]["C"])));
      EXPECT_GE(e.back(), t["q_Linf"][i][0].get<double>()) << id;
      EXPECT_LE(e.back(), t["q_Linf"][i][1].get<double>()) << id;
    }
    EXPECT_NEAR(fitted_order(h, e), g["expected"]["slope"].get<double>(), 0.1) << id;
  }
  EXPECT_GE(seen, 18);
}

// Every tableau there is, on motion without accumulation, with it, and with release; order p − 0.3 at least.
class EveryTableau : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryTableau, KeepsItsOrderThroughImpactsAccumulationAndRelease) {
  const std::string name(GetParam());
  const int p = order(find_tableau(name));
  for (const char* problem : {"oscA", "oscB", "oscC"}) {
    const CatalogProblem example_problem = example(problem);
    std::vector<double> h, e;
    for (int N : p <= 2 ? std::array{211, 431, 863, 1709} : std::array{53, 107, 211, 431}) {
      h.push_back(5.0 / N);
      e.push_back(q_error(example_problem, capturing(name, h.back(), 0.01)));
      if (e.back() < 1e-12) break;  // rounding
    }
    EXPECT_GE(fitted_order(h, e), p - 0.3) << name << " " << problem;
    if (p >= 4) {
      EXPECT_LT(*std::min_element(e.begin(), e.end()), 1e-7) << name << " " << problem;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, EveryTableau, ::testing::ValuesIn(tableau_names()), [](const auto& test) {
  std::string s(test.param);
  std::replace(s.begin(), s.end(), '-', '_');
  return s;
});

TEST(EventCapturing, MethodsOfOrderFourAndMoreReach1e10OnEveryExample) {
  for (const char* tableau : {"lobatto-iiia-4", "gauss-4", "lobatto-iiic-4", "herk-4", "three-eighths-4",
                              "radau-iia-5", "herk-5", "lobatto-iiia-6", "gauss-6", "lobatto-iiic-6"})
    for (const char* problem : {"ball", "oscA", "oscB", "oscC"}) {
      const double h = order(find_tableau(tableau)) == 4 ? 5.0 / 3557 : 5.0 / 883;
      EXPECT_LT(q_error(example(problem), capturing(tableau, h, 0.01)), 1e-10) << tableau << " " << problem;
    }
}

TEST(EventCapturing, TheBallsAccumulationIsReported) {
  const CatalogProblem p = example("ball");
  Trajectory t;
  const RunResult r = run(p.problem, capturing("radau-iia-5", 5.0 / 107, 0.01), t.sink());
  ASSERT_EQ(r.accumulations.size(), 1u);
  EXPECT_NEAR(r.accumulations[0].t, 3, std::max(1e-9, r.accumulations[0].bound));
  EXPECT_LT(r.accumulations[0].bound, 1e-6);
  EXPECT_GT(r.accumulations[0].impacts, 20);
  long impacts = 0, accumulations = 0;
  for (const Event& e : t.events()) {
    impacts += e.kind == EventKind::impact;
    accumulations += e.kind == EventKind::accumulation;
    EXPECT_LE(e.t - e.t_before, 1e-9);
  }
  EXPECT_EQ(accumulations, 1);
  EXPECT_LE(impacts, 200);
  EXPECT_EQ(std::abs(r.final.u[0]), 0);
}

TEST(EventCapturing, NoSpuriousMicroBounceCycle) {
  const auto& g = golden("algo1-no-limit-cycle");
  const CatalogProblem p = example("oscC");
  Trajectory t;
  run(p.problem, capturing("radau-iia-5", 5.0 / 107, 1), t.sink());
  EXPECT_LE(static_cast<double>(t.events().size()), g["tolerance"]["value"].get<double>());
}

// ---- curvature: a bead on a sphere, release at cos φ = 2/3 + v0²/(3 g R)
// ----------------------------------------
struct Sphere {
  static constexpr int dof = 2;
  double g = 9.81, R = 1;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 2, 2>::Identity();
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-g)};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S&, const V<S>& q) const {
    return Eigen::Matrix<S, 1, 1>((q[0] * q[0] + q[1] * q[1] - R * R) / (2 * R));
  }
  std::vector<Law> laws() const { return {Unilateral{0}}; }
};

TEST(EventCapturing, ABeadLeavesTheSphereAtTheRightAngle) {
  const auto& release = golden("hemisphere-release");
  for (const auto& id : golden_ids("hemisphere-algo1-")) {
    const auto& g = golden(id);
    const std::string tableau = names.at(g["parameters"]["method"]);
    Problem p{make_system(Sphere{}), 0, 0.8, Vec{{0.0, 1.0}}, Vec{{0.5, 0.0}}};
    std::vector<double> h, e;
    for (std::size_t i = 0; i < 3; ++i) {
      const int N = g["parameters"]["N"][i];
      Trajectory t;
      const RunResult r = run(p, capturing(tableau, 0.8 / N, 0.01), t.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      const Vec exact{
          {release["expected"]["qT"][0].get<double>(), release["expected"]["qT"][1].get<double>()}};
      h.push_back(0.8 / N), e.push_back((r.final.q - exact).lpNorm<Eigen::Infinity>());
      EXPECT_LE(e.back(), g["tolerance"]["value"][i].get<double>()) << id;
      for (const Event& event : t.events())
        if (event.kind == EventKind::open) {
          const Vec q = t.q(event.t);
          if (i == 2) {
            EXPECT_NEAR(event.t, release["expected"]["t"].get<double>(), 2e-4) << id;
            EXPECT_NEAR(std::atan2(q[0], q[1]), release["expected"]["phi"].get<double>(), 5e-4) << id;
          }
        }
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.3) << id;
  }
}

// ---- friction: a block on a belt whose pull grows, stick, slip, stick again
// ------------------------------------ m ẍ = A sin(Ω t) + friction, |friction| ≤ μ m g: sticks while |A sin
// Ωt| ≤ μ m g.
CatalogProblem shaken_block(double t_end) {
  const double m = 1, g = 10, mu = 0.3, A = 5, W = 2;
  LinearSystem::Data d;
  d.M = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m), d.M.set(1, 1, m);
  d.f = Vec{{0.0, -m * g}};
  d.forcing = [=](double t, double* h) { h[0] += A * std::sin(W * t); };
  d.contacts.push_back({"block/table", Coulomb{mu, 0, 0, 1}, {{{1, 1.0}}, {{0, 1.0}}}, 0, 0});
  CatalogProblem p;
  p.problem = {std::make_shared<LinearSystem>(std::move(d)), 0, t_end, Vec::Zero(2), Vec::Zero(2)};
  return p;
}
// The same motion by hand: slip from t₁ = asin(μmg/A)/Ω, u = A/Ω (cos Ωt₁ − cos Ωt) − μ g (t − t₁), until u =
// 0.
struct ShakenExact {
  double t1, t2, x2;
  ShakenExact() {
    const double f = 3, A = 5, W = 2;
    t1 = std::asin(f / A) / W;
    const auto u = [&](double t) { return A / W * (std::cos(W * t1) - std::cos(W * t)) - f * (t - t1); };
    double a = t1 + 0.1, b = 3.0;
    while (u(b) > 0) b += 0.05;
    b = 1.9;
    a = t1 + 0.3;
    for (int i = 0; i < 200; ++i) {
      const double c = 0.5 * (a + b);
      (u(c) > 0 ? a : b) = c;
    }
    t2 = a;
    x2 = A / W * std::cos(W * t1) * (t2 - t1) - A / (W * W) * (std::sin(W * t2) - std::sin(W * t1)) -
         f * (t2 - t1) * (t2 - t1) / 2;
  }
};

TEST(EventCapturing, StickAndSlipAreLocatedWithTheOrderOfTheMethod) {
  const ShakenExact exact;
  // at t2 the pull is A sin(Ω t2): the block sticks or slides back at once, by the same balance
  const double end = exact.t2;
  for (const char* tableau : {"radau-iia-3", "herk-4", "radau-iia-5", "gauss-4"}) {
    std::vector<double> h, e;
    for (int N : {7, 13, 29, 53}) {
      const CatalogProblem p = shaken_block(end);
      const RunResult r = run(p.problem, capturing(tableau, end / N, 0.01));
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(end / N), e.push_back(std::abs(r.final.q[0] - exact.x2));
      EXPECT_NEAR(r.final.q[1], 0, 1e-13);
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.4) << tableau;
    EXPECT_LT(e.back(), 1e-5) << tableau;
  }
  const CatalogProblem p = shaken_block(6);
  Trajectory t;
  const RunResult r = run(p.problem, capturing("radau-iia-5", 0.01, 0.01), t.sink());
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  ASSERT_GE(t.events().size(), 3u);
  EXPECT_EQ(t.events()[1].kind, EventKind::slip);
  EXPECT_NEAR(t.events()[1].t, exact.t1, 1e-9);
  EXPECT_NEAR(t.events()[2].t, exact.t2, 1e-8);
}

// ---- joints with a contact: the bouncing pendulum in x, y, θ
// ----------------------------------------------------
struct BouncingPendulum {
  static constexpr int dof = 3;
  double L = 1, J = 0.1, g = 10, wall = std::sqrt(0.5), e = 0.6;
  template <class S>
  using V = Eigen::Matrix<S, 3, 1>;
  template <class S>
  Eigen::Matrix<S, 3, 3> mass(const S&, const V<S>&) const {
    Eigen::Matrix<S, 3, 3> M = Eigen::Matrix<S, 3, 3>::Identity();
    M(2, 2) = J;
    return M;
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return {S(0), S(-g), S(0)};
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    return {q[0] - L * cos(q[2]), q[1] - L * sin(q[2]), q[0] - wall};
  }
  std::vector<Law> laws() const { return {Equality{2}, Unilateral{e}}; }
};
// The same in the one true coordinate.
struct MinimalPendulum {
  static constexpr int dof = 1;
  BouncingPendulum p;
  template <class S>
  using V = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> mass(const S&, const V<S>&) const {
    return V<S>(S(p.L * p.L + p.J));
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>&) const {
    return V<S>(-p.g * p.L * cos(q[0]));
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    return V<S>(p.L * cos(q[0]) - p.wall);
  }
  std::vector<Law> laws() const { return {Unilateral{p.e}}; }
};

TEST(EventCapturing, BouncingPendulumWithJointsHasOrderPAndNoDrift) {
  const double th = std::acos(-1.0) / 12;
  Problem minimal{make_system(MinimalPendulum{}), 0, 1.5, Vec::Constant(1, th), Vec::Zero(1)};
  const RunResult fine = run(minimal, capturing("lobatto-iiia-6", 1.5 / 2003, 0.01));
  ASSERT_EQ(fine.status, RunStatus::finished) << fine.message;
  Problem p{make_system(BouncingPendulum{}), 0, 1.5, Vec{{std::cos(th), std::sin(th), th}}, Vec::Zero(3)};
  for (const char* tableau : {"radau-iia-3", "herk-4", "radau-iia-5"}) {
    std::vector<double> h, e;
    for (int N : {83, 167, 331, 661}) {
      Trajectory t;
      const RunResult r = run(p, capturing(tableau, 1.5 / N, 0.01), t.sink());
      ASSERT_EQ(r.status, RunStatus::finished) << r.message;
      h.push_back(1.5 / N), e.push_back(std::abs(r.final.q[2] - fine.final.q[0]));
      EXPECT_LE(r.residuals.position, 1e-13);
      EXPECT_NEAR(t.events().front().t, 0.486110, 1e-4);
    }
    EXPECT_GE(fitted_order(h, e), order(find_tableau(tableau)) - 0.3) << tableau;
  }
}

// ---- everything ends
// ------------------------------------------------------------------------------------------- Random
// oscillators: each run ends, energy never rises at an impact, the ball does not float away.
TEST(EventCapturing, RandomOscillatorsAllEndAndNeverGainEnergyAtImpacts) {
  std::mt19937_64 random(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  int zeno = 0;
  for (const char* tableau : {"radau-iia-5", "herk-4", "lobatto-iiia-4", "gauss-4", "lobatto-iiic-4"})
    for (int k = 0; k < 200; ++k) {
      ImpactOscillator o;
      o.m = uniform(0.3, 3), o.c = uniform(0, 1), o.k = uniform(0, 30), o.A = uniform(-6, 2),
      o.B = uniform(0, 6);
      o.Omega = uniform(0.3, 4), o.e = k % 7 == 0 ? 0.0 : uniform(0, 0.95), o.q0 = uniform(0, 1.5),
      o.v0 = uniform(-2, 2);
      o.side = k % 2 ? ImpactOscillator::Wall::above : ImpactOscillator::Wall::below;
      if (k % 2) o.q0 = -o.q0;
      const CatalogProblem p = o.build(4);
      const double h = uniform(0.01, 0.06);
      Trajectory t;
      const RunResult r = run(p.problem, capturing(tableau, h, 0.01), t.sink());
      EXPECT_EQ(r.status, RunStatus::finished)
          << tableau << " h = " << h << " " << to_text(o) << " " << r.message;
      if (r.status != RunStatus::finished) continue;
      zeno += static_cast<int>(r.accumulations.size());
      for (const Event& e : t.events())
        if (e.kind == EventKind::impact) {
          EXPECT_GE(e.energy_loss, -1e-9) << tableau << " " << k;
        }
      const double error = compare(t, *p.reference, {false, 1e-9}).q_sup;
      EXPECT_LT(error, 2e-2) << tableau << " " << k << " h = " << h;
    }
  EXPECT_GT(zeno, 100);
}

TEST(EventCapturing, NeedsItsScheme) {
  const CatalogProblem p = example("ball");
  EXPECT_THROW(run(p.problem, {MoreauJean{}, EventCapturing{}, AutomaticSolver{}}), Error);
  EXPECT_THROW(run(p.problem, {runge_kutta("herk-4"), FixedSteps{}, AutomaticSolver{}}), Error);
  EXPECT_THROW(runge_kutta("herk-9"), Error);
}

// Two supports where one is enough: the multipliers are not unique, and the run says so at its time.
TEST(EventCapturing, RedundantClosedContactsAreNamed) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec::Constant(1, -2);
  d.contacts.push_back({"left", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  d.contacts.push_back({"right", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 3, Vec::Ones(1), Vec::Zero(1)};
  Trajectory t;
  const RunResult r = run(p, capturing("radau-iia-5", 0.1, 0.01), t.sink());
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NE(r.message.find("redundant"), std::string::npos) << r.message;
  EXPECT_NEAR(r.final.t, 1, 1e-6);
  EXPECT_GT(t.size(), 5);
}

// ---- adaptive steps (58)–(61)
// -----------------------------------------------------------------------------------
TEST(Adaptive, WorkAndErrorAreInTheGoldenRanges) {
  for (const auto& id : golden_ids("adaptive-")) {
    const auto& g = golden(id);
    if (!g["parameters"].contains("example")) continue;
    const auto& q = g["parameters"];
    AdaptiveSteps s;
    s.h = 10, s.h0 = q["h0"], s.atol = q["atol"];
    const CatalogProblem p = example(q["example"]);
    Trajectory t;
    const RunResult r = run(p.problem, {MoreauJean{q["theta"], q["gamma"]}, s, AutomaticSolver{}}, t.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    const auto& range = g["tolerance"]["value"];
    const std::pair<const char*, double> seen[] = {{"evals", static_cast<double>(r.stats.force_evaluations)},
                                                   {"rejected", static_cast<double>(r.stats.rejected)},
                                                   {"q_L1", compare(t, *p.reference, {false, 1e-9}).q_l1}};
    for (const auto& [what, x] : seen) {
      EXPECT_GE(x, range[what][0].get<double>()) << id << " " << what;
      EXPECT_LE(x, range[what][1].get<double>()) << id << " " << what;
    }
  }
}

TEST(Adaptive, BeatsConstantStepsOnTheOscillator) {
  const auto& g = golden("adaptive-gain");
  const CatalogProblem p = example("oscA");
  const auto measure = [&](const Stepping& stepping) {
    Trajectory t;
    const RunResult r = run(p.problem, {MoreauJean{0.5, 1}, stepping, AutomaticSolver{}}, t.sink());
    return std::pair{static_cast<double>(r.stats.force_evaluations),
                     compare(t, *p.reference, {false, 1e-9}).q_l1};
  };
  AdaptiveSteps s;
  s.h = 10, s.atol = 1e-5;
  const auto [work, error] = measure(s);
  const auto [fixed_work, fixed_error] = measure(FixedSteps{5.0 / 10000});
  EXPECT_LE(error, fixed_error);
  EXPECT_LE(work / fixed_work, g["tolerance"]["value"].get<double>());
}

TEST(Adaptive, ImpossibleToleranceIsSaidWithItsTime) {
  const CatalogProblem p = example("oscA");
  AdaptiveSteps s;
  s.atol = 1e-17;
  Trajectory t;
  const RunResult r = run(p.problem, {MoreauJean{1, 1}, s, AutomaticSolver{}}, t.sink());
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NE(r.message.find("tolerance"), std::string::npos) << r.message;
  s.atol = 0;
  EXPECT_THROW(run(p.problem, {MoreauJean{1, 1}, s, AutomaticSolver{}}), Error);
}

}  // namespace
}  // namespace saltus
