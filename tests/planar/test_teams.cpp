// Many disks: the same bits with any team, and one fast body does not widen the search for all.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "saltus/core/threads/worker_team.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/planar/rigid_system.hpp"
#include "saltus/run/run.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::test_teams {
namespace {

// A bed of columns x rows disks that touch, in a box.
DiskSystem::Data bed(int columns, int rows, Vec& q) {
  DiskSystem::Data d;
  q.resize(3 * columns * rows);
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i) {
      const int k = static_cast<int>(d.disks.size());
      d.disks.push_back({0.5, 1});
      q.segment<3>(3 * k) << i + 0.5, j + 0.5, 0;
    }
  const double width = columns;
  d.boundaries = {{"floor", Plane{{0, 0}, {0, 1}}},
                  {"left", Plane{{0, 0}, {1, 0}}},
                  {"right", Plane{{width, 0}, {-1, 0}}}};
  d.materials = MaterialTable({{0.4, 0, 0}});
  return d;
}

TEST(Teams, ABedHasTheSameBits) {
  Vec q;
  const auto system = std::make_shared<DiskSystem>(bed(52, 26, q));  // some 2600 contacts
  Vec u(q.size());
  std::mt19937 random(3);
  for (auto& x : u) x = 0.05 * (static_cast<double>(random()) / 4294967296.0 - 0.5);
  Method m;
  m.stepping = FixedSteps{2e-3};
  m.solver = parse_spec<SolverSpec>("automatic:tolerance=1e-4", "solver");
  const Problem p{system, 0, 0.01, q, u};
  const RunResult alone = run(p, m, {});
  ASSERT_EQ(alone.status, RunStatus::finished) << alone.message;
  EXPECT_GT(alone.final.contacts.closed.size(), 2000u) << "too few to be swept by strips";
  for (const int threads : {2, 3, 8}) {
    const TeamOfThread team(threads);
    const RunResult r = run(p, m, {});
    EXPECT_EQ(r.final.q, alone.final.q) << threads;
    EXPECT_EQ(r.final.u, alone.final.u) << threads;
    EXPECT_EQ(r.stats.contact_iterations, alone.stats.contact_iterations);
  }
}

// All pairs that can close within the lead are listed, and with a bullet not many more than without.
TEST(FastBodies, DoNotWidenTheSearchForAll) {
  std::mt19937 random(5);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  constexpr int n = 2000;
  DiskSystem::Data d;
  Vec q(3 * n), u = Vec::Zero(3 * n);
  for (int i = 0; i < n; ++i) {
    d.disks.push_back({0.3 + 0.2 * uniform(), 1});
    q.segment<3>(3 * i) << 1.2 * (i % 50) + 0.1 * uniform(), 1.2 * (i / 50) + 0.1 * uniform(), 0;
    u.segment<2>(3 * i) << 0.1 * uniform(), 0.1 * uniform();
  }
  d.boundaries = {{"floor", Plane{{0, -1}, {0, 1}}}};
  d.materials = MaterialTable({{0.4, 0, 0}});
  d.margin = 0.01;
  const DiskSystem system(d);
  const CheckedSystem checked(system);
  const double lead = 0.01;
  ContactSet without, with;
  checked.list_moving(0, q, u, lead, without);
  u.segment<2>(3 * 777) << 300, 40;
  u.segment<2>(3 * 1200) << -200, 10;
  checked.list_moving(0, q, u, lead, with);
  EXPECT_LT(with.contacts.size(), without.contacts.size() + 400);
  EXPECT_GT(with.contacts.size(), without.contacts.size() + 20) << "the bullets' own neighbours";
  double size = 0;
  for (const Disk& disk : d.disks) size += 2 * disk.radius / n;
  std::set<std::uint64_t> listed;
  for (const Contact& c : with.contacts) listed.insert(c.id);
  EXPECT_TRUE(std::is_sorted(with.contacts.begin(), with.contacts.end(),
                             [](const Contact& a, const Contact& b) { return a.id < b.id; }));
  int missing = 0;
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      const double way = lead * (u.segment<2>(3 * a).norm() + u.segment<2>(3 * b).norm());
      const double margin = std::max(d.margin, std::min(way, d.margin + 4 * size));
      const double gap =
          (q.segment<2>(3 * a) - q.segment<2>(3 * b)).norm() - d.disks[a].radius - d.disks[b].radius;
      missing += gap <= margin * (1 - 1e-12) && !listed.contains(system.disk_contact(a, b));
    }
  EXPECT_EQ(missing, 0);
}

// A bullet through a row of bodies: the same motion as when every pair is looked at.
TEST(FastBodies, ABulletHitsWhatItWouldHitAmongFew) {
  const auto outcome = [](int few) {
    RigidSystem::Data d;
    Vec q(3 * 41), u = Vec::Zero(3 * 41);
    for (int i = 0; i < 41; ++i) {
      RigidBody b;
      b.name = fmt::format("b{}", i), b.shape = RigidBody::Shape::round, b.radius = i == 40 ? 0.05 : 0.1;
      b.mass = i == 40 ? 5 : 1, b.inertia = 0.01;
      d.bodies.push_back(b);
      q.segment<3>(3 * i) << 0.3 * (i % 8), 0.3 * (i / 8), 0;
    }
    q.segment<3>(120) << -0.6, 0.02, 0;
    u.segment<2>(120) << 60, 0;
    d.materials = MaterialTable({{0.2, 0.3, 0}});
    d.gravity = {0, 0}, d.margin = 1e-3, d.few = few;
    Method m;
    m.stepping = FixedSteps{1e-3};
    const RunResult r = run({std::make_shared<RigidSystem>(std::move(d)), 0, 0.1, q, u}, m, {});
    EXPECT_EQ(r.status, RunStatus::finished) << r.message;
    return r.final.q;
  };
  EXPECT_EQ(outcome(0), outcome(1000));
}

}  // namespace
}  // namespace saltus::test_teams
