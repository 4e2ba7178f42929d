// What ./dev fuzz found and kept, once more, and a short run of changes to it: the same on every machine.
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::string> inputs() {
  const std::filesystem::path tests = std::filesystem::path(SALTUS_TEST_DATA).parent_path();
  std::vector<std::filesystem::path> files;
  for (const auto& folder : {tests / "fuzz/corpus", tests.parent_path() / "examples/scenes"})
    for (const auto& f : std::filesystem::directory_iterator(folder)) files.push_back(f.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const auto& f : files) {
    std::ifstream in(f, std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

// Seconds of the processor it took. Throws what the reader throws beside Error.
double answer(const std::string& text) {
  const std::clock_t start = std::clock();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(SceneReader, AnswersEverythingThatFuzzingFound) {
  const auto all = inputs();
  ASSERT_GT(all.size(), 50u);
  for (const auto& text : all) EXPECT_LT(answer(text), 5) << text;
}

TEST(SceneReader, AnswersChangedScenes) {
  const auto all = inputs();
  std::mt19937 random(8);  // the same numbers everywhere, unlike those of distributions
  const auto below = [&](std::size_t n) { return random() % n; };
  const auto piece = [&](const std::string& from) {
    const std::size_t at = below(from.size() + 1);
    return from.substr(at, below(30));
  };
  const std::string bytes = "{}[]:,'\"|>&*!#%@`-+*/^().\n 019azm\t\x01\xc3\xa9";
  for (int k = 0; k < 3000; ++k) {
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
    ASSERT_LT(answer(text), 5) << text;
  }
}

}  // namespace
