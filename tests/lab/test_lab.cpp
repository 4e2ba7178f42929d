// What the page of the web lab is given, by the code that its module is compiled from.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "lab_run.hpp"
#include "saltus/chain/sphere_materials.hpp"
#include "saltus/core/error.hpp"
#include "saltus/run/run.hpp"

namespace saltus::test_lab {

using web::LabRun;

LabRun lab(const std::string& scene, const cli::Json& more = cli::Json::object()) {
  cli::Json request = more;
  request["scene"] = scene, request["file"] = "test";
  LabRun out = web::run_case(request, [](double) {});
  EXPECT_EQ(out.report.value("status", ""), "finished") << out.report.value("message", "");
  return out;
}
const NamedCurve& curve(const LabRun& run, const std::string& name) {
  static const NamedCurve none;
  for (const NamedCurve& c : run.more)
    if (c.name == name) return c;
  std::string all;
  for (const NamedCurve& c : run.more) all += c.name + "; ";
  ADD_FAILURE() << "no curve '" << name << "' among " << all;
  return none;
}

// A disk of 2 kg falls by 0.5 m and stays: N = m g then; its momentum is zero at both ends, so ∫N dt = m g T.
const std::string falls =
    "saltus: 1\n"
    "materials: {default: {e_n: 0, mu: 0.3}}\n"
    "bodies: {ball: {shape: disk, radius: 0.1 m, mass: 2 kg, position: [0 m, 0.6 m]}}\n"
    "walls: {floor: {normal: [0, 1]}}\n";
constexpr double weight = 2 * 9.81, T = 1;
const double hit = std::sqrt(2 * 0.5 / 9.81);

TEST(ForceCurves, OfADiskThatFallsAndStaysAreItsWeightAndItsMomentum) {
  const LabRun run = lab(falls + "run: {t_end: 1 s, rtol: 1e-10}\n");
  const auto& t = run.curves.samples;
  const NamedCurve &force = curve(run, "force of ball/floor"), &impulse = curve(run, "impulse of ball/floor");
  ASSERT_EQ(static_cast<int>(force.values.size()), t.size());
  EXPECT_EQ(force.unit, "N");
  EXPECT_EQ(impulse.unit, "N s");
  int before = 0, after = 0;
  for (int i = 0; i < t.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (t.t(i) < hit - 1e-8) {
      ++before;
      EXPECT_EQ(force.values[k], 0) << t.t(i);
      EXPECT_EQ(impulse.values[k], 0) << t.t(i);
    } else if (t.t(i) > hit + 1e-8) {
      ++after;
      EXPECT_NEAR(force.values[k], weight, 1e-7) << t.t(i);
      EXPECT_NEAR(impulse.values[k], weight * t.t(i), 1e-6 * weight) << t.t(i);
    }
  }
  EXPECT_GT(std::min(before, after), 300);
  // its left limit has nothing of the impact, its right limit all of it
  bool jumps = false;
  for (std::size_t i = 0; i + 1 < impulse.values.size(); ++i)
    if (t.t(static_cast<int>(i)) == t.t(static_cast<int>(i) + 1))
      jumps = jumps || (impulse.values[i] < 1e-9 && std::abs(impulse.values[i + 1] - weight * hit) < 1e-6);
  EXPECT_TRUE(jumps);
}

TEST(ForceCurves, OfStepsAreMeansOverThemAndSumUpExactly) {
  const LabRun run = lab(falls + "run: {t_end: 1 s, h: 3 ms, scheme: moreau-jean}\n");
  const NamedCurve &force = curve(run, "force of ball/floor"), &impulse = curve(run, "impulse of ball/floor");
  EXPECT_NEAR(impulse.values.back(), weight * T, 1e-10 * weight);
  EXPECT_NEAR(force.values.back(), weight, 1e-9);
  EXPECT_EQ(force.values.front(), 0);
}

// What lies still is stepped over in long steps; its weight acts in every frame all the same, and all
// impulses together are the momentum that gravity gave.
TEST(ForceArrows, OfWhatLiesStillAreInEveryFrame) {
  const double settled = hit + 0.05;  // steps leave a gap where they hit, and it falls once more
  for (const char* method :
       {"rtol: 1e-10", "h: 3 ms, scheme: moreau-jean", "h: 0.1 ms, scheme: moreau-jean"}) {
    const LabRun run = lab(falls + "run: {t_end: 1 s, " + method + "}\n");
    const MovingPicture& m = run.motion;
    double sum = 0;
    int still = 0;
    for (int i = 0; i < m.frames(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const int count = m.act_start[k + 1] - m.act_start[k];
      ASSERT_LE(count, 1);
      if (m.t[k] < hit - 5e-3) {
        EXPECT_EQ(count, 0) << method << " " << m.t[k];
      }
      if (count == 0) continue;
      const float* act = m.acts.data() + 8 * static_cast<std::size_t>(m.act_start[k]);
      sum += act[4];
      if (m.t[k] < settled) continue;
      ++still;
      EXPECT_NEAR(act[4] / act[7], weight, 1e-4 * weight) << method << " " << m.t[k];
    }
    EXPECT_GT(still, 350) << method;
    EXPECT_EQ(still, static_cast<int>(
                         std::count_if(m.t.begin(), m.t.end(), [&](double t) { return t >= settled; })));
    EXPECT_NEAR(sum, weight * T, 1e-4 * weight) << method;
    EXPECT_NEAR(m.force, weight, 0.01 * weight) << method;
  }
}

// A block on an incline of 30° slides: friction is μ m g cos 30°, and the normal force m g cos 30°.
TEST(ForceCurves, HaveTheFrictionOfABlockThatSlides) {
  for (const char* method : {"rtol: 1e-8", "h: 1 ms, scheme: moreau-jean"}) {
    const LabRun run = lab(std::string("saltus: 1\n"
                                       "materials: {default: {e_n: 0, mu: 0.2}}\n"
                                       "gravity: [4.905 m/s^2, -8.495709211125343 m/s^2]\n"
                                       "bodies: {block: {shape: disk, radius: 0.1 m, mass: 2 kg, inertia: "
                                       "1e9 kg m^2, position: [0 m, 0.1 m], "
                                       "velocity: [0.1 m/s, 0 m/s]}}\n"
                                       "walls: {floor: {normal: [0, 1]}}\n"
                                       "run: {t_end: 0.5 s, ") +
                           method + "}\n");
    const double normal = 2 * 8.495709211125343;
    EXPECT_NEAR(curve(run, "force of block/floor").values.back(), normal, 1e-6) << method;
    EXPECT_NEAR(std::abs(curve(run, "friction of block/floor").values.back()), 0.2 * normal, 1e-6) << method;
  }
}

// A bob on a rod of a joint: the force along the rod is m (g cos a + l a'²), the rod having no mass to speak
// of.
TEST(ForceCurves, OfAJointAreThoseOfAPendulum) {
  const LabRun run =
      lab("saltus: 1\n"
          "coordinates: {x: {start: 0.6 m}, y: {start: -0.8 m}}\n"
          "mass: {x: 3 kg, y: 3 kg}\n"
          "forces: {y: -29.43 N}\n"
          "parameters: {l: 1 m}\njoints: {rod: sqrt(x^2 + y^2) - l}\n"
          "run: {t_end: 2 s, rtol: 1e-9}\n");
  const auto& s = run.curves.samples;
  const NamedCurve& force = curve(run, "force of rod");
  EXPECT_EQ(force.unit, "N");
  for (int i = 0; i < s.size(); i += 97) {
    const Vec q = s.q(i), u = s.u(i);
    const double speed2 = u.squaredNorm(), cosine = -q[1] / q.norm();
    EXPECT_NEAR(-force.values[static_cast<std::size_t>(i)], 3 * (9.81 * cosine + speed2), 1e-5) << s.t(i);
  }
}

// Two of many beads: the forces on both sides of one change its momentum.
TEST(ForceCurves, OfAChainMoveItsBeads) {
  const LabRun run =
      lab("saltus: 1\n"
          "chain: {beads: 6, radius: 10 mm, material: steel, defects: [{at: 0, velocity: 1 m/s}]}\n"
          "run: {t_end: 0.2 ms, rtol: 1e-9}\n");
  const auto& s = run.curves.samples;
  const std::size_t n = run.more.size();
  ASSERT_GE(n, 5u);
  std::vector<const NamedCurve*> forces;
  for (const NamedCurve& c : run.more)
    if (c.name.starts_with("force of")) forces.push_back(&c);
  ASSERT_EQ(forces.size(), 5u);  // the ends are free
  const double radius = 0.01, mass = 4.0 / 3 * M_PI * radius * radius * radius *
                                     find_sphere_material("steel")->material.density;
  double sum = 0, largest = 0;
  for (int i = 1; i < s.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double before = forces[0]->values[k - 1] - forces[1]->values[k - 1],
                 now = forces[0]->values[k] - forces[1]->values[k];
    sum += 0.5 * (s.t(i) - s.t(i - 1)) * (before + now);
    EXPECT_NEAR(sum, mass * s.u(i)[1], 1e-5 * mass) << s.t(i);  // of 1 m/s; the trapezoidal rule
    largest = std::max(largest, s.u(i)[1]);
  }
  EXPECT_GT(largest, 0.5);
}

// The ledger over time ends where the ledger of the run does, and its balance stays where it began.
TEST(LedgerCurves, EndAtTheLedgerOfTheRun) {
  const std::string scenes[] = {
      falls + "run: {t_end: 1 s, rtol: 1e-8}\n", falls + "run: {t_end: 1 s, h: 1 ms, scheme: moreau-jean}\n",
      "saltus: 1\ncoordinates: {z: {start: 1}}\nmass: {z: 1}\n"
      "forces: {z: -9.81 - 0.5*z' + 3*sin(5*t)}\n"
      "contacts: {floor: {gap: z, law: {name: unilateral, e: 0.6}}}\nrun: {t_end: 2, rtol: 1e-9}\n",
      "saltus: 1\nmaterials: {default: {e_n: 0.3, mu: 0.4}}\n"
      "bodies: {box: {shape: box, size: [0.2 m, 0.1 m], mass: 1 kg, position: [0 m, 0.5 m], angle: 0.3, "
      "velocity: [1 m/s, 0 m/s]}}\n"
      "walls: {floor: {normal: [0, 1]}}\nrun: {t_end: 1.5 s, h: 0.5 ms}\n"};
  for (const std::string& scene : scenes) {
    const LabRun run = lab(scene);
    const auto& ledger = run.report["ledger"];
    const double scale = ledger["scale"].get<double>();
    const auto end = [&](const char* name) {
      for (const NamedCurve& c : run.more)
        if (c.name == name) return c.values.back();
      return 0.0;
    };
    // 1500 samples and more, whose trapezoids are off by (T/1500)²/12 of the second derivative
    const double quadrature = 1e-4 * scale;
    EXPECT_NEAR(end("taken by impacts"), ledger["impacts"].get<double>(), 1e-9 * scale) << scene;
    EXPECT_NEAR(end("taken by friction"), ledger["friction"].get<double>(), 1e-9 * scale) << scene;
    EXPECT_NEAR(end("work of loads"), ledger["work"].get<double>(), quadrature) << scene;
    EXPECT_NEAR(end("taken by damping"), ledger["damping"].get<double>(), quadrature) << scene;
    const NamedCurve& balance = curve(run, "energy balance");
    EXPECT_NEAR(balance.values.front(), ledger["energy_start"].get<double>(), 1e-12 * scale) << scene;
    EXPECT_NEAR(balance.values.back() - balance.values.front(), ledger["remainder"].get<double>(),
                2 * quadrature)
        << scene;
    for (const double v : balance.values)
      EXPECT_NEAR(v, balance.values.front(), std::abs(ledger["remainder"].get<double>()) + 2e-3 * scale)
          << scene;
  }
}

// Samples, events and contacts of a run give the curves of the run again; what is damaged is refused.
TEST(ShownSamples, GiveTheCurvesOfTheRun) {
  const cli::Json request = {{"scene", falls + "run: {t_end: 1 s, h: 3 ms, scheme: moreau-jean}\n"},
                             {"file", "test"}};
  const web::LabCase c(request);
  Trajectory tr;
  run(c.problem().problem, c.run_method(), tr.sink());
  std::vector<double> t, q, u, contacts;
  const auto bits = [](std::uint64_t id) {
    double out;
    std::memcpy(&out, &id, sizeof out);
    return out;
  };
  for (int i = 0; i < tr.size(); ++i) {
    t.push_back(tr.t(i));
    for (int k = 0; k < tr.nq(); ++k) q.push_back(tr.q(i)[k]);
    for (int k = 0; k < tr.nu(); ++k) u.push_back(tr.u(i)[k]);
    for (const ImpulseAtom a : tr.atoms())
      if (a.t == tr.t(i)) {
        const double row[] = {static_cast<double>(i),
                              bits(a.contact),
                              static_cast<double>(a.mode),
                              2,
                              tr.impulse(a, 0),
                              tr.impulse(a, 1),
                              0,
                              0,
                              0,
                              0};
        contacts.insert(contacts.end(), row, row + 10);
      }
  }
  std::vector<double> events;
  for (const Event& e : tr.events()) {
    events.insert(events.end(), {e.t, static_cast<double>(e.kind), e.energy_loss, bits(e.contact)});
    for (int r = 0; r < 6; ++r) events.push_back(r < e.impulse.size() ? e.impulse[r] : NAN);
  }
  const LabRun shown = web::show_samples(request, {t, q, u, {}, events, contacts}),
               own = lab(request["scene"]);
  const NamedCurve &a = curve(shown, "force of ball/floor"), &b = curve(own, "force of ball/floor");
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(a.values, b.values);
  EXPECT_FALSE(shown.motion.acts.empty());
  EXPECT_EQ(shown.motion.acts, own.motion.acts);

  const auto refused = [&](const web::Samples& s) { EXPECT_THROW(web::show_samples(request, s), Error); };
  std::vector<double> bad = contacts;
  bad[3] = 1e9, refused({t, q, u, {}, {}, bad});
  bad = contacts, bad[2] = -1, refused({t, q, u, {}, {}, bad});
  bad = contacts, bad[2] = NAN, refused({t, q, u, {}, {}, bad});
  bad = contacts, bad.pop_back(), refused({t, q, u, {}, {}, bad});
  const double nothing = bits(0);
  refused({t, q, u, {}, std::vector<double>{0, 99, 0, nothing, 1, 0, 0, 0, 0, 0}, contacts});
  refused({t, q, u, {}, std::vector<double>{NAN, 0, 0, nothing, 1, 0, 0, 0, 0, 0}, contacts});
  std::vector<double> back = t;
  back[3] = -1, refused({back, q, u, {}, {}, contacts});
}

}  // namespace saltus::test_lab
