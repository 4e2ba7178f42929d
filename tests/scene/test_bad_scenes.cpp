// What a bad scene says about itself: place, path, what was found, what is allowed.
#include <gtest/gtest.h>

#include <ctime>
#include <functional>
#include <span>

#include "saltus/scene/load.hpp"
#include "scene/bad_balls.hpp"
#include "scene/bad_bodies.hpp"
#include "scene/bad_scenes.hpp"
#include "support/errors.hpp"

namespace saltus::test_bad_scenes {
namespace {

std::string complaint(const std::string& text) {
  return testing::message_of([&] { load_scene_text(text, "s.yaml"); });
}

TEST(BadScenes, SayWhatIsWrong) {
  EXPECT_EQ(complaint(ball + rest), "accepted");
  for (const std::span<const Bad> list : {std::span<const Bad>(texts), std::span<const Bad>(texts_of_bodies)})
    for (const Bad& b : list)
      EXPECT_NE(complaint(b.scene).find(b.words), std::string::npos)
          << b.scene << "\nsays: " << complaint(b.scene);
  for (const Change& c : changes) {
    std::string text = ball + rest;
    text.replace(text.find(c.from), std::string(c.from).size(), c.to);
    EXPECT_NE(complaint(text).find(c.words), std::string::npos) << text << "\nsays: " << complaint(text);
  }
}

// One mistake in a good scene is one error, at a place of the file and with the path of a field.
TEST(BadScenes, OneMistakeIsOneErrorWithItsPath) {
  for (const Change& c : changes) {
    std::string text = ball + rest;
    text.replace(text.find(c.from), std::string(c.from).size(), c.to);
    const std::string said = complaint(text);
    EXPECT_EQ(said.find(" errors"), std::string::npos) << text << "\nsays: " << said;
    EXPECT_EQ(said.find("s.yaml:1:1: "),
              c.words == std::string("run.t_end: this field is missing") ? 0u : std::string::npos)
        << text << "\nsays: " << said;
  }
}

TEST(BadScenes, AllErrorsAreToldAtOnceInTheOrderOfTheFile) {
  const std::string text =
      "saltus: 1\nparameters: {m: 1 kgg}\ncoordinates: {z: {strat: 1}}\nmass: {z: M}\nforces: {z: 2*}\nrun: "
      "{t_end: x}\n";
  const std::string said = complaint(text);
  std::size_t at = 0;
  for (const char* words : {"s.yaml:2:17: parameters.m", "s.yaml:3:19: coordinates.z.strat",
                            "s.yaml:4:11: mass.z: unknown name 'M'", "s.yaml:5:13: forces.z",
                            "s.yaml:6:14: run.t_end", "5 errors"}) {
    const std::size_t next = said.find(words, at);
    EXPECT_NE(next, std::string::npos) << words << " in\n" << said;
    at = next == std::string::npos ? at : next;
  }
}

TEST(BadScenes, MistakesInFormulasDoNotHideThoseOfBodies) {
  const std::string said = complaint(
      "saltus: 1\nbodies: {a: {shape: disk, radius: 1, mass: -1}}\nforces: {a.x: 2*}\n"
      "links: {f: {type: weld}, g: {type: glue, a: a}}\nsprings: {s: {a: zz, stiffness: 1}}\n"
      "motors: {m: {body: b, torque: 1}}\nrun: {t_end: 1}\n");
  for (const char* words :
       {"bodies.a.mass", "forces.a.x", "links.f.a", "unknown type 'glue'", "no body 'zz'", "no body 'b'"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in\n" << said;
}

// What is missing because of another mistake is not told as if it were one itself.
TEST(BadScenes, FollowingErrorsAreNotTold) {
  const std::string groups =
      "saltus: 1\ngroups: {g: {shape: disk, radius: -1, mass: 1, layout: {name: grid, columns: 2}}}\n"
      "links: {l: {type: revolute, a: g.1, b: g.2, at: [0, 0]}}\nmotors: {m: {link: l, torque: 1}}\n"
      "forces: {g.1.x: -g.2.x}\nrun: {t_end: 1}\n";
  EXPECT_EQ(complaint(groups), "s.yaml:2:35: groups.g.radius: found -1, expected > 0");
  const std::string ready =
      "saltus: 1\nready: {problem: bouncing-ball, parameters: {m: -1}, prefix: b}\ncoordinates: {x: {}}\n"
      "mass: {x: 1}\nforces: {x: b.q0, b.q0: -x}\nrun: {t_end: 1}\n";
  EXPECT_EQ(complaint(ready).find("errors"), std::string::npos) << complaint(ready);
  const std::string twice = "saltus: 1\ncoordinates: {z: {}}\nmass: {z: 1}\nmass: {z: 1}\nrun: {t_end: x}\n";
  EXPECT_NE(complaint(twice).find("2 errors"), std::string::npos) << complaint(twice);
}

// Mistakes of the run do not hide those of the start, which only the finished system shows.
TEST(BadScenes, TheStartIsCheckedWholeBesideMistakesOfTheRun) {
  const std::string said = complaint(
      "saltus: 1\ncoordinates: {x: {start: -1}, y: {start: -2}, z: {}}\nmass: {x: 1, y: -1, z: 1}\n"
      "forces: {z: 1/z}\ncontacts: {a: {gap: x, law: unilateral}, b: {gap: y, law: unilateral}}\njoints: {j: "
      "z "
      "- 1}\nrun: {t_end: -1, h: 0}\nrecord: {every: 0}\nmeasure: {m: final.w}\n");
  for (const char* words :
       {"mass.y: the mass of y is -1", "forces.z: the force on z is inf", "contacts.a: ", "contacts.b: ",
        "joints.j: ", "run.t_end: ", "run.h: ", "record.every: found '0'", "measure.m: ", "9 errors"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in\n" << said;
}

TEST(BadScenes, ManyPenetrationsAreCounted) {
  const std::string said = complaint(
      "saltus: 1\ngroups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: grid, columns: 9, dx: 0.5}}}\n"
      "run: {t_end: 1}\n");
  EXPECT_NE(said.find("s.yaml:2:10: groups.g: the start penetrates at contact g.1/g.2"), std::string::npos)
      << said;
  EXPECT_NE(said.find("more contacts and joints are wrong at the start"), std::string::npos) << said;
}

TEST(BadScenes, PlainNumbersFitWhereOnlyBodiesHaveUnits) {
  EXPECT_EQ(
      complaint(
          "saltus: 1\nparameters: {k: 3}\nbodies: {b: {shape: disk, radius: 1 m, mass: 1 kg}}\n"
          "forces: {b.x: -k*b.x + 2*t + sin(t), b.y: 1 N}\nmotions: {b.angle: sin(t)}\nrun: {t_end: 1}\n"),
      "accepted");
}

TEST(BadScenes, ASpringWithoutLengthPullsItsEndsTogether) {
  EXPECT_EQ(
      complaint("saltus: 1\nbodies: {b: {shape: point, mass: 1}}\nsprings: {s: {a: b, stiffness: 1, length: "
                "0}}\nrun: {t_end: 1}\n"),
      "accepted");
}

TEST(BadScenes, AreBounded) {
  const std::string deep = "saltus: " + std::string(2000, '[') + std::string(2000, ']');
  EXPECT_NE(complaint(deep).find("nested more than"), std::string::npos) << complaint(deep);
  EXPECT_NE(complaint("saltus: 1\ntitle: " + std::string(2'000'000, 'x')).find("too many"),
            std::string::npos);
  std::string tower = "saltus: 1\ncoordinates: {x: {}}\nmass: {x: 1}\nrun: {t_end: 1}\nforces: {x: \"" +
                      std::string(300, '(') + "x" + std::string(300, ')') + "\"}\n";
  EXPECT_NE(complaint(tower).find("nested too deeply"), std::string::npos);
}

std::string repeated(int n, const std::function<std::string(int)>& part) {
  std::string out;
  for (int i = 0; i < n; ++i) out += part(i);
  return out;
}

// What grows faster than its text: an answer within seconds of the processor.
TEST(BadScenes, LargeScenesAreAnsweredSoon) {
  const std::string head = "saltus: 1\nrun: {t_end: 1}\n";
  const auto line = [](int i) { return fmt::format("  p{}: {{}}\n", i); };
  const auto box = [](int i) {
    return fmt::format("  b{}: {{shape: box, size: [1, 1], mass: 1, position: [{}, 0]}}\n", i, 2 * i);
  };
  const auto part = [](int i) { return fmt::format("  a{}: sin(a{}*x)*cos(y + a{}/z)\n", i + 1, i, i); };
  const std::pair<std::string, const char*> scenes[] = {
      {head + repeated(30000, [](int i) { return fmt::format("p{}: 1\n", i); }), "values are too many"},
      {head + std::string(300, 'n') + ": 1\n", "a name of 300 characters is too long"},
      {head + repeated(10000, [](int i) { return fmt::format("p{}: 1\n", i); }),
       "100 errors; the rest was not read"},
      {head + "coordinates:\n" + repeated(3000, line) + "mass:\n" +
           repeated(3000, [](int i) { return fmt::format("  p{}: 1 + p{}^2\n", i, i); }),
       "accepted"},
      {head + "coordinates: {x: {}}\nmass: {x: 1}\nforces: {x: \"" +
           repeated(1800, [](int i) { return fmt::format("+a{}", i); }) + "\"}\n",
       "known here: t, x, x'"},
      {head + "coordinates: {x: {}}\nmass: {x: 1}\nforces: {x: " + std::string(9000, 'y') + "}\n",
       "unknown name"},
      {head +
           "groups: {g: {shape: disk, radius: 1, mass: 1, layout: {name: chain, count: 9000, dx: 1e-6}}}\n",
       "pairs of bodies are close to each other"},
      {head + "bodies:\n" + repeated(200, box), "accepted"},
      {head +
           "coordinates: {x: {}, y: {}, z: {start: 1}}\nkinetic: (x'^2 + y'^2 + z'^2)*(2 + a3000)\nlet:\n" +
           "  a0: x*y*z\n" + repeated(3000, part),
       "accepted"},
      {head + "coordinates: {x: {}}\nmass: {x: 1}\nparameters:\n" +
           repeated(10000, [](int i) { return fmt::format("  p{}: 1\n", i); }) + "measure: {m: final.x}\n",
       "accepted"},
  };
  for (const auto& [text, words] : scenes) {
    const std::clock_t start = std::clock();
    const std::string said = complaint(text);
    EXPECT_NE(said.find(words), std::string::npos)
        << text.substr(0, 200) << "\nsays: " << said.substr(0, 500);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10) << text.substr(0, 200);
    EXPECT_LT(said.size(), 1'000'000u);
  }
}

}  // namespace
}  // namespace saltus::test_bad_scenes
