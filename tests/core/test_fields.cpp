// Fields: text to options and back, errors with suggestions.
#include "saltus/core/fields.hpp"

#include <gtest/gtest.h>

#include "saltus/scheme/scheme.hpp"
#include "support/errors.hpp"

namespace saltus::test_fields {
namespace {

using testing::message_of;

SchemeSpec scheme(std::string_view text) {
  return parse_spec<SchemeSpec>(text, "scheme");
}

TEST(Fields, SpecsRoundTripThroughText) {
  for (const char* text : {"moreau-jean:theta=0.25,gamma=0.5", "moreau-midpoint",
                           "moreau-projected:theta=1,gamma=0,coupling=monolithic"})
    EXPECT_EQ(to_text(scheme(text)), text);
  EXPECT_EQ(to_text(scheme("moreau-jean")), "moreau-jean:theta=0.5,gamma=1");
  EXPECT_EQ(std::get<MoreauJean>(scheme("moreau-jean:theta=1e-1")).theta, 0.1);
}

TEST(Fields, MistakesAreNamedWithTheRemedy) {
  const auto said = [](const char* text) { return message_of([&] { scheme(text); }); };
  EXPECT_NE(said("moreau-jeam").find("did you mean 'moreau-jean'"), std::string::npos);
  EXPECT_NE(said("moreau-jean:theta=2").find("theta must be in [0, 1]"), std::string::npos);
  EXPECT_NE(said("moreau-jean:theta=nan").find("moreau-jean.theta = nan"), std::string::npos);
  EXPECT_NE(said("moreau-jean:thet=1").find("did you mean 'theta'"), std::string::npos);
  EXPECT_NE(said("moreau-jean:theta=abc").find("not a number"), std::string::npos);
  EXPECT_NE(said("moreau-jean:theta").find("key=value"), std::string::npos);
  EXPECT_NE(said("moreau-jean:theta=1,theta=0").find("given twice"), std::string::npos);
  EXPECT_NE(said("moreau-projected:coupling=both").find("decoupled, monolithic"), std::string::npos);
  EXPECT_NE(said("").find("known:"), std::string::npos);
}

TEST(Fields, RangesKnowTheirEnds) {
  EXPECT_TRUE(Range::closed(0, 1).contains(0));
  EXPECT_TRUE(Range::closed(0, 1).contains(1));
  EXPECT_FALSE(Range::positive().contains(0));
  EXPECT_FALSE(Range::positive().contains(infinity));
  EXPECT_FALSE(Range::any().contains(std::nan("")));
  EXPECT_FALSE(Range::any().contains(-infinity));
  EXPECT_EQ(to_string(Range::non_negative()), ">= 0");
}

}  // namespace
}  // namespace saltus::test_fields
