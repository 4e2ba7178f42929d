// Options of stepping switching: tolerances, restitution that fades, equal steps where switching points are
// dense; and the record of its tries.
#include <cmath>

#include "saltus/system/linear_system.hpp"
#include "support/errors.hpp"
#include "support/studer.hpp"
#include "support/switching.hpp"

namespace saltus::test_switching_options {
namespace {

using testing::expect_studer, testing::run_switching, testing::switching, testing::SwitchingRun;

// Oscillators side by side without contacts, each with an amplitude and a frequency.
Problem oscillators(std::vector<std::pair<double, double>> list, double t_end) {
  const int n = static_cast<int>(list.size());
  LinearSystem::Data d;
  d.M = d.K = Matrix(n, {Pattern::diagonal, 0, nullptr});
  Vec q(n);
  for (int i = 0; i < n; ++i) {
    d.M.set(i, i, 1), d.K.set(i, i, list[i].second * list[i].second);
    q[i] = list[i].first;
  }
  return {std::make_shared<LinearSystem>(std::move(d)), 0, t_end, q, Vec::Zero(n)};
}

TEST(SwitchingTolerances, PositionsAndVelocitiesHaveTheirOwn) {
  const Problem p = oscillators({{1, 100}}, 1);  // |u| is 100 |q|
  SwitchingSteps both = switching(1e-7, 0.1, 1e-8), apart = both;
  apart.atol_u = 1e-6;
  SwitchingSteps same = both;
  same.atol_q = same.atol_u = 1e-8, same.atol = 1;
  const SwitchingRun a = run_switching(p, both), b = run_switching(p, apart), c = run_switching(p, same);
  EXPECT_LT(static_cast<double>(b.result.stats.base_steps),
            0.9 * static_cast<double>(a.result.stats.base_steps));
  EXPECT_NEAR(b.result.final.q[0], std::cos(100.0), 1e-5);
  EXPECT_EQ(a.result.final.q[0], c.result.final.q[0]);
  EXPECT_EQ(a.result.stats.base_steps, c.result.stats.base_steps);
}

// A small fast oscillator beside a large slow one: relative to the large one its errors are nothing.
TEST(SwitchingTolerances, EachCoordinateHasItsOwn) {
  const Problem p = oscillators({{1, 1}, {1e-6, 40}}, 2);
  SwitchingSteps s = switching(1e-7, 0.5, 1e-14);
  s.rtol = 1e-5;
  const auto error = [&](ErrorNorm norm) {
    s.norm = norm;
    const SwitchingRun r = run_switching(p, s);
    EXPECT_EQ(r.result.status, RunStatus::finished);
    return std::abs(r.result.final.q[1] - 1e-6 * std::cos(80.0));
  };
  EXPECT_GT(error(ErrorNorm::largest), 1e-8);
  EXPECT_LT(error(ErrorNorm::each), 2e-9);
}

// The same by absolute tolerances, one for each coordinate, as the command line has them.
TEST(SwitchingTolerances, AbsoluteOnesAreAListByCoordinate) {
  const Problem p = oscillators({{1, 1}, {1e-6, 40}}, 2);
  const auto go = [&](const std::string& more) {
    const auto s = parse_spec<Stepping>("switching:h_min=1e-7,h_max=0.5,atol=1e-4" + more, "stepping");
    return run(p, {MoreauMidpoint{}, s, AutomaticSolver{}});
  };
  const auto error = [](const RunResult& r, int k) {
    return std::abs(r.final.q[k] - (k == 0 ? std::cos(2.0) : 1e-6 * std::cos(80.0)));
  };
  const RunResult rough = go(""), list = go(",atol_q=1e-4:1e-10,atol_u=1e-4:1e-9"),
                  fine = go(",atol_q=1e-10,atol_u=1e-9"), zero = go(",atol_q=0:1e-10,atol_u=0:1e-9");
  EXPECT_GT(error(rough, 1), 1e-7);
  EXPECT_LT(error(list, 1), 1e-8);
  EXPECT_LT(error(list, 0), 1e-3);
  EXPECT_LE(list.stats.base_steps, fine.stats.base_steps);
  EXPECT_EQ(list.final.q[1], zero.final.q[1]);  // 0 is atol
  for (const auto& [more, words] :
       std::vector<std::pair<std::string, std::string>>{{",atol_q=1:1:1", "atol_q has 3 numbers"},
                                                        {",atol_u=1:x", "not a number"},
                                                        {",atol_u=1:-1", "must be >= 0"},
                                                        {",atol_u=1:", "not a number"}})
    EXPECT_NE(testing::message_of([&, more = more] { go(more); }).find(words), std::string::npos) << more;
  SwitchingSteps s;
  s.atol_q = NumberList({1e-4, 1e-10});
  EXPECT_NE(to_text(s).find("atol_q=0.0001:1e-10"), std::string::npos) << to_text(s);
}

TEST(SwitchingTolerances, TheContactSolverFollows) {
  const CatalogProblem p = make_problem("woodpecker");
  const SwitchingSteps s = std::get<SwitchingSteps>(p.method.stepping);
  const SwitchingRun usual = run_switching(p.problem, s), rough = run_switching(p.problem, s, Psor{1e-6});
  EXPECT_TRUE(usual.result.warnings.empty());
  ASSERT_EQ(rough.result.status, RunStatus::finished) << rough.result.message;
  EXPECT_LT(rough.result.stats.base_steps, 2 * usual.result.stats.base_steps);
  EXPECT_EQ(rough.result.stats.switches, usual.result.stats.switches);
  ASSERT_EQ(rough.result.warnings.size(), 1u);
  EXPECT_NE(rough.result.warnings[0].find("its tolerance 1e-06 was lowered to"), std::string::npos)
      << rough.result.warnings[0];
}

// e^(h/h_min), the second proposal of Sect. 8.2: substeps 1, 2, 3, … no longer keep a mass at rest from long
// steps, and impacts are those of the closed form.
TEST(SwitchingRestitution, FadesInLongSteps) {
  for (const Substeps substeps : {Substeps::odd, Substeps::all}) {
    SwitchingSteps s = switching(1e-5, 0.05, 1e-8);
    s.substeps = substeps, s.restitution = SwitchingSteps::Restitution::fading;
    const SwitchingRun r = run_switching(make_problem("falling-mass", {}, 1.2).problem, s);
    ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
    const auto impacts = r.events_of(EventKind::impact);
    ASSERT_GE(impacts.size(), 10u);
    std::vector<double> first;
    for (int k = 0; k < 10; ++k) first.push_back(impacts[k].t);
    expect_studer("E02_impacts", first);
    double largest = 0;
    for (int i = 0; i + 1 < r.path.size(); ++i)
      if (r.path.t(i) > 0.7) largest = std::max(largest, r.h(i));
    expect_studer("E08_late_dt", {largest});
  }
}

Problem small_bounces(double t_end) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec::Constant(1, -10.0);
  d.contacts.push_back({"floor", Unilateral{1}, {{{0, 1.0}}}, 0, 0});
  return {std::make_shared<LinearSystem>(std::move(d)), 0, t_end, Vec::Constant(1, 1e-8), Vec::Zero(1)};
}

// Bounces of 9e-5 s without end.
TEST(SwitchingDense, StepsAreEqualWhereSwitchesAreDenseAndTheRunSaysSo) {
  const Problem p = small_bounces(0.2);
  SwitchingSteps s = switching(1e-6, 1e-2, 1e-6);
  s.h_dense = 2e-5;
  const SwitchingRun r = run_switching(p, s);
  ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
  EXPECT_GT(r.result.stats.equal_steps, 1000);
  ASSERT_EQ(r.result.warnings.size(), 1u);
  EXPECT_NE(r.result.warnings[0].find("switching points were dense"), std::string::npos);
  EXPECT_LT(r.path.q(r.path.size() - 1).lpNorm<Eigen::Infinity>(), 1e-6);
  s.dense = 0;
  const SwitchingRun all = run_switching(small_bounces(0.02), s);
  EXPECT_EQ(all.result.stats.equal_steps, 0);
  EXPECT_TRUE(all.result.warnings.empty());
  EXPECT_GT(all.result.stats.switches, 400);
  s.h_dense = 1;
  EXPECT_NE(testing::message_of([&] { run_switching(p, s); }).find("h_dense = 1 is not between"),
            std::string::npos);
}

TEST(SwitchingTries, AreAllTold) {
  const CatalogProblem p = make_problem("woodpecker");
  std::int64_t tries = 0, taken = 0, detected = 0;
  double t = 0;
  RunControl control;
  control.attempt = [&](const Attempt& a) {
    ++tries, taken += a.taken, taken -= a.drops, detected += a.outcome == Outcome::detected;
    EXPECT_GT(a.h, 0);
    EXPECT_LE(a.t, t + 1e-12);
    if (a.taken) {
      EXPECT_GE(a.order, 1);
      t = a.t + a.h;
    }
  };
  const RunResult r = run(p.problem, p.method, {}, control);
  EXPECT_EQ(tries, r.stats.calculated);
  EXPECT_EQ(taken, r.stats.steps);
  EXPECT_EQ(detected, r.stats.detections);
}

// A stiff spring beside a soft one: extrapolation would have to resolve its vibration, which is above the
// tolerance but small. Equal steps of a scheme that is stable without follow, and the soft one is right.
TEST(SwitchingStiffness, FastVibrationsOfAnImplicitBaseEndInEqualSteps) {
  const Problem p = oscillators({{1, 1}, {1e-11, 1e6}}, 0.2);
  const auto go = [&](const SchemeSpec& scheme, int dense, double t_end) {
    SwitchingSteps s = switching(2e-8, 2e-4, 1e-6);
    s.dense = dense;
    Problem until = p;
    until.t_end = t_end;
    return run(until, {scheme, s, AutomaticSolver{}});
  };
  const RunResult r = go(MoreauJean{}, 300, 0.2), searched = go(MoreauJean{}, 0, 0.002),
                  explicit_base = go(MoreauMidpoint{}, 300, 0.002);
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_GT(r.stats.equal_steps, r.stats.steps / 2);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("vibrations too fast"), std::string::npos) << r.warnings[0];
  EXPECT_NEAR(r.final.q[0], std::cos(0.2), 1e-9);
  EXPECT_LT(std::abs(r.final.q[1]), 1e-9);
  EXPECT_LT(r.stats.base_steps / 0.2, 0.5 * static_cast<double>(searched.stats.base_steps) / 0.002);
  EXPECT_EQ(searched.stats.equal_steps, 0);
  EXPECT_EQ(explicit_base.stats.equal_steps, 0);
  EXPECT_LT(searched.stats.rejected, searched.stats.steps / 2);  // lost tries become rare
  // a vibration that is the motion itself is resolved
  const Problem fast = oscillators({{1e-6, 1e6}}, 0.002);
  const RunResult resolved = run(fast, {MoreauJean{}, switching(2e-8, 2e-4, 1e-6), AutomaticSolver{}});
  EXPECT_EQ(resolved.stats.equal_steps, 0);
}

}  // namespace
}  // namespace saltus::test_switching_options
