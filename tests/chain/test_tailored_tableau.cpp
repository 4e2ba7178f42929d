#include <gtest/gtest.h>

#include <Eigen/LU>

#include "saltus/scheme/first_order/first_order_schemes.hpp"
#include "support/chains.hpp"

namespace saltus::test_tailored_tableau {
namespace {
using namespace testing;

double mean(const Tableau& t, const Vec& x) {
  return t.b.dot(x);
}

TEST(TailoredTableau, CoefficientsOrderSumsAndSquare) {
  for (const auto& id : golden_ids("tab_C", chain_file)) {
    const Json& g = golden(id, chain_file);
    const double C = g["parameters"]["C11"];
    const Tableau t = tailored_tableau(C);
    const double alpha = 0.5 * (t.A(0, 0) - t.A(1, 1));
    const double got[] = {t.A(0, 0), t.A(0, 1), t.A(1, 0), t.A(1, 1), t.b[0], alpha};
    for (std::size_t i = 0; i < 6; ++i) expect_golden(g, got[i], g["expected"][i]);
    const Json& sums = golden("ord_" + id.substr(4), chain_file);
    const Vec Ac = t.A * t.c;
    expect_golden(sums, mean(t, t.c) - 0.5, sums["expected"][0], "(49)");
    expect_golden(sums, mean(t, t.c.cwiseAbs2()) - 1.0 / 3, sums["expected"][1], "(50)");
    expect_golden(sums, 2 * mean(t, Ac) - 1.0 / 3, sums["expected"][2], "(51)");
    const Json& square = golden("A2_" + id.substr(4), chain_file);
    const Eigen::Matrix2d A2 = t.A * t.A;
    for (int i = 0; i < 4; ++i)
      expect_golden(square, A2(i / 2, i % 2), square["expected"][static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(order(tailored_tableau(0)), 4);
}

TEST(TailoredTableau, StabilityFunctionIsThatOfEquation75) {
  for (const auto& id : golden_ids("R_C", chain_file)) {
    const Json &g = golden(id, chain_file), &z = g["parameters"]["z"];
    const auto R =
        stability(tailored_tableau(g["parameters"]["C11"]), {z[0].get<double>(), z[1].get<double>()});
    expect_golden(g, R.real(), g["expected"][0]);
    expect_golden(g, R.imag(), g["expected"][1]);
  }
  const auto Q2 = [](double C, double w) {  // |Q(iω)|², Q = det(I − zA)
    const std::complex<double> z(0, w);
    return std::norm((Eigen::Matrix2cd::Identity() - z * tailored_tableau(C).A).determinant());
  };
  const Json& g = golden("imag_identity", chain_file);
  const double R2 = std::norm(stability(tailored_tableau(0.3), {0, 2}));
  expect_golden(g, Q2(0.3, 2) * (1 - R2), g["expected"]);
  for (double C : {0.0, 0.05, 0.3, 1.0, 5.0})  // A-stable for every C₁₁ ≥ 0
    for (double w = 0; w < 1e3; w = 1.3 * w + 0.1)
      EXPECT_LE(std::abs(stability(tailored_tableau(C), {0, w})), 1 + 1e-13);
}

TEST(TailoredTableau, WhereItsPropertiesChange) {
  const auto at_infinity = [](double C) { return std::abs(stability(tailored_tableau(C), {-1e12, 0})); };
  const Json& least = golden("R_inf_min", chain_file);
  const double C = least["expected"][0];
  EXPECT_NEAR(at_infinity(C), least["expected"][1].get<double>(), 1e-10);  // (1e12 instead of infinity)
  EXPECT_GT(at_infinity(C * 1.001), at_infinity(C));
  EXPECT_GT(at_infinity(C * 0.999), at_infinity(C));
  const auto A2 = [](double c) { return (tailored_tableau(c).A * tailored_tableau(c).A).eval()(1, 1); };
  const double lost = golden("solvability_C", chain_file)["expected"];
  EXPECT_GT(A2(lost - 1e-9), 0);
  EXPECT_LT(A2(lost + 1e-9), 0);
  EXPECT_NEAR(tailored_tableau(golden("b2_zero", chain_file)["expected"]).b[1], 0, 1e-12);
}

TEST(Tableau, EmbeddedMethodsHaveOneOrderLess) {
  int found = 0;
  for (const auto name : tableau_names()) {
    const Tableau& t = find_tableau(name);
    if (t.embedded.size() == 0) {
      EXPECT_EQ(embedded_order(t), 0);
      continue;
    }
    ++found;
    EXPECT_EQ(t.embedded.size(), t.stages() + 1) << name;
    EXPECT_EQ(embedded_order(t), order(t) - 1) << name;
  }
  EXPECT_GE(found, 2);
}

}  // namespace
}  // namespace saltus::test_tailored_tableau
