// Statistics of a list of numbers: what a family of runs comes to. They depend on the list alone, to the last
// bit, and lose no digits to its size: sums are compensated (Neumaier 1974), deviations are taken from the
// mean in a second pass, and values of any size are scaled. Quantiles are exact: of all values, sorted.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Σ x in order, with the error of every addition carried along.
class CompensatedSum {
 public:
  void add(double x);
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

/// Equal intervals [e_i, e_{i+1}); the last one has both ends.
struct Bins {
  double low = 0, high = 1;
  std::size_t count = 1;

  double edge(std::size_t i) const;  ///< i <= count
  double centre(std::size_t i) const { return 0.5 * edge(i) + 0.5 * edge(i + 1); }
  /// Empty outside; low < high, or both are the same and only that value is inside.
  std::optional<std::size_t> find(double x) const;
};

/// What is asked for.
struct Reduction {
  bool mean = false, sd = false, min = false, max = false;
  std::vector<double> quantiles = {};
  struct Histogram {
    std::size_t bins = 0;
    std::optional<double> low = {}, high = {};  ///< smallest and largest value when not given
  };
  std::optional<Histogram> histogram = {};
};
/// "mean,sd,min,max,quantile=0.05:0.5,histogram=40" or histogram=40:0:1; "summary" is mean, sd, min, max and
/// the quantiles 0.05, 0.25, 0.5, 0.75, 0.95. Throws Error.
Reduction parse_reduction(std::span<const std::string> texts);

struct Summary {
  std::size_t count = 0;  ///< of finite values; the others are left out
  // NaN without a value; sd is that of a sample (n − 1), NaN for fewer than two values
  double mean = 0, sd = 0, min = 0, max = 0;
  std::vector<double> quantiles = {};       ///< between neighbours linear (type 7 of Hyndman and Fan 1996)
  std::optional<Bins> bins = {};            ///< of the histogram
  std::vector<std::size_t> histogram = {};  ///< how many in each bin
  std::size_t below = 0, above = 0;         ///< outside of it
};
/// Of the values in this order, which are sorted afterwards. `range`: of a histogram without bounds.
Summary summarize(std::span<double> values, const Reduction& asked, std::pair<double, double> range);
/// Smallest and largest finite value; NaN without one.
std::pair<double, double> range_of(std::span<const double> values);

}  // namespace saltus
