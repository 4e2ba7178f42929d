#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "saltus/core/checksum.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus::test_output_file {
namespace {

namespace fs = std::filesystem;

struct OutputFiles : ::testing::Test {
  fs::path folder;
  OutputFiles() {
    std::string name = (fs::temp_directory_path() / "saltus-output-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~OutputFiles() override { fs::remove_all(folder); }
  std::string path(const char* name) const { return (folder / name).string(); }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  auto entries() const { return std::distance(fs::directory_iterator(folder), {}); }
};

TEST_F(OutputFiles, AppearWholeOrNotAtAll) {
  const std::string file = path("a.txt");
  write_file(file, "old");
  {
    OutputFile out(file);
    out.write("new");
    EXPECT_EQ(content(file), "old");
  }
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(entries(), 1);
  const std::string large(1'000'000, 'x');
  OutputFile out(file);
  out.write("new ");
  out.write(large);
  out.write(" end");
  out.commit();
  EXPECT_EQ(content(file), "new " + large + " end");
  EXPECT_EQ(entries(), 1);
}

TEST_F(OutputFiles, FollowNoLinksOfOthers) {
  const std::string victim = path("victim"), file = path("a.txt");
  write_file(victim, "precious");
  fs::create_symlink(victim, file + ".part");
  fs::create_symlink(victim, file);
  write_file(file, "mine");
  EXPECT_EQ(content(victim), "precious");
  EXPECT_EQ(content(file), "mine");
}

TEST_F(OutputFiles, SayWhyTheyCannotBeWritten) {
  const auto message = [](const std::string& file) {
    try {
      write_file(file, std::string(100'000, 'x'));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("written");
  };
  EXPECT_NE(message(path("none/a.txt")).find("no such folder"), std::string::npos);
  EXPECT_NE(message(folder.string()).find("it is a folder"), std::string::npos);
  if (fs::exists("/dev/full")) {
    EXPECT_NE(message("/dev/full").find("the disk is full"), std::string::npos);
  }
  EXPECT_EQ(message("/dev/null"), "written");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));  // it was not replaced
}

TEST(Checksum, ChangesWithEveryByteAndCanBeContinued) {
  const std::string text = "saltus checkpoint";
  EXPECT_EQ(checksum("b", checksum("a")), checksum("ab"));
  for (std::size_t i = 0; i < text.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[i] = static_cast<char>(other[i] ^ (1 << bit));
      EXPECT_NE(checksum(other), checksum(text));
    }
}

}  // namespace
}  // namespace saltus::test_output_file
