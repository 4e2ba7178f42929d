#include "saltus/scene/units.hpp"

#include <cmath>
#include <numbers>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/core/port.hpp"

namespace saltus {
namespace {

struct Known {
  std::string_view name;
  double factor;
  Dimension dimension;
  bool prefixes;
};
constexpr double pi = std::numbers::pi;
const Known known_units[] = {{"m", 1, {{0, 1}}, true},
                             {"g", 1e-3, {{1}}, true},
                             {"s", 1, {{0, 0, 1}}, true},
                             {"A", 1, {{0, 0, 0, 1}}, true},
                             {"K", 1, {{0, 0, 0, 0, 1}}, true},
                             {"N", 1, {{1, 1, -2}}, true},
                             {"J", 1, {{1, 2, -2}}, true},
                             {"W", 1, {{1, 2, -3}}, true},
                             {"Pa", 1, {{1, -1, -2}}, true},
                             {"V", 1, {{1, 2, -3, -1}}, true},
                             {"Hz", 1, {{0, 0, -1}}, true},
                             {"min", 60, {{0, 0, 1}}, false},
                             {"h", 3600, {{0, 0, 1}}, false},
                             {"t", 1e3, {{1}}, false},
                             {"rad", 1, {}, true},
                             {"deg", pi / 180, {}, false},
                             {"°", pi / 180, {}, false},
                             {"rev", 2 * pi, {}, false},
                             {"rpm", 2 * pi / 60, {{0, 0, -1}}, false},
                             {"%", 0.01, {}, false},
                             {"1", 1, {}, false}};
constexpr std::pair<std::string_view, double> prefixes[] = {{"k", 1e3},  {"M", 1e6},  {"G", 1e9},
                                                            {"c", 1e-2}, {"d", 1e-1}, {"m", 1e-3},
                                                            {"u", 1e-6}, {"µ", 1e-6}, {"n", 1e-9}};

Unit unit_named(std::string_view word, std::string_view all) {
  for (const auto& u : known_units)
    if (u.name == word) return {u.factor, u.dimension};
  for (const auto& [prefix, factor] : prefixes)
    for (const auto& u : known_units)
      if (u.prefixes && word.starts_with(prefix) && word.substr(prefix.size()) == u.name)
        return {factor * u.factor, u.dimension};
  std::vector<std::string> names;
  for (const auto& u : known_units) names.emplace_back(u.name);
  fail("unknown unit '{}' in '{}'; known: {}, with the prefixes k M G c d m u n", word, all,
       fmt::join(names, " "));
}

// "9.81 m/s^2" in two: the number, and the text behind it without blanks ("" when there is none). Nothing
// when that text is no unit but goes on as a formula.
struct NumberText {
  double value = 0;
  bool representable = true;
  std::string_view unit;
};
std::optional<NumberText> split_number(std::string_view text) {
  NumberText out;
  const char *begin = text.data(), *end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [next, error] = port::from_chars(begin, end, out.value);
  if (error == std::errc::invalid_argument) return {};
  out.representable = error == std::errc();
  std::string_view rest(next, static_cast<std::size_t>(end - next));
  if (!rest.empty() && !std::isfinite(out.value)) return {};  // a name: infeed
  const std::size_t blanks = rest.find_first_not_of(' ');
  if (blanks == std::string_view::npos) return out;
  const bool word = rest[blanks] == '%' || rest[blanks] == '1' ||
                    static_cast<unsigned char>(rest[blanks]) >= 128 ||
                    std::isalpha(static_cast<unsigned char>(rest[blanks])) != 0;
  if (!word || (blanks == 0 && rest[0] == '1')) return {};
  rest.remove_prefix(blanks);
  for (const std::string_view operation : {"and ", "or "})
    if (rest.starts_with(operation)) return {};
  out.unit = rest;
  return out;
}

using Any = std::optional<Dimension>;

}  // namespace

bool Dimension::operator==(const Dimension& other) const {
  for (std::size_t k = 0; k < exponent.size(); ++k)
    if (std::abs(exponent[k] - other.exponent[k]) > 1e-9) return false;
  return true;
}
Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension out = a;
  for (std::size_t k = 0; k < out.exponent.size(); ++k) out.exponent[k] += b.exponent[k];
  return out;
}
Dimension Dimension::power(double p) const {
  Dimension out = *this;
  for (double& x : out.exponent) x *= p;
  return out;
}
Dimension operator/(const Dimension& a, const Dimension& b) {
  return a * b.power(-1);
}

std::string to_string(const Dimension& d) {
  constexpr std::string_view names[] = {"kg", "m", "s", "A", "K"};
  std::string above, below;
  for (std::size_t k = 0; k < d.exponent.size(); ++k) {
    const double p = d.exponent[k];
    if (std::abs(p) < 1e-9) continue;
    std::string& out = p > 0 ? above : below;
    out += fmt::format("{}{}", p > 0 ? (out.empty() ? "" : " ") : "/", names[k]);
    if (std::abs(std::abs(p) - 1) > 1e-9) out += fmt::format("^{:.6g}", std::abs(p));
  }
  if (above.empty() && below.empty()) return "a pure number";
  return (above.empty() ? "1" : above) + below;
}

std::string described(const Dimension& d) {
  constexpr std::pair<std::string_view, Dimension> names[] = {{"N", {{1, 1, -2}}},   {"J, N m", {{1, 2, -2}}},
                                                              {"W", {{1, 2, -3}}},   {"Pa", {{1, -1, -2}}},
                                                              {"N/m", {{1, 0, -2}}}, {"N s/m", {{1, 0, -1}}}};
  for (const auto& [name, known] : names)
    if (known == d) return fmt::format("{} ({})", to_string(d), name);
  return to_string(d);
}

Unit parse_unit(std::string_view text) {
  Unit out;
  double sign = 1;
  bool first = true;
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < text.size() && (text[at] == ' ' || text[at] == '*')) ++at;
  };
  for (skip(); at < text.size(); skip(), first = false) {
    if (text[at] == '/') {
      if (first) fail("a unit starts with a name, as in 1/s: '{}'", text);
      sign = -1, ++at, skip();
    } else {
      sign = 1;
    }
    const std::size_t start = at;
    while (at < text.size() && std::string_view(" */^").find(text[at]) == std::string_view::npos) ++at;
    if (at == start) fail("'{}': the name of a unit is missing", text);
    const Unit u = unit_named(text.substr(start, at - start), text);
    double power = 1;
    if (at < text.size() && text[at] == '^') {
      const auto [next, error] = port::from_chars(text.data() + at + 1, text.data() + text.size(), power);
      if (error != std::errc()) fail("'{}': a power is a number, as in m^2", text);
      at = static_cast<std::size_t>(next - text.data());
    }
    out.factor *= std::pow(u.factor, sign * power);
    out.dimension = out.dimension * u.dimension.power(sign * power);
  }
  if (first) fail("the unit is empty");
  return out;
}

std::string with_powers(std::string unit,
                        const std::function<std::optional<double>(std::string_view)>& setting) {
  constexpr std::string_view of_beta = "*m^(1.5-beta)", of_p = "N^(1-p)";
  if (unit == of_p) {
    const double power = 1 - setting("p").value_or(0.85);
    return power == 0 ? std::string() : "N^" + number_text(power);
  }
  if (unit.ends_with("^p")) unit.replace(unit.size() - 1, 1, number_text(setting("p").value_or(1)));
  if (!unit.ends_with(of_beta)) return unit;
  unit.resize(unit.size() - of_beta.size());
  const double power = 1.5 - setting("beta").value_or(1.5);
  if (power == 0) return unit;
  return unit + (power > 0 ? "*m^" : "/m^") + number_text(std::abs(power));
}

std::optional<UnitNumber> parse_unit_number(std::string_view text) {
  const auto split = split_number(text);
  if (!split) return {};
  if (!split->representable) fail("'{}': this number cannot be represented", text);
  UnitNumber out{split->value, !split->unit.empty(), {}, std::string(split->unit)};
  if (!out.has_unit) return out;
  const Unit u = parse_unit(split->unit);
  out.value *= u.factor;
  out.dimension = u.dimension;
  return out;
}

bool has_unit(std::string_view text) {
  const auto split = split_number(text);
  return split && !split->unit.empty();
}

std::optional<Dimension> dimension_of(const Expression& e,
                                      std::span<const std::optional<Dimension>> variables,
                                      bool numbers_fit_all) {
  using Op = Expression::Op;
  std::vector<Any> at;
  const auto nodes = e.nodes();
  for (const auto& n : nodes) {
    const auto both_alike = [&](std::string_view what) -> Any {
      const Any &a = at[n.a], &b = at[n.b];
      if (a && b && !(*a == *b))
        e.fail_at(n.at, fmt::format("{} of {} and {} do not fit", what, described(*a), described(*b)));
      return a ? a : b;
    };
    const auto pure = [&](const Any& d, std::string_view what) {
      if (d && !d->is_number())
        e.fail_at(n.at, fmt::format("{} is a pure number, not {}", what, described(*d)));
    };
    Any out = numbers_fit_all ? Any() : Dimension{};
    switch (n.op) {
      case Op::number:
        if (n.value == 0) out.reset();
        break;
      case Op::variable:
        out = variables[n.a];
        break;
      case Op::add:
      case Op::subtract:
        out = both_alike("the two terms");
        break;
      case Op::min:
      case Op::max:
      case Op::hypot:
        out = both_alike("the arguments");
        break;
      case Op::select:
        out = both_alike("the two branches");
        break;
      case Op::less:
      case Op::less_equal:
      case Op::equal:
        both_alike("the two sides");
        break;
      case Op::atan2:
        both_alike("the arguments");
        break;
      case Op::multiply:
      case Op::divide:
        if (!at[n.a] || !at[n.b])
          out.reset();
        else
          out = n.op == Op::multiply ? *at[n.a] * *at[n.b] : *at[n.a] / *at[n.b];
        break;
      case Op::power: {
        pure(at[n.b], "an exponent");
        if (!at[n.a])
          out.reset();
        else if (nodes[n.b].op == Op::number)
          out = at[n.a]->power(nodes[n.b].value);
        else
          pure(at[n.a], "what is raised to a power that is not a plain number");
        break;
      }
      case Op::sqrt:
        if (at[n.a])
          out = at[n.a]->power(0.5);
        else
          out.reset();
        break;
      case Op::negate:
      case Op::abs:
        out = at[n.a];
        break;
      case Op::sign:
      case Op::both:
      case Op::either:
      case Op::invert:
        break;
      default:
        pure(at[n.a], "the argument of a function");
    }
    at.push_back(out);
  }
  return at.back();
}

}  // namespace saltus
