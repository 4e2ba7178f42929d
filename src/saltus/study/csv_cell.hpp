// A text as a cell of a CSV file.
#pragma once
#include <algorithm>
#include <string>

namespace saltus {

/// In one line; in quotes where it holds commas or quotes.
inline std::string csv_cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace saltus
