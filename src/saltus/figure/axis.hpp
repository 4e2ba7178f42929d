// The range of an axis, chosen here and not by gnuplot: its own choice fails where there is nothing finite to
// choose from, and where the numbers are close to the largest or the smallest.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace saltus {

/// What can be drawn: infinite is NaN (a gap in the line), beyond ±1e300 is that, and on a logarithmic axis
/// what is not above zero is NaN too.
double drawable(double value, bool logarithmic = false);

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  bool fits = false;  ///< some of the values can be drawn

  /// Takes a value into account.
  void add(double value);
  /// Widened to a range that can be drawn: by a margin, a fraction of its length (logarithmic: to whole
  /// decades when there is one), and where all values are the same.
  void widen(double margin);

  /// Significant digits by which two tics differ; 6 or more.
  int digits() const;
  /// The characters of the widest number along it.
  int label_width() const;
  /// Commands for range, scale and tics; `letter` is x or y.
  std::string script(char letter) const;
};

}  // namespace saltus
