#include "saltus/run/file/contact_dump.hpp"

#include <gtest/gtest.h>

#include "saltus/catalog/catalog.hpp"

namespace saltus::test_contact_dump {
namespace {

// The dumped problem carries the impulses of the run: they solve it as well as the run asked, and poor
// impulses do not.
TEST(ContactDump, TheProblemOfAStepComesWithItsSolution) {
  auto p = make_problem("disk-mixer", {{"n", "40"}});
  const double h = 5e-4;
  const auto stepper = make_stepper(p.method.scheme, *p.problem.system, p.method.solver);
  State x0 = stepper->start(0, p.problem.q0, p.problem.u0), x1 = x0;
  for (; x0.t < 0.3; std::swap(x0, x1)) stepper->step(x0, h, x1);
  p.method.solver =
      AutomaticSolver{1e-9, 1e-9};  // the measure of files is another one: it weighs impulses of grams
  const auto file = contact_problem_of_step(p.problem, p.method, x0, h);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->solution);
  ASSERT_GT(file->contacts(), 40);
  const PosedFriction posed(*file);
  ASSERT_EQ(posed.problem.rows(), file->rows());  // all with friction: the same rows
  EXPECT_LE(posed.file_residual(*file->solution), 1e-7);
  EXPECT_GT(posed.file_residual(0.9 * *file->solution), 1e-2);
}

}  // namespace
}  // namespace saltus::test_contact_dump
