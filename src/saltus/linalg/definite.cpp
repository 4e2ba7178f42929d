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

// The lower triangle of a symmetric n×n array with rows of `stride` entries, of which row i begins at column
// i − reach: from row to row, in place. Row i becomes that of L, its diagonal entry the pivot.
NegativePivot eliminate(int n, int reach, int stride, double* rows, int first_row) {
  const auto entry = [=](int i, int j) -> double& { return rows[i * stride + j - i + reach]; };
  for (int i = 0; i < n; ++i) {
    const int begin = std::max(0, i - reach);
    const double before = entry(i, i);
    double pivot = before;
    for (int j = begin; j < i; ++j) {
      double sum = entry(i, j);  // of L D up to here
      for (int k = std::max(begin, j - reach); k < j; ++k) sum -= entry(i, k) * entry(j, k);
      entry(i, j) = sum;
    }
    for (int j = begin; j < i; ++j) {
      const double d = entry(j, j), ld = entry(i, j);
      const double l = d != 0 ? ld / d : 0;
      pivot -= l * ld;
      entry(i, j) = l;
    }
    if (pivot < -rounding_of(n, before)) return {first_row + i, pivot};
    entry(i, i) = pivot > rounding_of(n, before) ? pivot : 0;
  }
  return {};
}

NegativePivot negative_minor(const Matrix& A) {
  NegativePivot out;
  A.for_each([&](int i, int j, double a) {
    if (out) return;
    const double x = A(i, i), y = A(j, j);
    if (i == j ? a < 0 : i > j && a != 0 && a * a > x * y * (1 + 1e-12)) out = {i, i == j ? a : x - a * a / y};
  });
  return out;
}

}  // namespace

NegativePivot negative_pivot(const Matrix& A, std::vector<double>& room) {
  const int n = A.size(), w = A.pattern().width;
  const auto& v = A.values();
  const auto triangle = [&](int rows, int reach, int first) {
    const int stride = reach + 1;
    room.resize(static_cast<std::size_t>(rows) * stride);
    for (int i = 0; i < rows; ++i)
      for (int j = std::max(0, i - reach); j <= i; ++j)
        room[i * stride + j - i + reach] = A(first + i, first + j);
    return eliminate(rows, reach, stride, room.data(), first);
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
