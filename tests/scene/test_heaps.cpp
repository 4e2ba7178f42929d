// Heaps with default settings: they run to the end, come to rest, and sink in by no more than a step's way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "saltus/run/run.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "support/golden.hpp"

namespace saltus::test_heaps {
namespace {

constexpr double gravity = 9.81;

struct Heap {
  std::string name, text;
  double h, drop;  // the step; how far bodies fall at most
};

std::string box_of(double half_width) {
  return fmt::format(
      "walls:\n  floor: {{point: [0 m, 0 m], normal: [0, 1]}}\n"
      "  left: {{point: [{} m, 0 m], normal: [1, 0]}}\n  right: {{point: [{} m, 0 m], normal: [-1, 0]}}\n",
      -half_width, half_width);
}

Heap disks(std::string name, int count, double mu, double e) {
  return {std::move(name),
          fmt::format(
              "saltus: 1\nmaterials: {{default: {{mu: {}, e_n: {}}}}}\n{}"
              "groups:\n  d: {{shape: disk, radius: 0.08 m, density: 1000 kg/m^2, layout: {{name: random, "
              "count: {}, spread: 0.3, left: -0.7 m, right: 0.7 m, bottom: 0 m, top: {} m}}}}\n"
              "run: {{t_end: 1.5 s, h: 1 ms, seed: 3}}\n",
              mu, e, box_of(0.7), count, 0.04 * count),
          1e-3, 0.04 * count};
}

Heap boxes(std::string name, int count) {
  return {
      std::move(name),
      fmt::format("saltus: 1\nmaterials: {{default: {{mu: 0.3, e_n: 0.2}}}}\n{}"
                  "groups:\n  b: {{shape: box, size: [0.15 m, 0.1 m], density: 1000 kg/m^2, layout: {{name: "
                  "random, count: {}, spread: 0.3, left: -0.6 m, right: 0.6 m, bottom: 0 m, top: {} m}}}}\n"
                  "run: {{t_end: 1.5 s, h: 1 ms, seed: 3}}\n",
                  box_of(0.6), count, 0.06 * count),
      1e-3, 0.06 * count};
}

struct End {
  double speed, penetration, residual;  // root mean square of the centres' velocities; largest of the run
};
End run_heap(const Heap& heap) {
  const auto scene = load_scene_text(heap.text, "heap.yaml", {});
  const CatalogProblem p = scene->entry.make({}, {});
  double sum = 0;
  const RunResult r = run(p.problem, p.method, [&](const Segment& s) {
    sum = 0;
    for (int i = 0; i < s.end.u.size(); ++i)
      if (i % 3 < 2) sum += s.end.u[i] * s.end.u[i];
  });
  EXPECT_EQ(r.status, RunStatus::finished) << r.message;
  return {std::sqrt(3 * sum / static_cast<double>(p.problem.u0.size())), r.residuals.gap,
          r.residuals.contact};
}

void PrintTo(const Heap& heap, std::ostream* out) {
  *out << heap.name;
}
class Heaps : public ::testing::TestWithParam<Heap> {};

TEST_P(Heaps, RunToTheirEndAndRest) {
  const Heap& heap = GetParam();
  const End end = run_heap(heap);
  EXPECT_LE(end.speed, gravity * heap.h);  // a disk on top may roll on for long
  EXPECT_LE(end.penetration, 2 * heap.h * std::sqrt(2 * gravity * heap.drop));
  EXPECT_LE(end.residual, 1e-5);  // what a crowd is allowed
}

INSTANTIATE_TEST_SUITE_P(All, Heaps,
                         ::testing::Values(disks("disks", 50, 0.3, 0.2), disks("rough", 25, 0.8, 0.5),
                                           boxes("boxes", 24)),
                         [](const auto& i) { return i.param.name; });

// Corners that meet once pushed the bodies across, by accident of the step: now a finer step ends at the same
// place.
TEST(Corners, ABoxThatTipsDownStairsEndsWhereItDoesWithAFinerStep) {
  const auto place = [](const char* h) {
    const std::string file = testing::test_data("../../examples/scenes/stairs.yaml");
    const std::vector<std::string> sets = {fmt::format("run.h={}", h)};
    const CatalogProblem p = load_scene(file, sets)->entry.make({}, {});
    double x = 0;
    EXPECT_EQ(run(p.problem, p.method, [&](const Segment& s) { x = s.end.q[0]; }).status,
              RunStatus::finished);
    return x;
  };
  const double fine = place("0.25 ms");
  for (const char* h : {"1 ms", "0.7 ms", "0.5 ms"}) EXPECT_NEAR(place(h), fine, 1e-3) << h;
}

}  // namespace
}  // namespace saltus::test_heaps
