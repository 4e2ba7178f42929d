// Runs by tolerance: a warm loop allocates nothing, at impacts, where contacts close and where they part.
#include <gtest/gtest.h>

#include "saltus/catalog/catalog.hpp"
#include "saltus/run/run.hpp"
#include "support/allocations.hpp"

namespace saltus::test_tolerance_memory {
namespace {

struct Counted {
  std::size_t early = 0, all = 0;  // until the warm part begins, and until the end
  int events = 0;                  // in the warm part
  RunResult result;
};
// What is allocated between the state at `warm` and the last step.
Counted counted(const CatalogProblem& c, double rtol, double warm) {
  Counted out;
  out.result = run(c.problem, by_tolerance(rtol), [&](const Segment& s) {
    if (s.end.t < warm) out.early = testing::allocations();
    if (s.end.t >= warm) out.events += static_cast<int>(s.events.size());
    out.all = testing::allocations();
  });
  return out;
}

TEST(ToleranceMemory, IsNotAllocatedAtImpacts) {
  if (!SALTUS_COUNTS_ALLOCATIONS) GTEST_SKIP() << "another allocator is at work";
  struct Row {
    std::string_view name;
    Settings settings;
    double warm;
  };
  for (const Row& row : {Row{"bouncing-ball", {{"e", "1"}}, 2.5}, Row{"ball-column", {}, 0.5},
                         Row{"impact-oscillator", {}, 5}, Row{"bouncing-pendulum", {}, 0.5}}) {
    const Counted c = counted(make_problem(row.name, row.settings), 1e-6, row.warm);
    ASSERT_EQ(c.result.status, RunStatus::finished) << row.name << ": " << c.result.message;
    EXPECT_GT(c.events, 0) << row.name;
    EXPECT_EQ(c.all - c.early, 0u) << row.name << ", " << c.events << " events";
  }
}

}  // namespace
}  // namespace saltus::test_tolerance_memory
