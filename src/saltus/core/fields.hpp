// One list of fields per options struct feeds command-line keys, scene files, checks, listings and the
// manual.
//
//   struct MoreauJean {
//     static constexpr std::string_view name = "moreau-jean", summary = "…";
//     double theta = 0.5;
//     template <class V> void fields(V&& v) { v(FieldInfo{"theta", "", "implicitness", Range::closed(0, 1)},
//     theta); }
//   };
//
// A field is a double, an int, a bool, or an enum with a list of names.
#pragma once
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/types.hpp"

namespace saltus {

/// Which numbers a field accepts. NaN is never accepted.
struct Range {
  double low = -infinity, high = infinity;
  bool includes_low = false, includes_high = false;

  static constexpr Range any() { return {}; }
  static constexpr Range positive() { return {0, infinity, false, false}; }
  static constexpr Range non_negative() { return {0, infinity, true, false}; }
  static constexpr Range negative() { return {-infinity, 0, false, false}; }
  static constexpr Range closed(double a, double b) { return {a, b, true, true}; }
  static constexpr Range at_least(double a) { return {a, infinity, true, false}; }

  bool contains(double x) const {
    return (x > low || (includes_low && x == low)) && (x < high || (includes_high && x == high));
  }
};
std::string to_string(const Range& range);

struct FieldInfo {
  std::string_view name, unit, help;
  Range range = Range::any();
};
using Names = std::span<const std::string_view>;

struct FieldDescription {
  std::string name, unit, help, value, allowed;
  bool is_number = true;
};

// ---- text to value, with an error that names the field
// ------------------------------------------------------
double parse_number(std::string_view text, std::string_view field);
std::int64_t parse_integer(std::string_view text, std::string_view field);
bool parse_flag(std::string_view text, std::string_view field);
/// "did you mean …?" or nothing: the nearest of `known` to `word`
std::string suggestion(std::string_view word, std::span<const std::string> known);
/// The first names of a list, for messages.
std::string listed(std::span<const std::string> names);
std::string number_text(double x);  ///< shortest text that reads back as x
[[noreturn]] void fail_range(std::string_view owner, const FieldInfo& info, double value);

template <class Spec>
std::vector<FieldDescription> describe(Spec spec) {
  std::vector<FieldDescription> out;
  spec.fields([&]<class T>(const FieldInfo& i, T& value, Names names = {}) {
    FieldDescription d{std::string(i.name), std::string(i.unit), std::string(i.help), {}, {}, true};
    if constexpr (std::is_enum_v<T>) {
      d.is_number = false;
      d.value = names[static_cast<std::size_t>(value)];
      d.allowed = fmt::format("{}", fmt::join(names, "|"));
    } else if constexpr (std::same_as<T, bool>) {
      d.is_number = false;
      d.value = value ? "true" : "false";
      d.allowed = "true|false";
    } else {
      d.value = number_text(static_cast<double>(value));
      d.allowed = to_string(i.range);
    }
    out.push_back(std::move(d));
  });
  return out;
}

/// Throws Error naming owner, field, value and what is allowed.
template <class Spec>
void check(Spec spec) {
  spec.fields([&]<class T>(const FieldInfo& i, T& value, Names = {}) {
    if constexpr (!std::is_enum_v<T> && !std::same_as<T, bool>)
      if (!i.range.contains(static_cast<double>(value)))
        fail_range(Spec::name, i, static_cast<double>(value));
  });
}

template <class Spec>
void set_field(Spec& spec, std::string_view key, std::string_view text) {
  bool found = false;
  std::vector<std::string> known;
  spec.fields([&]<class T>(const FieldInfo& i, T& value, Names names = {}) {
    known.emplace_back(i.name);
    if (i.name != key) return;
    found = true;
    const std::string field = fmt::format("{}.{}", Spec::name, i.name);
    if constexpr (std::is_enum_v<T>) {
      for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == text) {
          value = static_cast<T>(k);
          return;
        }
      fail("{} = {}: not one of {}", field, text, fmt::join(names, ", "));
    } else if constexpr (std::same_as<T, bool>) {
      value = parse_flag(text, field);
    } else {
      if constexpr (std::integral<T>)
        value = static_cast<T>(parse_integer(text, field));
      else
        value = parse_number(text, field);
      if (!i.range.contains(static_cast<double>(value)))
        fail_range(Spec::name, i, static_cast<double>(value));
    }
  });
  if (!found) {
    if constexpr (requires { Spec::renamed; })
      for (const auto& [old, now] : Spec::renamed)
        if (old == key) fail("{}.{} is called {} now", Spec::name, old, now);
    fail("{} has no field '{}'{}; its fields are: {}", Spec::name, key, suggestion(key, known),
         known.empty() ? "(none)" : fmt::format("{}", fmt::join(known, ", ")));
  }
}

/// "name:key=value,…" with every field.
template <class Spec>
std::string to_text(const Spec& spec) {
  std::string out(Spec::name);
  char mark = ':';
  for (const auto& d : describe(spec)) {
    fmt::format_to(std::back_inserter(out), "{}{}={}", mark, d.name, d.value);
    mark = ',';
  }
  return out;
}

/// Splits "name:key=value,…"; throws on a part without '='.
struct SpecText {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;
};
SpecText split_spec(std::string_view text);

// ---- a variant of options structs
// ---------------------------------------------------------------------------
template <class Variant, class F>
void for_each_alternative(F&& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (f(std::variant_alternative_t<k, Variant>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

/// The alternative called "name" with the settings of "name:key=value,…"; `what` names the list in errors.
template <class Variant>
Variant parse_spec(std::string_view text, std::string_view what) {
  const SpecText parts = split_spec(text);
  std::optional<Variant> found;
  std::vector<std::string> known;
  for_each_alternative<Variant>([&]<class Spec>(Spec spec) {
    known.emplace_back(Spec::name);
    if (Spec::name != parts.name) return;
    for (const auto& [key, value] : parts.settings) set_field(spec, key, value);
    found = spec;
  });
  if (!found) {
    fail("unknown {} '{}'{}; known: {}", what, parts.name, suggestion(parts.name, known),
         fmt::join(known, ", "));
  }
  return *found;
}

template <class... Specs>
std::string to_text(const std::variant<Specs...>& spec) {
  return std::visit([](const auto& s) { return to_text(s); }, spec);
}
template <class... Specs>
void set_field(std::variant<Specs...>& spec, std::string_view key, std::string_view text) {
  std::visit([&](auto& s) { set_field(s, key, text); }, spec);
}
template <class... Specs>
void check(const std::variant<Specs...>& spec) {
  std::visit([](const auto& s) { check(s); }, spec);
}

}  // namespace saltus
