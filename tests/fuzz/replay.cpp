// What ./dev fuzz found and kept, once more, and a short run of changes to it: the same on every machine.
// The targets are one unit, in which each has an entry point of its own (tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "fuzz/replay.hpp"
#include "support/golden.hpp"

namespace {

namespace fs = std::filesystem;
using saltus::fuzz::Target;

// The corpus, and files of the tree that the target reads.
std::vector<std::string> inputs(const std::string& target) {
  const fs::path tests = saltus::testing::test_file("");
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& folder, const std::string& ending) {
    for (const auto& f : fs::directory_iterator(folder))
      if (f.is_regular_file() && f.path().string().ends_with(ending)) files.push_back(f.path());
  };
  add(tests / "fuzz/corpus" / target, "");
  if (target == "scene") add(tests / "../examples/scenes", ".yaml");
  if (target == "fcp") add(tests / "data", ".fcp");
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const auto& f : files) {
    std::ifstream in(f, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

// Seconds of the processor it took. Throws what the reader throws beside Error.
double answer(const Target& target, const std::string& text) {
  const std::clock_t start = std::clock();
  target.read(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// For messages: bytes that are no text as question marks.
std::string shown(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, 2000)) out += c == '\n' || (c >= ' ' && c <= '~') ? c : '?';
  return out;
}

class Replay : public ::testing::TestWithParam<Target> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, Replay, ::testing::ValuesIn(saltus::fuzz::targets()), [](const auto& target) {
  std::string name = target.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Replay, AnswersEverythingThatFuzzingFound) {
  const auto all = inputs(GetParam().name);
  ASSERT_GE(all.size(), 8u);
  for (const auto& text : all) EXPECT_LT(answer(GetParam(), text), 5) << shown(text);
}

TEST_P(Replay, AnswersChangedInputs) {
  const std::string target = GetParam().name;
  const auto all = inputs(target);
  std::mt19937 random(8);  // the same numbers everywhere, unlike those of distributions
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto piece = [&](const std::string& from) {
    const std::size_t at = below(from.size() + 1);
    return from.substr(at, below(30));
  };
  const std::string bytes = "{}[]:,'\"|>&*!#%@`-+*/^().\n 019azm\t\x01\xc3\xa9";
  const int count = target == "result" || target == "fclib" ? 500 : 3000;  // these are slow to open
  for (int k = 0; k < count; ++k) {
    std::string text = all[below(all.size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.insert(at, 1, bytes[below(bytes.size())]);
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, piece(text));
          break;
        default:
          text.insert(at, piece(all[below(all.size())]));
      }
    }
    ASSERT_LT(answer(GetParam(), text), 5) << shown(text);
  }
}

}  // namespace
