#include "saltus/scheme/dense_piece.hpp"

namespace saltus {

void dense_value(const double* c, int n, int terms, double x, double* y) {
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = terms - 1; i > 0; --i) sum = (sum + c[i * n + k]) * (i % 2 == 1 ? x : 1 - x);
    y[k] = sum + c[k];
  }
}

void dense_slope(const double* c, int n, int terms, double x, double* slope) {
  for (int k = 0; k < n; ++k) {
    double sum = 0, rate = 0;
    for (int i = terms - 1; i > 0; --i) {
      const bool odd = i % 2 == 1;
      sum += c[i * n + k];
      rate = rate * (odd ? x : 1 - x) + (odd ? sum : -sum);
      sum *= odd ? x : 1 - x;
    }
    slope[k] = rate;
  }
}

// Divides by x and by 1 − x in turn: what is left of each division is the coefficient.
void dense_from_powers(double* c, int n, int terms) {
  for (int k = 0; k < n; ++k)
    for (int i = 1; i < terms - 1; ++i) {
      if (i % 2 == 0) continue;  // the division by x only shifts
      // p(x) = Σ_{j≥i} c_j x^{j−i} = p(1) + (1 − x) s(x), s_j = −Σ_{m>j} p_m
      for (int j = terms - 2; j >= i; --j) c[j * n + k] += c[(j + 1) * n + k];
      for (int j = i + 1; j < terms; ++j) c[j * n + k] = -c[j * n + k];
    }
}

void DensePiece::join(double t, double h, const Vec& q0, const Vec& rate0, const Vec& q1, const Vec& rate1,
                      const Vec& u0, const Vec& u1) {
  const auto n = static_cast<int>(q0.size()), m = static_cast<int>(u0.size());
  resize(n, m, 4);
  start = t, length = h;
  for (int k = 0; k < n; ++k) {
    const double rise = q1[k] - q0[k];
    q[k] = q0[k], q[n + k] = rise;
    q[2 * n + k] = h * rate0[k] - rise;
    q[3 * n + k] = 2 * rise - h * (rate0[k] + rate1[k]);
  }
  for (int k = 0; k < m; ++k) {
    u[k] = u0[k], u[m + k] = u1[k] - u0[k];
    u[2 * m + k] = u[3 * m + k] = 0;
  }
}

}  // namespace saltus
