#include "mechanisms/known_classes.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "saltus/core/error.hpp"

namespace saltus::mechanisms {
namespace {

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, mark);) {
    const auto begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    out.push_back(part.substr(begin, part.find_last_not_of(' ') - begin + 1));
  }
  return out;
}

std::vector<std::string> words(const std::string& text) {
  const auto out = split(text, ' ');
  return out == std::vector<std::string>{"*"} ? std::vector<std::string>{} : out;
}

bool allows(const std::vector<std::string>& list, const std::string& word) {
  return list.empty() || std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

bool KnownClass::matches(const Finding& f) const {
  const auto has = [&](const std::string& word) {
    return std::find(f.features.begin(), f.features.end(), word) != f.features.end();
  };
  return allows(judges, f.judge) && allows(schemes, f.scheme) && allows(steppings, f.stepping) &&
         allows(kinds, f.kind) && std::all_of(features.begin(), features.end(), [&](const std::string& w) {
           return w[0] == '!' ? !has(w.substr(1)) : has(w);
         });
}

std::vector<KnownClass> read_known_classes(const std::string& file) {
  std::ifstream in(file);
  if (!in) fail("{}: cannot be read", file);
  std::vector<KnownClass> out;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(' ') == std::string::npos || line[0] == '#') continue;
    const auto parts = split(line, '|');
    if (parts.size() != 7)
      fail("{}:{}: {} fields, expected 7: name | judges | schemes | steppings | kinds | features | reason",
           file, number, parts.size());
    out.push_back({parts[0], parts[6], words(parts[1]), words(parts[2]), words(parts[3]), words(parts[4]),
                   words(parts[5])});
  }
  return out;
}

const KnownClass* find_class(const std::vector<KnownClass>& classes, const Finding& f) {
  for (const auto& c : classes)
    if (c.matches(f)) return &c;
  return nullptr;
}

}  // namespace saltus::mechanisms
