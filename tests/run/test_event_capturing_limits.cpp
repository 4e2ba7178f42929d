// Every run of event capturing ends: random systems, and requests that cannot be met, which end with a
// message.
#include <cmath>
#include <random>

#include "run/capturing.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"

namespace saltus::test_event_capturing_limits {
namespace {

using namespace testing;

// Random oscillators, a thousand for each family of tableaus: each run ends, energy never rises at an impact,
// the mass does not float away, and the time of an accumulation is within its bound.
class Family : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Family, RandomOscillatorsAllEndAndNeverGainEnergyAtImpacts) {
  std::vector<std::string> members;
  for (const auto name : tableau_names())
    if (name.substr(0, GetParam().size()) == GetParam() && order(find_tableau(name)) >= 3)
      members.emplace_back(name);
  ASSERT_FALSE(members.empty());
  std::mt19937_64 random(7);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  int zeno = 0, outside = 0;
  for (std::size_t k = 0; k < 1000; ++k) {
    ImpactOscillator o;
    o.m = uniform(0.3, 3), o.c = uniform(0, 1), o.k = uniform(0, 30), o.A = uniform(-6, 2),
    o.B = uniform(0, 6);
    o.Omega = uniform(0.3, 4), o.e = k % 7 == 0 ? 0.0 : uniform(0, 0.95), o.q0 = uniform(0, 1.5),
    o.v0 = uniform(-2, 2);
    o.side = k % 2 ? ImpactOscillator::Wall::above : ImpactOscillator::Wall::below;
    if (k % 2) o.q0 = -o.q0;
    const CatalogProblem p = o.build(4);
    const double h = uniform(0.01, 0.06);
    const std::string& tableau = members[k % members.size()];
    const auto who = [&] { return fmt::format("{} h = {} {}", tableau, h, to_text(o)); };
    Trajectory t;
    const RunResult r = run(p.problem, capturing(tableau, h, 0.01), t.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << who() << " " << r.message;
    for (const Event& e : t.events())
      if (e.kind == EventKind::impact) {
        EXPECT_GE(e.energy_loss, -1e-9) << who();
      }
    EXPECT_LT(compare(t, *p.reference, {false, 1e-9}).q_sup, 2e-2) << who();
    if (r.accumulations.empty() || o.e == 0) continue;
    OscillatorHistory history;
    impact_oscillator_reference(o, 4, &history);
    if (!std::isfinite(history.rest) || std::abs(history.rest - r.accumulations[0].t) > 0.1) continue;
    ++zeno;
    outside += std::abs(r.accumulations[0].t - history.rest) > r.accumulations[0].bound;
  }
  EXPECT_GT(zeno, 100);
  EXPECT_LE(outside, zeno / 100) << "of " << zeno << " accumulations";  // an estimate: 99 in 100 must hold
}
INSTANTIATE_TEST_SUITE_P(Thousand, Family,
                         ::testing::Values("radau-iia", "lobatto-iiia", "lobatto-iiic", "gauss", "herk"),
                         [](const auto& test) {
                           std::string s(test.param);
                           std::replace(s.begin(), s.end(), '-', '_');
                           return s;
                         });

TEST(EventCapturing, NeedsItsScheme) {
  const CatalogProblem p = example("ball");
  EXPECT_THROW(run(p.problem, {MoreauJean{}, EventCapturing{}, AutomaticSolver{}}), Error);
  EXPECT_THROW(run(p.problem, {runge_kutta("herk-4"), FixedSteps{}, AutomaticSolver{}}), Error);
  EXPECT_THROW(runge_kutta("herk-9"), Error);
}

// Two supports where one is enough: the multipliers are not unique; of least norm, each carries half.
TEST(EventCapturing, RedundantClosedContactsShareTheLoad) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec::Constant(1, -2);
  d.contacts.push_back({"left", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  d.contacts.push_back({"right", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 3, Vec::Ones(1), Vec::Zero(1)};
  Trajectory t;
  const RunResult r = run(p, capturing("radau-iia-5", 0.1, 0.01), t.sink());
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_NEAR(r.final.q[0], 0, 1e-15);
  ASSERT_EQ(r.final.contacts.closed.size(), 2u);
  for (const double impulse : r.final.contacts.impulse) EXPECT_NEAR(impulse, 1 * 0.1, 1e-12);
}

// A wall that comes down on a mass resting on the floor: no motion satisfies both, and the run says when.
TEST(EventCapturing, ContradictoryContactsAreSaidAtTheirTime) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.contacts.push_back({"mass/floor", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  d.contacts.push_back({"mass/press", Unilateral{0}, {{{0, -1.0}}}, 1, -0.5});
  Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 4, Vec::Constant(1, 0.4), Vec::Zero(1)};
  Trajectory t;
  const RunResult r = run(p, capturing("radau-iia-5", 0.07, 0.01), t.sink());
  EXPECT_EQ(r.status, RunStatus::failed);
  EXPECT_NEAR(r.final.t, 2, 1e-6);
  EXPECT_NE(r.message.find("contact mass/"), std::string::npos) << r.message;
  EXPECT_GT(t.size(), 20);
}

// The gap is not a number below −0.1: no bracket can be found there.
struct HoleInTheFloor {
  static constexpr int dof = 1;
  template <class S>
  using V = Eigen::Matrix<S, 1, 1>;
  template <class S>
  V<S> mass(const S&, const V<S>&) const {
    return V<S>(S(1));
  }
  template <class S>
  V<S> force(const S&, const V<S>&, const V<S>&) const {
    return V<S>(S(-2));
  }
  template <class S>
  V<S> gaps(const S&, const V<S>& q) const {
    return V<S>(sqrt(q[0] - 0.1));
  }
  std::vector<Law> laws() const { return {Unilateral{0.5}}; }
};

TEST(EventCapturing, AGapThatIsNoNumberIsNamed) {
  Problem p{make_system(HoleInTheFloor{}), 0, 3, Vec::Ones(1), Vec::Zero(1)};
  for (const Method& m :
       {capturing("herk-4", 0.05, 0.01), Method{MoreauJean{}, FixedSteps{0.01}, AutomaticSolver{}},
        Method{MoreauMidpoint{}, FixedSteps{0.01}, AutomaticSolver{}}}) {
    Trajectory t;
    const RunResult r = run(p, m, t.sink());
    EXPECT_EQ(r.status, RunStatus::failed);
    EXPECT_NE(r.message.find("gap"), std::string::npos) << r.message;
    EXPECT_NE(r.message.find("contact-0"), std::string::npos) << r.message;
    EXPECT_GT(t.size(), 5);
  }
}

}  // namespace
}  // namespace saltus::test_event_capturing_limits
