// Generalized-α on three levels: golden values of an independent prototype, orders, residuals on every level,
// independence of r, energy after impacts, friction, many contacts, memory.
#include <cmath>

#include "saltus/catalog/flexible_problems.hpp"
#include "saltus/catalog/problems.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/system/linear_system.hpp"
#include "saltus/system/model.hpp"
#include "support/allocations.hpp"
#include "support/dense.hpp"
#include "support/problems.hpp"

namespace saltus::test_generalized_alpha {
namespace {

using testing::golden_ids, testing::Json;
using Levels = GeneralizedAlpha::Levels;

const Json& golden(const std::string& id) {
  return testing::golden(id, "gen_alpha.json");
}

void expect_near(const Vec& x, const Json& expected, double tolerance, const std::string& what) {
  ASSERT_LE(static_cast<long>(expected.size()), x.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(x[static_cast<long>(i)], expected[i].get<double>(), tolerance) << what << " " << i;
}

// Steps of one stepper; `look` sees the state after each.
struct Walk {
  const System& system;
  GeneralizedAlphaStepper stepper;
  State x;
  long iterations = 0, steps = 0, failed = 0;
  double energy_rise = 0;

  Walk(const Problem& p, const GeneralizedAlpha& options)
      : system(static_cast<const System&>(*p.system)),
        stepper(system, options),
        x(stepper.start(p.t0, p.q0, p.u0)) {}

  template <class Look>
  void go(double h, long n, Look&& look) {
    State next = x;
    double energy = energy_of(system, x.t, x.q, x.u);
    for (long k = 0; k < n; ++k) {
      const StepReport report = stepper.step(x, h, next);
      failed += report.status != StepStatus::ok;
      iterations += report.newton_iterations;
      ++steps;
      const double now = energy_of(system, next.t, next.q, next.u);
      energy_rise = std::max(energy_rise, now - energy);
      energy = now;
      look(x, next, report);
      std::swap(x, next);
    }
  }
  void go(double h, long n) {
    go(h, n, [](const State&, const State&, const StepReport&) {});
  }
};

GeneralizedAlpha with(Levels levels, double rho_inf) {
  GeneralizedAlpha o;
  o.levels = levels, o.rho_inf = rho_inf;
  return o;
}

Levels levels_of(const std::string& variant) {
  if (variant == "P") return Levels::p;
  if (variant == "V") return Levels::v;
  if (variant == "PV") return Levels::pv;
  if (variant == "PV73") return Levels::pv73;
  if (variant == "A") return Levels::a;
  if (variant == "B") return Levels::baumgarte;
  return variant == "PVV" ? Levels::pvv : Levels::pva;
}

const char* const smooth_variants[] = {"P", "V", "PV", "PV73", "PVA", "A", "B"};

TEST(GeneralizedAlpha, CoefficientsAreThoseOfChungAndHulbert) {
  for (const auto& id : golden_ids("ch.", "gen_alpha.json")) {
    const Json& g = golden(id);
    const AlphaCoefficients c = alpha_coefficients(with(Levels::pva, g["parameters"]["rho_inf"]));
    EXPECT_NEAR(c.am, g["expected"]["alpha_m"].get<double>(), 1e-15) << id;
    EXPECT_NEAR(c.af, g["expected"]["alpha_f"].get<double>(), 1e-15) << id;
    EXPECT_NEAR(c.gamma, g["expected"]["gamma"].get<double>(), 1e-15) << id;
    EXPECT_NEAR(c.beta, g["expected"]["beta"].get<double>(), 1e-15) << id;
  }
}

std::shared_ptr<const LinearSystem> oscillator(double m, double k, double f, double e = -1,
                                               std::function<void(double, double*)> forcing = {}) {
  LinearSystem::Data d;
  d.M = d.K = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, m), d.K.set(0, 0, k);
  d.f = Vec::Constant(1, f);
  d.forcing = std::move(forcing);
  if (e >= 0) d.contacts.push_back({"ball/floor", Unilateral{e}, {{{0, 1.0}}}, 0, 0});
  return std::make_shared<LinearSystem>(std::move(d));
}

double spectral_radius(const GeneralizedAlpha& options, double omega) {
  const auto system = oscillator(1, omega * omega, 0);
  GeneralizedAlphaStepper stepper(*system, options);
  State x0 = stepper.start(0, Vec::Zero(1), Vec::Zero(1)), x1 = x0;
  Eigen::Matrix3d map;
  for (int j = 0; j < 3; ++j) {  // a state is q, v and a; v̇ = −ω² q
    x0.q[0] = j == 0, x0.u[0] = j == 1;
    x0.aux.resize(2);
    x0.aux << -omega * omega * x0.q[0], (j == 2 ? 1.0 : 0.0);
    EXPECT_EQ(stepper.step(x0, 1, x1).status, StepStatus::ok);
    map.col(j) << x1.q[0], x1.u[0], x1.aux[1];
  }
  return testing::eigenvalues(map).cwiseAbs().maxCoeff();
}

TEST(GeneralizedAlpha, SpectralRadiusIsAsDesigned) {
  for (const auto& id : golden_ids("spectral.", "gen_alpha.json")) {
    const Json& g = golden(id);
    const auto o = with(Levels::pva, g["parameters"]["rho_inf"]);
    for (std::size_t i = 0; i < g["expected"].size(); ++i) {
      const double omega = g["parameters"]["Omega"][i];
      EXPECT_NEAR(spectral_radius(o, omega), g["expected"][i].get<double>(), omega > 10 ? 1e-3 : 1e-9)
          << id << " at " << omega;
    }
  }
  for (const auto parameters : {GeneralizedAlpha::Parameters::newmark, GeneralizedAlpha::Parameters::hht})
    for (double rho : {0.5, 0.75, 1.0}) {
      GeneralizedAlpha o = with(Levels::pva, rho);
      o.parameters = parameters;
      EXPECT_NEAR(spectral_radius(o, 1e4), rho, 2e-3);  // a defective double eigenvalue for newmark
    }
}

TEST(GeneralizedAlpha, ConstantForceIsIntegratedExactly) {
  const Json& g = golden("freefall");
  const auto& p = g["parameters"];
  const auto system = oscillator(1, 0, -p["g"].get<double>());
  Walk walk({system, 0, 1, Vec::Constant(1, p["q0"]), Vec::Constant(1, p["v0"])},
            with(Levels::pva, p["rho_inf"]));
  walk.go(p["h"], 100);
  EXPECT_NEAR(walk.x.q[0], g["expected"]["q"].get<double>(), 1e-11);
  EXPECT_NEAR(walk.x.u[0], g["expected"]["v"].get<double>(), 1e-11);
}

TEST(GeneralizedAlpha, OneStepOfEverySmoothVariantMatchesTheGoldenValues) {
  const auto problem = RigidPendulum{}.build(1);
  const Json& init = golden("smooth.init")["expected"];
  for (const std::string v : smooth_variants) {
    const Json& e = golden("smooth.step1." + v)["expected"];
    GeneralizedAlpha o = with(levels_of(v), 0.9);
    o.tolerance = 1e-12;
    Walk walk(problem.problem, o);
    expect_near(walk.stepper.acceleration(), init["vdot0"], 1e-10, v);
    expect_near(walk.stepper.lambda(), init["lam0"], 1e-10, v);
    walk.go(2e-3, 1);
    expect_near(walk.x.q, e["q"], 1e-11, v + " q");
    expect_near(walk.x.u, e["v"], 1e-11, v + " v");
    expect_near(walk.stepper.acceleration(), e["vdot"], 1e-6, v + " vdot");
    expect_near(walk.stepper.shifted(), e["a"], 1e-6, v + " a");
    expect_near(walk.stepper.lambda(), e["lam"], 1e-6, v + " lambda");
  }
}

struct Watched {
  double first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, lambda_min = infinity, lambda_max = -infinity;
};
Watched watch(Walk& walk, double h, double t_end) {
  Watched w;
  walk.go(h, std::lround(t_end / h), [&](const State&, const State& x, const StepReport& r) {
    const double now[] = {r.joint_position, r.joint_velocity, r.joint_acceleration};
    for (int i = 0; i < 3; ++i) {
      if (x.t <= 0.05 + 1e-9) w.first[i] = std::max(w.first[i], now[i]);
      if (x.t >= 0.5 * t_end - 1e-9) w.last[i] = std::max(w.last[i], now[i]);
    }
    w.lambda_min = std::min(w.lambda_min, walk.stepper.lambda()[0]);
    w.lambda_max = std::max(w.lambda_max, walk.stepper.lambda()[0]);
  });
  return w;
}

TEST(GeneralizedAlpha, SmoothRunsMatchTheGoldenValuesFromConsistentAndDisturbedStarts) {
  const auto problem = RigidPendulum{}.build(1);
  const Json& reference = golden("smooth.ref")["expected"];
  Vec q, u;
  problem.reference->state(1, Side::right, q, u);
  expect_near(q, reference["q"], 1e-8, "reference");
  for (const std::string v : smooth_variants)
    for (const std::string start : {"cons", "dist"}) {
      const std::string id = "smooth." + start + "." + v;
      const Json& e = golden(id)["expected"];
      GeneralizedAlpha o = with(levels_of(v), 0.9);
      if (start == "dist") o.start = GeneralizedAlpha::Start::zero;
      o.tolerance = 1e-11;
      Walk walk(problem.problem, o);
      const Watched w = watch(walk, 2e-3, 1);
      EXPECT_EQ(walk.failed, 0) << id;
      expect_near(walk.x.q, e["q"], 1e-8, id);
      expect_near(walk.x.u, e["v"], 1e-8, id);
      expect_near(walk.stepper.lambda(), e["lam"], 1e-5, id + " lambda");
      const double floor[] = {1e-10, 1e-10, 1e-8};
      for (int i = 0; i < 3; ++i)
        for (const auto& [mine, theirs] : {std::pair{w.first[i], e["first"][i].get<double>()},
                                           std::pair{w.last[i], e["last_half"][i].get<double>()}}) {
          if (theirs > 1e-8)
            EXPECT_NEAR(mine, theirs, 1e-2 * theirs) << id << " level " << i;
          else
            EXPECT_LT(mine, floor[i]) << id << " level " << i;
        }
      EXPECT_NEAR(w.lambda_min, e["lam1_min"].get<double>(), 1e-4) << id;
      EXPECT_NEAR(w.lambda_max, e["lam1_max"].get<double>(), 1e-4) << id;
    }
}

TEST(GeneralizedAlpha, TransientsOfTheAccelerationConstraintHaveTheirOrder) {
  const auto problem = RigidPendulum{}.build(1);
  for (const std::string v : {"P", "V", "PV"})
    for (const std::string start : {"a0eqvd0", "shifted"}) {
      const std::string id = "smooth.osc." + v + "." + start;
      const Json& g = golden(id);
      double amplitude[3];
      for (int i = 0; i < 3; ++i) {
        GeneralizedAlpha o = with(levels_of(v), 0.9);
        o.tolerance = 1e-11;
        if (start == "shifted") o.start = GeneralizedAlpha::Start::shifted;
        Walk walk(problem.problem, o);
        amplitude[i] = watch(walk, g["parameters"]["h"][i], 0.05).first[2];
        const double expected = g["expected"]["amp"][i];
        EXPECT_NEAR(amplitude[i], expected, 1e-2 * expected) << id << " " << i;
      }
      EXPECT_NEAR(std::log2(amplitude[1] / amplitude[2]), g["expected"]["order"].get<double>(), 0.15) << id;
    }
}

TEST(GeneralizedAlpha, EverySmoothVariantIsOfOrderTwoInPositionVelocityAccelerationAndMultiplier) {
  const auto problem = RigidPendulum{}.build(1);
  const Json& e = golden("smooth.ref")["expected"];
  for (const std::string v : smooth_variants) {
    double error[2][4];
    for (int i = 0; i < 2; ++i) {
      GeneralizedAlpha o = with(levels_of(v), 0.9);
      o.tolerance = 1e-12;
      if (v == "B") o.alpha = o.beta = 5;
      Walk walk(problem.problem, o);
      walk.go(1e-3 / (1 << i), 1000 << i);
      const Vec* now[] = {&walk.x.q, &walk.x.u, &walk.stepper.acceleration(), &walk.stepper.lambda()};
      const char* keys[] = {"q", "v", "vdot", "lam"};
      for (int k = 0; k < 4; ++k) {
        error[i][k] = 0;
        for (std::size_t j = 0; j < e[keys[k]].size(); ++j)
          error[i][k] =
              std::max(error[i][k], std::abs((*now[k])[static_cast<long>(j)] - e[keys[k]][j].get<double>()));
      }
    }
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(std::log2(error[0][k] / error[1][k]), 2, 0.1) << v << " " << k;
  }
}

TEST(GeneralizedAlpha, BallAndLiftOffMatchTheGoldenValues) {
  for (const std::string kind : {"ball", "lift"})
    for (const std::string v : {"PVA.star", "PVA.plain", "PVV.star"}) {
      const Json& g = golden(kind + "." + v);
      const auto& p = g["parameters"];
      const auto& e = g["expected"];
      GeneralizedAlpha o = with(levels_of(v.substr(0, 3)), p["rho_inf"]);
      if (v == "PVA.plain") o.inactive = GeneralizedAlpha::Inactive::printed;
      const auto forcing = [](double t, double* h) { h[0] += 20 * std::sin(t); };
      const auto system =
          kind == "lift" ? oscillator(1, 0, -9.81, p["e"], forcing) : oscillator(1, 0, -9.81, p["e"]);
      Walk walk({system, 0, 1, Vec::Constant(1, p["q0"]), Vec::Constant(1, p["v0"])}, o);
      std::size_t impacts = 0;
      double lift = -1;
      walk.go(p["h"], std::lround(p["T"].get<double>() / 1e-3),
              [&](const State& a, const State& b, const StepReport&) {
                if (!b.contacts.closed.empty() && a.u[0] < -1e-2 && impacts < e["impacts"].size()) {
                  EXPECT_NEAR(b.t, e["impacts"][impacts][0].get<double>(), 1e-9);
                  EXPECT_NEAR(a.u[0], e["impacts"][impacts][1].get<double>(), 1e-8);
                  EXPECT_NEAR(b.u[0], e["impacts"][impacts][2].get<double>(), 1e-8);
                  ++impacts;
                }
                if (kind == "lift" && lift < 0 && b.contacts.closed.empty()) lift = b.t;
              });
      EXPECT_EQ(walk.failed, 0);
      EXPECT_EQ(impacts, e["impacts"].size()) << g["id"];
      EXPECT_NEAR(walk.x.q[0], e["q"].get<double>(), 1e-7) << g["id"];
      EXPECT_NEAR(walk.x.u[0], e["v"].get<double>(), 1e-7) << g["id"];
      if (kind == "lift") {
        EXPECT_NEAR(lift, e["t_lift"].get<double>(), 1e-9) << g["id"];
      }
    }
}

TEST(GeneralizedAlpha, BouncingPendulumMatchesTheGoldenValuesWithEveryStrategyAndSolver) {
  int count = 0;
  for (const auto& id : golden_ids("bounce.", "gen_alpha.json")) {
    if (id.rfind("bounce.ref", 0) == 0) continue;
    ++count;
    const Json& g = golden(id);
    const auto& p = g["parameters"];
    const auto& e = g["expected"];
    BouncingPendulum data;
    data.e = p["e"];
    const double T = p["T"], h = p["h"];
    const auto problem = data.build(T);
    const std::string scheme = p["scheme"];
    GeneralizedAlpha o = with(levels_of(scheme), p["rho_inf"]);
    if (scheme == "S1") o.strategy = 1;
    if (scheme == "S2") o.strategy = 2;
    if (p["inactive"] == "plain") o.inactive = GeneralizedAlpha::Inactive::printed;
    if (p["solver"] == "dec") o.newton = GeneralizedAlpha::Newton::decoupled;
    o.r = p["r"];
    Walk walk(problem.problem, o);
    std::size_t impacts = 0, states = 0;
    double gap_min = 0, worst[3] = {0, 0, 0}, closed_since = -1;
    walk.go(h, std::lround(T / h), [&](const State& a, const State& b, const StepReport& r) {
      const double before = a.u[0], after = b.u[0];
      const bool closed = b.contacts.find(1) != nullptr;
      if (closed && before < -0.1 && impacts < e["impacts"].size()) {
        EXPECT_NEAR(b.t, e["impacts"][impacts][0].get<double>(), 1e-9) << id;
        EXPECT_NEAR(before, e["impacts"][impacts][1].get<double>(), 1e-7) << id << impacts;
        EXPECT_NEAR(after, e["impacts"][impacts][2].get<double>(), 1e-7) << id << impacts;
        ++impacts;
      }
      const bool still = closed && std::abs(after) < 1e-9;  // restitution dies out over some steps
      if (!still) closed_since = -1;
      if (still && closed_since < 0) closed_since = b.t;
      gap_min = std::min(gap_min, r.min_gap);
      worst[0] = std::max(worst[0], r.joint_position), worst[1] = std::max(worst[1], r.joint_velocity),
      worst[2] = std::max(worst[2], r.joint_acceleration);
      if (states < e["states"].size() && std::abs(b.t - e["states"][states]["t"].get<double>()) < 1e-9) {
        const auto& s = e["states"][states++];
        expect_near(b.q, s["q"], 1e-6, id);
        expect_near(b.u, s["v"], 1e-6, id);
        const double force = p["rho_inf"] == 1.0 && scheme == "PVV" ? 1e-3 : 1e-4;
        expect_near(walk.stepper.lambda(), s["lam"], force, id + " lambda");
        const Vec rate = walk.stepper.impulse() / h;
        expect_near(rate, s["LamStar_over_h"], force, id + " impulse");
        EXPECT_NEAR(energy_of(walk.system, b.t, b.q, b.u), s["energy"].get<double>(), 1e-6) << id;
      }
    });
    EXPECT_EQ(walk.failed, 0) << id;
    EXPECT_EQ(impacts, e["impacts"].size()) << id;
    EXPECT_EQ(states, e["states"].size()) << id;
    EXPECT_GT(gap_min, -1e-11) << id;
    EXPECT_LT(worst[0], 1e-10) << id;
    EXPECT_LT(worst[1], 1e-9) << id;
    const double acceleration = e["bil_acc_max"];
    if (acceleration < 1e-6)
      EXPECT_LT(worst[2], 1e-6) << id;
    else
      EXPECT_NEAR(worst[2], acceleration, 5e-2 * acceleration) << id;
    const double rise = e["max_energy_increase"];
    EXPECT_NEAR(walk.energy_rise, rise, std::max(5e-2 * rise, 1e-9)) << id;
    if (!e["t_closed"].is_null()) {
      EXPECT_NEAR(closed_since, e["t_closed"].get<double>(), 2 * h + 1e-9) << id;
    }
    std::printf("%s: %.3f iterations a step (prototype %.3f)\n", id.c_str(),
                static_cast<double>(walk.iterations) / static_cast<double>(walk.steps),
                e["mean_iterations"].get<double>());
  }
  EXPECT_EQ(count, 8);
}

}  // namespace
}  // namespace saltus::test_generalized_alpha
