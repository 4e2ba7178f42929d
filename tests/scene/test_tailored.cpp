// Schemes for positions only, tailored ones among them, on systems that are no chains of the catalog.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::test_tailored {
namespace {

constexpr int beads = 5;

ChainData chain_data(double gamma, double beta, double K) {
  ChainData d;
  d.m.resize(beads), d.K.setConstant(beads, K), d.F.setZero(beads);
  d.k.setConstant(beads + 1, 2), d.k[0] = d.k[beads] = 0;
  d.gamma.setConstant(beads + 1, gamma), d.beta = beta;
  for (int i = 0; i < beads; ++i) d.m[i] = 1 + 0.2 * (i % 3);
  return d;
}

std::string row(double gamma, double beta, double K, const std::string& scheme,
                const std::string& more = {}) {
  std::string xs, ms, cs, V = "0";
  for (int i = 0; i < beads; ++i) {
    xs += fmt::format("  x{}: {{start: 0, velocity: {}}}\n", i, i == 0 ? 1 : 0);
    ms += fmt::format("{}x{}: {}", i ? ", " : "", i, 1 + 0.2 * (i % 3));
    V += fmt::format(" + {}/2*x{}^2", K, i);
    if (i > 0)
      cs += fmt::format(
          "  c{0}: {{gap: x{0} - x{1}, law: {{name: kuwabara-kono, k: 2, gamma: {2}, beta: {3}}}}}\n", i,
          i - 1, gamma, beta);
  }
  return fmt::format(
      "saltus: 1\ncoordinates:\n{}mass: {{{}}}\npotential: {}\ncontacts:\n{}{}run: {{t_end: 8, h: 0.1, "
      "scheme: "
      "'{}'}}\n",
      xs, ms, V, cs, more, scheme);
}

CatalogProblem scene(const std::string& text) {
  return load_scene_text(text, "scene")->entry.make({}, {});
}

RunResult run_of(const std::string& text) {
  const CatalogProblem p = scene(text);
  return run(p.problem, p.method);
}

std::string refusal(const std::string& text) {
  try {
    const CatalogProblem p = scene(text);
    run(p.problem, p.method);
    return "not refused";
  } catch (const Error& e) {
    return e.what();
  }
}

void expect_chain_equals_scene(double gamma, double beta, double K, const std::string& scheme) {
  const RunResult soft = run_of(row(gamma, beta, K, scheme));
  Vec v = Vec::Zero(beads);
  v[0] = 1;
  const Problem p{std::make_shared<Chain>(chain_data(gamma, beta, K)), 0, 8, Vec::Zero(beads), v};
  const RunResult chain =
      run(p, {parse_spec<SchemeSpec>(scheme, "scheme"), FixedSteps{.h = 0.1}, AutomaticSolver{}});
  ASSERT_EQ(soft.status, RunStatus::finished) << scheme << ": " << soft.message;
  ASSERT_EQ(chain.status, RunStatus::finished) << scheme << ": " << chain.message;
  EXPECT_LT((soft.final.q - chain.final.q).cwiseAbs().maxCoeff(), 1e-10) << scheme;
  EXPECT_LT((soft.final.u - chain.final.u).cwiseAbs().maxCoeff(), 1e-10) << scheme;
  EXPECT_NEAR(soft.ledger.remainder, chain.ledger.remainder, 1e-9) << scheme;
}

TEST(TailoredScenes, AChainIsTheSameAsASceneAndInTheCatalog) {
  for (const char* scheme :
       {"kk-theta", "kk-theta:lambda=0.3", "kk-irk", "gauss-2", "crank-nicolson",
        "additive-theta:theta=0.6,mu=0.7", "rk:tableau=radau-iia-5", "rk:tableau=lobatto-iiic-4"})
    for (const double K : {0.0, 0.3}) expect_chain_equals_scene(0.1, 1.5, K, scheme);
  expect_chain_equals_scene(0, 1.5, 0.3, "additive-theta:theta=0.7,mu=0.4");
}

// The tailored schemes solve the system without damping: a gamma of their own on contacts without any is the
// gamma of the contacts.
TEST(TailoredScenes, AGammaOfTheSchemeIsThatOfTheContacts) {
  for (const std::string scheme : {"kk-theta", "kk-irk"})
    for (const double K : {0.0, 0.3}) {
      const RunResult law = run_of(row(0.1, 1.5, K, scheme)),
                      own = run_of(row(0, 1.5, K, scheme + ":gamma=0.1"));
      ASSERT_EQ(own.status, RunStatus::finished) << own.message;
      EXPECT_EQ(law.final.q, own.final.q);
      EXPECT_EQ(law.final.u, own.final.u);
      expect_chain_equals_scene(0, 1.5, K, scheme + ":gamma=0.1");
      EXPECT_NE(
          refusal(row(0.2, 1.5, K, scheme + ":gamma=0.1")).find("gamma = 0.1 is for systems without damping"),
          std::string::npos);
      EXPECT_EQ(run_of(row(0.1, 1.5, K, scheme + ":gamma=0.1")).final.q, law.final.q);  // the same twice
    }
}

// ẍ = g(x) + γ d/dt g(x) for any g: an oscillator without contacts has the damping γω².
TEST(TailoredScenes, AGammaOfTheSchemeDampsAnyAcceleration) {
  const double omega = 3, gamma = 1e-3, t = 5, delta = gamma * omega * omega / 2;
  const double nu = std::sqrt(omega * omega - delta * delta);
  const double exact = std::exp(-delta * t) * (std::cos(nu * t) + delta / nu * std::sin(nu * t));
  for (const char* scheme : {"kk-theta", "kk-irk"}) {
    const RunResult r =
        run_of(fmt::format("saltus: 1\ncoordinates: {{x: {{start: 1}}}}\nmass: {{x: 2}}\npotential: "
                           "{}*x^2\nrun: {{t_end: {}, h: "
                           "0.001, scheme: '{}:gamma={}'}}\n",
                           omega * omega, t, scheme, gamma));
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_NEAR(r.final.q[0], exact, 1e-4) << scheme;  // gamma² and h²; without gamma it is 2e-2 off
    EXPECT_GT(std::abs(exact - std::cos(omega * t)), 1e-2);
    ASSERT_EQ(r.warnings.size(), 1u);
    EXPECT_NE(r.warnings[0].find("from a system without damping of its own"), std::string::npos);
    EXPECT_NEAR(r.ledger.remainder, omega * omega * (std::exp(-2 * delta * t) - 1), 0.05 * omega * omega);
  }
}

TEST(TailoredScenes, AllPowersOfTheDampingAreThoseOfChains) {
  for (const double beta : {1.0, 1.5, 2.0, 2.5})
    for (const char* scheme : {"gauss-2", "crank-nicolson", "additive-theta"})
      expect_chain_equals_scene(0.1, beta, 0.2, scheme);
}

// Disks in a row are a chain whose contacts have the stiffness of two surfaces in series.
const char* const disks = R"yaml(saltus: 1
gravity: [0, 0]
materials: {{soft: {{law: {{name: kuwabara-kono, k: 2, gamma: 0.1}}}}}}
bodies:
  a: {{shape: disk, radius: 5, mass: 1, material: soft, position: [0, 0], velocity: [1, {}]}}
  b: {{shape: disk, radius: 5, mass: 1, material: soft, position: [10, 0]}}
  c: {{shape: disk, radius: 5, mass: 1, material: soft, position: [20, 0]}}
run: {{t_end: 8, h: 0.1, scheme: {}}}
)yaml";

TEST(TailoredScenes, BodiesOnALineAreAChain) {
  for (const char* scheme : {"kk-theta", "kk-irk"}) {
    const RunResult r = run_of(fmt::format(fmt::runtime(disks), 0, scheme));
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    ChainData d;
    d.m.setOnes(3), d.k.setConstant(4, 2 * std::pow(0.5, 1.5)), d.k[0] = d.k[3] = 0,
                                                                d.gamma.setConstant(4, 0.1);
    const Problem p{std::make_shared<Chain>(d), 0, 8, Vec::Zero(3), Vec{{1, 0, 0}}};
    const RunResult chain =
        run(p, {parse_spec<SchemeSpec>(scheme, "scheme"), FixedSteps{.h = 0.1}, AutomaticSolver{}});
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(r.final.q[3 * i], chain.final.q[i] + 10 * i, 1e-10) << scheme;
      EXPECT_NEAR(r.final.u[3 * i], chain.final.u[i], 1e-10) << scheme;
    }
  }
  // off the line contacts turn, and a force and its rate have two directions
  const RunResult off = run_of(fmt::format(fmt::runtime(disks), 0.2, "kk-irk"));
  EXPECT_EQ(off.status, RunStatus::failed);
  EXPECT_NE(off.message.find("a contact turns by"), std::string::npos) << off.message;
}

TEST(TailoredScenes, WhatHasNoTailoredDampingIsRefused) {
  const auto expect = [](const std::string& text, const char* words) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  };
  expect(row(0.1, 2.5, 0, "kk-irk"), "one damping for all contacts");
  expect(row(0.1, 1.5, 0, "kk-theta", "forces: {x0: -0.1*x0'}\n"), "velocities occur in no force");
  expect(row(0.1, 1.5, 0, "kk-irk", "forces: {x0: sin(t)}\n"), "loads that vary with time");
  std::string curved = row(0.1, 1.5, 0, "kk-theta");
  curved.replace(curved.find("x1 - x0"), 7, "(x1 - x0)*(1 + x2^2)");
  expect(curved, "have linear gaps");
  std::string other = row(0.1, 1.5, 0, "kk-theta");
  other.replace(other.find("gamma: 0.1"), 10, "gamma: 0.2");
  expect(other, "gamma differs from contact to contact");
}

// A load that varies is a local force: with γ = h the order is 2, as without it; were its rate taken for
// damping, it would be 1.
TEST(TailoredScenes, KkThetaTakesLoadsThatVary) {
  const auto error = [](double h) {
    const auto end = [&](const char* scheme) {
      std::string text = row(h, 1.5, 0.2, scheme, "forces: {x2: 0.2*sin(2*t)}\n");
      text.replace(text.find("h: 0.1"), 6, fmt::format("h: {}", h));
      const RunResult r = run_of(text);
      EXPECT_EQ(r.status, RunStatus::finished) << r.message;
      return r.final.q;
    };
    return (end("kk-theta") - end("gauss-2")).norm();
  };
  EXPECT_NEAR(std::log2(error(0.04) / error(0.02)), 2, 0.2);
}

// K γ (γ − 2 λ h)/m ≤ 4, in chains and in scenes.
TEST(TailoredScenes, KkThetaIsRefusedWhereLocalSpringsMakeItUnstable) {
  const auto text = [](double gamma, const char* scheme) { return row(gamma, 1.5, 1, scheme); };
  EXPECT_NE(refusal(text(2.05, "kk-theta")).find("the largest is 4.2"), std::string::npos)
      << refusal(text(2.05, "kk-theta"));
  EXPECT_EQ(refusal(text(1.9, "kk-theta")), "not refused");
  EXPECT_EQ(refusal(text(2.05, "kk-theta:lambda=1")), "not refused");
  EXPECT_EQ(refusal(text(2.05, "gauss-2")), "not refused");
}

// Springs that stiffen after the start cannot be checked there: the ledger sees what they make.
TEST(TailoredScenes, TheLedgerFailsWhatGrowsLater) {
  std::string text = row(2, 1.5, 0.5, "kk-theta");
  text.replace(text.find("potential: 0"), 12, "potential: 20*x0^4");
  text.replace(text.find("t_end: 8, h: 0.1"), 16, "t_end: 60, h: 0.5");
  const RunResult r = run_of(text);
  EXPECT_EQ(r.status, RunStatus::failed) << r.energy_final << " " << r.message;
}

TEST(TailoredScenes, TheSizeOfTheTailoredDampingIsSaid) {
  const RunResult theta = run_of(row(0.3, 1.5, 0, "kk-theta")), small = run_of(row(0.01, 1.5, 0, "kk-irk")),
                  exact = run_of(row(0.3, 1.5, 0, "gauss-2"));
  ASSERT_EQ(theta.warnings.size(), 1u) << theta.message;
  EXPECT_NE(theta.warnings[0].find("the tailored damping of kk-theta took"), std::string::npos)
      << theta.warnings[0];
  EXPECT_TRUE(small.warnings.empty()) << small.message;
  EXPECT_TRUE(exact.warnings.empty()) << exact.message;
}

}  // namespace
}  // namespace saltus::test_tailored
