// Ways in which a text file gets damaged: flipped bits, lines that are lost, doubled or in another order.
#pragma once
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace saltus::testing {

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t a = 0; a < text.size();) {
    const std::size_t b = std::min(text.find('\n', a), text.size() - 1) + 1;
    out.push_back(text.substr(a, b - a));
    a = b;
  }
  return out;
}
inline std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& l : lines) out += l;
  return out;
}

/// Calls `see` with `n` damaged texts of every kind, always the same ones; each differs from the whole.
inline void each_damage(const std::string& whole, int n,
                        const std::function<void(const std::string&, const std::string&)>& see) {
  std::mt19937 random(4);
  const auto below = [&](std::size_t k) { return random() % k; };
  const auto differs = [&](const std::string& text, const std::string& what) {
    if (text != whole) see(text, what);
  };
  const auto lines = lines_of(whole);
  for (int k = 0; k < n; ++k) {
    std::string text = whole;
    const std::size_t at = below(text.size());
    text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    differs(text, "bit flipped in byte " + std::to_string(at));
    text = whole;
    text.erase(at, 1 + below(20));
    differs(text, "bytes lost from " + std::to_string(at));
    text = whole;
    text.insert(at, 1, "0179 \n\t.-"[below(9)]);
    differs(text, "byte added at " + std::to_string(at));
    const std::size_t i = below(lines.size()), j = below(lines.size());
    auto some = lines;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(i));
    differs(joined(some), "line lost: " + std::to_string(i));
    some = lines;
    some.insert(some.begin() + static_cast<std::ptrdiff_t>(j), lines[i]);
    differs(joined(some), "line doubled: " + std::to_string(i));
    some = lines;
    std::swap(some[i], some[j]);
    differs(joined(some), "lines swapped: " + std::to_string(i) + " " + std::to_string(j));
  }
}

}  // namespace saltus::testing
