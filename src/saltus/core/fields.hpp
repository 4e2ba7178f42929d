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
// A field is a double, an int, a bool, an enum with a list of names, or a NumberList, written a:b:c.
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

/// One number for all, or one for each.
struct NumberList {
  std::vector<double> values{0.0};
  NumberList(double x = 0) : values{x} {}  // NOLINT(google-explicit-constructor): a number is such a list
  explicit NumberList(std::vector<double> each) : values(std::move(each)) {}
  bool single() const { return values.size() == 1; }
  double operator[](std::size_t k) const { return values[single() ? 0 : k]; }
  bool operator==(const NumberList&) const = default;
};

struct FieldDescription {
  std::string name, unit, help, value, allowed;
  bool is_number = true;
  bool is_list = false;  ///< takes a:b:c too
};

// ---- text to value, with an error that names the field
// ------------------------------------------------------
double parse_number(std::string_view text, std::string_view field);
std::int64_t parse_integer(std::string_view text, std::string_view field);
bool parse_flag(std::string_view text, std::string_view field);
/// "did you mean …?" or nothing: the nearest of `known` to `word`
std::string suggestion(std::string_view word, std::span<const std::string> known);
[[noreturn]] void fail_unknown(std::string_view what, std::string_view name,
                               std::span<const std::string> known);
/// The first names of a list, for messages.
std::string listed(std::span<const std::string> names);
std::string number_text(double x);  ///< shortest text that reads back as x
[[noreturn]] void fail_range(std::string_view owner, const FieldInfo& info, double value);

/// A field with its type erased: what describes, checks and sets fields is compiled once, not for every
/// struct. Values go through a double, which holds every int, flag and index of an enum.
class Field {
 public:
  enum class Kind { number, whole, flag, choice, list };

  template <class T>
  Field(const FieldInfo& i, T& value, Names choices)
      : info(i), names(choices), kind(kind_of<T>()), at_(&value), get_(get_as<T>), set_(set_as<T>) {}

  double value() const { return get_(at_); }
  void set(double x) const { set_(at_, x); }
  bool is_number() const { return kind == Kind::number || kind == Kind::whole; }
  NumberList& list() const { return *static_cast<NumberList*>(at_); }  ///< of that kind

  FieldInfo info;
  Names names;
  Kind kind;

 private:
  template <class T>
  static constexpr Kind kind_of() {
    return std::is_enum_v<T>             ? Kind::choice
           : std::same_as<T, bool>       ? Kind::flag
           : std::is_integral_v<T>       ? Kind::whole
           : std::same_as<T, NumberList> ? Kind::list
                                         : Kind::number;
  }
  template <class T>
  static double get_as(const void* at) {
    if constexpr (std::same_as<T, NumberList>)
      return static_cast<const T*>(at)->values.front();
    else
      return static_cast<double>(*static_cast<const T*>(at));
  }
  template <class T>
  static void set_as(void* at, double x) {
    if constexpr (std::floating_point<T> || std::same_as<T, NumberList>)
      *static_cast<T*>(at) = x;
    else
      *static_cast<T*>(at) = static_cast<T>(static_cast<std::int64_t>(x));
  }

  void* at_;
  double (*get_)(const void*);
  void (*set_)(void*, double);
};
using Fields = std::vector<Field>;
using RenamedField = std::pair<std::string_view, std::string_view>;  // old name, new name

std::vector<FieldDescription> describe_fields(const Fields& fields);
void check_fields(std::string_view owner, const Fields& fields);
void set_field_of(std::string_view owner, const Fields& fields, std::span<const RenamedField> renamed,
                  std::string_view key, std::string_view text);
std::string fields_text(std::string_view owner, const Fields& fields);

template <class Spec>
Fields fields_of(Spec& spec) {
  Fields out;
  spec.fields(
      [&]<class T>(const FieldInfo& i, T& value, Names names = {}) { out.emplace_back(i, value, names); });
  return out;
}

template <class Spec>
std::vector<FieldDescription> describe(Spec spec) {
  return describe_fields(fields_of(spec));
}

/// Throws Error naming owner, field, value and what is allowed.
template <class Spec>
void check(Spec spec) {
  check_fields(Spec::name, fields_of(spec));
}

template <class Spec>
constexpr std::span<const RenamedField> renamed_fields() {
  if constexpr (requires { Spec::renamed; })
    return Spec::renamed;
  else
    return {};
}
template <class Spec>
void set_field(Spec& spec, std::string_view key, std::string_view text) {
  set_field_of(Spec::name, fields_of(spec), renamed_fields<Spec>(), key, text);
}

/// "name:key=value,…" with every field.
template <class Spec>
std::string to_text(const Spec& spec) {
  Spec copy = spec;
  return fields_text(Spec::name, fields_of(copy));
}

/// Splits "name:key=value,…"; throws on a part without '='.
struct SpecText {
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;
};
SpecText split_spec(std::string_view text);
/// The parts of a list, a:b:c.
std::vector<std::string_view> list_parts(std::string_view text);

// ---- a variant of options structs: headers of large ones declare what follows `extern` and one source
// compiles it
// ---------------------------------------------------------------------------
template <class Variant, class F>
void for_each_alternative(F&& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (f(std::variant_alternative_t<k, Variant>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Variant>>{});
}

/// Of the alternative that it holds. What describes, checks or prints a variant instantiates the fields of no
/// alternative.
template <class... Specs>
Fields fields_of(std::variant<Specs...>& spec) {
  return std::visit([](auto& s) { return fields_of(s); }, spec);
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
  if (!found) fail_unknown(what, parts.name, known);
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
