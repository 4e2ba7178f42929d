// Thirty random mechanisms by every method: no finished run is wrong, except in the classes of the committed
// list. Every third ten of ninety seeds, for the time it takes: `./dev trial` runs them all, and more.
#include <gtest/gtest.h>

#include "mechanisms/known_classes.hpp"
#include "support/golden.hpp"

namespace saltus::mechanisms::test_mechanisms {
namespace {

class Thirty : public ::testing::TestWithParam<int> {};

TEST_P(Thirty, FinishedRunsObeyPhysics) {
  const auto classes = read_known_classes(testing::test_file("mechanisms/known_classes.txt"));
  const Tally t = try_mechanisms(static_cast<std::uint64_t>(10 * GetParam() + 1), 10, 1);
  EXPECT_EQ(t.refused_scenes, 0) << "a maker writes a scene that Saltus refuses";
  for (const Finding& f : t.wrong)
    if (!find_class(classes, f))
      ADD_FAILURE() << "seed " << f.seed << " (" << f.kind << ") " << f.judge << ": " << f.numbers << "\n  "
                    << f.command << "\n  the scene: ./dev trial --show " << f.seed;
  EXPECT_GT(t.runs, 100);
}
INSTANTIATE_TEST_SUITE_P(Mechanisms, Thirty, ::testing::Range(0, 9, 3));

TEST(Makers, ASeedIsOneSceneAndAllKindsOccur) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Mechanism a = make_mechanism(seed), b = make_mechanism(seed);
    EXPECT_EQ(a.yaml, b.yaml);
    EXPECT_EQ(a.kind, kind_of(seed));
    ++seen[a.kind];
  }
  EXPECT_EQ(seen.size(), mechanism_kinds().size());
}

TEST(Makers, TheOutcomeDoesNotDependOnTheNumberOfThreads) {
  const Tally a = try_mechanisms(1, 4, 1, "known"), b = try_mechanisms(1, 4, 3, "known");
  EXPECT_EQ(a.by_method, b.by_method);
  EXPECT_EQ(a.runs, b.runs);
}

}  // namespace
}  // namespace saltus::mechanisms::test_mechanisms
