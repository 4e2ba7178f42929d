// Dense output: q and u over a step as polynomials of x = (t − start)/length, one form for all methods,
//
//     y(x) = c₀ + x (c₁ + (1 − x) (c₂ + x (c₃ + (1 − x) (c₄ + …)))),
//
// Newton's form with the nodes 0, 1, 0, 1, … Its first four terms are the cubic through values and slopes at
// both ends; terms of lower degree than the longest have zeros at their end.
#pragma once
#include "saltus/core/types.hpp"

namespace saltus {

/// y at x of n components; c holds the terms one after the other, n numbers each.
void dense_value(const double* c, int n, int terms, double x, double* y);
/// dy/dx.
void dense_slope(const double* c, int n, int terms, double x, double* slope);
/// From coefficients of powers of x to those of the form above, in place.
void dense_from_powers(double* c, int n, int terms);

struct DensePiece {
  static constexpr int max_terms = 8;
  double start = 0, length = 0;
  int terms = 0;
  Vec q, u;  ///< terms × n coefficients

  void resize(int nq, int nu, int count) {
    terms = count;
    if (q.size() != nq * count) q.resize(nq * count);
    if (u.size() != nu * count) u.resize(nu * count);
  }
  /// Between two states of a method without dense output: q a cubic, u linear.
  void join(double t, double h, const Vec& q0, const Vec& u0, const Vec& q1, const Vec& u1) {
    join(t, h, q0, u0, q1, u1, u0, u1);
  }
  /// The same where the rates of q are not u.
  void join(double t, double h, const Vec& q0, const Vec& rate0, const Vec& q1, const Vec& rate1,
            const Vec& u0, const Vec& u1);
};

}  // namespace saltus
