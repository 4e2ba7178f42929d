// The references themselves: against closed forms computed independently, and against each other.
#include <cmath>

#include "saltus/reference/ballistic_reference.hpp"
#include "saltus/system/checked.hpp"
#include "support/problems.hpp"

namespace saltus::test_references {
namespace {

using testing::expect_golden, testing::golden, testing::oscillator_of;

void expect_states(const testing::Json& g, const Reference& reference) {
  Vec q, u;
  for (std::size_t i = 0; i < g["expected"].size(); ++i) {
    reference.state(g["parameters"]["t"][i], Side::right, q, u);
    expect_golden(g, q[0], g["expected"][i][0], "q at sample " + std::to_string(i));
    expect_golden(g, u[0], g["expected"][i][1], "v at sample " + std::to_string(i));
  }
}

TEST(BouncingBall, MatchesTheClosedForm) {
  const auto& g = golden("ball-exact-state");
  expect_states(g, *bouncing_ball_reference(BouncingBall{}));
  expect_golden(golden("ball-exact-accumulation"), accumulation_time(BouncingBall{}), 3.0);
  const auto& impacts = golden("ball-exact-impacts");
  const auto reference = bouncing_ball_reference(BouncingBall{});
  const auto times = reference->breaks(0, 5);
  Vec q, left, right;
  for (std::size_t i = 0; i < impacts["expected"].size(); ++i) {
    expect_golden(impacts, times[i], impacts["expected"][i][0]);
    reference->state(times[i], Side::left, q, left);
    reference->state(times[i], Side::right, q, right);
    expect_golden(impacts, left[0], impacts["expected"][i][1]);
    expect_golden(impacts, right[0], impacts["expected"][i][2]);
  }
}

// A third opinion: the oscillator's Taylor solver with k = c = 0 is a ball.
TEST(BouncingBall, AgreesWithTheOscillatorForAnyData) {
  const double data[][5] = {{2, -3, 0.7, 0.4, 1.5}, {1, -9.81, 0.95, 2, -1}, {0.5, -1, 0, 1, 0.2},
                            {1, -2, 1, 1, 0},       {1, 1, 0.5, 1, -3},      {1, 0, 0.6, 1, -0.5},
                            {1, -2, 0.5, 0, 1},     {3, -2, 0.3, 0, 0},      {1, 1, 0.5, 1, -0.1},
                            {1, 2, 0, 0.5, -2}};
  for (const auto& d : data) {
    const BouncingBall ball{d[0], d[1], d[2], d[3], d[4]};
    ImpactOscillator o;
    o.m = d[0], o.c = 0, o.k = 0, o.A = d[1], o.e = d[2], o.q0 = d[3], o.v0 = d[4];
    const auto a = bouncing_ball_reference(ball), b = impact_oscillator_reference(o, 4);
    Vec qa, ua, qb, ub;
    for (double t = 0; t < 4; t += 0.0371) {
      a->state(t, Side::right, qa, ua);
      b->state(t, Side::right, qb, ub);
      EXPECT_NEAR(qa[0], qb[0], 1e-11) << "t = " << t << " f = " << d[1] << " e = " << d[2];
      EXPECT_NEAR(ua[0], ub[0], 1e-10) << "t = " << t << " f = " << d[1] << " e = " << d[2];
    }
  }
}

TEST(BouncingBall, IsAtRestAfterTheAccumulationAndNeverBelowTheFloor) {
  const auto reference = bouncing_ball_reference(BouncingBall{});
  Vec q, u;
  for (double t = 0; t < 5; t += 1e-4) {
    reference->state(t, Side::right, q, u);
    EXPECT_GE(q[0], 0) << t;
    if (t >= 3) {
      EXPECT_EQ(u[0], 0) << t;
    }
  }
}

class Oscillator : public ::testing::TestWithParam<const char*> {};

TEST_P(Oscillator, MatchesTheGoldenSolution) {
  const std::string id = GetParam();
  const auto& g = golden(id + "-exact-state");
  OscillatorHistory history;
  const ImpactOscillator o = oscillator_of(g["parameters"]);
  expect_states(g, *impact_oscillator_reference(o, 6, &history));
  const auto& impacts = golden(id + "-exact-impacts");
  for (std::size_t i = 0; i < impacts["expected"].size(); ++i)
    for (int k = 0; k < 3; ++k) expect_golden(impacts, history.impacts.at(i)[k], impacts["expected"][i][k]);
  if (id != "oscA")
    expect_golden(golden(id + "-exact-accumulation"), history.rest,
                  golden(id + "-exact-accumulation")["expected"]);
  if (id == "oscC")
    expect_golden(golden("oscC-exact-release"), history.release, golden("oscC-exact-release")["expected"]);
}
INSTANTIATE_TEST_SUITE_P(Acary, Oscillator, ::testing::Values("oscA", "oscB", "oscC"));

// Studer's oscillator: v_{k+1} = e v_k and t_{k+1} − t_k = (2π − 2 atan(e v_k/(w d)))/w, wall above.
TEST(Oscillator, PresetStuderFollowsItsRecursion) {
  ImpactOscillator o;
  ASSERT_TRUE(o.set_preset("studer"));
  OscillatorHistory history;
  impact_oscillator_reference(o, 2.2, &history);
  const double w = std::sqrt(200.0), d = 0.15, pi = std::acos(-1.0);
  ASSERT_GE(history.impacts.size(), 6u);
  EXPECT_NEAR(history.impacts[0][0], 0.1395076798, 1e-10);
  EXPECT_NEAR(history.impacts[0][1], 4.4766058571, 1e-9);
  for (int k = 0; k + 1 < 6; ++k) {
    const auto& a = history.impacts[k];
    const auto& b = history.impacts[k + 1];
    EXPECT_NEAR(b[0] - a[0], (2 * pi - 2 * std::atan(0.6 * a[1] / (w * d))) / w, 1e-11);
    EXPECT_NEAR(b[1], 0.6 * a[1], 1e-11);
    EXPECT_NEAR(a[2], -0.6 * a[1], 1e-12);
  }
}

TEST(Oscillator, UnknownPresetIsRefusedWithTheKnownOnes) {
  try {
    make_problem("impact-oscillator", {{"preset", "acary-d"}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("acary-a"), std::string::npos) << e.what();
  }
}

// The event-driven ballistic reference on one ball is the closed form.
TEST(Ballistic, OneBallIsTheClosedForm) {
  const BouncingBall ball;
  const CatalogProblem p = ball.build(5);
  const auto& system = dynamic_cast<const LinearSystem&>(*p.problem.system);
  const auto b = ballistic_reference(system, p.problem.q0, p.problem.u0, 5);
  ASSERT_EQ(b->valid_until(), infinity);
  Vec qa, ua, qb, ub;
  for (double t = 0; t < 5; t += 0.0137) {
    p.reference->state(t, Side::right, qa, ua);
    b->state(t, Side::right, qb, ub);
    EXPECT_NEAR(qa[0], qb[0], 1e-10) << t;
    EXPECT_NEAR(ua[0], ub[0], 1e-9) << t;
  }
}

// Equal masses and e = 1: velocities are exchanged; bead k moves during [k, k+1] gaps.
TEST(Ballistic, CollinearChainPassesTheVelocityOn) {
  const CatalogProblem p = make_problem("collinear-chain", {{"n", "5"}, {"gap", "0.1"}});
  Vec q, u;
  p.reference->state(0.25, Side::right, q, u);
  EXPECT_NEAR(u[2], 1, 1e-13);
  EXPECT_NEAR(q[2], 0.2 + 0.05, 1e-13);
  EXPECT_NEAR(q[0], 0.1, 1e-13);
  EXPECT_NEAR(u.cwiseAbs().sum(), 1, 1e-12);
}

// Invariants of an event-driven run with impacts at both ends: energy falls only at impacts, gaps stay
// non-negative.
TEST(Ballistic, RockingBarLosesEnergyOnlyAtImpactsAndNeverPenetrates) {
  const CatalogProblem p = make_problem("rocking-bar");
  ASSERT_TRUE(p.reference);
  ASSERT_GE(p.reference->valid_until(), 1.5);
  const auto& system = testing::system_of(p);
  const auto breaks = p.reference->breaks(0, 1.5);
  EXPECT_GE(breaks.size(), 5u);
  Vec q, u;
  double last = energy_of(system, 0, p.problem.q0, p.problem.u0), from = 0;
  ContactSet set;
  for (double to : breaks) {
    for (int k = 1; k < 4; ++k) {
      p.reference->state(from + (to - from) * k / 4, Side::right, q, u);
      EXPECT_LE(energy_of(system, 0, q, u), last * (1 + 1e-11) + 1e-11);
      CheckedSystem(system).list(0, q, set);
      EXPECT_GE(std::min(set.gap[0], set.gap[1]), -1e-11);
    }
    last = energy_of(system, 0, q, u);
    from = to;
  }
}

TEST(Pendulum, ReferenceConservesEnergyAndKeepsTheJoints) {
  const CatalogProblem p = make_problem("pendulum", {}, 3);
  const auto& system = testing::system_of(p);
  const double e0 = energy_of(system, 0, p.problem.q0, p.problem.u0);
  Vec q, u;
  ContactSet set;
  for (double t = 0; t <= 3; t += 0.07) {
    p.reference->state(t, Side::right, q, u);
    EXPECT_NEAR(energy_of(system, t, q, u), e0, 1e-11 * std::abs(e0));
    CheckedSystem(system).list(t, q, set);
    EXPECT_NEAR(set.gap[0], 0, 1e-13);
    EXPECT_NEAR(set.gap[1], 0, 1e-13);
  }
  p.reference->state(1, Side::right, q, u);  // published in the digest of paper 004, by another integrator
  EXPECT_NEAR(q[2], 10.824839998, 2e-9);
  EXPECT_NEAR(u[2], 11.269798960, 2e-9);
}

TEST(SlidingBlock, StopsAndSticksBelowTheFrictionAngle) {
  const CatalogProblem p = make_problem("sliding-block");
  const double a = 9.81 * (std::sin(0.3) - 0.5 * std::cos(0.3)), t = -2 / a;
  Vec q, u;
  p.reference->state(t + 0.1, Side::right, q, u);
  EXPECT_EQ(u[0], 0);
  EXPECT_NEAR(q[0], -4 / (2 * a), 1e-14);
}

TEST(Catalog, EveryEntryBuildsRunsAndIsCloseToItsReference) {
  for (const auto& entry : catalog()) {
    const CatalogProblem p = entry.make({}, {});
    Trajectory trajectory;
    const RunResult r = run(p.problem, p.method, trajectory.sink());
    EXPECT_EQ(r.status, RunStatus::finished) << entry.name << ": " << r.message;
    if (!p.reference) {  // golden values in tests/run and tests/flexible, invariants in tests/planar
      EXPECT_TRUE(entry.name == "woodpecker" || entry.name == "disk-mixer" ||
                  entry.name == "flexible-pendulum")
          << entry.name << " has no reference";
      continue;
    }
    const TrajectoryError e = compare(trajectory, *p.reference, {false, 1e-9});
    // the bar moves by 8 m, and its mesh is finite where the reference is continuous
    EXPECT_LT(e.q_sup, entry.name == "elastic-bar" ? 0.2 : 0.05) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    for (const auto& f : entry.parameters) EXPECT_FALSE(f.help.empty()) << entry.name << " " << f.name;
  }
}

TEST(Catalog, MistakesAreNamedWithWhatIsAllowed) {
  const auto message = [](std::string_view name, const Settings& s) -> std::string {
    try {
      make_problem(name, s);
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_NE(message("bouncing-bal", {}).find("did you mean 'bouncing-ball'"), std::string::npos);
  for (const char* bad : {"-1", "0", "nan", "inf", "x", ""})
    EXPECT_NE(message("bouncing-ball", {{"m", bad}}).find("bouncing-ball.m"), std::string::npos) << bad;
  for (const char* bad : {"1.5", "-0.5", "nan"})
    EXPECT_NE(message("bouncing-ball", {{"e", bad}}).find("bouncing-ball.e = "), std::string::npos) << bad;
  EXPECT_NE(message("bouncing-ball", {{"mass", "1"}}).find("has no field 'mass'"), std::string::npos);
  EXPECT_NE(message("impact-oscillator", {{"side", "left"}}).find("below, above"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_references
