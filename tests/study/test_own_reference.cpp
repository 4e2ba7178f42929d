// The system itself as its reference, against solutions that are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reference/own_reference.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::test_own_reference {

// At times that are not those of its steps, both limits.
double largest_difference(const Reference& a, const Reference& b, double t_end) {
  double out = 0;
  Vec q, u, p, v;
  for (int k = 0; k <= 997; ++k)
    for (Side side : {Side::left, Side::right}) {
      const double t = t_end * k / 997;
      a.state(t, side, q, u), b.state(t, side, p, v);
      out = std::max({out, (q - p).lpNorm<Eigen::Infinity>(), (u - v).lpNorm<Eigen::Infinity>()});
    }
  return out;
}

TEST(OwnReference, IsTheClosedFormOfABallThroughItsAccumulation) {
  const CatalogProblem p = make_problem("bouncing-ball", {}, 4.1);
  const OwnReference own = own_reference(p.problem);
  EXPECT_LT(largest_difference(*own.reference, *p.reference, 4.1), 1e-9);
  EXPECT_LT(own.error, 1e-9);
  EXPECT_GE(own.reference->valid_until(), 4.1);
  EXPECT_TRUE(own.reference->jumps());
  const auto breaks = own.reference->breaks(0, 2.9);
  ASSERT_GE(breaks.size(), 4u);  // 1, 2, 2.5, 2.75, …
  EXPECT_NEAR(breaks[0], 1, 1e-10);
  EXPECT_NEAR(breaks[3], 2.75, 1e-10);
}

TEST(OwnReference, IsThatOfADrivenOscillatorWithImpacts) {
  const CatalogProblem p = make_problem("impact-oscillator", {}, 6.0);
  ASSERT_TRUE(p.reference);
  EXPECT_LT(largest_difference(*own_reference(p.problem).reference, *p.reference, 6.0), 1e-8);
}

TEST(OwnReference, ServesChainsAndOdaes) {
  for (const char* name : {"trimer", "odae-exponential"}) {
    const CatalogProblem p = make_problem(name, {}, 1.0);
    ASSERT_TRUE(p.reference) << name;
    const OwnReference own = own_reference(p.problem);
    EXPECT_EQ(own.error, 0) << name;
    EXPECT_LT(largest_difference(*own.reference, *p.reference, 1.0), 1e-11) << name;
  }
}

TEST(OwnReference, AnInterruptIsAnError) {
  const CatalogProblem p = make_problem("bouncing-ball");
  const std::atomic<bool> stop = true;
  RunControl control;
  control.interrupt = &stop;
  EXPECT_THROW(own_reference(p.problem, control), Error);
}

TEST(Knob, ToleranceChoosesThePairAndKeepsTheRest) {
  Method m = by_tolerance(1e-8, 1e-3);
  const Method loose = with_knob(m, Knob::rtol, 1e-3);
  EXPECT_EQ(std::get<ToleranceSteps>(loose.stepping).rtol, 1e-3);
  EXPECT_EQ(std::get<ToleranceSteps>(loose.stepping).atol, 1e-3);
  EXPECT_EQ(to_text(loose.scheme), to_text(by_tolerance(1e-3).scheme));
  EXPECT_THROW(with_knob(m, Knob::step, 0.1), Error);
  EXPECT_THROW(with_knob(Method{}, Knob::rtol, 1e-3), Error);
}

TEST(AdaptiveSteps, TheUsualStepIsTheFirstAndNoLimit) {
  const Stepping s = with_usual_step(AdaptiveSteps{}, 1e-4);
  EXPECT_EQ(std::get<AdaptiveSteps>(s).h0, 1e-4);
  EXPECT_EQ(std::get<AdaptiveSteps>(s).h, 0);
  EXPECT_EQ(step_of(s), 1e-4);
  EXPECT_EQ(step_of(with_usual_step(FixedSteps{}, 1e-4)), 1e-4);
}

}  // namespace saltus::test_own_reference
