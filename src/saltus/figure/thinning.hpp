// Fewer samples of a long curve, with its peaks: the one place that decides which samples a figure shows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

namespace saltus {

/// Which of n samples of a function of time to draw: all when they are at most `most`, else of each stretch
/// of equal length the first, the last, the smallest, the largest and the first that is not finite, so that
/// no spike and no gap is lost, however short. In increasing order; at most about `most`. `value(i)` is what
/// is drawn upwards.
template <class F>
std::vector<int> samples_to_draw(int n, int most, F&& value) {
  std::vector<int> out;
  if (n <= most) {
    for (int i = 0; i < n; ++i) out.push_back(i);
    return out;
  }
  const int parts = std::max(1, most / 5);
  for (int part = 0; part < parts; ++part) {
    const int begin = static_cast<int>(static_cast<std::int64_t>(n) * part / parts);
    const int end = static_cast<int>(static_cast<std::int64_t>(n) * (part + 1) / parts);
    int low = -1, high = -1, gap = -1;
    for (int i = begin; i < end; ++i) {
      const double v = value(i);
      if (!std::isfinite(v)) {
        if (gap < 0) gap = i;
        continue;
      }
      if (low < 0 || v < value(low)) low = i;
      if (high < 0 || v > value(high)) high = i;
    }
    int five[] = {begin, low, high, gap, end - 1};
    std::sort(std::begin(five), std::end(five));
    for (int i : five)
      if (i >= 0 && (out.empty() || i > out.back())) out.push_back(i);
  }
  return out;
}

/// The same for a curve in the plane, such as a phase portrait: the peaks of both directions.
template <class X, class Y>
std::vector<int> samples_to_draw(int n, int most, X&& x, Y&& y) {
  const auto a = samples_to_draw(n, n <= most ? n : most / 2, x),
             b = samples_to_draw(n, n <= most ? n : most / 2, y);
  std::vector<int> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

}  // namespace saltus
