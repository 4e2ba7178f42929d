// Numbers made by an independent program (tests/data/symplectic_odae.json): single steps, final states,
// limits.
#include <gtest/gtest.h>

#include "saltus/odae/natural_limit.hpp"
#include "saltus/reference/extrapolated_reference.hpp"
#include "saltus/reference/odae_reference.hpp"
#include "saltus/scheme/symplectic/symplectic_euler_stepper.hpp"
#include "saltus/system/checked.hpp"
#include "support/odae.hpp"

namespace saltus::test_odae_golden {
namespace {
using namespace testing;

void expect_near(const Vec& got, const Json& expected, double absolute, double relative,
                 const std::string& what) {
  ASSERT_EQ(got.size(), static_cast<long>(expected.size())) << what;
  for (long i = 0; i < got.size(); ++i) {
    const double e = expected[static_cast<std::size_t>(i)];
    EXPECT_NEAR(got[i], e, absolute + relative * std::abs(e)) << what << "[" << i << "]";
  }
}

std::vector<std::string> ids_with(const std::string& part) {
  std::vector<std::string> out;
  for (const auto& id : golden_ids("", odae_file))
    if (id.find(part) != std::string::npos) out.push_back(id);
  return out;
}

TEST(OdaeGolden, OneStepOfEveryMapWithItsMultipliers) {
  const auto ids = ids_with(".step.");
  EXPECT_EQ(ids.size(), 18u);
  for (const auto& id : ids) {
    const Json &g = golden(id, odae_file), &p = g["parameters"], &e = g["expected"];
    const CatalogProblem c = odae_problem(id, 1);
    SymplecticEulerStepper stepper(shared_odae(c), euler_named(p["method"], p["alpha"]));
    const State x0 = stepper.start(0, c.problem.q0, c.problem.u0);
    State x1 = x0;
    const StepReport report = stepper.step(x0, p["h"], x1);
    ASSERT_EQ(report.status, StepStatus::ok) << id;
    expect_near(x1.q, e["y1"], 1e-10, 0, id + " y1");
    expect_near(x1.u, e["z1"], 1e-10, 0, id + " z1");
    expect_near(x1.aux.segment(1, 1), e["Psi0"], 1e-10, 0, id + " Psi0");
    expect_near(x1.aux.segment(2, 1), e["Psi1"], 1e-10, 0, id + " Psi1");
    EXPECT_LT(report.joint_position, 1e-12) << id;
    EXPECT_LT(report.joint_velocity, 1e-12) << id;
  }
}

TEST(OdaeGolden, FinalStatesErrorsMultipliersAndOrders) {
  const auto ids = ids_with(".final.");
  EXPECT_EQ(ids.size(), 22u);
  for (const auto& id : ids) {
    const Json &g = golden(id, odae_file), &p = g["parameters"];
    const std::string method = p["method"];
    if (method == "true+conj") continue;  // the test below
    const CatalogProblem c = odae_problem(id, p["T"]);
    Vec y, z;
    c.reference->state(p["T"], Side::right, y, z);
    std::vector<double> h, ey, ez;
    for (const auto& row : g["expected"]["rows"]) {
      const RunResult r = run_euler(c, euler_named(method, p["alpha"]), row["N"]);
      ASSERT_EQ(r.status, RunStatus::finished) << id << " " << r.message;
      expect_near(r.final.q, row["y"], 0, 1e-8, id + " y");
      expect_near(r.final.u, row["z"], 0, 1e-8, id + " z");
      h.push_back(1.0 / row["N"].get<double>());
      ey.push_back((r.final.q - y).norm()), ez.push_back((r.final.u - z).norm());
      EXPECT_NEAR(ey.back(), row["err_y"], 1e-4 * row["err_y"].get<double>() + 1e-10) << id;
      EXPECT_NEAR(ez.back(), row["err_z"], 1e-4 * row["err_z"].get<double>() + 1e-10) << id;
      EXPECT_LT(r.residuals.position, 1e-12) << id;
      EXPECT_LT(r.residuals.velocity, 1e-12) << id;
      if (const auto* exact = dynamic_cast<const OdaeReference*>(c.reference.get())) {
        const double psi_error = std::abs(r.final.aux[0] - exact->multipliers(p["T"])[0]);
        EXPECT_NEAR(psi_error, row["psi_hidden_err"], 1e-4 * row["psi_hidden_err"].get<double>() + 1e-9)
            << id;
      } else {
        EXPECT_NEAR(std::abs(r.final.aux[0] - std::exp(1.0)), row["psi_hidden_err"],
                    1e-4 * row["psi_hidden_err"].get<double>() + 1e-9)
            << id;
      }
    }
    const auto last = [](const std::vector<double>& e) {
      const auto n = e.size();
      return std::log2(e[n - 2] / e[n - 1]);
    };
    EXPECT_NEAR(last(ey), g["expected"]["order_y"], 0.01) << id;
    EXPECT_NEAR(last(ez), g["expected"]["order_z"], 0.01) << id;
  }
}

// The method composed with its conjugate, as "composition" might be read: of order 1 where r is nonlinear.
TEST(OdaeGolden, TrueComposedWithItsConjugateIsOfOrderOne) {
  for (const char* id : {"p41.final.true+conj.a0.5", "p42.final.true+conj.a0.5"}) {
    const Json& g = golden(id, odae_file);
    const CatalogProblem c = odae_problem(id, 1);
    SymplecticEulerStepper forward(shared_odae(c), euler_named("true")),
        back(shared_odae(c), euler_named("true_conj"));
    for (const auto& row : g["expected"]["rows"]) {
      const int n = row["N"];
      State a = forward.start(0, c.problem.q0, c.problem.u0), half = a, b = a;
      Vec kept = a.aux;
      for (int k = 0; k < n; ++k) {
        ASSERT_EQ(forward.step(a, 0.5 / n, half).status, StepStatus::ok);
        const Vec own = half.aux;
        half.aux = kept;
        ASSERT_EQ(back.step(half, 0.5 / n, b).status, StepStatus::ok);
        kept = b.aux;
        b.aux = own;
        std::swap(a, b);
      }
      expect_near(a.q, row["y"], 0, 1e-8, id);
      expect_near(a.u, row["z"], 0, 1e-8, id);
    }
  }
  EXPECT_NEAR(golden("p41.final.true+conj.a0.5", odae_file)["expected"]["order_y"].get<double>(), 1, 0.1);
}

TEST(OdaeGolden, ReferencesOfAllProblems) {
  for (const char* id : {"p42.reference", "polar.reference"}) {
    const Json &g = golden(id, odae_file), &e = g["expected"];
    const double end = std::string(id) == "polar.reference" ? 2 : 1;
    const CatalogProblem c = odae_problem(id, end);
    Vec y, z;
    c.reference->state(end, Side::right, y, z);
    expect_near(c.problem.q0, e["y0"], 1e-13, 0, "start");
    expect_near(c.problem.u0, e["z0"], 1e-13, 0, "start");
    // relative to the vectors: the stored y of (4.2) is itself 1.3e-12 off the cubic, 1e-9 of its small y₂
    expect_near(y, e["y"], 1e-9 * y.norm(), 0, id);
    expect_near(z, e["z"], 1e-9 * z.norm(), 0, id);
    const auto& exact = dynamic_cast<const OdaeReference&>(*c.reference);
    expect_near(exact.multipliers(end), e["psi"], 0, 1e-9, id);
    if (e.contains("psi_at_0")) {
      EXPECT_NEAR(exact.multipliers(0)[0], e["psi_at_0"], 1e-12);
    }
  }
  // the closed form of (4.1) and the extrapolated solution of the same system agree
  const CatalogProblem c = odae_problem("p41", 1);
  const OdaeReference computed(shared_odae(c), 0, c.problem.q0, c.problem.u0, 1);
  Vec y, z, ye, ze;
  for (double t : {0.3, 1.0}) {
    c.reference->state(t, Side::right, ye, ze);
    computed.state(t, Side::right, y, z);
    EXPECT_LT((y - ye).norm() + (z - ze).norm(), 1e-11);
    EXPECT_NEAR(computed.multipliers(t)[0], std::exp(t), 1e-11);
  }
}

TEST(OdaeGolden, LimitOfTheNaturalMethod) {
  const auto ids = ids_with(".natural_limit.");
  EXPECT_EQ(ids.size(), 7u);
  for (const auto& id : ids) {
    const Json &g = golden(id, odae_file), &p = g["parameters"], &e = g["expected"];
    const CatalogProblem c = odae_problem(id, 1);
    const auto limit = std::make_shared<NaturalLimit>(shared_odae(c), p["alpha"], p.value("conj", false));
    if (id == "p41.natural_limit.psi") {
      Vec x(4), dx(4);
      limit->pack(0, c.problem.q0, c.problem.u0, x);
      NaturalLimit::Room room(odae_of(c));
      limit->rhs(0, x, dx, room);
      expect_near(room.Psi0, e["Psi0"], 1e-12, 0, id);
      expect_near(room.Psi1, e["Psi1"], 1e-12, 0, id);
      continue;
    }
    const ExtrapolatedReference exact(limit, 0, c.problem.q0, c.problem.u0, 1);
    Vec y, z;
    exact.state(1, Side::right, y, z);
    const double tolerance = id.rfind("p42", 0) == 0 ? 1e-6 : 1e-7;
    expect_near(y, e["y"], 0, tolerance, id);
    expect_near(z, e["z"], 0, tolerance, id);
    // the method does go there, with order 1
    const bool conjugate = p.value("conj", false);
    if (p["alpha"] != 0.5) continue;
    const SymplecticEuler s = euler(conjugate ? EulerVariant::natural_conjugate : EulerVariant::natural);
    const double coarse = (run_euler(c, s, 400).final.q - y).norm(),
                 fine = (run_euler(c, s, 800).final.q - y).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1) << id;
  }
}

TEST(OdaeGolden, SphericalPendulumOverAThousandSteps) {
  for (const char* id : {"sph.true", "sph.true_conj", "sph.strang", "sph.yoshida4"}) {
    const Json &g = golden(id, odae_file), &p = g["parameters"], &e = g["expected"];
    const CatalogProblem c = odae_problem(id, p["T"]);
    const double e0 = energy_of(odae_of(c), 0, c.problem.q0, c.problem.u0);
    double first = 0, second = 0, spin = 0;
    const RunResult r = run_euler(c, euler_named(p["method"]), p["N"], [&](const Segment& s) {
      const double off = std::abs(energy_of(odae_of(c), 0, s.end.q, s.end.u) - e0);
      (s.end.t <= 25 + 1e-9 ? first : second) = std::max(s.end.t <= 25 + 1e-9 ? first : second, off);
      spin = std::max(spin, std::abs(s.end.q[0] * s.end.u[1] - s.end.q[1] * s.end.u[0] - 1));
    });
    expect_near(r.final.q, e["q"], 1e-7, 0, id);
    expect_near(r.final.u, e["p"], 1e-7, 0, id);
    EXPECT_NEAR(first, e["Edev_first"], 1e-4 * e["Edev_first"].get<double>()) << id;
    EXPECT_NEAR(second, e["Edev_second"], 1e-4 * e["Edev_second"].get<double>()) << id;
    EXPECT_LT(spin, 1e-12) << id;
    EXPECT_LT(r.residuals.position, 1e-12) << id;
    EXPECT_LT(r.residuals.velocity, 1e-12) << id;
  }
}

}  // namespace
}  // namespace saltus::test_odae_golden
