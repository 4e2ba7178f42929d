// What every scheme must do, by iterating over the list: a new scheme is covered without a line here. The
// problems are chosen by the family of the scheme, the stepping is the first one that the table names for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/compatibility.hpp"
#include "saltus/scene/load.hpp"
#include "saltus/study/convergence.hpp"
#include "support/allocations.hpp"

namespace saltus::test_conformance {
namespace {

struct Listed {
  SchemeSpec spec;
};
void PrintTo(const Listed& s, std::ostream* out) {
  *out << name_of(s.spec);
}

std::vector<Listed> schemes(bool with_contacts) {
  std::vector<Listed> out;
  for_each_alternative<SchemeSpec>([&]<class S>(const S& s) {
    if (!with_contacts || S::family != Family::first_order) out.push_back({s});
  });
  return out;
}

class EveryScheme : public ::testing::TestWithParam<Listed> {
 protected:
  SchemeSpec scheme() const { return GetParam().spec; }
  Family family() const { return family_of(scheme()); }
  bool has_contacts() const { return family() != Family::first_order; }
  Method method(double h) const {
    return {scheme(), fitting_stepping(scheme(), FixedSteps{h}), AutomaticSolver{}};
  }
  /// Throws Error where the scheme refuses the scene.
  CatalogProblem scene(const std::string& text) const {
    std::vector<std::string> sets;
    if (family() == Family::first_order) sets.push_back("run.scheme=rk");
    return load_scene_text("saltus: 1\n" + text, "conformance.yaml", sets)->entry.make({}, {});
  }
  // A nonlinear oscillator; for schemes of chains alone a chain without damping, which they may not change.
  CatalogProblem smooth() const {
    CatalogProblem p = scene(
        "coordinates: {x: {start: 1, velocity: 0.3}}\nmass: {x: 1}\nforces: {x: -x - x^3}\n"
        "run: {t_end: 1, h: 0.01}\n");
    if (family() == Family::first_order) try {
        make_stepper(scheme(), *p.problem.system, AutomaticSolver{});
      } catch (const Error&) {
        p = make_problem("homogeneous-chain", {{"n", "4"}, {"gamma", "0"}, {"overlap", "0.5"}}, 1.0);
      }
    return p;
  }
  CatalogProblem ball(double gravity, double e, double height, double t_end, double velocity = 0) const {
    return scene(
        fmt::format("coordinates: {{z: {{start: {}, velocity: {}}}}}\nmass: {{z: 2}}\npotential: {}*z\n"
                    "contacts: {{floor: {{gap: z, law: 'unilateral:e={}'}}}}\nrun: {{t_end: {}, h: 0.01}}\n",
                    height, velocity, 2 * gravity, e, t_end));
  }
  static State end_of(const CatalogProblem& p, const Method& m) {
    const RunResult r = run(p.problem, m);
    EXPECT_EQ(r.status, RunStatus::finished) << to_text(m.scheme) << ": " << r.message;
    return r.final;
  }
};

class EverySchemeWithContacts : public EveryScheme {};

std::string test_name(const ::testing::TestParamInfo<Listed>& info) {
  std::string name(name_of(info.param.spec));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Schemes, EveryScheme, ::testing::ValuesIn(schemes(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Schemes, EverySchemeWithContacts, ::testing::ValuesIn(schemes(true)), test_name);

TEST_P(EveryScheme, HasItsOrderOnSmoothMotion) {
  const CatalogProblem p = smooth();
  const Vec exact = end_of(p, method(1.0 / 8192)).q;
  const int order = smooth_motion(scheme()).order;
  const double coarse = order > 2 ? 1.0 / 8 : 1.0 / 32;
  const double a = (end_of(p, method(coarse)).q - exact).norm(),
               b = (end_of(p, method(coarse / 4)).q - exact).norm();
  EXPECT_GT(a, 0);
  EXPECT_GE(std::log2(a / b) / 2, order - 0.3) << a << " " << b;
}

// What is too stiff for its steps is refused, or the scheme is stable: no run ends with a multiplied
// amplitude.
TEST_P(EveryScheme, RefusesStepsBeyondItsStability) {
  if (family() == Family::first_order) return;  // their drivers halve such steps
  const CatalogProblem p =
      scene("coordinates: {x: {start: 1}}\nmass: {x: 1}\nforces: {x: -1e4*x}\nrun: {t_end: 3, h: 0.01}\n");
  for (const double h : {0.019, 0.025, 0.03, 0.1}) {  // hω = 1.9, 2.5, 3, 10
    double most = 0;
    try {
      const RunResult r =
          run(p.problem, method(h), [&](const Segment& s) { most = std::max(most, std::abs(s.end.q[0])); });
      EXPECT_LE(most, r.status == RunStatus::finished ? 50 : infinity) << h;  // at hω = 1.9: up to 3
    } catch (const Error& e) {
      EXPECT_GT(h * 100, smooth_motion(scheme()).stable_up_to) << e.what();
    }
  }
}

// Every stepping of its row, not only the first one: a load that presses and lets go, on a contact that stays
// closed for most of the time. The step count is what tells that a stepping and a scheme work together.
TEST_P(EverySchemeWithContacts, GoesWithEverySteppingOfItsRow) {
  const CatalogProblem p = scene(
      "coordinates: {z: {start: 0}}\nmass: {z: 1}\nforces: {z: '-9.81 + 12*sin(3*t)'}\n"
      "contacts: {floor: {gap: z, law: 'unilateral:e=0.5'}}\nrun: {t_end: 2, h: 0.01}\n");
  const State exact = end_of(p, by_tolerance(1e-9));
  for (const std::string_view name : steppings_for(scheme())) {
    Method m = method(0.002);
    for_each_alternative<Stepping>([&]<class S>(const S& s) {
      if (S::name == name) m.stepping = with_usual_step(s, 0.002);
    });
    if (name == ToleranceSteps::name) continue;  // the scheme follows from the tolerance: `exact` above
    if (auto* a = std::get_if<AdaptiveSteps>(&m.stepping)) a->h = 0.01;  // no step looks over a flight
    const RunResult r = run(p.problem, m);
    ASSERT_EQ(r.status, RunStatus::finished) << name << ": " << r.message;
    EXPECT_LE(r.stats.steps, 4000) << name;
    EXPECT_NEAR(r.final.q[0], exact.q[0], 0.05) << name;
  }
}

TEST_P(EverySchemeWithContacts, ConvergesThroughImpacts) {
  const CatalogProblem p = make_problem("impact-oscillator");
  const double steps[] = {8e-3, 4e-3, 2e-3, 1e-3};
  const ConvergenceTable table = convergence(p, method(1e-3), steps);
  for (const auto& row : table.rows) EXPECT_EQ(row.status, RunStatus::finished) << row.message;
  if (table.rows.front().error.u_l1 < 1e-9) return;  // already rounding at the largest step
  EXPECT_GE(table.order.u_l1, 0.8);
  EXPECT_GE(table.order.q_l1, 0.8);
}

TEST_P(EverySchemeWithContacts, MeetsRestitutionAtAnyStep) {
  for (const double e : {0.0, 0.37, 1.0})
    for (const double h : {0.1, 0.037, 0.0021}) {
      const State x = end_of(ball(0, e, 0.5, 1.5, -1), method(h));
      EXPECT_NEAR(x.u[0], e, 1e-9) << e << " " << h;
      EXPECT_GE(x.q[0], -1.01 * h) << "a step goes no deeper than its own way";
    }
}

TEST_P(EverySchemeWithContacts, StaysAtRest) {
  for (const double e : {0.0, 0.6}) {
    const State x = end_of(ball(9.81, e, 0, 1), method(0.01));
    EXPECT_NEAR(x.q[0], 0, 1e-2 * 9.81 * 1e-2) << e;  // g h²: what one step of free fall makes
    EXPECT_NEAR(x.u[0], 0, 9.81 * 1e-2) << e;
  }
}

TEST_P(EverySchemeWithContacts, LosesEnergyAtImpactsAndNeverGainsAny) {
  for (const double e : {0.0, 0.5, 0.9}) {
    const CatalogProblem p = ball(9.81, e, 1, 0.7);  // one impact, at t = 0.45
    double most = 0;
    const RunResult r = run(p.problem, method(1e-3), [&](const Segment& s) {
      most = std::max(most, energy_of(*p.problem.system, s.end.t, s.end.q, s.end.u));
    });
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_LE(most, r.energy_initial * (1 + 1e-2));
    EXPECT_NEAR(r.energy_final, e * e * r.energy_initial, 2e-2 * r.energy_initial) << e;
  }
}

TEST_P(EverySchemeWithContacts, KeepsMomentumInACollision) {
  const CatalogProblem p = scene(
      "coordinates: {a: {start: 0, velocity: 2}, b: {start: 1, velocity: -1}}\nmass: {a: 1, b: 3}\n"
      "contacts: {touch: {gap: b - a, law: 'unilateral:e=0.5'}}\nrun: {t_end: 1, h: 0.01}\n");
  const State x = end_of(p, method(0.013));
  EXPECT_NEAR(x.u[0] + 3 * x.u[1], -1, 1e-9);
  EXPECT_NEAR(x.u[1] - x.u[0], 1.5, 1e-9);
}

TEST_P(EveryScheme, RepeatsItsBits) {
  const CatalogProblem p = has_contacts() ? ball(9.81, 0.5, 1, 1) : smooth();
  const State a = end_of(p, method(3e-3)), b = end_of(p, method(3e-3));
  EXPECT_TRUE(a.q == b.q && a.u == b.u);
}

TEST_P(EveryScheme, GoesOnFromACheckpointWithTheSameBits) {
  const CatalogProblem p = has_contacts() ? ball(9.81, 0.5, 1, 1) : smooth();
  const Method m = method(3e-3);
  std::vector<Checkpoint> left;
  const RunResult whole =
      run(p.problem, m, {}, {}, {nullptr, 50, [&](const Checkpoint& c) { left.push_back(c); }});
  ASSERT_EQ(whole.status, RunStatus::finished) << whole.message;
  ASSERT_GE(left.size(), 2u);
  for (const Checkpoint& c : {left.front(), left.back()}) {
    const RunResult rest = run(p.problem, m, {}, {}, {&c, 0, {}});
    EXPECT_TRUE(rest.final.q == whole.final.q && rest.final.u == whole.final.u) << rest.message;
    EXPECT_EQ(rest.stats.steps, whole.stats.steps);
  }
}

TEST_P(EveryScheme, DoesNotAllocateInAWarmStepLoop) {
#if SALTUS_COUNTS_ALLOCATIONS
  if (!goes_with(scheme(), FixedSteps{})) GTEST_SKIP() << "its driver, not a stepper, takes the steps";
  const CatalogProblem p = has_contacts() ? ball(9.81, 0.5, 1, 1) : smooth();
  const auto stepper = make_stepper(scheme(), *p.problem.system, AutomaticSolver{});
  const double h = 2e-3;
  State a = stepper->start(0, p.problem.q0, p.problem.u0), b = a;
  const State start = a;
  for (State* x : {&a, &b}) x->contacts.closed.reserve(64), x->contacts.impulse.reserve(64);
  const auto go = [&] {
    for (int k = 0; k < 400; ++k) stepper->step(a, h, b), std::swap(a, b);
  };
  go();  // warm-up over the whole motion
  a.t = start.t, a.q = start.q, a.u = start.u, a.contacts.clear();
  if (a.aux.size() == start.aux.size()) a.aux = start.aux;
  const std::size_t before = testing::allocations();
  go();
  EXPECT_EQ(testing::allocations() - before, 0u);
#else
  GTEST_SKIP() << "sanitizers own malloc";
#endif
}

TEST_P(EveryScheme, RefusesOtherSystemsAndSteppingsWithAReason) {
  const auto refusal = [](const Problem& p, const Method& m) -> std::string {
    try {
      run(p, m);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const Problem stranger = family() == Family::first_order ? make_problem("bouncing-ball").problem
                                                           : make_problem("trimer").problem;
  const std::string who = refusal(stranger, method(0.01));
  EXPECT_NE(who.find("schemes that fit"), std::string::npos) << who;
  const CatalogProblem p = smooth();
  for_each_alternative<Stepping>([&](const auto& stepping) {
    if (goes_with(scheme(), stepping)) return;
    const std::string why = refusal(p.problem, {scheme(), stepping, AutomaticSolver{}});
    EXPECT_NE(why.find(fmt::format("does not go with scheme {}", name_of(scheme()))), std::string::npos)
        << why;
    EXPECT_NE(why.find(fmt::format("use stepping {}", steppings_for(scheme()).front())), std::string::npos)
        << why;
  });
}

}  // namespace
}  // namespace saltus::test_conformance
