// The example scenes run and come to what they say.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "saltus/run/choose_method.hpp"
#include "saltus/scene/file/load_file.hpp"
#include "saltus/study/measure.hpp"
#include "support/golden.hpp"

namespace saltus::test_examples {
namespace {

const std::string folder = testing::test_data("../../examples/scenes/");

std::map<std::string, double> outcome(const std::string& file, std::vector<std::string> sets = {}) {
  const auto scene = load_scene(folder + file, sets);
  const CatalogProblem p = scene->entry.make({}, {});
  std::vector<Measure> list;
  for (const auto& m : scene->measures) list.push_back(parse_measure(m));
  const Measures measures(std::move(list), scene->entry.parameters, scene->coordinates, scene->velocities);
  RunResult result;
  const Method method = p.method_named ? p.method : unnamed_method(p.method, p.problem);
  const auto values = measures.run({p, method, scene->entry.parameters}, {}, result);
  EXPECT_EQ(result.status, RunStatus::finished) << file << ": " << result.message;
  std::map<std::string, double> out;
  for (std::size_t k = 0; k < values.size(); ++k) out[measures.list()[k].name] = values[k];
  return out;
}

struct Expected {
  const char *file, *measure;
  double low, high;
};
constexpr Expected expected[] = {
    {"bouncing-ball.yaml", "height", -2e-6, 2e-6},
    {"bouncing-ball.yaml", "lost", 2 - 1e-5, 2 + 1e-5},  // all of m g z
    {"double-pendulum-wall.yaml", "impacts", 1, 1},
    {"double-pendulum-wall.yaml", "lost", 0.1, 20},
    {"double-pendulum-wall.yaml", "penetration", 0, 1e-9},
    {"woodpecker.yaml", "sunk", 0.0235, 0.024},
    {"woodpecker.yaml", "switches", 13, 13},  // as the problem of the catalog
    {"slider-crank.yaml", "turns", 0.7627, 0.7629},
    {"slider-crank.yaml", "impacts", 10, 100000},
    {"slider-crank.yaml", "tilt", 0.01 - 1e-9, 0.02},  // the start; 2 clearance / (2 half_length) is the most
    {"slider-crank.yaml", "lost", 0.0185, 0.0187},
    {"cradle-newton.yaml", "momentum", 1 - 1e-12, 1 + 1e-12},
    {"cradle-newton.yaml", "energy", 1 - 1e-12, 1 + 1e-12},
    {"cradle-newton.yaml", "last", 2. / 3 - 1e-9, 2. / 3 + 1e-9},  // Newton's law at once: −1/3, 2/3, 2/3
    {"cradle-hertz.yaml", "last", 0.95, 1},
    {"cradle-hertz.yaml", "energy", 1 - 5e-6, 1 + 5e-6},
    {"cradle-kuwabara-kono.yaml", "last", 0.8, 0.99},
    {"cradle-kuwabara-kono.yaml", "energy", 0.6, 0.99},
    {"cradle-hanging.yaml", "first", -0.08, -0.05},  // it stays behind a little
    {"cradle-hanging.yaml", "middle", 0, 0.01},
    {"cradle-hanging.yaml", "last", 0.965, 0.975},
    {"cradle-hanging.yaml", "lost", 0.03, 0.033},
    {"soft-bed.yaml", "lost", 0.73, 0.75},
    {"soft-bed.yaml", "speed", 0, 0.1},
    {"rolling-disk.yaml", "distance", 3 - 1e-6, 3 + 1e-6},  // 3 r v² / (4 ℓ g)
    {"rolling-disk.yaml", "turned", -30 - 1e-5, -30 + 1e-5},
    {"van-der-pol.yaml", "amplitude", 2.008, 2.009},  // of the limit cycle for mu = 1: 2.00862
    {"cubic-slide.yaml", "opened", 1, 1},
    {"cubic-slide.yaml", "x", -16.117, -16.116},  // as the problem of the catalog, whose error is 2e-4
    {"cubic-slide.yaml", "height", 37.40, 37.41},
    {"cubic-slide.yaml", "lost", 25.23, 25.24},
    {"stick-slip.yaml", "sticks", 1,
     1},  // closed form: it reaches the speed of the belt once more, at x = 0.175
    {"stick-slip.yaml", "slips", 1, 1},
    {"beam-stop.yaml", "impacts", 5, 50},
    {"beam-stop.yaml", "lost", 0.9, 1.4},
    {"beam-gap.yaml", "highest", 2e-3 - 1e-9, 2e-3 + 1e-9},  // at the stops, without penetration
    {"beam-gap.yaml", "lowest", -2e-3 - 1e-9, -2e-3 + 1e-9},
    {"beam-gap.yaml", "impacts", 30, 120},
    {"granular-chain.yaml", "energy", 0.3, 0.95},
    // the next two by gauss-2 with h = 0.05 us: 63.5868, 114.1818, 1.72945e-4 and 30.540, 22.374, 2.58513e-3
    {"steel-chain.yaml", "inside", 63.5868 - 1e-4, 63.5868 + 1e-4},
    {"steel-chain.yaml", "wall", 114.1818 - 1e-3, 114.1818 + 1e-3},
    {"steel-chain.yaml", "flight", 1.72945e-4 - 2e-9, 1.72945e-4 + 2e-9},
    // the same by gauss-2: 74.30078, 2.855961e-5, -0.2533961
    {"pendulum-striker.yaml", "first", 74.30078 - 1e-4, 74.30078 + 1e-4},
    {"pendulum-striker.yaml", "layer", 2.855961e-5 - 1e-10, 2.855961e-5 + 1e-10},
    {"pendulum-striker.yaml", "back", -0.2533961 - 1e-6, -0.2533961 + 1e-6},
    {"disordered-chain.yaml", "first", 30.540 - 2e-3, 30.540 + 2e-3},
    {"disordered-chain.yaml", "last", 22.374 - 2e-3, 22.374 + 2e-3},
    {"disordered-chain.yaml", "arrival", 2.58513e-3 - 1e-7, 2.58513e-3 + 1e-7},
    {"dominoes.yaml", "first", -1.6, -0.6},
    {"dominoes.yaml", "last", -1.6, -1.2},
    {"stairs.yaml", "height", 0.1399, 0.1401},  // flat on the last step
    {"box-stack.yaml", "creep", 0, 1e-9},
    {"box-stack.yaml", "sunk", -1e-9, 1e-9},
    {"box-stack.yaml", "turned", 0, 1e-9},
    {"box-stack.yaml", "drift", -1e-9, 1e-9},
    // by radau-iia-5 with event capturing, the same at h = 1e-3 and 2.5e-4: 0.0733525 and 0.1068302
    {"three-legged-stool.yaml", "distance", 0.07335 - 5e-5, 0.07335 + 5e-5},
    {"three-legged-stool.yaml", "turned", 0.10683 - 2e-4, 0.10683 + 2e-4},
    {"three-legged-stool.yaml", "sunk", -1e-5, 1e-5},
    {"four-bar-redundant.yaml", "swing", 0.523598, 0.523600},  // the start; joints without friction
    {"four-bar-redundant.yaml", "level", 0, 1e-12},
    {"four-bar-redundant.yaml", "drift", -1e-6, 1e-6},
    {"leaning-stack.yaml", "creep", -1e-9, 1e-9},
    {"leaning-stack.yaml", "sunk", -1e-9, 1e-9},
    {"leaning-stack.yaml", "turned", 0, 1e-9},
    {"chain-drum.yaml", "ends", -0.01, 0.01},         // the drum's pull has hardly reached them
    {"chain-drum.yaml", "energy", 1, 1.1},            // the drum brings more than friction takes
    {"geneva.yaml", "quarters", 5 - 5e-3, 5 + 5e-3},  // the play of the pin is 2e-3 of a quarter
    {"geneva.yaml", "turns", 5 - 1e-7, 5 + 1e-7},
    {"geneva.yaml", "rest", -1e-6, 1e-6},
    {"geneva.yaml", "penetration", 0, 1e-9},
    {"drum.yaml", "height", -0.75, -0.5},  // the bed lies in the lower half
    {"drum.yaml", "penetration", 0, 5e-4},
    {"bar-hammer.yaml", "blows", 7, 7},
    {"bar-hammer.yaml", "energy", 0.5, 1},  // e = 0: some is lost at impacts, none is made
    {"bar-hammer.yaml", "hammer", 0.7, 0.9},
    {"bar-hammer.yaml", "ball", 0.03, 0.08},
    {"crank-motor.yaml", "angle", 1 - 1e-6, 1 + 1e-6},
    {"crank-motor.yaml", "back", 0.35 - 1e-6, 0.35 + 1e-6},
    {"crank-motor.yaml", "stroke", 0.1 - 1e-6, 0.1 + 1e-6},                // two radii
    {"heavy-top.yaml", "lowest", 0.143633095 - 1e-6, 0.143633097 + 1e-6},  // a root of β(1 − u²) = a²(u₀ − u)
    // a = 2w (M − 2mgw)/(J + 4(J₂ + mw²)) with w = pitch/2π, then 0.2 of the speed at the stop
    {"wheel-and-screw.yaml", "height", 0.048456365488 - 1e-9, 0.048456365488 + 1e-9},
    {"thrown-die.yaml", "height", 0.01 - 1e-9, 0.01 + 1e-9},  // it lies on a face
    {"thrown-die.yaml", "up", 1 - 1e-9, 1 + 1e-9},
    {"ball-on-land.yaml", "height", 0.11489125 - 1e-4, 0.11489125 + 1e-4},  // 0.1 √1.32, with steps of 1 ms
    // by gauss-6 with event capturing at h = 1e-3
    {"dumbbell.yaml", "x", 0.17855201 - 1e-6, 0.17855201 + 1e-6},
    {"dumbbell.yaml", "height", 0.08328474 - 1e-6, 0.08328474 + 1e-6},
};

TEST(Examples, ComeToWhatTheySay) {
  std::set<std::string> seen;
  std::map<std::string, double> measured;
  for (const auto& e : expected) {
    if (seen.insert(e.file).second) measured = outcome(e.file);
    ASSERT_TRUE(measured.contains(e.measure)) << e.file << " " << e.measure;
    EXPECT_GE(measured[e.measure], e.low) << e.file << " " << e.measure;
    EXPECT_LE(measured[e.measure], e.high) << e.file << " " << e.measure;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    EXPECT_TRUE(seen.contains(entry.path().filename().string())) << entry.path() << " has no stated outcome";
}

TEST(Examples, DominoesFallInOrderWhateverTheStep) {
  for (const char* h : {"1e-3", "5e-4", "2.5e-4"}) {
    const auto scene =
        load_scene(folder + "dominoes.yaml", std::vector<std::string>{std::string("run.h=") + h});
    const CatalogProblem p = scene->entry.make({}, {});
    std::vector<double> fallen(scene->coordinates.size() / 3, infinity);
    run(p.problem, p.method, [&](const Segment& s) {
      for (std::size_t k = 0; k < fallen.size(); ++k)
        if (s.end.q[3 * static_cast<long>(k) + 2] < -0.5) fallen[k] = std::min(fallen[k], s.end.t);
    });
    for (std::size_t k = 1; k < fallen.size(); ++k)
      EXPECT_LT(fallen[k - 1], fallen[k]) << "h = " << h << ", domino " << k;
    EXPECT_LT(fallen.back(), infinity);
  }
}

// Bodies whose list of contacts changes, and links between them: rows of links come after those of contacts,
// as many as are listed. The second derivatives had rows of the links only, and the run ended with a
// segmentation fault.
TEST(Examples, AChainFallsOnADrumByThreeLevels) {
  State ends[2];
  for (int k = 0; k < 2; ++k) {
    const auto scene =
        load_scene(folder + "chain-drum.yaml",
                   std::vector<std::string>{"run.t_end=80 ms", k == 0 ? "run.scheme=generalized-alpha"
                                                                      : "run.scheme=moreau-jean"});
    const CatalogProblem p = scene->entry.make({}, {});
    const RunResult r = run(p.problem, p.method);
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    EXPECT_GT(r.ledger.friction, 1e-3);  // it has landed
    if (k == 0) {
      EXPECT_LT(r.residuals.position, 1e-9);
    }
    ends[k] = r.final;
  }
  EXPECT_LT((ends[0].q - ends[1].q).lpNorm<Eigen::Infinity>(), 5e-2);  // angles of links; of order one
}

}  // namespace
}  // namespace saltus::test_examples
