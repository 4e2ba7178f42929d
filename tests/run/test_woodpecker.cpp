// The woodpecker toy: six laws, thirteen switching points up to t = 0.2 s, a limit cycle. The reference
// values come from an event-driven integration (tests/data/studer.json, entries H).
#include <cmath>
#include <numbers>

#include "saltus/system/linear_system.hpp"
#include "support/dense.hpp"
#include "support/studer.hpp"
#include "support/switching.hpp"

namespace saltus::test_woodpecker {
namespace {

using testing::expect_studer, testing::numbers, testing::run_switching, testing::studer, testing::switching,
    testing::SwitchingRun;

// "T2 stick", "N3 closed", …: the words of Table VII for an event of a contact with friction
std::string words(const Event& e) {
  const std::string number = std::to_string(e.contact + 1);
  if (e.from == Mode::open) return "N" + number + " closed";
  if (e.to == Mode::open) return "N" + number + " open";
  return "T" + number + (e.to == Mode::stick ? " stick" : " slip");
}

TEST(Woodpecker, ModelHasTheKnownFrequenciesAndEquilibrium) {
  const Woodpecker w;
  const CatalogProblem p = w.build(0.2);
  const auto& data = static_cast<const LinearSystem&>(*p.problem.system).data();
  Eigen::MatrixXd M(3, 3), K(3, 3);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) M(i, j) = data.M(i, j), K(i, j) = data.K(i, j);
  const double fastest = testing::eigenvalues(testing::solve_dense(M, K)).real().maxCoeff();
  const double jammed = w.c_phi / M(2, 2);  // y and φ_M held
  expect_studer("H01_frequencies",
                {std::sqrt(fastest) / (2 * std::numbers::pi), std::sqrt(jammed) / (2 * std::numbers::pi)});
  const double phi_M = -(w.r_M - w.r_0) / w.h_M, phi_S = phi_M - w.m_S * w.g * w.l_G / w.c_phi;
  // balance of y gives λ_T, of φ_M gives λ_N
  const double lT = (w.m_S + w.m_M) * w.g;
  const double lN = (w.c_phi * (phi_M - phi_S) + w.m_S * w.g * w.l_M - w.r_M * lT) / w.h_M;
  expect_studer("H02_equilibrium", {phi_M, phi_S, lN, lT, lT / lN});
  // the system agrees: no force is left at rest with these impulses
  const auto stepper = make_stepper(MoreauMidpoint{}, *p.problem.system, AutomaticSolver{});
  State a = stepper->start(0, Vec{{0.0, phi_M - 1e-12, phi_S}}, Vec::Zero(3)), b = a;
  stepper->step(a, 1e-4, b);
  EXPECT_EQ(b.contacts.mode(1), Mode::stick);
  EXPECT_NEAR(b.contacts.impulse[0] / 1e-4, lN, 1e-9);
  EXPECT_NEAR(b.contacts.impulse[1] / 1e-4, lT, 1e-9);
}

TEST(Woodpecker, SwitchesAsInTableSeven) {
  const CatalogProblem p = make_problem("woodpecker");
  const SwitchingRun r = run_switching(p.problem, switching(1e-7, 5e-3, 1e-6));
  ASSERT_EQ(r.result.status, RunStatus::finished) << r.result.message;
  std::vector<std::string> sequence;
  std::vector<double> times;
  for (const Event& e : r.path.events()) sequence.push_back(words(e)), times.push_back(e.t);
  EXPECT_EQ(sequence, studer("H03_sequence")["expected"].get<std::vector<std::string>>());
  expect_studer("H04_times", times);
  const State& x = r.result.final;
  expect_studer("H05a_positions", {x.q[0], x.q[1], x.q[2]});
  expect_studer("H05b_velocities", {x.u[0], x.u[1], x.u[2]});
  const RunStats& s = r.result.stats;
  std::vector<double> counts;
  for (long n : {s.calculated, s.steps, s.detections, s.switches, s.base_steps})
    counts.push_back(static_cast<double>(n));
  expect_studer("H06_stats", counts);
  // the order falls to 1 at switching points only and reaches 6 in between
  EXPECT_EQ(*std::max_element(r.order.begin(), r.order.end()), 6);
}

TEST(Woodpecker, SwitchesTheSameWithEverySolver) {
  const CatalogProblem p = make_problem("woodpecker");
  for (const SolverSpec& solver :
       {SolverSpec(Psor{1e-12}), SolverSpec(SemismoothNewton{}), SolverSpec(Lemke{})}) {
    const SwitchingRun r = run_switching(p.problem, switching(1e-7, 5e-3, 1e-6), solver);
    std::vector<std::string> sequence;
    for (const Event& e : r.path.events()) sequence.push_back(words(e));
    EXPECT_EQ(sequence, studer("H03_sequence")["expected"].get<std::vector<std::string>>())
        << to_text(solver);
  }
}

TEST(Woodpecker, ErrorsFallWithTheOrder) {
  const auto reference = numbers(studer("H07_state_0.115")["expected"]);
  const CatalogProblem p = make_problem("woodpecker", {}, 0.115);
  for (int order = 1; order <= 6; ++order) {
    const std::string id = "H10_fig14_p" + std::to_string(order);
    const double h_max = studer(id)["parameters"]["dt_max"];
    const SwitchingRun r = run_switching(p.problem, switching(1e-10, h_max, 1, order));
    expect_studer(id, {std::abs(r.result.final.q[2] - reference[2])});
  }
  const SwitchingRun r = run_switching(p.problem, switching(1e-10, 1e-3, 1e-9));
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(r.result.final.q[k], reference[k], 1e-8);
    EXPECT_NEAR(r.result.final.u[k], reference[3 + k], 2e-5);
  }
}

TEST(Woodpecker, BeakHitsThePoleOnTimeForSevenPeriods) {
  const CatalogProblem p = make_problem("woodpecker", {}, 1);
  const SwitchingRun r = run_switching(p.problem, switching(1e-7, 5e-3, 1e-6));
  std::vector<double> beak;
  for (const Event& e : r.path.events())
    if (e.contact == 0 && e.from == Mode::open) beak.push_back(e.t);
  expect_studer("H09_beak_impacts", beak);
}

// One turn of the cycle: from rest in the jammed position with φ_S to the next time that φ̇_S = 0 there.
// Returns {t, y, φ_S}.
std::array<double, 3> next_turn(double phi_S) {
  Woodpecker w;
  w.phi_M0 = -(w.r_M - w.r_0) / w.h_M, w.phi_S0 = phi_S, w.v0 = w.omega_S0 = 0;
  const SwitchingRun r = run_switching(w.build(0.16).problem, switching(1e-10, 1e-3, 1e-10));
  for (int i = 1; i < r.path.size(); ++i) {
    const auto a = r.path.u(i - 1), b = r.path.u(i);
    if (r.path.t(i) < 0.13 || a[2] >= 0 || b[2] < 0 || std::abs(b[0]) > 1e-9) continue;
    // cubic through φ_S and φ̇_S at both ends
    const double h = r.path.t(i) - r.path.t(i - 1), d = (r.path.q(i)[2] - r.path.q(i - 1)[2]) / h;
    const double c3 = a[2] + b[2] - 2 * d, c2 = 3 * d - 2 * a[2] - b[2];
    const double s = (-c2 + std::sqrt(c2 * c2 - 3 * c3 * a[2])) / (3 * c3);
    return {r.path.t(i - 1) + s * h, r.path.q(i)[0], r.path.q(i - 1)[2] + h * s * (a[2] + s * (c2 + s * c3))};
  }
  ADD_FAILURE() << "no turn";
  return {};
}

TEST(Woodpecker, LimitCycleReturnsWithTheGoldenPeriodAndMultiplier) {
  const auto e = numbers(studer("H08_limit_cycle")["expected"]);
  const auto turn = next_turn(e[0]);
  EXPECT_NEAR(turn[2], e[0], 1e-6);
  EXPECT_NEAR(turn[0], e[1], 1e-6);
  EXPECT_NEAR(turn[1], e[2], 1e-6);
  const double d = 1e-3, slope = (next_turn(e[0] + d)[2] - next_turn(e[0] - d)[2]) / (2 * d);
  EXPECT_NEAR(slope, e[3], 1e-3);  // of the difference quotient
}

}  // namespace
}  // namespace saltus::test_woodpecker
