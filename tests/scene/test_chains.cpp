// Chains in scenes: the catalog's data gives the catalog's bits, the engine for formulas finds the same
// motion, and what is drawn, computed from materials or held at the start is what it says.
#include <gtest/gtest.h>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/chain/sphere_materials.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/study/measure.hpp"
#include "support/errors.hpp"

namespace saltus::test_chains {
namespace {

CatalogProblem scene(const std::string& text, const std::string& end = "run: {t_end: 1}") {
  return load_scene_text("saltus: 1\n" + text + "\n" + end + "\n", "s.yaml")->entry.make({}, {});
}
const Chain& chain_in(const CatalogProblem& p) {
  return *as_chain(p.problem.system.get());
}
RunResult run_by(const CatalogProblem& p, const SchemeSpec& scheme, double h, double end) {
  Problem problem = p.problem;
  problem.t_end = end;
  return run(problem, {scheme, FixedSteps{h}, AutomaticSolver{}});
}

TEST(ChainScenes, TheCatalogsDataGiveTheCatalogsBits) {
  struct Case {
    const char* problem;
    Settings settings;
    std::string text;
  };
  std::string velocities;  // of the catalog's own generator
  const auto precompressed =
      make_problem("dimer-chain", {{"preset", "precompressed"}, {"n", "40"}, {"reference", "none"}});
  for (const double v : precompressed.problem.u0)
    velocities += (velocities.empty() ? "" : ", ") + number_text(v);
  const Case cases[] = {
      {"dimer-chain",
       {},
       "{beads: 25, mass: {repeat: [1, 0.59]}, stiffness: 1, damping: 0.06, defects: [{at: 0, velocity: "
       "1}]}"},
      {"dimer-chain",
       {{"preset", "precompressed"}, {"n", "40"}},
       "{beads: 40, mass: {repeat: [1, 0.59]}, stiffness: 1, damping: 0.06, position: -0.2*i, velocity: [" +
           velocities + "]}"},
      {"homogeneous-chain",
       {},
       "{beads: 50, mass: 1, stiffness: 1, damping: 0.1, velocity: 'if(i == 0, 1, 0)'}"},
      {"homogeneous-chain",
       {{"gravity", "0.1"}, {"right_wall", "true"}, {"beta", "2.5"}, {"n", "9"}},
       "{beads: 9, mass: 1, stiffness: 1, damping: 0.1, beta: 2.5, gravity: 0.1, right: wall, defects: [{at: "
       "0, velocity: 1}]}"},
      {"newtons-cradle",
       {{"k", "13.115"}},
       "{beads: 10, mass: 1, stiffness: 13.115, damping: 0.3, spring: 0.01, defects: [{at: 0, velocity: "
       "1}]}"},
      {"trimer",
       {{"preset", "compressed"}},
       "{beads: 3, mass: [1, 0.8*0.8*0.8, 0.9*0.9*0.9], stiffness: [1, sqrt(0.8*0.9/(0.8 + 0.9)/(1*0.8/(1 + "
       "0.8)))], damping: 0.1, "
       "position: [0.9, 0.2, 0], velocity: [0.7, 0.6, 0.02]}"},
      {"bead-collision",
       {{"m1", "2"}},
       "{beads: 2, mass: [2, 1], stiffness: 1, damping: 0.1, velocity: [1, 0]}"}};
  for (const Case& c : cases) {
    Settings settings = c.settings;
    settings.emplace_back("reference", "none");
    const CatalogProblem known = make_problem(c.problem, settings),
                         own = scene("chain: " + c.text, "run: {t_end: 1, accept_penetration: true}");
    EXPECT_EQ(known.problem.q0, own.problem.q0) << c.problem;
    EXPECT_EQ(known.problem.u0, own.problem.u0) << c.problem;
    for (const SchemeSpec& scheme :
         {SchemeSpec{Gauss2{}}, SchemeSpec{CrankNicolson{}}, SchemeSpec{KkIrk{}}, SchemeSpec{KkTheta{}},
          SchemeSpec{AdditiveTheta{}}, SchemeSpec{rk("herk-5")}, SchemeSpec{rk("radau-iia-5")}}) {
      const bool tailored = std::holds_alternative<KkIrk>(scheme) || std::holds_alternative<KkTheta>(scheme);
      if (tailored && c.text.find("beta") != std::string::npos) continue;
      const RunResult a = run_by(known, scheme, 0.05, 4), b = run_by(own, scheme, 0.05, 4);
      ASSERT_EQ(a.status, RunStatus::finished) << a.message;
      EXPECT_EQ(a.final.q, b.final.q) << c.problem << " " << to_text(scheme);
      EXPECT_EQ(a.final.u, b.final.u) << c.problem << " " << to_text(scheme);
      EXPECT_EQ(a.final.aux, b.final.aux) << c.problem << " " << to_text(scheme);
    }
  }
}

// The general engine, from formulas, shares no line with the chain's: walls and forces that move, gaps,
// dashpots.
TEST(ChainScenes, FormulasOfTheSameChainMoveAlike) {
  const std::string chain = R"(
chain:
  beads: 3
  mass: [1, 0.7, 1.2]
  stiffness: [2, 3]
  damping: 0.08
  gap: [0.02, 0]
  spring: [0.3, 0, 0.1]
  DRAG
  velocity: [0.5, 0, -0.1]
  left: {stiffness: 1.5, gap: 0.01, motion: 0.2*sin(2*t)}
  right: {force: FORCE}
)";
  const std::string formulas = R"(
coordinates: {a: {velocity: 0.5}, b: {}, c: {velocity: -0.1}}
mass: {a: 1, b: 0.7, c: 1.2}
potential: 0.15*a^2 + 0.05*c^2
forces: {a: 0 DA, b: 0 DB, c: 0 DC + FORCE}
contacts:
  l: {gap: a + 0.01 - 0.2*sin(2*t), law: {name: kuwabara-kono, k: 1.5, gamma: 0.08}}
  p: {gap: b - a + 0.02, law: {name: kuwabara-kono, k: 2, gamma: 0.08}}
  q: {gap: c - b, law: {name: kuwabara-kono, k: 3, gamma: 0.08}}
)";
  const auto with = [](std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
    for (const auto& [from, to] : changes)
      for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
  };
  for (const char* name : {"gauss-2", "rk:tableau=radau-iia-5", "rk:tableau=herk-5"}) {
    const std::string run = fmt::format("run: {{t_end: 4, scheme: '{}', h: 0.01}}", name);
    const CatalogProblem own = scene(with(chain, {{"DRAG", "drag: [0.2, 0.1, 0]"},
                                                  {"FORCE", "0.3*cos(t)"},
                                                  {"damping", "formulation: x\n  damping"}}),
                                     run);
    const CatalogProblem known = scene(
        with(formulas, {{"DA", "- 0.2*a'"}, {"DB", "- 0.1*b'"}, {"DC", ""}, {"FORCE", "0.3*cos(t)"}}), run);
    ASSERT_TRUE(as_chain(own.problem.system.get()));
    ASSERT_FALSE(as_chain(known.problem.system.get()));
    const RunResult a = saltus::run(own.problem, own.method), b = saltus::run(known.problem, known.method);
    ASSERT_EQ(b.status, RunStatus::finished) << b.message;
    EXPECT_LT((a.final.q - b.final.q).lpNorm<Eigen::Infinity>(), 1e-10) << name;
    EXPECT_LT((a.final.u - b.final.u).lpNorm<Eigen::Infinity>(), 1e-10) << name;
    // formulas take the dashpot's force of a wall that moves for a load, chains for damping
    EXPECT_NEAR(a.ledger.work - a.ledger.damping, b.ledger.work - b.ledger.damping, 1e-6) << name;
    // by DOP853 with the powers as further equations, rtol 1e-11
    EXPECT_NEAR(a.ledger.work, -0.03008197, 1e-6) << name;
    EXPECT_NEAR(a.ledger.damping, 0.06470208, 1e-6) << name;
  }
  // the tailored schemes need contacts that stand still, and no dashpots of their own
  const std::vector<std::pair<std::string, std::string>> still = {{", motion: 0.2*sin(2*t)", ""},
                                                                  {" - 0.2*sin(2*t)", ""},
                                                                  {"DRAG", ""},
                                                                  {"DA", ""},
                                                                  {"DB", ""},
                                                                  {"DC", ""}};
  for (const auto& [name, force] : {std::pair{"kk-theta", "0.3*cos(t)"},
                                    {"kk-irk", "0.3"},
                                    {"crank-nicolson", "0.3*cos(t)"},
                                    {"additive-theta:theta=0.6,mu=0.4", "0.3*cos(t)"}}) {
    const std::string run = fmt::format("run: {{t_end: 4, scheme: '{}', h: 0.02}}", name);
    auto changes = still;
    changes.emplace_back("FORCE", force);
    const CatalogProblem own = scene(with(chain, changes), run), known = scene(with(formulas, changes), run);
    const RunResult a = saltus::run(own.problem, own.method), b = saltus::run(known.problem, known.method);
    ASSERT_EQ(a.status, RunStatus::finished) << a.message;
    ASSERT_EQ(b.status, RunStatus::finished) << b.message;
    EXPECT_LT((a.final.q - b.final.q).lpNorm<Eigen::Infinity>(), 1e-10) << name;
    EXPECT_LT((a.final.u - b.final.u).lpNorm<Eigen::Infinity>(), 1e-10) << name;
  }
}

TEST(ChainScenes, DistributionsDependOnSeedQuantityAndIndexOnly) {
  const auto masses = [](int n, const std::string& along) {
    return chain_in(scene(fmt::format("chain: {{beads: {}, mass: {}, stiffness: 1}}", n, along))).data().m;
  };
  for (const char* along :
       {"{uniform: [1, 2], seed: 4}", "{normal: [5, 0.5], seed: 4}", "{log-normal: [2, 0.3], seed: 4}",
        "{two-valued: [1, 3], share: 0.3, seed: 4}", "{normal: [5, 2], limits: [4.5, 6], seed: 4}"}) {
    const Vec a = masses(1000, along), b = masses(50, along);
    EXPECT_EQ(Vec(a.head(50)), b) << along;
    std::string other = along;
    other.replace(other.find("seed: 4"), 7, "seed: 5");
    EXPECT_NE(masses(50, other), b) << along;
  }
  const Vec u = masses(20000, "{uniform: [1, 2], seed: 9}"), g = masses(20000, "{normal: [5, 0.5], seed: 9}"),
            l = masses(20000, "{log-normal: [2, 0.3], seed: 9}"),
            two = masses(20000, "{two-valued: [1, 3], share: 0.3, seed: 9}"),
            cut = masses(20000, "{normal: [5, 2], limits: [4.5, 6], seed: 9}");
  EXPECT_NEAR(u.mean(), 1.5, 0.01);
  EXPECT_TRUE(u.minCoeff() >= 1 && u.maxCoeff() < 2);
  EXPECT_NEAR(g.mean(), 5, 0.02);
  EXPECT_NEAR(std::sqrt((g.array() - g.mean()).square().mean()), 0.5, 0.01);
  EXPECT_NEAR(l.array().log().mean(), std::log(2), 0.01);
  EXPECT_NEAR((two.array() == 3).cast<double>().mean(), 0.3, 0.015);
  EXPECT_EQ((two.array() == 1).count() + (two.array() == 3).count(), 20000);
  EXPECT_TRUE(cut.minCoeff() >= 4.5 && cut.maxCoeff() <= 6);
  // the same seed is another number for another quantity
  const CatalogProblem p =
      scene("chain: {beads: 30, mass: {uniform: [1, 2], seed: 1}, stiffness: {uniform: [1, 2], seed: 1}}");
  const Chain& both = chain_in(p);
  EXPECT_NE(Vec(both.data().m.segment(1, 28)), Vec(both.data().k.segment(1, 28)));
}

TEST(ChainScenes, PatternsFormulasAndDefectsAreWhatTheySay) {
  const CatalogProblem p = scene(R"(
parameters: {r: 5 mm}
chain:
  beads: 6
  radius: {tapered: [r, 10 %]}
  mass: {decorated: [1 kg, 0.2, 0.1 kg]}
  stiffness: {repeat: [1, 2, 3]}
  velocity: {repeat: [1 m/s, 2 m/s]}
  gap: 1 um
  damping: [1, 2, 3, 4, 5]
  defects: [{at: [0, -1], velocity: 7 m/s}, {contact: 2, precompression: 3 um}, {at: 3, radius: 1 mm, mass: 9 kg}]
)");
  const ChainData& d = chain_in(p).data();
  EXPECT_NEAR(d.radius[2], 0.005 * 0.81, 1e-18);
  EXPECT_EQ(d.radius[3], 0.001);
  EXPECT_EQ(d.m, (Vec{{1, 0.1, 0.8, 9, 0.8 * 0.8, 0.1}}));
  EXPECT_EQ(d.k, (Vec{{0, 2, 3, 1, 2, 3, 0}}));
  EXPECT_EQ(Vec(d.gamma.segment(1, 5)), (Vec{{1, 2, 3, 4, 5}}));
  EXPECT_EQ(p.problem.u0, (Vec{{7, 2, 1, 2, 1, 7}}));
  EXPECT_EQ(d.a, (Vec{{0, -1e-6, 3e-6, -1e-6, -1e-6, -1e-6, 0}}));
  EXPECT_NEAR(chain_in(p).distance(0, 2), 0.005 + 2 * 0.0045 + 0.00405 + 1e-6 - 3e-6, 1e-16);
  const CatalogProblem formula = scene("chain: {beads: 4, mass: 1 + i/N, stiffness: 1 + i}");
  EXPECT_EQ(chain_in(formula).data().m, (Vec{{1, 1.25, 1.5, 1.75}}));
  EXPECT_EQ(chain_in(formula).data().k, (Vec{{0, 2, 3, 4, 0}}));
}

TEST(ChainScenes, MaterialsGiveHertzAndARestitutionGivesItself) {
  const SphereMaterial steel = find_sphere_material("steel")->material, glass{70e9, 0.2, 2500};
  const CatalogProblem p = scene(R"(
materials: {pyrex: {young: 70 GPa, poisson: 0.2, density: 2500 kg/m^3}}
chain: {beads: 3, radius: 5 mm, material: [steel, pyrex, steel], left: {material: brass}, right: wall}
)");
  const ChainData& d = chain_in(p).data();
  const Sphere a{0.005, steel}, b{0.005, glass};
  EXPECT_EQ(d.m, (Vec{{mass_of(a), mass_of(b), mass_of(a)}}));
  EXPECT_EQ(d.k[1], hertz_stiffness(a, b));
  EXPECT_EQ(d.k[0], hertz_stiffness(a, find_sphere_material("brass")->material));
  EXPECT_EQ(d.k[3], hertz_stiffness(a, steel));
  for (const double beta : {1.0, 1.5, 2.5}) {
    const CatalogProblem two =
        scene(fmt::format("chain: {{beads: 2, radius: 4 mm, material: PTFE, beta: {}, restitution: 0.8 at 2 "
                          "m/s, defects: [{{at: 0, velocity: 2 m/s}}]}}",
                          beta),
              "run: {t_end: 1 ms}");
    const RunResult r =
        run(two.problem,
            choose_method(two.method, {.scheme = {}, .stepping = {}, .solver = {}, .h = {}, .rtol = "1e-9"}));
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_NEAR((r.final.u[1] - r.final.u[0]) / 2, 0.8, 1e-7) << beta;
  }
}

TEST(ChainScenes, APreloadIsAnEquilibrium) {
  for (const char* ends :
       {"", "left: wall, right: wall,", "right: wall,", "gravity: 9.81 m/s^2, right: wall,"}) {
    const CatalogProblem p =
        scene(fmt::format("chain: {{beads: 40, radius: {{uniform: [4 mm, 6 mm], seed: 2}}, material: "
                          "{{two-valued: [steel, PTFE], seed: 3}}, preload: 5 N, {} damping: 0.1 us}}",
                          ends));
    const RunResult r = run_by(
        p, Gauss2{}, p.method.stepping.index() == 0 ? std::get<FixedSteps>(p.method.stepping).h : 1e-6, 1e-4);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LT(r.final.q.lpNorm<Eigen::Infinity>(), 1e-15) << ends;
    const Chain& chain = chain_in(p);
    EXPECT_NEAR(chain.force(1, r.final.q, r.final.u, chain.ends(0)),
                5 + (std::string(ends).find("gravity") == std::string::npos ? 0 : 9.81 * chain.data().m[0]),
                1e-9);
  }
  // a hold keeps what the catalog's does
  const CatalogProblem own =
      scene("chain: {beads: 50, mass: 1, stiffness: 1, damping: 0.1, precompression: 0.1, hold: true}");
  EXPECT_LT(run_by(own, Gauss2{}, 0.1, 20).final.q.lpNorm<Eigen::Infinity>(), 1e-13);
}

// The wave of unit speed in a chain of unit masses and stiffness: its overlap r solves r = Λ * r^{3/2} with
// the triangle Λ(x) = max(0, 1 − |x|) (English, Pego 2005), here by Petviashvili's iteration. Returns C of
// V = C F^{1/6} in beads per second; it shares nothing with a simulation.
double speed_of_solitary_wave() {
  constexpr int n = 64, width = 8;  // points a bead, beads on each side
  Vec r(2 * width * n + 1), next(r.size());
  for (int i = 0; i < r.size(); ++i) r[i] = std::exp(-std::pow((i - width * n) / double(n), 2));
  for (int round = 0; round < 60; ++round) {
    const Vec g = r.array().pow(1.5);
    for (int i = 0; i < r.size(); ++i) {
      next[i] = 0;
      for (int j = std::max(0, i - n); j <= std::min<int>(i + n, int(r.size()) - 1); ++j)
        next[i] += (1 - std::abs(i - j) / double(n)) * g[j] / n;
    }
    r = std::pow(r.squaredNorm() / r.dot(next), 3) * next;
  }
  return std::pow(r.maxCoeff(), -0.25);
}

// For spheres of diameter a the long-wave law is V = 0.6802 (2E/(a ρ^{3/2} (1 − ν²)))^{1/3} F^{1/6} (Daraio,
// Nesterenko, Herbold, Jin 2005, 2006).
TEST(ChainScenes, ASolitaryWaveHasThePublishedSpeed) {
  const SphereMaterial m = find_sphere_material("steel")->material;
  const double C = speed_of_solitary_wave();
  for (const double speed : {0.1, 0.5, 2.0}) {
    const CatalogProblem p = scene(
        fmt::format(
            "chain: {{beads: 120, radius: 4.76 mm, material: steel, defects: [{{at: 0, velocity: {} m/s}}]}}",
            speed),
        fmt::format("run: {{t_end: {} ms}}", 1.5 / std::pow(speed, 0.2)));
    const Measures measures(
        {parse_measure("max.force[60]"), parse_measure("argmax.force[80] - argmax.force[40]"),
         parse_measure("front.speed")},
        {});
    RunResult result;
    const auto x = measures.run(
        {p,
         choose_method(p.method, {.scheme = {}, .stepping = {}, .solver = {}, .h = {}, .rtol = "1e-8"}),
         {}},
        {}, result);
    ASSERT_EQ(result.status, RunStatus::finished) << result.message;
    const ChainData& d = chain_in(p).data();
    const double a = 2 * 4.76e-3,
                 exact = C * a * std::cbrt(d.k[60]) / std::sqrt(d.m[60]) * std::pow(x[0], 1. / 6),
                 long_wave = 0.6802 *
                             std::cbrt(2 * m.E / (a * std::pow(m.density, 1.5) * (1 - m.nu * m.nu))) *
                             std::pow(x[0], 1. / 6);
    EXPECT_NEAR(40 * a / x[1] / exact, 1, 2e-6) << speed;  // the oracle's error is (1/64)² of the curvature
    EXPECT_NEAR(x[2] / exact, 1, 1e-4) << speed;           // found at ends of steps
    // a wave five beads long is not long: the law is 1.2 % slow, whatever the force
    EXPECT_NEAR(exact / long_wave, 1.0125, 1e-4) << speed;
  }
}

}  // namespace
}  // namespace saltus::test_chains
