// Rigid bodies of the plane: derivatives against differences, the grid against all pairs, disks against the
// system of disks.
#include <gtest/gtest.h>

#include <ctime>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/random.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_rigid {
namespace {

using Kind = RigidBody::Shape;

RigidBody disk(const std::string& name, double radius) {
  RigidBody b;
  b.name = name, b.radius = radius, b.mass = 1, b.inertia = 0.5 * radius * radius;
  return b;
}
RigidBody polygon(const std::string& name, std::vector<Vec2> corners) {
  RigidBody b;
  b.name = name, b.shape = Kind::polygon, b.corners = std::move(corners), b.mass = 1, b.inertia = 0.1;
  return b;
}
RigidBody fixed(RigidBody b, Kind kind, const Vec2& at, double angle, const Motion& motion) {
  b.mass = 0, b.shape = kind, b.start = at, b.angle = angle, b.motion = motion;
  return b;
}

const std::vector<Vec2> box = {{-0.3, -0.2}, {0.3, -0.2}, {0.3, 0.2}, {-0.3, 0.2}};
const std::vector<Vec2> triangle = {{-0.2, -0.1}, {0.3, -0.1}, {-0.1, 0.2}};

// One of each kind, obstacles in motion.
RigidSystem::Data all_kinds() {
  RigidSystem::Data d;
  RigidBody point = disk("point", 0);
  d.bodies = {point, disk("disk", 0.2), disk("other", 0.3), polygon("box", box),
              polygon("triangle", triangle)};
  d.bodies.push_back(fixed(disk("floor", 0), Kind::plane, {0, -1}, 0.2, {{0.5, 0.5}, {0.1, 0.2}, 0.7, 0}));
  d.bodies.push_back(fixed(disk("drum", 3), Kind::drum, {0.1, 0.2}, 0, {{0.3, 0}, {0.2, -0.1}, -0.5, 0}));
  d.bodies.push_back(fixed(disk("pin", 0.2), Kind::round, {1, 1}, 0, {{0, 0}, {0.1, 0}, 0.9, 0}));
  d.bodies.push_back(fixed(polygon("step", box), Kind::polygon, {-1, 1}, 0.4, {{-1, 0.5}, {0, 0.3}, 0.8, 0}));
  d.materials = MaterialTable({{0.5, 0, 0}});
  return d;
}

TEST(RigidSystem, DirectionsAndSecondOrderTermsAreTheDerivatives) {
  const RigidSystem s(all_kinds());
  ASSERT_EQ(s.coordinates(), 14);
  SplitMix64 random(7);
  int checked = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Vec q(14), u(14);
    for (int i = 0; i < 14; ++i) q[i] = random.between(-1.5, 1.5), u[i] = random.between(-1, 1);
    const double t = random.between(0, 1), e = 1e-6;
    // gaps and velocities of the rows at t + δ along the motion
    const auto at = [&](double delta, std::vector<double>& gap) {
      ContactSet set;
      const Vec moved = q + delta * u;
      CheckedSystem(s).list(t + delta, moved, set);
      CheckedSystem(s).directions(t + delta, moved, set);
      gap = set.gap;
      std::vector<double> rate;
      for (int r = 0; r < set.rows(); ++r) rate.push_back(set.Wt.dot(r, u.data()) + set.drift[r]);
      return rate;
    };
    ContactSet set;
    CheckedSystem(s).list(t, q, set), CheckedSystem(s).directions(t, q, set),
        CheckedSystem(s).bias(t, q, u, set);
    std::vector<double> before, after, here;
    const auto now = at(0, here), low = at(-e, before), high = at(e, after);
    ASSERT_EQ(before.size(), here.size());
    for (const Contact& c : set.contacts) {
      const double difference = (after[c.row] - before[c.row]) / (2 * e);
      // a corner may just pass from side to side: there the derivative jumps
      if (std::abs((after[c.row] - here[c.row]) - (here[c.row] - before[c.row])) > 1e-9) continue;
      EXPECT_NEAR(now[c.row], difference, 1e-7) << s.contact_name(c.id);
      for (int k = 0; k < 2; ++k)
        EXPECT_NEAR(set.bias[c.row + k], (high[c.row + k] - low[c.row + k]) / (2 * e),
                    1e-6 * (1 + std::abs(set.bias[c.row + k])))
            << s.contact_name(c.id) << " row " << k;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200 * 50);
}

TEST(RigidSystem, SlipIsTheRelativeVelocityOfTheMaterialAtTheContact) {
  RigidSystem::Data d;  // a disk that rolls
  d.bodies = {disk("ball", 0.2), fixed(disk("floor", 0), Kind::plane, {0, 0}, 0, {})};
  d.materials = MaterialTable({{0.5, 0, 0}});
  const RigidSystem rolling(d);
  ContactSet set;
  const Vec q{{0.0, 0.2, 0.0}}, u{{1.0, 0.0, -5.0}};
  CheckedSystem(rolling).list(0, q, set), CheckedSystem(rolling).directions(0, q, set);
  EXPECT_NEAR(set.gap[0], 0, 1e-15);
  EXPECT_NEAR(set.Wt.dot(0, u.data()), 0, 1e-15);
  EXPECT_NEAR(set.Wt.dot(1, u.data()), 0, 1e-15);
}

RigidSystem::Data many(int n, std::uint64_t seed, int few) {
  SplitMix64 random(seed);
  RigidSystem::Data d;
  for (int i = 0; i < n; ++i)
    d.bodies.push_back(i % 3 == 0   ? polygon(fmt::format("b{}", i), box)
                       : i % 3 == 1 ? polygon(fmt::format("t{}", i), triangle)
                                    : disk(fmt::format("d{}", i), random.between(0.1, 0.3)));
  d.bodies.push_back(fixed(disk("floor", 0), Kind::plane, {0, 0}, 0, {}));
  d.bodies.push_back(fixed(disk("large", 3), Kind::round, {0, 0}, 0, {}));
  d.margin = 0.1, d.few = few;
  return d;
}
Vec scattered(const RigidSystem& s, std::uint64_t seed, double density) {
  SplitMix64 random(seed);
  Vec q(s.coordinates());
  const double side = std::sqrt(s.coordinates() / density);
  for (int i = 0; i < q.size(); ++i) q[i] = i % 3 == 2 ? random.between(-3, 3) : random.between(0, side);
  return q;
}

TEST(RigidSystem, TheGridFindsWhatAllPairsFind) {
  for (int seed = 1; seed < 20; ++seed) {
    const RigidSystem grid(many(40, seed, 0)), all(many(40, seed, 1000));
    EXPECT_TRUE(grid.shape().changing_contacts && !all.shape().changing_contacts);
    const Vec q = scattered(all, seed, 6);
    ContactSet near, every;
    CheckedSystem(grid).list(0, q, near), CheckedSystem(all).list(0, q, every);
    const auto find = [](const ContactSet& set, std::uint64_t id) {
      const auto it = std::find_if(set.contacts.begin(), set.contacts.end(),
                                   [&](const Contact& c) { return c.id == id; });
      return it == set.contacts.end() ? nullptr : &*it;
    };
    for (const Contact& c : near.contacts) {
      const Contact* same = find(every, c.id);
      ASSERT_TRUE(same);
      EXPECT_EQ(near.gap[c.row], every.gap[same->row]);
      EXPECT_LE(near.gap[c.row], 0.1);
    }
    int closed = 0;  // a corner far off may be low over a side; what overlaps is found
    for (const Contact& c : every.contacts)
      if (every.gap[c.row] <= 0) {
        ++closed;
        EXPECT_TRUE(find(near, c.id)) << all.contact_name(c.id);
      }
    EXPECT_GT(closed, 10);
    for (std::size_t k = 1; k < near.contacts.size(); ++k)
      EXPECT_LT(near.contacts[k - 1].id, near.contacts[k].id);
  }
}

// A disk that flies farther in a step than the margin reaches, at a row of others: with the search it goes
// the way it goes when all pairs are listed, and does not fly through.
TEST(RigidSystem, WhatIsFastIsSeenWhateverTheMargin) {
  for (const double h : {1e-3, 1e-2, 5e-2}) {
    const auto outcome = [&](int few) {
      RigidSystem::Data d;
      for (int i = 0; i < 31; ++i) d.bodies.push_back(disk(fmt::format("d{}", i), 0.1));
      d.gravity = {0, 0}, d.margin = 1e-6, d.few = few;
      const auto system = std::make_shared<RigidSystem>(std::move(d));
      Vec q = Vec::Zero(93), u = Vec::Zero(93);
      for (int i = 0; i < 30; ++i) q[3 * i] = i;
      q[91] = 1, u[91] = -10;
      Method m;
      m.stepping = FixedSteps{h};
      const RunResult r = run({system, 0, 0.2, q, u}, m, {});
      EXPECT_EQ(r.status, RunStatus::finished);
      EXPECT_LT(r.final.u[1], -1) << "h = " << h << ": the first of the row was not hit";
      return r.final.q;
    };
    EXPECT_EQ(outcome(0), outcome(1000)) << h;
  }
}

// Points have no size that could bound how far one looks for them: walls are looked for as far as they fly.
TEST(RigidSystem, FastPointsDoNotPassThroughWalls) {
  RigidSystem::Data d;
  for (int i = 0; i < 30; ++i) d.bodies.push_back(disk(fmt::format("p{}", i), 0));
  d.bodies.push_back(
      fixed(polygon("wall", {{-20, -0.1}, {20, -0.1}, {20, 0.1}, {-20, 0.1}}), Kind::polygon, {0, 0}, 0, {}));
  d.gravity = {0, 0}, d.few = 0;
  const auto system = std::make_shared<RigidSystem>(std::move(d));
  Vec q = Vec::Zero(60), u = Vec::Zero(60);
  for (int i = 0; i < 30; ++i) q[2 * i] = 0.1 * i, q[2 * i + 1] = 1.07, u[2 * i + 1] = -40;
  Method m;
  m.stepping = FixedSteps{0.003};
  const RunResult r = run({system, 0, 0.06, q, u}, m, {});
  for (int i = 0; i < 30; ++i) EXPECT_GT(r.final.q[2 * i + 1], -0.1) << i;
}

TEST(RigidSystem, TheListCostsLinearTime) {
  const auto seconds_per_body = [](int n) {
    const RigidSystem s(many(n, 3, 24));
    const Vec q = scattered(s, 5, 6);
    ContactSet set;
    double best = infinity;
    for (int round = 0; round < 15; ++round) {
      const std::clock_t begin = std::clock();  // of this process: others may be busy too
      CheckedSystem(s).list(0, q, set);
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / n);
    }
    return best;
  };
  const double few = seconds_per_body(600), lots = seconds_per_body(9600);
  EXPECT_LT(lots,
            6 * few);  // all pairs would be 16 times as slow; memory and a loaded machine take their share
}

TEST(RigidSystem, DisksInADrumMoveAsInTheSystemOfDisks) {
  const CatalogProblem mixer =
      make_problem("disk-mixer", {{"n", "4"}, {"settle", "0.1"}, {"fill", "0.2"}}, 0.5);
  const auto& disks = dynamic_cast<const DiskSystem&>(*mixer.problem.system).data();
  RigidSystem::Data d;
  for (const Disk& x : disks.disks) {
    d.bodies.push_back(disk("disk", x.radius));
    d.bodies.back().mass = x.mass, d.bodies.back().inertia = x.inertia;
  }
  const Circle drum = std::get<Circle>(disks.boundaries[0].shape);
  d.bodies.push_back(
      fixed(disk("drum", drum.radius), Kind::drum, drum.centre, 0, disks.boundaries[0].motion));
  d.materials = disks.materials, d.gravity = disks.gravity;
  Problem problem = mixer.problem;
  problem.system = std::make_shared<RigidSystem>(d);
  Method method = mixer.method;
  method.solver = SemismoothNewton{};
  Trajectory a, b;
  EXPECT_EQ(run(mixer.problem, method, a.sink()).status, RunStatus::finished);
  EXPECT_EQ(run(problem, method, b.sink()).status, RunStatus::finished);
  ASSERT_EQ(a.size(), b.size());
  double worst = 0;
  for (int i = 0; i < a.size(); ++i) worst = std::max(worst, (a.q(i) - b.q(i)).cwiseAbs().maxCoeff());
  EXPECT_LT(worst, 1e-9);
}

TEST(RigidSystem, SaysWhatIsWrong) {
  RigidSystem::Data d;
  d.bodies = {fixed(disk("floor", 0), Kind::plane, {0, 0}, 0, {})};
  EXPECT_THROW(RigidSystem{d}, Error);  // nothing moves
  d.bodies = {disk("a", 0.1)};
  d.bodies[0].material = 3;
  EXPECT_THROW(RigidSystem{d}, Error);
}

}  // namespace
}  // namespace saltus::test_rigid
