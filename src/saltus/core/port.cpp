#include "saltus/core/port.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

namespace saltus::port {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool starts_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(text[i]) != word[i]) return false;
  return true;
}

// Characters of a number at the front of the text, 0 where there is none, and whether a digit of its mantissa
// is not 0.
struct Decimal {
  std::size_t size = 0;
  bool is_zero = true;
};
Decimal decimal(std::string_view text) {
  Decimal out;
  std::size_t at = 0, digits = 0;
  const auto run = [&] {
    for (; at < text.size() && is_digit(text[at]); ++at, ++digits) out.is_zero &= text[at] == '0';
  };
  run();
  if (at < text.size() && text[at] == '.') ++at, run();
  if (digits == 0) return {};
  out.size = at;
  if (at == text.size() || lower(text[at]) != 'e') return out;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  if (at == text.size() || !is_digit(text[at])) return out;  // the e belongs to what follows
  while (at < text.size() && is_digit(text[at])) ++at;
  out.size = at;
  return out;
}

// Characters of "nan" with its optional (letters, digits, _)
std::size_t nan_size(std::string_view text) {
  if (text.size() < 4 || text[3] != '(') return 3;
  for (std::size_t at = 4; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ')') return at + 1;
    if (!is_digit(c) && c != '_' && !(lower(c) >= 'a' && lower(c) <= 'z')) break;
  }
  return 3;
}

}  // namespace

namespace fallback {

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  std::string_view text(first, static_cast<std::size_t>(last - first));
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  const auto special = [&](std::size_t size, double x) {
    value = minus ? -x : x;
    return std::from_chars_result{text.data() + size, std::errc()};
  };
  if (starts_with_word(text, "infinity")) return special(8, std::numeric_limits<double>::infinity());
  if (starts_with_word(text, "inf")) return special(3, std::numeric_limits<double>::infinity());
  if (starts_with_word(text, "nan")) return special(nan_size(text), std::numeric_limits<double>::quiet_NaN());

  const Decimal found = decimal(text);
  if (found.size == 0) return {first, std::errc::invalid_argument};
  const std::string copy(text.substr(0, found.size));
  const double x = std::strtod(copy.c_str(), nullptr);
  const char* end = text.data() + found.size;
  if (std::isinf(x) || (x == 0 && !found.is_zero)) return {end, std::errc::result_out_of_range};
  value = minus ? -x : x;
  return {end, std::errc()};
}

double beta(double a, double b) {
  return std::exp(std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b));
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace fallback

std::from_chars_result from_chars(const char* first, const char* last, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value);
#else
  return fallback::from_chars(first, last, value);
#endif
}

double beta(double a, double b) {
#ifdef __cpp_lib_math_special_functions
  return std::beta(a, b);
#else
  return fallback::beta(a, b);
#endif
}

double cpu_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID) && !defined(SALTUS_WITHOUT_SHELL) && !defined(__EMSCRIPTEN__)
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
  return fallback::steady_seconds();
}

}  // namespace saltus::port
