// Rolling friction of planar bodies: a disk comes to rest after the distance of the closed form, in any
// units; on an incline it stays below the angle of rolling and rolls with the closed form's acceleration
// above it.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/planar/rigid_system.hpp"
#include "saltus/scheme/scheme.hpp"
#include "support/errors.hpp"

namespace saltus::test_rolling {
namespace {

constexpr double g = 9.81;

// A disk on a floor through the origin, in units of which `unit` are a metre.
struct RollingDisk {
  double radius = 0.1, mass = 2, length = 0.002, speed = 1, incline = 0, mu = 0.5, unit = 1;

  RigidSystem system() const {
    RigidSystem::Data d;
    RigidBody floor;
    floor.name = "floor", floor.shape = RigidBody::Shape::plane, floor.mass = 0;
    RigidBody disk;
    disk.name = "disk", disk.shape = RigidBody::Shape::round;
    disk.radius = radius * unit, disk.mass = mass;
    disk.inertia = mass * disk.radius * disk.radius / 2;
    disk.start = {0, disk.radius};
    d.bodies = {floor, disk};
    d.gravity = {g * unit * std::sin(incline), -g * unit * std::cos(incline)};
    Material m;
    m.mu = mu, m.rolling = length * unit;
    d.materials = MaterialTable({m});
    return RigidSystem(std::move(d));
  }
  /// Of the centre, uphill positive: what rolling friction alone takes.
  double deceleration() const { return 2 * length * g * std::cos(incline) / (3 * radius); }
};

State roll(const RollingDisk& disk, double t_end, double h) {
  const RigidSystem system = disk.system();
  const auto stepper = make_stepper(MoreauJean{}, system, AutomaticSolver{});
  Vec q(3), u(3);
  q << 0, disk.radius * disk.unit, 0;
  u << disk.speed * disk.unit, 0, -disk.speed / disk.radius;
  State x = stepper->start(0, q, u), next = x;
  for (int k = 0; k < std::lround(t_end / h); ++k) {
    const StepReport report = stepper->step(x, h, next);
    EXPECT_EQ(report.status, StepStatus::ok) << "step " << k;
    std::swap(x, next);
  }
  return x;
}

TEST(Rolling, ADiskComesToRestAfterTheDistanceOfTheClosedForm) {
  const double h = 1e-3;
  for (const double unit : {1.0, 1000.0, 1e-3}) {
    RollingDisk disk;
    disk.unit = unit;
    const double a = disk.deceleration(), stop = disk.speed / a;
    const State moving = roll(disk, 3, h);
    EXPECT_NEAR(moving.u[0] / unit, disk.speed - 3 * a, 1e-9) << unit;
    EXPECT_NEAR(moving.q[0] / unit, 3 * disk.speed - 4.5 * a, 1e-9) << unit;
    EXPECT_NEAR(moving.u[2], -(disk.speed - 3 * a) / disk.radius, 1e-8) << unit;
    ASSERT_EQ(moving.contacts.closed.size(), 1u);
    EXPECT_EQ(moving.contacts.closed[0].mode, Mode::roll) << unit;
    const State rest = roll(disk, stop + 0.5, h);
    EXPECT_NEAR(rest.u.cwiseAbs().maxCoeff() / unit, 0, 1e-10) << unit;
    EXPECT_NEAR(rest.q[0] / unit, disk.speed * disk.speed / (2 * a), a * h * h) << unit;
    EXPECT_EQ(rest.contacts.closed[0].mode, Mode::stick) << unit;
  }
}

TEST(Rolling, OnAnInclineItStaysBelowTheAngleOfRolling) {
  RollingDisk disk;
  disk.speed = 0;
  const double angle = std::atan(disk.length / disk.radius);
  disk.incline = 0.9 * angle;
  const State rest = roll(disk, 0.5, 1e-3);
  EXPECT_LE(std::abs(rest.q[0]), 1e-12);
  disk.incline = 2 * angle;
  const State moving = roll(disk, 0.5, 1e-3);
  const double a = 2 * g * std::sin(disk.incline) / 3 - disk.deceleration();
  EXPECT_NEAR(moving.u[0], 0.5 * a, 1e-9);
}

// Without friction along the surface the moment slows the turning alone.
TEST(Rolling, WithoutTangentialFrictionOnlyTheTurningSlowsDown) {
  RollingDisk disk;
  disk.mu = 0;
  const State x = roll(disk, 0.1, 1e-3);
  const double inertia = disk.mass * disk.radius * disk.radius / 2;
  EXPECT_NEAR(x.u[0], disk.speed, 1e-12);
  EXPECT_NEAR(x.u[2], -disk.speed / disk.radius + 0.1 * disk.length * disk.mass * g / inertia, 1e-9);
}

TEST(Rolling, MaterialsCombineByTheLargerLength) {
  Material hard, soft;
  hard.mu = soft.mu = 0.5, hard.rolling = 1e-4, soft.rolling = 1e-2;
  const MaterialTable table({hard, soft});
  EXPECT_EQ(std::get<RollingFriction>(table.laws()[table.law(0, 1)]).rolling, 1e-2);
  EXPECT_EQ(std::get<RollingFriction>(table.laws()[table.law(0, 0)]).rolling, 1e-4);
  soft.rolling = -1;
  EXPECT_NE(testing::message_of([&] { MaterialTable({soft}); }).find("rolling"), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_rolling
