// One parameter that takes a list or a series of values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

struct SweepAxis {
  enum class Spacing : std::uint8_t { list, linear, logarithmic };
  std::string name;  ///< a parameter, h, t_end, scheme.FIELD, …
  Spacing spacing = Spacing::list;
  std::vector<std::string> list = {};  ///< as text: numbers, names; of Spacing::list
  double first = 0, last = 0;          ///< of a series, which is not stored
  std::size_t count = 0;

  std::size_t size() const { return spacing == Spacing::list ? list.size() : count; }
  /// As text, i < size().
  std::string value(std::size_t i) const;
};

/// "name=a:b:n" (equal distances), "name=log:a:b:n" (equal ratios), "name=list:v1,v2,…" or "name=value";
/// texts that hold commas are separated by semicolons. Throws Error.
SweepAxis parse_axis(std::string_view text);

inline constexpr std::size_t largest_sweep = 10'000'000;

}  // namespace saltus
