// A step that fails says where, why, and what to do about it.
#include <gtest/gtest.h>

#include "saltus/run/driver.hpp"
#include "saltus/run/remedy.hpp"
#include "saltus/run/run.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus::test_remedies {
namespace {

constexpr StepStatus statuses[] = {StepStatus::not_finite,     StepStatus::newton_diverged,
                                   StepStatus::singular,       StepStatus::contact_unsolved,
                                   StepStatus::gap_not_finite, StepStatus::redundant_contacts,
                                   StepStatus::not_unique};

bool names_an_action(const std::string& text) {
  for (const char* word : {"try ", "use ", "give ", "remove ", "check "})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

std::shared_ptr<LinearSystem> two_masses(double stiffness) {
  LinearSystem::Data d;
  d.M = d.K = Matrix(2, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.M.set(1, 1, 1);
  d.K.set(1, 1, stiffness);
  d.f = Vec::Constant(2, -1);
  d.contacts.push_back({"ball/floor", Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  return std::make_shared<LinearSystem>(std::move(d));
}

TEST(Remedies, EveryFailureOfEverySchemeAndSteppingHasOne) {
  const auto system = two_masses(1);
  const State x{1.5, Vec::Ones(2), Vec::Zero(2), {}, {}, {}};
  for_each_alternative<SchemeSpec>([&](const auto& scheme) {
    for_each_alternative<Stepping>([&](const auto& stepping) {
      const Method m{scheme, stepping, {}};
      for (const StepStatus status : statuses) {
        EXPECT_TRUE(names_an_action(remedy(m, status))) << to_string(status) << ": " << remedy(m, status);
        StepReport report;
        report.status = status;
        ContactSet set;
        CheckedSystem(*system).list(0, x.q, set);
        report.bad_contact = set.contacts.front().id;
        const std::string text = failure_message(*system, m, x, 0.25, report);
        EXPECT_NE(text.find("t = 1.5"), std::string::npos) << text;
        EXPECT_TRUE(names_an_action(text)) << text;
      }
    });
  });
  EXPECT_EQ(remedy({}, StepStatus::ok), "");
}

// The remedies are true: a run that failed goes through with them. M + (θh)² K is zero at one h only.
TEST(Remedies, ASingularMatrixIsNamedAndASmallerStepCuresIt) {
  const Problem p{two_masses(-256), 0, 0.25, Vec::Ones(2), Vec::Zero(2)};
  const RunResult bad = run(p, {MoreauJean{}, FixedSteps{0.125}, {}});
  EXPECT_EQ(bad.status, RunStatus::failed);
  EXPECT_NE(bad.message.find("singular at velocity 1"), std::string::npos) << bad.message;
  EXPECT_NE(bad.message.find("smaller step (--h)"), std::string::npos) << bad.message;
  EXPECT_EQ(run(p, {MoreauJean{}, FixedSteps{0.03}, {}}).status, RunStatus::finished);
}

// Two contacts with the same gap under event capturing; Moreau's scheme takes them.
TEST(Remedies, RedundantContactsPassWithTheSchemeThatTheMessageNames) {
  LinearSystem::Data d;
  d.M = Matrix(1, {Pattern::diagonal, 0, nullptr});
  d.M.set(0, 0, 1);
  d.f = Vec::Constant(1, -1);
  for (const char* name : {"one/floor", "two/floor"})
    d.contacts.push_back({name, Unilateral{0}, {{{0, 1.0}}}, 0, 0});
  const Problem p{std::make_shared<LinearSystem>(std::move(d)), 0, 3, Vec::Ones(1), Vec::Zero(1)};
  const RunResult captured = run(p, {RungeKutta{}, EventCapturing{}, {}});
  if (captured.status == RunStatus::failed) {  // a driver that takes them needs no remedy
    EXPECT_NE(captured.message.find("floor"), std::string::npos) << captured.message;
    EXPECT_NE(captured.message.find("--scheme moreau-jean --stepping fixed"), std::string::npos)
        << captured.message;
  }
  const RunResult moreau = run(p, {MoreauJean{}, FixedSteps{1e-2}, {}});
  EXPECT_EQ(moreau.status, RunStatus::finished) << moreau.message;
  EXPECT_NEAR(moreau.final.q[0], 0, 2e-2);
}

}  // namespace
}  // namespace saltus::test_remedies
