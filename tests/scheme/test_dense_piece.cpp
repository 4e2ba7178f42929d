// The one form of dense output: values, slopes, and conversions.
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/scheme/dense_piece.hpp"

namespace saltus::test_dense_piece {
namespace {

TEST(DensePiece, PowersBecomeTermsOfTheSamePolynomial) {
  for (int terms = 1; terms <= DensePiece::max_terms; ++terms) {
    Vec powers(2 * terms);
    for (int k = 0; k < 2 * terms; ++k) powers[k] = std::sin(3.0 * k + terms);
    Vec c = powers;
    dense_from_powers(c.data(), 2, terms);
    for (const double x : {0.0, 0.3, 0.8, 1.0}) {
      double y[2], slope[2];
      dense_value(c.data(), 2, terms, x, y);
      dense_slope(c.data(), 2, terms, x, slope);
      for (int i = 0; i < 2; ++i) {
        double value = 0, rate = 0;
        for (int k = terms - 1; k >= 0; --k) rate = rate * x + value, value = value * x + powers[2 * k + i];
        EXPECT_NEAR(y[i], value, 1e-13) << terms << " terms at " << x;
        EXPECT_NEAR(slope[i], rate, 1e-13) << terms << " terms at " << x;
      }
    }
  }
}

TEST(DensePiece, TwoStatesAreJoinedByACubic) {
  // q = t³, u = 3 t² from t = 1 to 3
  DensePiece p;
  p.join(1, 2, Vec{{1.0}}, Vec{{3.0}}, Vec{{27.0}}, Vec{{27.0}});
  for (const double t : {1.0, 1.5, 2.0, 2.7, 3.0}) {
    double q = 0, u = 0;
    dense_value(p.q.data(), 1, p.terms, (t - p.start) / p.length, &q);
    dense_value(p.u.data(), 1, p.terms, (t - p.start) / p.length, &u);
    EXPECT_NEAR(q, t * t * t, 1e-13);
    EXPECT_NEAR(u, 3 + 12 * (t - 1), 1e-13);
  }
}

}  // namespace
}  // namespace saltus::test_dense_piece
