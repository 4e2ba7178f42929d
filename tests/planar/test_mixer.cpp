// The disk mixer: what must hold in every step, the balance at rest, the slope of the turning bed, memory.
#include <cmath>

#include "saltus/catalog/catalog.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/system/checked.hpp"
#include "support/allocations.hpp"
#include "support/golden.hpp"
#include "support/impulse_speed.hpp"

namespace saltus::test_mixer {
namespace {

using testing::golden;

const DiskSystem& disks_of(const CatalogProblem& p) {
  return static_cast<const DiskSystem&>(*p.problem.system);
}

double weight(const DiskSystem& s) {
  double sum = 0;
  for (const Disk& d : s.data().disks) sum += d.mass;
  return -s.data().gravity[1] * sum;
}

// The force of the drum on the disks in the step that led to x.
Vec2 wall_force(const DiskSystem& s, const State& x, double h) {
  Vec2 sum(0, 0);
  ContactSet set;
  CheckedSystem(s).list(x.t, x.q, set);
  CheckedSystem(s).directions(x.t, x.q, set);
  for (const Contact& c : set.contacts) {
    const auto p = s.partners(c.id);
    const auto* r = x.contacts.find(c.id);
    if (p.boundary < 0 || !r) continue;
    for (int k = 0; k < r->rows; ++k)
      for (const auto& e : set.Wt.row(c.row + k))
        if (e.column % 3 < 2) sum[e.column % 3] += e.value * x.contacts.impulse[r->offset + k] / h;
  }
  return sum;
}

// No disk outside, little overlap, bounded energy, the residual asked for, in each step and from each seed.
TEST(DiskMixer, KeepsItsDisksItsEnergyAndItsTolerance) {
  for (const char* mode : {"drum", "stirrer"})
    for (const char* seed : {"1", "2"}) {
      const auto p = make_problem("disk-mixer", {{"n", "60"}, {"mode", mode}, {"seed", seed}}, 1.0);
      const DiskSystem& s = disks_of(p);
      const double h = 5e-4, R = std::get<Circle>(s.data().boundaries[0].shape).radius;
      const double start = energy_of(s, 0, p.problem.q0, p.problem.u0), floor = -weight(s) * R;
      double kinetic = 0, outside = 0, worst = 0;
      const auto result = run(p.problem, p.method, [&](const Segment& x) {
        kinetic = std::max(
            kinetic, energy_of(s, x.end.t, x.end.q, x.end.u) - CheckedSystem(s).potential(x.end.t, x.end.q));
        for (int i = 0; i < s.disks(); ++i)
          outside = std::max(outside,
                             std::hypot(x.end.q[3 * i], x.end.q[3 * i + 1]) + s.data().disks[i].radius - R);
        worst = std::max(worst, x.report.contact_violation /
                                    std::max(9.81 * h, testing::impulse_speed(s, x.end.contacts)));
      });
      ASSERT_EQ(result.status, RunStatus::finished) << result.message;
      EXPECT_EQ(result.stats.unsolved, 0);
      EXPECT_LE(worst, 1e-3) << mode << seed;
      EXPECT_LE(result.residuals.contact, 5e-5) << mode << seed;
      EXPECT_LE(result.residuals.gap, 0.05 * 0.01) << mode << seed;  // overlap at most 5 % of a radius
      EXPECT_LE(outside, 0.05 * 0.01) << mode << seed;
      EXPECT_LE(kinetic, start - floor)
          << mode << seed;  // never more than the fall of all to the bottom could give
    }
}

TEST(DiskMixer, ASettledBedWeighsOnTheDrum) {
  const auto& g = golden("J02_drum_balance", "studer.json");
  for (const char* seed : {"1", "2", "3"}) {
    const auto p = make_problem("disk-mixer", {{"n", "60"}, {"seed", seed}, {"settle", "9"}}, 0.6);
    const auto result = run(p.problem, p.method);
    ASSERT_EQ(result.status, RunStatus::finished) << result.message;
    const Vec2 force = wall_force(disks_of(p), result.final, 5e-4) / weight(disks_of(p));
    for (int k = 0; k < 2; ++k)
      EXPECT_NEAR(force[k], g["expected"][k].get<double>(), g["tolerance"]["abs"].get<double>())
          << "seed " << seed;
  }
}

TEST(DiskMixer, TheTurningBedHasTheSlopeOfThePrototype) {
  const auto& g = golden("J01_drum", "studer.json");
  const auto p = make_problem("disk-mixer", {{"n", "60"}}, 4.0);
  const DiskSystem& s = disks_of(p);
  double sum = 0;
  long count = 0;
  const auto result = run(p.problem, p.method, [&](const Segment& x) {
    if (x.end.t < 1.4) return;
    double cx = 0, cy = 0;
    for (int i = 0; i < s.disks(); ++i) {
      const double m = s.data().disks[i].mass;
      cx += m * x.end.q[3 * i], cy += m * x.end.q[3 * i + 1];
    }
    sum += std::atan2(cx, -cy) * 180 / M_PI;
    ++count;
  });
  ASSERT_EQ(result.status, RunStatus::finished) << result.message;
  EXPECT_GE(sum / static_cast<double>(count), g["tolerance"]["min"].get<double>());
  EXPECT_LE(sum / static_cast<double>(count), g["tolerance"]["max"].get<double>());
}

TEST(DiskMixer, RepeatsItsBitsAndSeedsDiffer) {
  const auto last = [](const char* seed) {
    const auto p = make_problem("disk-mixer", {{"seed", seed}}, 0.3);
    return run(p.problem, p.method).final.q;
  };
  const Vec a = last("5"), b = last("5"), c = last("6");
  EXPECT_TRUE((a.array() == b.array()).all());
  EXPECT_FALSE((a.array() == c.array()).all());
}

// Growth is over once the bed has settled; then a step allocates nothing, whatever contacts come and go.
TEST(DiskMixer, AWarmStepLoopDoesNotAllocate) {
  const auto p = make_problem("disk-mixer", {{"n", "100"}, {"settle", "0.2"}}, 1);
  const auto stepper = make_stepper(p.method.scheme, *p.problem.system, p.method.solver);
  State x0 = stepper->start(0, p.problem.q0, p.problem.u0), x1 = x0;
  for (int k = 0; k < 1200; ++k, std::swap(x0, x1)) stepper->step(x0, 5e-4, x1);
  const std::size_t before = testing::allocations();
  for (int k = 0; k < 200; ++k, std::swap(x0, x1)) stepper->step(x0, 5e-4, x1);
#if SALTUS_COUNTS_ALLOCATIONS
  EXPECT_EQ(testing::allocations() - before, 0u);
#endif
}

TEST(DiskMixer, CountsUnsolvedStepsWhenAskedToGoOn) {
  auto p = make_problem("disk-mixer", {{"n", "60"}}, 0.3);
  p.method.solver = Psor{1e-6, 1.0, 5};
  const auto stopped = run(p.problem, p.method);
  EXPECT_EQ(stopped.status, RunStatus::failed);
  p.method.stepping = FixedSteps{5e-4, true};
  const auto result = run(p.problem, p.method);
  EXPECT_EQ(result.status, RunStatus::finished);
  EXPECT_GT(result.stats.unsolved, 50);
  EXPECT_EQ(result.stats.steps, 600);
  EXPECT_NE(result.message.find("missed the tolerance"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("contact disk"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace saltus::test_mixer
