// A run with so many digits: the tolerance is tightened until the error bars are small enough.
#pragma once
#include "saltus/study/error_estimate.hpp"

namespace saltus {

struct DigitsFound {
  Method method;  ///< with the tolerance that gives them, or the last one tried
  /// What did not get there, each with the digits that it has and the reason: "height: 6 of 8 digits, …".
  std::vector<std::string> missing;
  int runs = 0;
};

/// Every measure, or without measures every coordinate at the end, is to have an error below 10^−digits of
/// its size. Begins with the tolerance of `c.method`, which must be one by tolerance. Ends early when the run
/// is interrupted or fails. `names` of the coordinates may be empty.
DigitsFound find_digits(const Measures& measures, MeasuredCase c, int digits, const RunControl& control,
                        std::span<const std::string> names = {});

}  // namespace saltus
