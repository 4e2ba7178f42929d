// Whole runs between events: steppers are tested elsewhere; here drivers, event detection and the ledger.
#include <gtest/gtest.h>

#include "run/capturing.hpp"
#include "saltus/catalog/problems.hpp"
#include "support/allocations.hpp"

namespace saltus::test_memory {
namespace {

// Nothing happens in these problems from t = 0.1 to 0.4: a ball flies, a block slides, a bar flies.
TEST(Memory, StepsBetweenEventsDoNotAllocate) {
#if SALTUS_COUNTS_ALLOCATIONS
  const Method methods[] = {testing::capturing("radau-iia-3", 1e-3, 0.01),
                            testing::capturing("heun-2", 2e-4, 0.01),
                            {SymplecticEuler{}, EventLocation{.h = 1e-3}, AutomaticSolver{}},
                            {GeneralizedAlpha{}, FixedSteps{1e-3}, AutomaticSolver{}},
                            {MoreauJean{}, FixedSteps{1e-3}, AutomaticSolver{}}};
  for (const char* name : {"bouncing-ball", "sliding-block", "elastic-bar"})
    for (const Method& method : methods) {
      const CatalogProblem p = make_problem(name, {}, 0.4);
      std::size_t before = 0, after = 0;
      const RunResult r = run(p.problem, method, [&](const Segment& s) {
        if (before == 0 && s.end.t > 0.1) before = testing::allocations();
        after = testing::allocations();
      });
      ASSERT_EQ(r.status, RunStatus::finished) << name << " " << to_text(method.scheme) << ": " << r.message;
      ASSERT_GT(before, 0u);
      EXPECT_EQ(after, before) << name << " " << to_text(method.scheme);
    }
#else
  GTEST_SKIP() << "another allocator is at work";
#endif
}

}  // namespace
}  // namespace saltus::test_memory
