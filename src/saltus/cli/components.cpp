#include "saltus/cli/components.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus::cli {

std::vector<int> parse_components(const std::string& text, std::span<const std::string> names, std::int64_t n,
                                  std::string_view option) {
  std::vector<int> out;
  std::string rest = text.empty() ? "" : text + ",";
  for (std::size_t end; (end = rest.find(',')) != std::string::npos; rest.erase(0, end + 1)) {
    std::string word = rest.substr(0, end);
    word.erase(0, word.find_first_not_of(' '));
    if (const auto at = std::find(names.begin(), names.end(), word); at != names.end()) {
      out.push_back(static_cast<int>(at - names.begin()));
      continue;
    }
    if (!names.empty() && word.find_first_not_of("0123456789") != std::string::npos)
      fail("{} {}: no such coordinate{}", option, word, suggestion(word, names));
    const std::int64_t k = parse_integer(word, option);
    if (k < 0 || k >= n) fail("{} {}: there are components 0 to {}", option, k, n - 1);
    out.push_back(static_cast<int>(k));
  }
  return out;
}

}  // namespace saltus::cli
