// Numbers made by three independent programs (tests/data/kk_chain.json): single steps, reference states, and
// the errors behind every figure and table of James, Vorotnikov and Brogliato.
#include <gtest/gtest.h>

#include "saltus/scheme/scheme.hpp"
#include "support/chains.hpp"

namespace saltus::test_chain_golden {
namespace {
using namespace testing;

Vec vec(const Json& values) {
  Vec out(static_cast<long>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) out[static_cast<long>(i)] = values[i];
  return out;
}

void expect_vector(const Json& g, const Vec& got, const Json& expected, const char* what) {
  ASSERT_EQ(got.size(), static_cast<long>(expected.size()));
  for (long i = 0; i < got.size(); ++i) expect_golden(g, got[i], expected[static_cast<std::size_t>(i)], what);
}

void expect_errors(const Json& g, const ChainError& e) {
  expect_golden(g, e.x, g["expected"][0], "positions");
  expect_golden(g, e.v, g["expected"][1], "velocities");
}

TEST(ChainGolden, OneStepOfEverySchemeWithItsStartAndItsVelocities) {
  for (const auto& id : golden_ids("step_", chain_file)) {
    const Json &g = golden(id, chain_file), &p = g["parameters"];
    const bool cradle = p.contains("K");
    const std::string name = id.substr(id.rfind('_') + 1);
    ChainScheme s = chain_scheme(name);
    Settings settings = {{"gamma", text(p["gamma"])}, {"formulation", s.formulation}};
    if (cradle) {
      for (const char* key : {"k", "K"}) settings.emplace_back(key, text(p[key]));
      settings.emplace_back("n", "3");
      KkTheta theta;
      theta.lambda = p["theta"].get<double>() - p["mu"].get<double>();
      s.scheme = theta;
    }
    const CatalogProblem c = make_problem(cradle ? "newtons-cradle" : "trimer", settings);
    const auto stepper = make_stepper(s.scheme, *c.problem.system, AutomaticSolver{});
    const State x0 = stepper->start(0, vec(p["x0"]), vec(p["v0"]));
    State x1 = x0;
    ASSERT_EQ(stepper->step(x0, p["h"], x1).status, StepStatus::ok) << id;
    expect_vector(g, x1.q, g["expected"]["x"], "x");
    expect_vector(g, x1.aux, g["expected"]["aux"], "aux");
    expect_vector(g, x1.u, g["expected"]["v"], "v");
  }
}

TEST(ChainGolden, ReferencesOfTheTrimerTheDimerAndTheDisorderedChain) {
  Vec x, v;
  for (const auto& id : golden_ids("ref_tri", chain_file)) {
    const Json &g = golden(id, chain_file), &p = g["parameters"];
    const double end = p["T"];
    const auto c = make_problem(
        "trimer", {{"preset", p["ic"] == "impact" ? "impact" : "compressed"}, {"beta", text(p["beta"])}},
        end);
    c.reference->state(end, Side::right, x, v);
    expect_vector(g, x, g["expected"]["x"], "x");
    expect_vector(g, v, g["expected"]["v"], "v");
  }
  const Json& dimer = golden("ref_dimer", chain_file);
  const auto c = make_problem("dimer-chain");
  c.reference->state(30, Side::right, x, v);
  expect_vector(dimer, x, dimer["expected"]["x"], "x");
  expect_vector(dimer, v, dimer["expected"]["v"], "v");
  expect_golden(dimer, energy_of(chain_of(c), 30, x, v), dimer["expected"]["energy"], "energy");

  const Json& disordered = golden("comp200", chain_file);
  make_problem("dimer-chain", {{"preset", "precompressed"}, {"n", "200"}})
      .reference->state(30, Side::right, x, v);
  const int beads[] = {0, 49, 99, 149, 199};
  for (int i = 0; i < 5; ++i) {
    expect_golden(disordered, x[beads[i]], disordered["expected"]["x"][i], "x");
    expect_golden(disordered, v[beads[i]], disordered["expected"]["v"][i], "v");
  }
}

TEST(ChainGolden, TrimerWithAndWithoutBreakingContacts) {  // Figures 2 and 3
  for (const char* figure : {"fig2_", "fig3_"})
    for (const auto& id : golden_ids(figure, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      const char* preset = id[3] == '2' ? "impact" : "compressed";
      expect_errors(g, chain_error("trimer", {{"preset", preset}}, scheme_in(id), p["h"], p["T"]));
    }
}

TEST(ChainGolden, OtherDampingLaws) {
  for (const char* law : {"beta1_", "beta2.5_"})
    for (const auto& id : golden_ids(law, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      expect_errors(g, chain_error("trimer", {{"beta", text(p["beta"])}}, scheme_in(id), p["h"], 5));
    }
}

TEST(ChainGolden, TailoredSchemesWithDampingEqualToTheStep) {  // Figure 6
  for (const char* figure : {"fig6L_", "fig6R_"})
    for (const auto& id : golden_ids(figure, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      const char* preset = id[4] == 'R' ? "impact" : "compressed";
      expect_errors(g, chain_error("trimer", {{"preset", preset}, {"gamma", text(p["h"])}}, scheme_in(id),
                                   p["h"], p["T"]));
    }
}

TEST(ChainGolden, Table1AndItsLimits) {
  for (const char* group : {"table1_", "table1x_", "limit_"})
    for (const auto& id : golden_ids(group, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      expect_errors(g, chain_error("dimer-chain", {}, scheme_in(id), p["h"], 30));
    }
}

TEST(ChainGolden, NewtonsCradleOver48Periods) {  // Figures 4 and 5
  for (const char* k : {"1.0", "13.115"}) {
    const Json& g = golden(std::string("cradle_k") + k, chain_file);
    const auto p = make_problem("newtons-cradle", {{"k", k}}, 3000);
    Method m;
    m.scheme = KkTheta{}, m.stepping = FixedSteps{0.5};
    Trajectory path;
    ASSERT_EQ(run(p.problem, m, path.sink()).status, RunStatus::finished);
    Vec x, v;
    double ex = 0, ev = 0, last = 0, last_reference = 0, largest_reference = 0;
    for (int i = 0; i < path.size(); ++i) {
      p.reference->state(path.t(i), Side::right, x, v);
      ex = std::max(ex, (x - path.q(i)).lpNorm<Eigen::Infinity>());
      ev = std::max(ev, (v - path.u(i)).lpNorm<Eigen::Infinity>());
      largest_reference = std::max(largest_reference, x.lpNorm<Eigen::Infinity>());
      if (path.t(i) <= 40)
        last = std::max(last, path.q(i)[9]), last_reference = std::max(last_reference, x[9]);
    }
    expect_golden(g, ex, g["expected"]["err_x"], "x");
    expect_golden(g, ev, g["expected"]["err_v"], "v");
    expect_golden(g, last, g["expected"]["xN_theta"], "deflection of the last bead");
    expect_golden(g, last_reference, g["expected"]["xN_ref"], "and its reference");
    expect_golden(g, largest_reference, g["expected"]["max_x_ref"], "largest displacement");
    const auto spread = [](const auto& q) { return q.maxCoeff() - q.minCoeff(); };
    expect_golden(g, spread(x), g["expected"]["spread_ref_3000"], "outermost beads at 3000");
    expect_golden(g, spread(path.q(path.size() - 1)), g["expected"]["spread_theta_3000"], "and by theta");
    const Json& r = golden(std::string("cradle_ref_k") + k, chain_file);
    p.reference->state(100, Side::right, x, v);
    expect_vector(r, x, r["expected"]["x"], "x at 100");
    expect_vector(r, v, r["expected"]["v"], "v at 100");
    const Json& in_phase = golden("cradle_inphase", chain_file);
    expect_golden(in_phase, x.sum(), in_phase["expected"]);
  }
}

TEST(ChainGolden, HomogeneousChainAndItsPeaks) {  // Figure 8
  for (const char* name : {"theta", "irk", "cnY", "glY"})
    expect_errors(golden(std::string("fig8_") + name, chain_file),
                  chain_error("homogeneous-chain", {}, name, 0.1, 70));
  const Json& g = golden("fig8_peaks", chain_file);
  const auto p = make_problem("homogeneous-chain");
  Vec x, v, peak = Vec::Zero(50);
  for (int i = 0; i <= 7000; ++i) p.reference->state(0.01 * i, Side::right, x, v), peak = peak.cwiseMax(v);
  for (std::size_t i = 0; i < g["expected"].size(); ++i)
    expect_golden(g, peak[5 + 5 * static_cast<long>(i)], g["expected"][i]);
}

double last_velocity(double eps, const char* name, double h) {
  const auto p = make_problem("dimer-chain", {{"eps", text(eps)}}, 30);
  Method m;
  m.scheme = chain_scheme(name).scheme, m.stepping = FixedSteps{h};
  return run(p.problem, m).final.u[24];
}

TEST(ChainGolden, EjectionVelocityOfTheDimerOverItsMassRatio) {  // Figure 9
  for (const auto& id : golden_ids("fig9_eps", chain_file)) {
    const Json& g = golden(id, chain_file);
    const double eps = g["parameters"]["eps"];
    Vec x, v;
    const auto p = make_problem("dimer-chain", {{"eps", text(eps)}}, 60);
    p.reference->state(30, Side::right, x, v);
    expect_golden(g, v[24], g["expected"][0], "exact, t = 30");
    p.reference->state(60, Side::right, x, v);
    expect_golden(g, v[24], g["expected"][1], "exact, t = 60");
    expect_golden(g, last_velocity(eps, "theta", 0.1), g["expected"][2], "theta");
    expect_golden(g, last_velocity(eps, "irk", 0.1), g["expected"][3], "irk");
    expect_golden(g, last_velocity(eps, "irk", 1), g["expected"][4], "irk, h = 1");
  }
}

double exact_last_velocity(double eps) {
  Vec x, v;
  make_problem("dimer-chain", {{"eps", text(eps)}}, 30).reference->state(30, Side::right, x, v);
  return v[24];
}

TEST(ChainGolden, MinimumOfTheEjectionVelocityAndWhereTheLastContactIsStillClosed) {  // Figure 9
  // a parabola through three points near the minimum, twice
  double at = 0.611;
  for (double step : {4e-3, 1e-3}) {
    const double a = exact_last_velocity(at - step), b = exact_last_velocity(at),
                 c = exact_last_velocity(at + step);
    at += 0.5 * step * (a - c) / (a - 2 * b + c);
  }
  const Json& least = golden("fig9_min", chain_file);
  expect_golden(least, at, least["expected"][0], "eps");
  expect_golden(least, exact_last_velocity(at), least["expected"][1], "v");
  const auto overlap = [](double eps) {
    Vec x, v;
    make_problem("dimer-chain", {{"eps", text(eps)}}, 30).reference->state(30, Side::right, x, v);
    return x[23] - x[24];
  };
  double low = 0.81, high = 0.83;
  ASSERT_LT(overlap(low), 0);
  ASSERT_GT(overlap(high), 0);
  while (high - low > 1e-7) (overlap(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
  const Json& open = golden("fig9_contact30", chain_file);
  expect_golden(open, low, open["expected"]);
}

TEST(ChainGolden, WithSmallStepsTheRegularisedEquationsWinFromSomeDampingOn) {  // Figure 11, right
  ASSERT_TRUE(golden("x11R", chain_file)["expected"]);
  const auto error = [](const char* name, double gamma) {
    return chain_error("dimer-chain", {{"gamma", text(gamma)}}, name, 0.01, 30).largest();
  };
  for (double gamma : {0.05, 0.054, 0.058, 0.08, 0.12, 0.2})
    EXPECT_LT(error("cnY", gamma), error("cnX", gamma)) << gamma;
  for (double gamma : {0.036, 0.042, 0.048}) EXPECT_GT(error("cnY", gamma), error("cnX", gamma)) << gamma;
  for (double gamma : {0.038, 0.044}) EXPECT_LT(error("cnY", gamma), error("cnX", gamma)) << gamma;
}

TEST(ChainGolden, ErrorsOverTheDamping) {  // Figures 10 and 11
  const auto check_figure = [](const char* prefix, std::initializer_list<const char*> names) {
    for (const auto& id : golden_ids(prefix, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      std::size_t i = 0;
      for (const char* name : names) {
        const double e =
            chain_error("dimer-chain", {{"gamma", text(p["gamma"])}}, name, p["h"], 30).largest();
        expect_golden(g, e, g["expected"][i++], name);
      }
    }
  };
  check_figure("fig10L_", {"irk", "glY", "glX"});
  check_figure("fig10R_", {"irk", "glY", "glX"});
  check_figure("fig11L_", {"theta", "cnY", "cnX"});
  check_figure("fig11R_", {"theta", "cnY", "cnX"});
}

TEST(ChainGolden, DampingAtWhichTwoSchemesAreEquallyGood) {  // crossings of Figures 10 and 11
  const auto difference = [](const std::string& a, const std::string& b, double h, double gamma) {
    const Settings s = {{"gamma", text(gamma)}};
    return chain_error("dimer-chain", s, a, h, 30).largest() -
           chain_error("dimer-chain", s, b, h, 30).largest();
  };
  for (const char* prefix : {"x10L", "x10R", "x11L"})
    for (const auto& id : golden_ids(prefix, chain_file)) {
      const Json &g = golden(id, chain_file), &p = g["parameters"];
      const std::string rest = id.substr(5), a = scheme_in(id), b = rest.substr(a.size() + 1, 3);
      double low = p["bracket"][0], high = p["bracket"][1];
      const bool sign = difference(a, b, p["h"], low) > 0;
      ASSERT_NE(sign, difference(a, b, p["h"], high) > 0) << id;
      while (high - low > 5e-5) {
        const double middle = 0.5 * (low + high);
        (difference(a, b, p["h"], middle) > 0 ? sign : !sign) ? low = middle : high = middle;
      }
      expect_golden(g, 0.5 * (low + high), g["expected"]);
    }
}

}  // namespace
}  // namespace saltus::test_chain_golden
