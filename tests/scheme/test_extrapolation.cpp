// Extrapolation: tableaus, single steps of the midpoint rule with their modes, orders, and why substeps are
// odd.
#include "saltus/scheme/moreau/extrapolation_stepper.hpp"

#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/catalog/switching_problems.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/scheme/moreau/moreau_midpoint_stepper.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/studer.hpp"

namespace saltus::test_extrapolation {
namespace {

using testing::expect_studer, testing::Json, testing::numbers, testing::studer;

std::vector<double> flat(const std::vector<std::vector<double>>& T) {
  std::vector<double> out;
  for (const auto& row : T) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// T_ij/γ for n_i substeps of γ → −e γ
std::vector<std::vector<double>> restitution_tableau(double e, Substeps sequence, int rows) {
  std::vector<double> first;
  std::vector<int> n;
  for (int i = 1; i <= rows; ++i) {
    n.push_back(substep_count(sequence, i));
    first.push_back(std::pow(-e, n.back()));
  }
  return neville(first, n);
}

TEST(Neville, TableausAreThoseOfThePaper) {
  const std::vector<double> euler = {0, 0.375, 0.65625};
  const std::vector<int> n = {1, 2, 4};
  expect_studer("A01_neville_eq44", flat(neville(euler, n)));
  expect_studer("A02_tableau_all_0.7", flat(restitution_tableau(0.7, Substeps::all, 4)));
  expect_studer("A03_tableau_odd_0.7", flat(restitution_tableau(0.7, Substeps::odd, 4)));
  for (const char* id : {"A04_fig5a_all", "A04_fig5b_odd"}) {
    std::vector<double> diagonal;
    for (int i = 1; i <= 4; ++i)
      for (double e : numbers(studer(id)["parameters"]["eps"]))
        diagonal.push_back(restitution_tableau(
            e, std::string(id).back() == 'd' ? Substeps::odd : Substeps::all, 4)[i - 1][i - 1]);
    expect_studer(id, diagonal);
  }
  EXPECT_NEAR(restitution_tableau(0.5, Substeps::all, 2)[1][1], 1, 1e-12);  // A05
  std::vector<double> largest(6, 0.0);
  for (int k = 0; k <= 9900; ++k) {
    const auto T = restitution_tableau(1e-4 * k, Substeps::odd, 6);
    for (int i = 0; i < 6; ++i) largest[i] = std::max(largest[i], std::abs(T[i][i]));
  }
  expect_studer("A06_odd_max", largest);
  for (double x : largest) EXPECT_LT(x, 1);
}

TEST(Neville, RefusesWhatIsNoTableau) {
  const std::vector<double> T = {1, 2};
  EXPECT_NE(testing::message_of([&] {
              neville(T, std::vector<int>{1, 1});
            }).find("increase"),
            std::string::npos);
  EXPECT_NE(testing::message_of([&] { neville(T, std::vector<int>{1}); }).find("2 first entries for 1"),
            std::string::npos);
}

// ---- single steps

std::shared_ptr<const LinearSystem> mass_with(const LinearContact& contact, int dof, double force,
                                              double last_force) {
  LinearSystem::Data d;
  d.M = Matrix(dof, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < dof; ++i) d.M.set(i, i, 1);
  d.f = Vec::Zero(dof);
  d.f[0] = force;
  if (last_force != 0) d.f[dof - 1] = last_force;
  d.contacts.push_back(contact);
  return std::make_shared<LinearSystem>(std::move(d));
}

State midpoint_step(const System& system, const SolverSpec& solver, const Vec& q, const Vec& u, double h) {
  MoreauMidpointStepper stepper(system, {}, solver);
  const State x0 = stepper.start(0, q, u);
  State x1 = x0;
  EXPECT_EQ(stepper.step(x0, h, x1).status, StepStatus::ok);
  return x1;
}

// q, u, P and 0 for constraint or 1 for impressed, as in the golden entries
std::vector<double> record(const State& x, int rows) {
  std::vector<double> out(x.q.begin(), x.q.end());
  out.insert(out.end(), x.u.begin(), x.u.end());
  const auto* r = x.contacts.find(0);
  for (int k = 0; k < rows; ++k) out.push_back(r ? x.contacts.impulse[r->offset + k] : 0);
  out.push_back(r && is_constraint(r->mode) ? 0 : 1);
  return out;
}

const SolverSpec every_solver[] = {AutomaticSolver{}, Psor{1e-14}, Pjor{1e-14}, SemismoothNewton{}};

TEST(MidpointStep, ImpactRestAndOpeningHaveTheGoldenModes) {
  for (const SolverSpec& solver : every_solver)
    for (const char* id :
         {"B01_impact", "B02_free", "B03_opening", "B04_rest", "B05_zeta_rest", "B06_zeta_impact"}) {
      const Json& p = studer(id)["parameters"];
      const double drift = p.contains("v") ? -p["v"].get<double>() : 0;
      const auto system = mass_with({"floor", Unilateral{0.7}, {{{0, 1.0}}}, 0, drift}, 1, -9.81, 0);
      const Vec q = Vec::Constant(1, p["z"]), u = Vec::Constant(1, p["u"]);
      expect_studer(id, record(midpoint_step(*system, solver, q, u, p["dt"]), 1));
    }
}

TEST(MidpointStep, FrictionWithAFixedLimitHasTheGoldenModes) {
  for (const SolverSpec& solver : every_solver) {
    for (const char* id : {"B07_sec4_stick", "B08_sec4_slip"}) {
      const Json& p = studer(id)["parameters"];
      const auto system = mass_with({"table", Tresca{2, 0, 1}, {{{0, 1.0}}}}, 1, p["F"], 0);
      expect_studer(id, record(midpoint_step(*system, solver, Vec::Zero(1), Vec::Zero(1), p["dt"]), 1));
    }
    for (const char* id : {"B09_sec5_impressed", "B10_sec5_constraint"}) {
      const auto system = mass_with({"table", Tresca{2, 0.5, 1}, {{{0, 1.0}}}}, 1, 0, 0);
      const double h = studer(id)["parameters"]["dt"];
      expect_studer(id, record(midpoint_step(*system, solver, Vec::Zero(1), Vec::Ones(1), h), 1));
    }
    const CatalogProblem slider = make_problem("sliding-mass");
    const auto& system = static_cast<const System&>(*slider.problem.system);
    expect_studer("B12_slider_step",
                  record(midpoint_step(system, solver, slider.problem.q0, slider.problem.u0, 0.1), 2));
  }
}

TEST(MidpointStep, ImpactWithFrictionInSpaceHasTheGoldenModes) {
  for (const SolverSpec& solver : every_solver)
    for (const char* id : {"B11_disc_impact_0", "B11_disc_impact_1", "B11_disc_impact_2"}) {
      const Json& p = studer(id)["parameters"];
      const auto system = mass_with(
          {"floor", Coulomb{p["mu"], p["epsN"], p["epsT"], 2}, {{{2, 1.0}}, {{0, 1.0}}, {{1, 1.0}}}}, 3, 0,
          0);
      const State x = midpoint_step(*system, solver, Vec::Zero(3), Vec{{1.0, 0.5, -2.0}}, p["dt"]);
      std::vector<double> out(x.u.begin(), x.u.end());
      const auto& r = *x.contacts.find(0);
      out.insert(out.end(), x.contacts.impulse.begin(), x.contacts.impulse.end());
      out.push_back(r.mode == Mode::open), out.push_back(r.mode == Mode::slip);
      expect_studer(id, out);
    }
}

TEST(MidpointStep, PrestressedSpringHoldsUpToItsLimit) {
  for (const SolverSpec& solver : every_solver) {
    const Json& p = studer("I05_prestress_hold")["parameters"];
    const auto system = mass_with({"spring", PrestressedSpring{2}, {{{0, 1.0}}}}, 1, p["F"], 0);
    expect_studer("I05_prestress_hold",
                  record(midpoint_step(*system, solver, Vec::Zero(1), Vec::Zero(1), p["dt"]), 1));
    const auto pulled = mass_with({"spring", PrestressedSpring{2}, {{{0, 1.0}}}}, 1, 2.5, 0);
    const State x = midpoint_step(*pulled, solver, Vec::Zero(1), Vec::Zero(1), 0.01);
    EXPECT_EQ(x.contacts.mode(0), Mode::slip);  // gives way
    EXPECT_NEAR(x.u[0], 0.005, 1e-15);
  }
}

TEST(PrestressedSpring, NeedsPositionsThatFollowTheStep) {
  const auto system = mass_with({"spring", PrestressedSpring{2}, {{{0, 1.0}}}}, 1, 1.5, 0);
  EXPECT_NE(testing::message_of([&] {
              make_stepper(MoreauJean{0, 0}, *system, AutomaticSolver{});
            }).find("theta > 0"),
            std::string::npos);
  const auto stepper = make_stepper(MoreauJean{0.5, 1}, *system, AutomaticSolver{});
  const State x0 = stepper->start(0, Vec::Zero(1), Vec::Zero(1));
  State x1 = x0;
  stepper->step(x0, 0.01, x1);
  EXPECT_EQ(x1.contacts.mode(0), Mode::stick);
  EXPECT_NEAR(x1.q[0], 0, 1e-16);
}

// ---- orders

double error_of(const System& system, const Vec& q0, const Vec& u0, double t_end, int n,
                const Extrapolation& o, const Vec& exact) {
  ExtrapolationStepper stepper(make_stepper(MoreauMidpoint{}, system, AutomaticSolver{}), system, o);
  State a = stepper.start(0, q0, u0), b = a;
  stepper.single(a, 1e-12, b);
  a.contacts = b.contacts;  // the modes it starts with
  for (int k = 0; k < n; ++k) {
    StepReport report;
    EXPECT_EQ(stepper.extrapolate(a, t_end / n, b, report), Outcome::success);
    EXPECT_EQ(report.order, o.order);
    std::swap(a, b);
  }
  return (a.q - exact).lpNorm<Eigen::Infinity>();
}

Extrapolation rows(int p, int power = 1) {
  Extrapolation o;
  o.order = p, o.power = power;
  return o;
}

std::shared_ptr<const LinearSystem> oscillator(double damping) {
  LinearSystem::Data d;
  d.M = d.C = d.K = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 0.1);
  d.C.set(0, 0, damping);
  d.K.set(0, 0, 20);
  return std::make_shared<LinearSystem>(std::move(d));
}

double damped(double x0, double v0, double damping, double t) {
  const double a = damping / 0.2, w = std::sqrt(200 - a * a);
  return std::exp(-a * t) * (x0 * std::cos(w * t) + (v0 + a * x0) / w * std::sin(w * t));
}

TEST(Extrapolation, OrdersAreTwoTwoFourFourSixSixWithoutVelocitiesInTheForce) {
  const auto system = oscillator(0);
  const Vec q0 = Vec::Constant(1, -0.35), u0 = Vec::Constant(1, 0.2);
  const Vec exact = Vec::Constant(1, damped(-0.35, 0.2, 0, 1));
  for (int p = 1; p <= 6; ++p) {
    const double coarse = error_of(*system, q0, u0, 1, 25, rows(p), exact);
    const double fine = error_of(*system, q0, u0, 1, 50, rows(p), exact);
    expect_studer("D01_free_osc_p" + std::to_string(p), {coarse, fine});
    EXPECT_NEAR(std::log2(coarse / fine), 2 * ((p + 1) / 2), 0.2) << p;
  }
  std::vector<double> squares;
  for (int p = 1; p <= 3; ++p) squares.push_back(error_of(*system, q0, u0, 1, 50, rows(p, 2), exact));
  expect_studer("D04_h2_extrapolation", squares);
}

TEST(Extrapolation, OrderIsTheNumberOfRowsWithVelocitiesInTheForce) {
  const auto system = oscillator(0.2);
  const Vec q0 = Vec::Constant(1, -0.35), u0 = Vec::Constant(1, 0.2);
  const Vec exact = Vec::Constant(1, damped(-0.35, 0.2, 0.2, 1));
  for (int p = 1; p <= 6; ++p) {
    const double coarse = error_of(*system, q0, u0, 1, 40, rows(p), exact);
    const double fine = error_of(*system, q0, u0, 1, 80, rows(p), exact);
    expect_studer("D02_damped_osc_p" + std::to_string(p), {coarse, fine});
    EXPECT_GT(std::log2(coarse / fine), p - 0.3);
  }
}

TEST(Extrapolation, OrderIsTheNumberOfRowsWhileADiscSlides) {
  const CatalogProblem p = make_problem("sliding-mass");
  const auto& system = static_cast<const System&>(*p.problem.system);
  Vec exact, u;
  p.reference->state(0.8, Side::right, exact, u);
  for (int k = 1; k <= 5; ++k) {
    const double coarse = error_of(system, p.problem.q0, p.problem.u0, 0.8, 80, rows(k), exact);
    const double fine = error_of(system, p.problem.q0, p.problem.u0, 0.8, 160, rows(k), exact);
    expect_studer("D03_slider_p" + std::to_string(k), {coarse, fine});
  }
}

// ---- a contact that stays closed

// T_11 … T_ii of the contact velocity, for a ball pressed on the floor that still moves by 1e−9
std::vector<double> resting_tableau(Substeps sequence, bool restitution) {
  const auto system = mass_with({"floor", Unilateral{0.7}, {{{0, 1.0}}}}, 1, -9.81, 0);
  Extrapolation o = rows(4);
  o.substeps = sequence;
  ExtrapolationStepper stepper(make_stepper(MoreauMidpoint{}, *system, AutomaticSolver{}), *system, o);
  stepper.set_closed_rule({restitution, 1e-6});
  State a = stepper.start(0, Vec::Zero(1), Vec::Zero(1)), b = a;
  stepper.single(a, 1e-3, b);
  EXPECT_EQ(b.contacts.mode(0), Mode::closed);
  b.u[0] = 1e-9;
  StepReport report;
  State c = b;
  EXPECT_EQ(stepper.extrapolate(b, 1e-3, c, report), Outcome::success);
  std::vector<double> out;
  for (int i = 1; i <= 4; ++i)
    for (int j = 1; j <= i; ++j) out.push_back(stepper.tableau()(i, j)[1] / 1e-9);
  return out;
}

TEST(Extrapolation, EvenSubstepsRaiseTheVelocityOfAClosedContactAndOddOnesDoNot) {
  const auto all = resting_tableau(Substeps::all, true), odd = resting_tableau(Substeps::odd, true);
  const auto expect = [](const char* id, const std::vector<double>& T) {
    const auto e = numbers(studer(id)["expected"]);
    for (std::size_t k = 0; k < e.size(); ++k)
      EXPECT_NEAR(T[k], e[k], 1e-4) << id << " " << k;  // rounding of g h
  };
  expect("A02_tableau_all_0.7", all);
  expect("A03_tableau_odd_0.7", odd);
  EXPECT_GT(all[9], 9);
  for (int i : {0, 2, 5, 9}) EXPECT_LT(std::abs(odd[i]), 1);
  // without restitution while it stays closed, both are harmless
  for (Substeps s : {Substeps::all, Substeps::odd})
    for (double x : resting_tableau(s, false)) EXPECT_NEAR(x, 0, 1e-4);
}

// ---- outcomes and housekeeping

TEST(Extrapolation, HasTheFourOutcomes) {
  const CatalogProblem p = make_problem("falling-mass");
  const auto& system = static_cast<const System&>(*p.problem.system);
  Extrapolation o;
  o.h_min = 1e-4, o.atol = 1e-9;
  ExtrapolationStepper stepper(make_stepper(MoreauMidpoint{}, system, AutomaticSolver{}), system, o);
  State x = stepper.start(0, p.problem.q0, p.problem.u0), y = x;
  StepReport r;
  EXPECT_EQ(stepper.extrapolate(x, 0.01, y, r), Outcome::success);
  EXPECT_EQ(r.order, 2);  // a parabola is exact with two rows
  x.q[0] = 1e-5, x.u[0] = -1;
  EXPECT_EQ(stepper.extrapolate(x, 0.01, y, r), Outcome::detected);
  EXPECT_EQ(stepper.extrapolate(x, 1e-4, y, r), Outcome::resolved);
  EXPECT_NEAR(y.u[0], 0.7, 1e-15);
  EXPECT_EQ(y.contacts.mode(0), Mode::closed);
  EXPECT_TRUE(stepper.is_minimal(2.9e-4));
  EXPECT_FALSE(stepper.is_minimal(3e-4));

  const auto wave = oscillator(0.2);
  o.atol = 1e-14;
  ExtrapolationStepper hard(make_stepper(MoreauMidpoint{}, *wave, AutomaticSolver{}), *wave, o);
  x = hard.start(0, Vec::Constant(1, -0.3), Vec::Constant(1, 0.2));
  EXPECT_EQ(hard.extrapolate(x, 0.1, y, r), Outcome::inaccurate);
  EXPECT_FALSE(hard.starved());
  EXPECT_EQ(r.order, 6);
  EXPECT_EQ(hard.extrapolate(x, 4e-4, y, r), Outcome::inaccurate);
  EXPECT_TRUE(hard.starved());  // five substeps would be below h_min
  EXPECT_EQ(r.order, 2);
}

TEST(Extrapolation, AWarmStepLoopDoesNotAllocateAndSumsItsImpulses) {
#if SALTUS_COUNTS_ALLOCATIONS
  const CatalogProblem p = make_problem("sliding-mass");
  const auto& system = static_cast<const System&>(*p.problem.system);
  ExtrapolationStepper stepper(make_stepper(MoreauMidpoint{}, system, AutomaticSolver{}), system, rows(4));
  State a = stepper.start(0, p.problem.q0, p.problem.u0), b = a;
  const auto go = [&] {
    for (int k = 0; k < 50; ++k) {
      stepper.step(a, 1e-3, b);
      EXPECT_EQ(b.contacts.step, k == 0 && a.t == 0 ? 1e-3 : b.contacts.step);
      std::swap(a, b);
    }
  };
  go();
  const std::size_t before = testing::allocations();
  go();
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_NEAR(std::hypot(a.contacts.impulse[0], a.contacts.impulse[1]), 2e-3, 1e-8);
#else
  GTEST_SKIP() << "another allocator is at work";
#endif
}

// Equal steps of an implicit scheme may share a matrix: fewer of them, the same motion.
TEST(Extrapolation, StepsThatShareAMatrixAreTheSame) {
  const CatalogProblem p = make_problem("flexible-pendulum");
  const auto& system = static_cast<const System&>(*p.problem.system);
  State end[2];
  for (const bool shared : {false, true}) {
    const auto stepper = make_stepper(MoreauJean{}, system, AutomaticSolver{});
    State x = stepper->start(0, p.problem.q0, p.problem.u0), y = x;
    stepper->share_matrix(shared);
    for (int k = 0; k < 500; ++k) {
      ASSERT_EQ(stepper->step(x, 1e-4, y).status, StepStatus::ok);
      std::swap(x, y);
    }
    end[shared] = x;
  }
  EXPECT_NE(end[0].u, end[1].u);  // another matrix, another rounding
  EXPECT_LT((end[0].q - end[1].q).lpNorm<Eigen::Infinity>(), 1e-11);
  EXPECT_LT((end[0].u - end[1].u).lpNorm<Eigen::Infinity>(), 1e-8);
}

}  // namespace
}  // namespace saltus::test_extrapolation
