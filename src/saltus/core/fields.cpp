#include "saltus/core/fields.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "saltus/core/port.hpp"

namespace saltus {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Damerau-free edit distance, capitals being the same; words here are short.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (lower(a[i - 1]) != lower(b[j - 1]))});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// a, or a:b:c
NumberList parse_list(std::string_view owner, const FieldInfo& info, std::string_view text) {
  std::vector<double> out;
  for (const std::string_view part : list_parts(text)) {
    out.push_back(parse_number(part, fmt::format("{}.{}", owner, info.name)));
    if (!info.range.contains(out.back())) fail_range(owner, info, out.back());
  }
  return NumberList(std::move(out));
}

std::string list_text(const NumberList& list) {
  std::string out;
  for (const double x : list.values) out += (out.empty() ? "" : ":") + number_text(x);
  return out;
}

void assign(std::string_view owner, const Field& f, std::string_view text) {
  const std::string field = fmt::format("{}.{}", owner, f.info.name);
  switch (f.kind) {
    case Field::Kind::choice: {
      const auto choice = std::find(f.names.begin(), f.names.end(), text);
      if (choice == f.names.end()) fail("{} = {}: not one of {}", field, text, fmt::join(f.names, ", "));
      return f.set(static_cast<double>(choice - f.names.begin()));
    }
    case Field::Kind::flag:
      return f.set(parse_flag(text, field));
    case Field::Kind::whole:
      f.set(static_cast<double>(parse_integer(text, field)));
      break;
    case Field::Kind::number:
      f.set(parse_number(text, field));
      break;
    case Field::Kind::list:
      f.list() = parse_list(owner, f.info, text);
      return;
  }
  if (!f.info.range.contains(f.value())) fail_range(owner, f.info, f.value());
}

}  // namespace

std::string to_string(const Range& r) {
  if (r.low == -infinity && r.high == infinity) return "any number";
  if (r.high == infinity) return fmt::format("{} {}", r.includes_low ? ">=" : ">", number_text(r.low));
  if (r.low == -infinity) return fmt::format("{} {}", r.includes_high ? "<=" : "<", number_text(r.high));
  return fmt::format("in {}{}, {}{}", r.includes_low ? '[' : '(', number_text(r.low), number_text(r.high),
                     r.includes_high ? ']' : ')');
}

std::string number_text(double x) {
  return fmt::format("{}", x);
}

void fail_range(std::string_view owner, const FieldInfo& info, double value) {
  fail(
      "{}.{} = {} is not allowed: {} must be {}", owner, info.name, number_text(value), info.name,
      info.range.low == -infinity && info.range.high == infinity ? "a finite number" : to_string(info.range));
}

std::vector<FieldDescription> describe_fields(const Fields& fields) {
  std::vector<FieldDescription> out;
  for (const Field& f : fields) {
    FieldDescription d{
        std::string(f.info.name), std::string(f.info.unit), std::string(f.info.help), {}, {}, f.is_number()};
    switch (f.kind) {
      case Field::Kind::choice:
        d.value = f.names[static_cast<std::size_t>(f.value())];
        d.allowed = fmt::format("{}", fmt::join(f.names, "|"));
        break;
      case Field::Kind::flag:
        d.value = f.value() != 0 ? "true" : "false";
        d.allowed = "true|false";
        break;
      case Field::Kind::list:
        d.value = list_text(f.list()), d.allowed = to_string(f.info.range) + ", or one for each: a:b:…";
        d.is_number = f.list().single(), d.is_list = true;
        break;
      default:
        d.value = number_text(f.value()), d.allowed = to_string(f.info.range);
    }
    out.push_back(std::move(d));
  }
  return out;
}

void check_fields(std::string_view owner, const Fields& fields) {
  for (const Field& f : fields)
    if (f.kind == Field::Kind::list) {
      for (const double x : f.list().values)
        if (!f.info.range.contains(x)) fail_range(owner, f.info, x);
    } else if (f.is_number() && !f.info.range.contains(f.value())) {
      fail_range(owner, f.info, f.value());
    }
}

void set_field_of(std::string_view owner, const Fields& fields, std::span<const RenamedField> renamed,
                  std::string_view key, std::string_view text) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.info.name == key; });
  if (found != fields.end()) return assign(owner, *found, text);
  for (const auto& [old, now] : renamed)
    if (old == key) fail("{}.{} is called {} now", owner, old, now);
  std::vector<std::string> known;
  for (const Field& f : fields) known.emplace_back(f.info.name);
  fail("{} has no field '{}'{}; its fields are: {}", owner, key, suggestion(key, known),
       known.empty() ? "(none)" : fmt::format("{}", fmt::join(known, ", ")));
}

std::string fields_text(std::string_view owner, const Fields& fields) {
  std::string out(owner);
  char mark = ':';
  for (const auto& d : describe_fields(fields)) {
    out += mark, out += d.name, out += '=', out += d.value;
    mark = ',';
  }
  return out;
}

double parse_number(std::string_view text, std::string_view field) {
  double value = 0;
  const char* first = text.data();
  const char* last = first + text.size();
  if (first != last && *first == '+') ++first;
  const auto [end, error] = port::from_chars(first, last, value);
  if (error != std::errc() || end != last || text.empty()) fail("{} = '{}': not a number", field, text);
  return value;
}

std::int64_t parse_integer(std::string_view text, std::string_view field) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail("{} = '{}': not a whole number", field, text);
  if (value > std::numeric_limits<int>::max() || value < std::numeric_limits<int>::min())
    fail("{} = {}: too large", field, text);
  return value;
}

bool parse_flag(std::string_view text, std::string_view field) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  fail("{} = '{}': neither true nor false", field, text);
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  if (word.empty() || word.size() > 80) return {};  // no slip of a finger
  const std::string* best = nullptr;
  std::size_t distance = (word.size() < 3 ? word.size() - 1 : std::max<std::size_t>(2, word.size() / 3)) + 1;
  for (const auto& k : known) {
    const std::size_t d = edit_distance(word, k);
    if (d < distance || (word.size() >= 3 && !best && k.find(word) != std::string::npos))
      best = &k, distance = d;
  }
  return best ? fmt::format(" (did you mean '{}'?)", *best) : std::string();
}

void fail_unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
  fail("unknown {} '{}'{}; known: {}", what, name, suggestion(name, known), fmt::join(known, ", "));
}
std::string listed(std::span<const std::string> names) {
  constexpr std::size_t shown = 40;
  std::string out = fmt::format("{}", fmt::join(names.first(std::min(shown, names.size())), ", "));
  if (names.size() > shown) out += fmt::format(", … ({} more)", names.size() - shown);
  return names.empty() ? "(none)" : out;
}

std::vector<std::string_view> list_parts(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

SpecText split_spec(std::string_view text) {
  SpecText out;
  const auto colon = text.find(':');
  out.name = text.substr(0, colon);
  if (colon == std::string_view::npos) return out;
  std::string_view rest = text.substr(colon + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      fail("'{}' in '{}': settings are written name:key=value,key=value", part, text);
    std::string key(part.substr(0, equals));
    for (const auto& [k, v] : out.settings)
      if (k == key) fail("'{}' is given twice in '{}'", key, text);
    out.settings.emplace_back(std::move(key), part.substr(equals + 1));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return out;
}

}  // namespace saltus
