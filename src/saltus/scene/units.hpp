// Units and dimensions: "9.81 m/s^2" is 9.81 with length 1 and time −2.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "saltus/expression/expression.hpp"

namespace saltus {

/// Exponents of kg, m, s, A, K; angles are pure numbers.
struct Dimension {
  std::array<double, 5> exponent{};

  bool operator==(const Dimension& other) const;
  friend Dimension operator*(const Dimension& a, const Dimension& b);
  friend Dimension operator/(const Dimension& a, const Dimension& b);
  Dimension power(double p) const;
  bool is_number() const { return *this == Dimension{}; }
};
std::string to_string(const Dimension& d);  ///< "kg m/s^2", or "a pure number"
std::string described(const Dimension& d);  ///< for messages: "kg m/s^2 (N)"

inline constexpr Dimension time_dimension{{0, 0, 1, 0, 0}};
inline constexpr Dimension length_dimension{{0, 1, 0, 0, 0}};
inline constexpr Dimension mass_dimension{{1, 0, 0, 0, 0}};
inline constexpr Dimension energy_dimension{{1, 2, -2, 0, 0}};

struct Unit {
  double factor = 1;  ///< to SI
  Dimension dimension;
};
/// "kg m^2/s^2", "N/m^1.5", "mm", "deg", "rpm", "1/s". Throws Error.
Unit parse_unit(std::string_view text);

/// The unit of a setting whose power is a setting itself: "N/m^p", "s*m^(1.5-beta)", "N^(1-p)".
std::string with_powers(std::string unit,
                        const std::function<std::optional<double>(std::string_view)>& setting);

/// "9.81 m/s^2" or "9.81"; nothing when the text is not a number with a unit behind it. Throws Error for a
/// number followed by a unit that is not known.
struct UnitNumber {
  double value = 0;  ///< SI
  bool has_unit = false;
  Dimension dimension;
  std::string unit;  ///< as written
};
std::optional<UnitNumber> parse_unit_number(std::string_view text);
/// Whether a unit, known or not, stands behind a number.
bool has_unit(std::string_view text);

/// The dimension of a formula, given those of its variables; nothing: any (the number 0, or what is not
/// known). Plain numbers, and values of functions, are pure
/// numbers, or fit everything. Throws Error with a caret where dimensions do
/// not fit.
std::optional<Dimension> dimension_of(const Expression& e,
                                      std::span<const std::optional<Dimension>> variables,
                                      bool numbers_fit_all = false);

}  // namespace saltus
