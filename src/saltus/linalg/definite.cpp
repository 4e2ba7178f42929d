#include "saltus/linalg/definite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace saltus {
namespace {

// What is left of a diagonal entry a after subtractions is rounding up to here.
double rounding_of(int n, double a) {
  return 4 * n * std::numeric_limits<double>::epsilon() * std::abs(a);
}

// Part of the matrix, from row `first` on, and its lower triangle, rows of `reach` + 1 entries, in which row
// i begins at column i − reach. Row by row it becomes that of L, its diagonal entry the pivot.
struct Triangle {
  const Matrix& A;
  int n, reach, first;
  double* rows;
  double* w;

  double& entry(int i, int j) const { return rows[i * (reach + 1) + j - i + reach]; }
  int begin(int i) const { return std::max(0, i - reach); }
  NegativePivot eliminate() const;
  bool is_negative_at(int i) const;
};

NegativePivot Triangle::eliminate() const {
  for (int i = 0; i < n; ++i)
    for (int j = begin(i); j <= i; ++j) entry(i, j) = A(first + i, first + j);
  for (int i = 0; i < n; ++i) {
    const double before = entry(i, i);
    double pivot = before;
    for (int j = begin(i); j < i; ++j) {
      double sum = entry(i, j);  // of L D up to here
      for (int k = std::max(begin(i), begin(j)); k < j; ++k) sum -= entry(i, k) * entry(j, k);
      entry(i, j) = sum;
    }
    for (int j = begin(i); j < i; ++j) {
      const double d = entry(j, j), ld = entry(i, j);
      const double l = d != 0 ? ld / d : 0;
      pivot -= l * ld;
      entry(i, j) = l;
    }
    if (pivot < -rounding_of(n, before) && is_negative_at(i)) return {first + i, pivot};
    entry(i, i) = pivot > rounding_of(n, before) ? pivot : 0;
  }
  return {};
}

// Small pivots above leave more rounding in this one than its own size tells. With w = L⁻ᵀeᵢ the pivot is
// wᵀAw: that is evaluated with the entries of A, and proves the sign where it is larger than its own
// rounding.
bool Triangle::is_negative_at(int i) const {
  w[i] = 1;
  for (int j = i - 1; j >= 0; --j) {
    w[j] = 0;
    for (int k = j + 1; k <= std::min(i, j + reach); ++k) w[j] -= entry(k, j) * w[k];
  }
  double value = 0, size = 0;
  for (int k = 0; k <= i; ++k)
    for (int j = begin(k); j <= k; ++j) {
      const double part = (j < k ? 2 : 1) * w[k] * A(first + k, first + j) * w[j];
      value += part, size += std::abs(part);
    }
  return value < -rounding_of(n, size);
}

NegativePivot negative_minor(const Matrix& A) {
  NegativePivot out;
  A.for_each([&](int i, int j, double a) {
    if (out) return;
    const double x = A(i, i), y = A(j, j);
    if (i == j ? a < 0 : i > j && a != 0 && a * a > x * y * (1 + 1e-12))
      out = {i, i == j ? a : x - a * a / y};
  });
  return out;
}

}  // namespace

NegativePivot negative_pivot(const Matrix& A, std::vector<double>& room) {
  const int n = A.size(), w = A.pattern().width;
  const auto& v = A.values();
  const auto triangle = [&](int rows, int reach, int first) {
    const auto entries = static_cast<std::size_t>(rows) * (reach + 1);
    room.resize(entries + rows);
    return Triangle{A, rows, reach, first, room.data(), room.data() + entries}.eliminate();
  };
  switch (A.pattern().kind) {
    case Pattern::diagonal:
      for (int i = 0; i < n; ++i)
        if (v[i] < 0) return {i, v[i]};
      return {};
    case Pattern::blocks:
      for (int b = 0; b < n; b += w)
        if (const auto found = triangle(w, w - 1, b)) return found;
      return {};
    case Pattern::banded:
      return triangle(n, w, 0);
    case Pattern::dense:
      return triangle(n, n - 1, 0);
    case Pattern::sparse:
      return negative_minor(A);
  }
  return {};
}

}  // namespace saltus
