#include "saltus/core/plain_text.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace saltus {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes of the character at the front of the text, 0 when it is none: too long, a surrogate, beyond the end
// of Unicode, cut off.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool bad = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                   (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return bad ? 0 : size;
}

}  // namespace

std::string plain_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = character(text);
    const std::string_view c = text.substr(0, std::max<std::size_t>(size, 1));
    text.remove_prefix(c.size());
    if (size == 0) {
      out += replacement;
    } else if (c == "\n" || c == "\r" || c == "\t") {
      out += ' ';
    } else if ((size == 1 && (static_cast<std::uint8_t>(c[0]) < 0x20 || c[0] == 0x7F)) ||
               (size == 2 && c[0] == '\xC2' && static_cast<std::uint8_t>(c[1]) < 0xA0) ||
               c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF") {
      continue;
    } else {
      out += c;
    }
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (char c : plain_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// The format is read by the compiler: only the writing of doubles is instantiated, not all of fmt.
void append(std::string& line, double x) {
  fmt::memory_buffer number;
  fmt::format_to(fmt::appender(number), FMT_COMPILE("{}"), x);
  line.append(number.data(), number.size());
}

}  // namespace saltus
