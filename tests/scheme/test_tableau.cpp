// Every tableau: rows sum to c, the order in its name is the order of its numbers, and stability functions.
#include "saltus/scheme/runge_kutta/tableau.hpp"

#include "saltus/core/error.hpp"
#include "support/golden.hpp"

namespace saltus::test_tableau {
namespace {

TEST(Tableaus, HaveExactlyTheOrderInTheirNames) {
  ASSERT_GE(tableau_names().size(), 20u);
  for (const auto name : tableau_names()) {
    const Tableau& t = find_tableau(name);
    EXPECT_NEAR(t.b.sum(), 1, 1e-14) << name;
    EXPECT_LT((t.A.rowwise().sum() - t.c).lpNorm<Eigen::Infinity>(), 1e-14) << name;
    EXPECT_EQ(order(t), name.back() - '0') << name;
    EXPECT_FALSE(t.reference.empty());
  }
}

TEST(Tableaus, KnowTheirClass) {
  EXPECT_TRUE(is_symplectic(find_tableau("gauss-6")));
  EXPECT_FALSE(is_symplectic(find_tableau("radau-iia-5")));
  EXPECT_TRUE(is_stiffly_accurate(find_tableau("radau-iia-5")));
  EXPECT_TRUE(is_stiffly_accurate(find_tableau("lobatto-iiic-4")));
  EXPECT_FALSE(is_stiffly_accurate(find_tableau("gauss-4")));
  EXPECT_TRUE(is_explicit(find_tableau("herk-5")));
  EXPECT_FALSE(is_explicit(find_tableau("lobatto-iiia-2")));
  EXPECT_THROW(find_tableau("radau-iia-4"), Error);
}

TEST(Tableaus, StabilityFunctionsMatchTheGoldenValues) {
  const std::map<std::string, std::string> names = {{"RadauIIA3", "radau-iia-3"},
                                                    {"RadauIIA5", "radau-iia-5"},
                                                    {"LobattoIIIA2", "lobatto-iiia-2"},
                                                    {"LobattoIIIA4", "lobatto-iiia-4"},
                                                    {"LobattoIIIA6", "lobatto-iiia-6"},
                                                    {"HERK1", "herk-1"},
                                                    {"HERK2", "herk-2"},
                                                    {"HERK3", "herk-3"},
                                                    {"HERK4", "herk-4"},
                                                    {"HERK5", "herk-5"}};
  for (const auto& [golden_name, name] : names) {
    const auto& g = testing::golden("rk-" + golden_name);
    for (const auto& [z, r] : g["expected"]["R"].items()) {
      const auto x = stability(find_tableau(name), std::stod(z));
      EXPECT_NEAR(x.real(), r.get<double>(), 1e-13 * std::max(1.0, std::abs(r.get<double>())))
          << name << " " << z;
    }
  }
}

// Gauss and Lobatto IIIA do not damp at all on the imaginary axis, Radau IIA and Lobatto IIIC vanish at
// infinity.
TEST(Tableaus, AStability) {
  for (const char* name :
       {"gauss-2", "gauss-4", "gauss-6", "lobatto-iiia-2", "lobatto-iiia-4", "lobatto-iiia-6", "radau-iia-1",
        "radau-iia-3", "radau-iia-5", "lobatto-iiic-2", "lobatto-iiic-4", "lobatto-iiic-6"})
    for (double w : {0.1, 1.0, 10.0, 1e3})
      EXPECT_LE(std::abs(stability(find_tableau(name), {0, w})), 1 + 1e-12) << name;
  for (const char* name :
       {"radau-iia-1", "radau-iia-3", "radau-iia-5", "lobatto-iiic-2", "lobatto-iiic-4", "lobatto-iiic-6"})
    EXPECT_LT(std::abs(stability(find_tableau(name), -1e8)), 1e-6) << name;
}

}  // namespace
}  // namespace saltus::test_tableau
