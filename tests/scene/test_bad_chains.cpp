// What a scene says about a chain with a mistake, and about measures that do not fit.
#include <gtest/gtest.h>

#include "saltus/scene/load.hpp"
#include "support/errors.hpp"

namespace saltus::test_bad_chains {
namespace {

CatalogProblem scene(const std::string& text) {
  return load_scene_text("saltus: 1\n" + text + "\nrun: {t_end: 1}\n", "s.yaml")->entry.make({}, {});
}
std::string complaint(const std::string& text) {
  return testing::message_of([&] { scene(text); });
}

TEST(BadChains, SayWhatIsWrong) {
  const std::string good = "beads: 4, mass: 1, stiffness: 1";
  const auto with = [&](const std::string& more) { return complaint("chain: {" + good + ", " + more + "}"); };
  EXPECT_EQ(complaint("chain: {" + good + "}"), "accepted");
  const std::pair<std::string, const char*> cases[] = {
      {complaint("chain: {mass: 1, stiffness: 1}"), "chain.beads: this field is missing"},
      {complaint("chain: {beads: 0, mass: 1, stiffness: 1}"),
       "chain.beads: found 0, expected in [1, 10000000]"},
      {complaint("chain: {beads: 2.5, mass: 1, stiffness: 1}"), "expected a whole number"},
      {complaint("chain: {beads: 3}"), "a chain needs mass, or radius and material to compute it from"},
      {complaint("chain: {beads: 3, radius: 1 mm}"), "or material to compute it from"},
      {complaint("chain: {beads: 3, radius: 1 mm, material: gold}"), "unknown material 'gold'"},
      {complaint("materials: {m: {young: 1 GPa}}\nchain: {beads: 3, radius: 1 mm, material: m}"),
       "needs young, poisson and density"},
      {complaint("materials: {m: {mu: 0.3}}\nchain: {" + good + "}"),
       "of bodies; beads of a chain have young"},
      {complaint("chain: {" + good + "}\nrates: {x: 1}"), "rates: this does not go with a chain"},
      {complaint("chain: {beads: 2001, mass: 1, stiffness: 1}\ncoordinates: {x: {}}\nmass: {x: 1}"),
       "chain.beads: a chain beside other parts is computed by the general engine, with up to 2000 beads"},
      {complaint("chain: {" + good + ", left: {force: sin(t)}}\ncoordinates: {x: {}}\nmass: {x: 1}"),
       "chain.left: beside other parts an end is free or a wall"},
      {complaint("chain: {" + good + "}\ncoordinates: {bead1: {}}\nmass: {bead1: 1}"),
       "coordinates.bead1: this name is of the chain"},
      {with("damping: {uniform: [0, 1]}"), "uniform is random: give a seed"},
      {with("damping: {uniform: [0, 1], seed: 1.5}"), "expected a whole number >= 0"},
      {with("damping: {uniform: [0, 1], normal: [0, 1], seed: 1}"), "both uniform and normal"},
      {with("damping: {uniform: [0, 1, 2], seed: 1}"), "uniform has 2 entries, found 3"},
      {with("damping: {repeat: [1], seed: 1}"), "repeat is not random"},
      {with("damping: {seed: 1}"), "which one?"},
      {with("damping: {normal: [1, 1], limits: [90, 91], seed: 1}"), "no number within the limits"},
      {with("damping: {normal: [1, 1], seed: 1}, beta: {uniform: [0, 1], seed: 2}"), "expected >= 1"},
      {with("damping: -1"), "-1 at contact 1: expected >= 0"},
      {with("gap: -0.1"), "beads that overlap have a precompression"},
      {with("gap: 0.1, precompression: 0.1"), "give one of them"},
      {with("gap: 0.1, preload: 1"), "leave one of them out"},
      {with("gap: [1, 2]"), "2 entries; 3 contacts between 4 beads need 3, or 5 with both ends"},
      {with("velocity: [1, 2]"), "2 entries for 4 beads"},
      {with("velocity: j"), "unknown name 'j'; known here: i, N"},
      {with("velocity: 1/i"), "at bead 0"},
      {with("position: -0.1*i"), "the start overlaps by 0.1 m at contact 1"},
      {with("hold: true"), "there is no precompression to hold"},
      {with("restitution: 0.9"), "a coefficient at a speed"},
      {with("restitution: 1.9 at 1 m/s"), "found 1.9, expected in (0, 1]"},
      {with("restitution: 0.9 at 1 m/s, damping: 1"), "damping is given too"},
      {with("left: {motion: x}"), "unknown name 'x'"},
      {with("left: {motion: log(t)}"), "both must be finite"},
      {with("left: fixed"), "expected free, wall, or a map of fields"},
      {with("left: {material: steel}"), "the wall needs a stiffness"},
      {with("left: {wall: true, gap: 1, precompression: 1}"), "either a gap or a precompression"},
      {with("formulation: z"), "expected x or y"},
      {with("defects: [{radius: 1}]"), "give either at"},
      {with("defects: [{at: 4, mass: 1}]"), "0 to 3, or -1 for the last"},
      {with("defects: [{at: 1, gap: 1}]"), "belongs to a contact"},
      {with("defects: [{contact: 1, mass: 1}]"), "belongs to a bead"},
      {complaint("chain: {beads: 3, radius: 1 mm, material: steel, precompression: 2 mm}"),
       "more than the radius"},
      {complaint("chain: {beads: 3, mass: 1, stiffness: {repeat: [1, 0]}}"),
       "chain.stiffness: 0 at contact 1: expected > 0; beads that never touch are two chains"},
      {complaint("chain: {beads: 3, mass: 1, stiffness: 0}"), "s.yaml:2:39: chain.stiffness: 0 at contact 1"},
      {complaint("chain: {beads: 99, mass: {normal: [1, 1], seed: 1}, stiffness: 1}"),
       "limits: [least, most] keep a distribution"},
      {with("right: {stiffness: 1, gap: -0.1}"),
       "chain.right.gap: found -0.1, expected >= 0; beads that overlap"},
      {with("left: {stiffness: 0}"), "found 0, expected > 0; an end without a contact is free"},
      {with("defects: [{contact: 2, gap: -1}]"),
       "chain.defects.0.gap: found -1, expected >= 0; beads that overlap"},
      {complaint("chain: {beads: 3, mass: 1, stiffness: 1, gravity: -1, preload: 0.5, left: wall}"),
       "would be pulled"},
      {complaint("chain: {beads: 3, mass: 1 m, stiffness: 1}"), "found m, expected a value in kg"},
      {complaint("materials: {m: {young: 1 GPa, poisson: 0.3, density: 1}}\nbodies: {b: {shape: disk, "
                 "radius: 1, mass: 1}}"),
       "the scene has no chain"},
  };
  for (const auto& [said, words] : cases)
    EXPECT_NE(said.find(words), std::string::npos) << words << "\nsays: " << said;
}

TEST(BadChains, MeasuresOfChainsSayWhatTheyNeed) {
  const auto measure = [](const std::string& formula) {
    return testing::message_of([&] {
      scene("chain: {beads: 9, mass: 1, stiffness: 1, right: wall}\nmeasure: {x: '" + formula + "'}");
    });
  };
  EXPECT_EQ(measure("max.force[4] + arrival(3) + arrival(-1) + front.speed + transmitted + final.force[-1] + "
                    "max.overlap"),
            "accepted");
  EXPECT_NE(measure("max.force[0]").find("this end is free; there are contacts 1 to 9"), std::string::npos);
  EXPECT_NE(measure("max.force[10]").find("there are 10 contacts, with both ends, 0 to 9"),
            std::string::npos);
  EXPECT_NE(measure("arrival(9)").find("there are 9 beads, 0 to 8"), std::string::npos);
  EXPECT_NE(measure("arrival").find("at which bead?"), std::string::npos);
  EXPECT_NE(measure("final.force").find("of which contact?"), std::string::npos);
  EXPECT_NE(measure("front.sped").find("did you mean 'front.speed'?"), std::string::npos);
  const auto other =
      testing::message_of([] { scene("coordinates: {x: {}}\nmass: {x: 1}\nmeasure: {x: front.speed}"); });
  EXPECT_NE(other.find("is for chains of beads"), std::string::npos) << other;
  // a coordinate may have such a name
  EXPECT_EQ(testing::message_of(
                [] { scene("coordinates: {force: {}}\nmass: {force: 1}\nmeasure: {x: max.force}"); }),
            "accepted");
}

}  // namespace
}  // namespace saltus::test_bad_chains
