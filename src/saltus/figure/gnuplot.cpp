#include "saltus/figure/gnuplot.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "saltus/core/file/program.hpp"
#include "saltus/core/plain_text.hpp"

namespace saltus {
namespace {

std::string cut(std::string text, std::size_t longest) {
  if (text_width(text) <= longest) return text;
  std::size_t end = 0;
  for (std::size_t n = 1; n < longest; ++n) do
      ++end;
    while ((text[end] & 0xC0) == 0x80);
  return text.substr(0, end) + "…";
}

// In double quotes with every sign as an octal escape: gnuplot sees no quote, backquote, @ or backslash of
// the text's own. Digits too: it reads those behind an escape as a part of it. (Single quotes
// will not do: its scanner reads a doubled one at the beginning as the end.)
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalpha(byte) || c == ' ')
      out += c;
    else
      out += fmt::format("\\{:03o}", byte);
  }
  return out + '"';
}

}  // namespace

std::string gnuplot_text(std::string_view text, std::size_t longest) {
  return literal(cut(plain_text(text), longest));
}

std::string gnuplot_tic_text(std::string_view text, std::size_t longest) {
  std::string out;
  for (char c : cut(plain_text(text), longest)) out += c == '%' ? std::string("%%") : std::string(1, c);
  return literal(out);
}

std::string find_gnuplot() {
  return find_program("gnuplot");
}

Picture run_gnuplot(const std::string& script) {
  Picture picture;
  const std::string program = find_gnuplot();
  if (program.empty()) {
    picture.trouble = "no figure was drawn: gnuplot is not installed; install it (package gnuplot-nox)";
    return picture;
  }
  ProgramEnd end = run_program(program, {"-d"}, script);
  picture.bytes = std::move(end.output);
  if (end.trouble.empty()) return picture;
  picture.bytes.clear();
  picture.trouble = fmt::format("no figure was drawn: {}", end.trouble);
  return picture;
}

}  // namespace saltus
