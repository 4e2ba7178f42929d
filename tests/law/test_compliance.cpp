// Compliant laws: their derivatives, and two of them in series.
#include <gtest/gtest.h>

#include "saltus/law/compliance.hpp"

namespace saltus::test_compliance {
namespace {

const CompliantLaw laws[] = {HertzContact{3}, KuwabaraKono{3, 0.2}, DashpotContact{3, 0.4, 1},
                             DashpotContact{3, 0.4, 2.5}};

TEST(Compliance, DerivativesAndPotentialAreThoseOfTheForce) {
  const double e = 1e-6;
  for (const CompliantLaw& law : laws)
    for (const double d : {0.05, 1.0, 2.7})
      for (const double rate : {-0.8, 0.0, 1.1}) {
        const Compliance c = compliance_of(law);
        const auto force = [&](double x, double v) { return c.push(x, v).force; };
        const auto push = c.push(d, rate);
        EXPECT_NEAR(push.by_overlap, (force(d + e, rate) - force(d - e, rate)) / (2 * e), 1e-7);
        EXPECT_NEAR(push.by_rate, (force(d, rate + e) - force(d, rate - e)) / (2 * e), 1e-7);
        EXPECT_NEAR(force(d, 0), (c.potential(d + e) - c.potential(d - e)) / (2 * e), 1e-7);
      }
  EXPECT_DOUBLE_EQ(compliance_of(HertzContact{2}).push(4, 7).force, 16);
  EXPECT_DOUBLE_EQ(compliance_of(KuwabaraKono{2, 0.5}).push(4, 7).force, 16 + 0.5 * 2 * 1.5 * 2 * 7);
  EXPECT_DOUBLE_EQ(compliance_of(DashpotContact{2, 0.5, 2}).push(4, 7).force, 32 + 3.5);
}

// Each side with its share of the overlap pushes with the same elastic force, and they dissipate as one.
TEST(Compliance, InSeriesForcesAreEqualAndLossesAddUp) {
  const std::pair<CompliantLaw, CompliantLaw> pairs[] = {
      {HertzContact{3}, HertzContact{50}},
      {KuwabaraKono{3, 0.2}, KuwabaraKono{8, 0.7}},
      {DashpotContact{3, 0.4, 1}, DashpotContact{11, 2, 1}},
      {DashpotContact{3, 0.4, 2}, DashpotContact{11, 2, 2}}};
  for (const auto& [a, b] : pairs) {
    const Compliance x = compliance_of(a), y = compliance_of(b), both = in_series(a, b).value();
    const double d = 0.3, rate = 0.9, share = std::pow(both.k / x.k, 1 / both.p);
    EXPECT_NEAR(std::pow(both.k / y.k, 1 / both.p), 1 - share, 1e-14);
    EXPECT_NEAR(x.push(share * d, 0).force, both.push(d, 0).force, 1e-13);
    EXPECT_NEAR(y.push((1 - share) * d, 0).force, both.push(d, 0).force, 1e-13);
    const auto loss = [&](const Compliance& c, double s) {
      return (c.push(s * d, s * rate).force - c.push(s * d, 0).force) * s * rate;
    };
    EXPECT_NEAR(loss(x, share) + loss(y, 1 - share), loss(both, 1), 1e-14);
    const Compliance other = in_series(b, a).value();
    EXPECT_NEAR(other.k, both.k, 1e-14 * both.k);
    EXPECT_NEAR(other.b, both.b, 1e-14);
  }
}

TEST(Compliance, EqualOnesInSeries) {
  EXPECT_NEAR(in_series(HertzContact{2}, HertzContact{2})->k, 2 / std::pow(2, 1.5), 1e-15);
  const auto kk = in_series(KuwabaraKono{2, 0.3}, KuwabaraKono{9, 0.3}).value();
  EXPECT_NEAR(kk.b / kk.k, 0.3, 1e-15);  // γ
  const auto dashpots = in_series(DashpotContact{2, 0.3, 1}, DashpotContact{2, 0.3, 1}).value();
  EXPECT_NEAR(dashpots.k, 1, 1e-15);
  EXPECT_NEAR(dashpots.b, 0.15, 1e-15);
}

TEST(Compliance, DifferentOnesDoNotGoTogether) {
  EXPECT_FALSE(in_series(HertzContact{}, KuwabaraKono{}));
  EXPECT_FALSE(in_series(DashpotContact{}, HertzContact{}));
  EXPECT_FALSE(in_series(DashpotContact{1, 0, 1}, DashpotContact{1, 0, 1.5}));
}

}  // namespace
}  // namespace saltus::test_compliance
