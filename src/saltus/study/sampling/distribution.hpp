// How a parameter is distributed: a function from (0, 1) to its values, the inverse of the distribution
// function, so that any points of the unit cube, random or of low discrepancy, become samples.
//
//   uniform(a, b)          a < b
//   loguniform(a, b)       the logarithm is uniform; 0 < a < b
//   normal(m, s)           mean and standard deviation; normal(m, s, a, b) is cut at a and b
//   lognormal(m, s)        the logarithm is normal(m, s)
//   triangular(a, c, b)    density from 0 at a up to c and down to 0 at b
//   integer(a, b)          whole numbers from a to b
//   choice(v, w, …)        one of these numbers or words; semicolons where words hold commas
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saltus {

class Distribution {
 public:
  /// Throws Error naming the distribution, what is wrong and what is allowed.
  static Distribution parse(std::string_view text);

  /// The value below which a share u of all lies, 0 <= u < 1, as text.
  std::string value(double u) const;
  /// The same as a number; of a choice, the place in the list.
  double number(double u) const;
  /// Smallest and largest value, infinite where there is none; of a choice, places in the list.
  std::pair<double, double> bounds() const;
  bool is_choice() const { return kind_ == Kind::choice; }
  const std::vector<std::string>& choices() const { return choices_; }

  enum class Kind : std::uint8_t { uniform, loguniform, normal, lognormal, triangular, integer, choice };

 private:
  void check(std::string_view text) const;

  Kind kind_ = Kind::uniform;
  std::vector<double> x_;  // the numbers in parentheses
  std::vector<std::string> choices_;
  double low_ = 0, span_ = 1;  // of u, where a normal distribution is cut
};

/// Inverse of the distribution function of the standard normal distribution for 0 < p < 1, to 1e-15:
/// algorithm AS 241 of M. J. Wichura, Appl. Statist. 37 (1988) 477–484.
double normal_quantile(double p);

}  // namespace saltus
