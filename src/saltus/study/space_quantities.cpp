#include "saltus/study/space_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace saltus {
namespace {

constexpr std::string_view axis_letters = "xyz", final_state = "final.";

// Entry (row, column) of the rotation R(p) of a body.
std::string turn_entry(const std::string& body, std::size_t row, std::size_t column) {
  const auto p = [&](std::size_t k) {
    return fmt::format("{}{}.q{}", final_state, body, axis_letters[k % 3]);
  };
  if (row == column) return fmt::format("(1 - 2*({}^2 + {}^2))", p(row + 1), p(row + 2));
  return fmt::format("(2*({}*{} {} {}{}.qw*{}))", p(row), p(column), (row + 1) % 3 == column ? "-" : "+",
                     final_state, body, p(3 - row - column));
}

// What a name stands for; nothing: it is none of these.
std::optional<std::string> space_meaning(std::string_view name, std::span<const std::string> coordinates) {
  if (!name.starts_with(final_state)) return {};
  name.remove_prefix(final_state.size());
  const auto turns = [&](const std::string& body) {
    return std::find(coordinates.begin(), coordinates.end(), body + ".qw") != coordinates.end();
  };
  constexpr std::string_view between = "distance(";
  if (name.starts_with(between)) {
    const auto comma = name.find(','), end = name.find(')');
    if (comma == std::string_view::npos || end == std::string_view::npos) return {};
    const std::string a(name.substr(between.size(), comma - between.size())),
        b(name.substr(comma + 1, end - comma - 1));
    if (end + 1 != name.size() || !turns(a) || !turns(b)) return {};
    const auto d = [&](char c) { return fmt::format("{0}{1}.{3} - {0}{2}.{3}", final_state, a, b, c); };
    return fmt::format("hypot(hypot({}, {}), {})", d('x'), d('y'), d('z'));
  }
  if (name.size() < 8) return {};
  const auto component = axis_letters.find(name.back());
  if (component == std::string_view::npos) return {};
  if (const auto at = name.size() - 8; name.substr(at).starts_with(".axis")) {
    const std::string body(name.substr(0, at));
    const char k = name[at + 5];
    if (k >= '1' && k <= '3' && name[at + 6] == '.' && turns(body))
      return turn_entry(body, component, static_cast<std::size_t>(k - '1'));
  }
  if (const auto at = name.size() - 7; name.substr(at).starts_with(".spin.")) {
    const std::string body(name.substr(0, at));
    if (!turns(body)) return {};
    std::string sum;
    for (std::size_t k = 0; k < 3; ++k)
      sum += fmt::format("{}{}*{}{}.w{}", k > 0 ? " + " : "", turn_entry(body, component, k), final_state,
                         body, axis_letters[k]);
    return "(" + sum + ")";
  }
  return {};
}

}  // namespace

Expression with_space_quantities(const Expression& formula, std::span<const std::string> coordinates) {
  const auto known = [&](const auto& v) { return space_meaning(v.name, coordinates).has_value(); };
  if (std::none_of(formula.variables().begin(), formula.variables().end(), known)) return formula;
  const auto starts = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto goes_on = [&](char c) { return starts(c) || (c >= '0' && c <= '9') || c == '.' || c == '\''; };
  const std::string& text = formula.text();
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!starts(text[i])) {
      const bool number = goes_on(text[i]);  // with its exponent
      out += text[i++];
      while (number && i < text.size() && goes_on(text[i])) out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && goes_on(text[end])) ++end;
    std::string name = text.substr(i, end - i);
    if (name == "final.distance") {  // its arguments are part of the name, without spaces
      const auto close = text.find(')', end);
      for (std::size_t k = end; close != std::string::npos && k <= close; ++k)
        if (text[k] != ' ') name += text[k];
      if (close != std::string::npos) end = close + 1;
    }
    const auto means = space_meaning(name, coordinates);
    out += means ? *means : text.substr(i, end - i);
    i = end;
  }
  return Expression::parse(out);
}

}  // namespace saltus
