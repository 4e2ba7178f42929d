// Disks: directions, drift and bias against dual numbers; the grid against all pairs; single contacts and the
// pyramid against closed forms.
#include <cmath>
#include <random>

#include "saltus/planar/disk_system.hpp"
#include "saltus/planar/grid.hpp"
#include "saltus/run/run.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/model.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace saltus::test_disks {
namespace {

using testing::golden;

template <class F>
void expect_error(F&& f, std::initializer_list<const char*> words) {
  const std::string message = testing::message_of(f);
  for (const char* word : words)
    EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
}

constexpr double omega_wall = 0.7, start_wall = 0.1;

// Two disks, a turning and moving plane, a drum and an obstacle that orbit, written down once more: gaps from
// distances, slips from velocities of material points, all derivatives by dual numbers.
struct TwoDisks {
  static constexpr int dof = 6;
  template <class S>
  using V = Eigen::Matrix<S, Eigen::Dynamic, 1>;
  template <class S>
  using Six = Eigen::Matrix<S, 6, 1>;
  template <class S>
  using Two = std::array<S, 2>;
  double ra = 0.3, rb = 0.45;
  Two<double> pivot{0.2, -0.1}, drift{0.15, 0.05}, point{0.4, -1.1}, normal{0.6, 0.8}, drum{0.1, 0.2},
      obstacle{1.3, -0.4};
  double R = 2.2, r_obstacle = 0.5;

  template <class S>
  Two<S> turned(const S& t, const Two<double>& a) const {
    const S angle = omega_wall * (t - start_wall);
    const S c = cos(angle), s = sin(angle);
    return {c * a[0] - s * a[1], s * a[0] + c * a[1]};
  }
  template <class S>
  Two<S> moved(const S& t, const Two<double>& a) const {
    const Two<S> arm = turned(t, {a[0] - pivot[0], a[1] - pivot[1]});
    return {pivot[0] + drift[0] * (t - start_wall) + arm[0], pivot[1] + drift[1] * (t - start_wall) + arm[1]};
  }
  // velocity of the wall's material that is at (x, y)
  template <class S>
  Two<S> wall(const S& t, const S& x, const S& y) const {
    const S px = pivot[0] + drift[0] * (t - start_wall), py = pivot[1] + drift[1] * (t - start_wall);
    return {drift[0] - omega_wall * (y - py), drift[1] + omega_wall * (x - px)};
  }

  template <class S>
  Eigen::Matrix<S, 6, 6> mass(const S&, const Six<S>&) const {
    return Eigen::Matrix<S, 6, 6>::Identity();
  }
  template <class S>
  Six<S> force(const S&, const Six<S>&, const Six<S>&) const {
    return Six<S>::Zero();
  }
  template <class S>
  V<S> gaps(const S& t, const Six<S>& q) const {
    V<S> g(7);
    const auto p = moved(t, point), n = turned(t, normal), d = moved(t, drum), o = moved(t, obstacle);
    const double radius[] = {ra, rb};
    for (int k = 0; k < 2; ++k) {
      const S x = q[3 * k], y = q[3 * k + 1];
      g[k] = n[0] * (x - p[0]) + n[1] * (y - p[1]) - radius[k];
      g[2 + k] = R - radius[k] - sqrt((x - d[0]) * (x - d[0]) + (y - d[1]) * (y - d[1]));
      g[4 + k] = sqrt((x - o[0]) * (x - o[0]) + (y - o[1]) * (y - o[1])) - radius[k] - r_obstacle;
    }
    const S x = q[3] - q[0], y = q[4] - q[1];
    g[6] = sqrt(x * x + y * y) - ra - rb;
    return g;
  }
  template <class S>
  V<S> slips(const S& t, const Six<S>& q, const Six<S>& u) const {
    V<S> s(7);
    const double radius[] = {ra, rb};
    const auto n = turned(t, normal), d = moved(t, drum), o = moved(t, obstacle), p = moved(t, point);
    // the slip along the left of m (unit, from disk k into the partner), whose surface has the velocity w
    const auto slip = [&](int k, const S& mx, const S& my, const Two<S>& w) {
      const S vx = u[3 * k] - u[3 * k + 2] * (radius[k] * my),
              vy = u[3 * k + 1] + u[3 * k + 2] * (radius[k] * mx);
      return S(-my * (w[0] - vx) + mx * (w[1] - vy));
    };
    for (int k = 0; k < 2; ++k) {
      const S x = q[3 * k], y = q[3 * k + 1];
      const S depth = n[0] * (x - p[0]) + n[1] * (y - p[1]);  // the foot of the disk on the plane
      s[k] = slip(k, S(-n[0]), S(-n[1]), wall(t, S(x - depth * n[0]), S(y - depth * n[1])));
      const S D = sqrt((x - d[0]) * (x - d[0]) + (y - d[1]) * (y - d[1]));
      const S ex = (x - d[0]) / D, ey = (y - d[1]) / D;
      s[2 + k] = slip(k, ex, ey, wall(t, S(d[0] + R * ex), S(d[1] + R * ey)));
      const S E = sqrt((x - o[0]) * (x - o[0]) + (y - o[1]) * (y - o[1]));
      const S fx = (o[0] - x) / E, fy = (o[1] - y) / E;
      s[4 + k] = slip(k, fx, fy, wall(t, S(o[0] - r_obstacle * fx), S(o[1] - r_obstacle * fy)));
    }
    const S x = q[3] - q[0], y = q[4] - q[1], D = sqrt(x * x + y * y), mx = x / D, my = y / D;
    s[6] = slip(0, mx, my, {u[3] + u[5] * (rb * my), u[4] - u[5] * (rb * mx)});
    return s;
  }
  std::vector<Law> laws() const { return std::vector<Law>(7, Coulomb{0.4, 0.2, 0, 1}); }
};

DiskSystem same_disks() {
  const TwoDisks m;
  DiskSystem::Data d;
  d.disks = {{m.ra, 1, 1}, {m.rb, 1, 1}};
  const Motion motion{{m.pivot[0], m.pivot[1]}, {m.drift[0], m.drift[1]}, omega_wall, start_wall};
  d.boundaries.push_back({"plane", Plane{{m.point[0], m.point[1]}, {m.normal[0], m.normal[1]}}, motion, 0});
  d.boundaries.push_back({"drum", Circle{{m.drum[0], m.drum[1]}, m.R, true}, motion, 0});
  d.boundaries.push_back({"stirrer", Circle{{m.obstacle[0], m.obstacle[1]}, m.r_obstacle}, motion, 0});
  d.materials = MaterialTable({{0.4, 0.2, 0}});
  d.margin = 100;  // list them all
  return DiskSystem(d);
}

TEST(Disks, DirectionsDriftAndBiasAreThoseOfDualNumbers) {
  const DiskSystem disks = same_disks();
  const auto model = make_system(TwoDisks{});
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int round = 0; round < 50; ++round) {
    Vec q(6), u(6);
    for (int k = 0; k < 6; ++k) q[k] = uniform(random), u[k] = 3 * uniform(random);
    const double t = start_wall + 0.2 + uniform(random) * 0.1;
    ContactSet a, b;
    CheckedSystem(disks).list(t, q, a), CheckedSystem(*model).list(t, q, b);
    CheckedSystem(disks).directions(t, q, a), CheckedSystem(*model).directions(t, q, b);
    ASSERT_EQ(a.rows(), b.rows());
    for (int r = 0; r < a.rows(); ++r) {
      Vec x = Vec::Zero(6), y = Vec::Zero(6);
      a.Wt.add_to(r, 1, x.data()), b.Wt.add_to(r, 1, y.data());
      EXPECT_NEAR(a.gap[r], b.gap[r], 1e-13) << "row " << r;
      EXPECT_LE((x - y).lpNorm<Eigen::Infinity>(), 1e-13) << "row " << r;
      EXPECT_NEAR(a.drift[r], b.drift[r], 1e-13) << "row " << r;
    }
    CheckedSystem(disks).bias(t, q, u, a), CheckedSystem(*model).bias(t, q, u, b);
    for (int r = 0; r < a.rows(); ++r)
      EXPECT_NEAR(a.bias[r], b.bias[r], 1e-11 * (1 + std::abs(b.bias[r]))) << "row " << r;
  }
}

TEST(Disks, ABoundaryRestsBeforeItsStart) {
  const DiskSystem disks = same_disks();
  const Vec q = Vec{{0.1, 0.3, 0, -0.8, 0.2, 0}};
  ContactSet now, later;
  CheckedSystem(disks).list(0, q, now), CheckedSystem(disks).directions(0, q, now);
  CheckedSystem(disks).list(start_wall, q, later);
  for (double x : now.drift) EXPECT_EQ(x, 0);
  for (int r = 0; r < now.rows(); ++r) EXPECT_NEAR(now.gap[r], later.gap[r], 1e-15);
}

// Every pair within the margin, by increasing id, whatever the spread of positions and sizes.
TEST(Disks, TheGridFindsWhatAllPairsFind) {
  std::mt19937 random(3);
  for (const double extent : {0.5, 3.0, 40.0, 1e6}) {
    std::uniform_real_distribution<double> place(-extent, extent), size(0.05, 0.2);
    for (int n : {1, 2, 7, 60, 400}) {
      DiskSystem::Data d;
      for (int i = 0; i < n; ++i) d.disks.push_back({size(random), 1});
      d.margin = 0.03;
      const DiskSystem disks(d);
      Vec q(3 * n);
      for (int i = 0; i < 3 * n; ++i) q[i] = place(random);
      for (int i = 0; i + 1 < n; i += 5)
        q.segment(3 * (i + 1), 2) = q.segment(3 * i, 2).array() + 0.1;  // some near
      ContactSet set;
      CheckedSystem(disks).list(0, q, set);
      std::vector<std::uint64_t> expected;
      for (int a = 0; a < n; ++a)
        for (int b = a + 1; b < n; ++b)
          if (std::hypot(q[3 * a] - q[3 * b], q[3 * a + 1] - q[3 * b + 1]) <=
              d.disks[a].radius + d.disks[b].radius + d.margin)
            expected.push_back(disks.disk_contact(a, b));
      std::vector<std::uint64_t> found;
      for (const Contact& c : set.contacts) found.push_back(c.id);
      EXPECT_EQ(found, expected) << "extent " << extent << ", " << n << " disks";
      if (n == 400) {
        EXPECT_GT(found.size(), 10u);
      }
    }
  }
}

TEST(Disks, IdsNameTheirPartnersAndPersist) {
  const DiskSystem disks = same_disks();
  const Vec q = Vec{{0.1, 0.3, 0, -0.8, 0.2, 0}};
  ContactSet set;
  CheckedSystem(disks).list(0, q, set);
  EXPECT_EQ(disks.contact_name(set.contacts.front().id), "disk 0/plane");
  EXPECT_EQ(disks.contact_name(set.contacts.back().id), "disk 0/disk 1");
  const auto before = set.contacts;
  CheckedSystem(disks).list(0, q + Vec::Constant(6, 0.1), set);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].id, set.contacts[i].id);
  const auto p = disks.partners(disks.disk_contact(0, 1));
  EXPECT_EQ(p.boundary, -1);
  EXPECT_EQ(p.a, 0);
  EXPECT_EQ(p.b, 1);
}

TEST(Disks, MaterialsCombineByRuleOrByName) {
  MaterialTable table({{0.9, 0.1, 0}, {0.4, 0.6, 0}, {0, 0, 0}});
  const auto& pair = std::get<Coulomb>(table.laws()[table.law(0, 1)]);
  EXPECT_DOUBLE_EQ(pair.mu, 0.6);
  EXPECT_EQ(pair.e_n, 0.6);
  EXPECT_TRUE(std::holds_alternative<Unilateral>(table.laws()[table.law(2, 0)]));  // smooth against all
  table.set(0, 2, {0.3, 0, 0});
  EXPECT_EQ(std::get<Coulomb>(table.laws()[table.law(2, 0)]).mu, 0.3);
}

TEST(Disks, BadDataIsRefusedByName) {
  DiskSystem::Data d;
  d.disks = {{1, 1}, {-1, 1}};
  expect_error([&] { DiskSystem s(d); }, {"disk 1", "radius"});
  d.disks = {{1, 1}};
  d.boundaries.push_back({"drum", Circle{{0, 0}, 0.5, true}});
  expect_error([&] { DiskSystem s(d); }, {"drum", "too small"});
  d.boundaries = {{"floor", Plane{{0, 0}, {0, 0}}}};
  expect_error([&] { DiskSystem s(d); }, {"floor", "normal"});
  d.boundaries.clear();
  d.disks[0].material = 2;
  expect_error([&] { DiskSystem s(d); }, {"disk 0", "material 2"});
}

// --- motion
// ---------------------------------------------------------------------------------------------------

struct Pyramid {
  std::shared_ptr<DiskSystem> system;
  Vec q0, u0 = Vec::Zero(9);
};
// two unit disks on the floor, their centres 2d apart, and a third on both
Pyramid pyramid(double d, double mu) {
  DiskSystem::Data data;
  data.disks = {{1, 1}, {1, 1}, {1, 1}};
  data.boundaries.push_back({"floor", Plane{{0, 0}, {0, 1}}});
  data.materials = MaterialTable({{mu, 0, 0}});
  const double rise = std::sqrt(4 - d * d);
  return {std::make_shared<DiskSystem>(data), Vec{{-d, 1, 0, d, 1, 0, 0, 1 + rise, 0}}};
}
State after_one_step(const Pyramid& p, double h) {
  const auto stepper = make_stepper(MoreauMidpoint{}, *p.system, AutomaticSolver{});
  const State x0 = stepper->start(0, p.q0, p.u0);
  State x1 = x0;
  EXPECT_EQ(stepper->step(x0, h, x1).status, StepStatus::ok);
  return x1;
}

TEST(Pyramid, ForcesAreThoseOfStatics) {
  const auto& g = golden("C06_pyramid", "studer.json");
  const double d = g["parameters"]["d"], mu = g["parameters"]["mu"], h = g["parameters"]["dt"],
               tol = g["tolerance"]["abs"];
  const Pyramid p = pyramid(d, mu);
  const State x = after_one_step(p, h);
  const auto impulse = [&](std::uint64_t id, int row) {
    const auto* r = x.contacts.find(id);
    return r ? std::abs(x.contacts.impulse[r->offset + row]) / (9.81 * h) : -1;
  };
  for (int k : {0, 1}) {
    EXPECT_NEAR(impulse(p.system->boundary_contact(0, k), 0), g["expected"][0], tol);
    EXPECT_NEAR(impulse(p.system->boundary_contact(0, k), 1), g["expected"][1], tol);
    EXPECT_NEAR(impulse(p.system->disk_contact(k, 2), 0), g["expected"][2], tol);
    EXPECT_NEAR(impulse(p.system->disk_contact(k, 2), 1), g["expected"][3], tol);
  }
  for (const auto& r : x.contacts.closed) EXPECT_EQ(r.mode, Mode::stick);
}

TEST(Pyramid, SlipsBelowTheCriticalFrictionAndNotAbove) {
  const double critical = golden("C06_pyramid_mu_crit", "studer.json")["expected"];
  const double alpha = std::asin(1.05 / 2);
  EXPECT_NEAR(critical, std::tan(alpha / 2),
              golden("C06_pyramid_mu_crit", "studer.json")["tolerance"]["abs"]);
  const auto& g = golden("C07_pyramid_slip", "studer.json");
  const double holds = after_one_step(pyramid(1.05, 1.02 * critical), 1e-3).u.lpNorm<Eigen::Infinity>();
  const double moves = after_one_step(pyramid(1.05, 0.98 * critical), 1e-3).u.lpNorm<Eigen::Infinity>();
  const double expected = g["expected"][1], abs = g["tolerance"]["abs"], rel = g["tolerance"]["rel"];
  EXPECT_LE(holds, abs);
  EXPECT_NEAR(moves, expected, abs + rel * expected);
}

// A disk set down spinning on the floor slips until v = −ωr; momentum about the contact gives v = −ω₀ r/3.
TEST(Disks, ASpinningDiskEndsRolling) {
  DiskSystem::Data d;
  d.disks = {{0.5, 2}};
  d.boundaries.push_back({"floor", Plane{}});
  d.materials = MaterialTable({{0.3, 0, 0}});
  const Problem p{std::make_shared<DiskSystem>(d), 0, 1, Vec{{0, 0.5, 0}}, Vec{{0, 0, -6}}};
  const auto result = run(p, {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}});
  EXPECT_EQ(result.status, RunStatus::finished) << result.message;
  EXPECT_NEAR(result.final.u[0], 1, 1e-12);
  EXPECT_NEAR(result.final.u[2], -2, 1e-12);
}

// A belt takes a disk along: γ_T = 0 at the end, so the spin is that of rolling on a moving floor.
TEST(Disks, ABeltTakesADiskAlong) {
  DiskSystem::Data d;
  d.disks = {{0.5, 2}};
  d.boundaries.push_back({"belt", Plane{}, {{0, 0}, {1.5, 0}, 0, 0}});
  d.materials = MaterialTable({{0.3, 0, 0}});
  const Problem p{std::make_shared<DiskSystem>(d), 0, 2, Vec{{0, 0.5, 0}}, Vec::Zero(3)};
  const Method method{MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}};
  const auto result = run(p, method);
  EXPECT_EQ(result.status, RunStatus::finished) << result.message;
  EXPECT_NEAR(result.final.u[0], 0.5, 1e-12);  // a third of the belt: m r²/2 against m r²
  EXPECT_NEAR(result.final.u[0] + 0.5 * result.final.u[2], 1.5, 1e-12);
}

// Without gravity a disk that runs along a turning drum is pressed to it and ends rolling with it. The scheme
// moves along the tangent at each midpoint, so the disk sinks in by h v²/2ρ a second: linear in h.
TEST(Disks, ATurningDrumTakesADiskAlong) {
  DiskSystem::Data d;
  d.disks = {{0.5, 2}};
  d.boundaries = {{"drum", Circle{{0, 0}, 2, true}, {{0, 0}, {0, 0}, 1.0, 0}}};
  d.materials = MaterialTable({{0.3, 0, 0}});
  d.gravity = {0, 0};
  const Problem p{std::make_shared<DiskSystem>(d), 0, 5, Vec{{0, -1.5, 0}}, Vec{{1.0, 0, 0}}};
  double sunk[2];
  for (int k : {0, 1}) {
    const auto result = run(p, {MoreauMidpoint{}, FixedSteps{k == 0 ? 1e-3 : 5e-4}, AutomaticSolver{}});
    ASSERT_EQ(result.status, RunStatus::finished) << result.message;
    const Vec &q = result.final.q, &u = result.final.u;
    const double e = std::atan2(q[1], q[0]), speed = -std::sin(e) * u[0] + std::cos(e) * u[1];
    sunk[k] = std::hypot(q[0], q[1]) - 1.5;
    EXPECT_NEAR(speed + 0.5 * u[2], 2.0, 1e-4);  // the surfaces have one speed
    EXPECT_NEAR(speed, 4.0 / 3, 1e-2);           // from 1, by the lever of a third
  }
  EXPECT_LE(sunk[0], 1e-3 * 5 * 1.4 * 1.4 / 3);
  EXPECT_NEAR(sunk[0] / sunk[1], 2, 0.02);
}

TEST(Disks, FreeDisksKeepTheirMomenta) {
  DiskSystem::Data d;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int n = 40;
  Vec q(3 * n), u(3 * n);
  for (int i = 0; i < n; ++i) {
    d.disks.push_back({0.2 + 0.05 * uniform(random), 1 + 0.5 * uniform(random)});
    q.segment(3 * i, 3) = Vec{{0.6 * (i % 7), 0.6 * (i / 7), 0}};
    u.segment(3 * i, 3) = Vec{{uniform(random), uniform(random), 5 * uniform(random)}};
  }
  d.gravity = {0, 0};
  d.materials = MaterialTable({{0.5, 0.4, 0}});
  const auto system = std::make_shared<DiskSystem>(d);
  const auto momenta = [&](const Vec& at, const Vec& v) {
    Eigen::Vector3d sum(0, 0, 0);
    for (int i = 0; i < n; ++i) {
      const Disk& k = system->data().disks[i];
      sum += Eigen::Vector3d(
          k.mass * v[3 * i], k.mass * v[3 * i + 1],
          k.mass * (at[3 * i] * v[3 * i + 1] - at[3 * i + 1] * v[3 * i]) + k.inertia * v[3 * i + 2]);
    }
    return sum;
  };
  int impacts = 0;
  const auto result =
      run({system, 0, 1, q, u}, {MoreauMidpoint{}, FixedSteps{1e-3}, AutomaticSolver{}},
          [&](const Segment& s) { impacts += static_cast<int>(s.end.contacts.closed.size()); });
  EXPECT_EQ(result.status, RunStatus::finished) << result.message;
  EXPECT_GT(impacts, 10);
  const auto before = momenta(q, u), after = momenta(result.final.q, result.final.u);
  EXPECT_LE((after - before).head(2).norm(), 1e-12);
  // levers end at the surfaces, which overlap by v h: angular momentum is kept to that
  EXPECT_LE(std::abs(after[2] - before[2]), 1e-2 * std::abs(before[2]) + 1e-2);
  EXPECT_LT(result.energy_final, result.energy_initial);
}

// The projected scheme follows a list of contacts that changes while it projects.
TEST(Disks, ProjectionRemovesPenetration) {
  const Pyramid p = pyramid(1.05, 0.4);
  Problem problem{p.system, 0, 0.5, p.q0, p.u0};
  problem.q0[7] += 0.2;  // drop the third one
  const auto result = run(problem, {MoreauProjected{}, FixedSteps{1e-3}, AutomaticSolver{}});
  EXPECT_EQ(result.status, RunStatus::finished) << result.message;
  EXPECT_LE(result.residuals.gap, 1e-9);
}

TEST(Disks, EventCapturingHoldsAPyramidThatFrictionHolds) {
  const Pyramid p = pyramid(1.05, 0.4);
  const RunResult r =
      run({p.system, 0, 0.1, p.q0, p.u0}, {RungeKutta{}, EventCapturing{}, AutomaticSolver{}});
  ASSERT_EQ(r.status, RunStatus::finished) << r.message;
  EXPECT_LT((r.final.q - p.q0).lpNorm<Eigen::Infinity>(), 1e-9);
}

}  // namespace
}  // namespace saltus::test_disks
