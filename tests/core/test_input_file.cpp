// Files are read up to a believable size, whatever lies under their name.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "saltus/core/file/input_file.hpp"
#include "support/errors.hpp"

namespace saltus::test_input_file {
namespace {

namespace fs = std::filesystem;
using testing::message_of;

class InputFile : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove(file_); }
  void write(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }
  std::string file_ = (fs::temp_directory_path() / ("saltus-in-" + std::to_string(getpid()))).string();
};

TEST_F(InputFile, AllBytesComeBack) {
  for (std::size_t n : {0, 1, 100, 65535, 65536, 65537, 1'000'000}) {
    std::string bytes(n, 'x');
    for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>(i * 7);
    write(bytes);
    EXPECT_EQ(read_file(file_, n), bytes) << n;
    if (n == 0) continue;
    EXPECT_NE(message_of([&] { read_file(file_, n - 1); }).find("at most"), std::string::npos) << n;
  }
}

TEST_F(InputFile, AnEndlessFileIsRefused) {
  EXPECT_NE(message_of([] { read_file("/dev/zero", 1'000'000); }).find("more than"), std::string::npos);
  EXPECT_LT(read_file("/dev/zero", std::size_t{1} << 40, "head").size(), 1'000'000u);  // of another kind
  LineReader lines("/dev/zero", 1'000'000);
  std::string line;
  EXPECT_NE(message_of([&] { lines.next(line); }).find("1000000 bytes"), std::string::npos);
}

TEST_F(InputFile, AHugeFileOfAnotherKindIsNotRead) {
  write("x");
  fs::resize_file(file_, std::uintmax_t{5} << 30);  // a hole: takes no room
  EXPECT_LT(read_file(file_, std::size_t{1} << 40, "head").size(), 1'000'000u);
  EXPECT_NE(message_of([&] { read_file(file_, std::size_t{1} << 30); }).find("at most"), std::string::npos);
}

TEST_F(InputFile, WhatIsNoFileIsNamed) {
  EXPECT_NE(message_of([] { read_file("no/such/file", 10); }).find("'no/such/file': no such file"),
            std::string::npos);
  EXPECT_NE(message_of([] { read_file("/", 10); }).find("folder"), std::string::npos);
  EXPECT_NE(message_of([] { LineReader("/", 10); }).find("folder"), std::string::npos);
}

TEST_F(InputFile, LinesComeOneByOneAndACutOneIsKnown) {
  using Found = LineReader::Found;
  const std::string longest(100'000, 'y');
  write("a\n\n" + longest + "\nrest");
  LineReader in(file_, longest.size());
  std::string line;
  for (const std::string& expected : {std::string("a"), std::string(), longest}) {
    ASSERT_EQ(in.next(line), Found::line);
    EXPECT_EQ(line, expected);
  }
  EXPECT_EQ(in.next(line), Found::cut);
  EXPECT_EQ(line, "rest");
  EXPECT_EQ(in.number(), 4);
  EXPECT_EQ(in.next(line), Found::end);
  LineReader shorter(file_, longest.size() - 1);
  EXPECT_EQ(shorter.next(line), Found::line);
  EXPECT_EQ(shorter.next(line), Found::line);
  EXPECT_NE(message_of([&] { shorter.next(line); }).find(":3: "), std::string::npos);
}

}  // namespace
}  // namespace saltus::test_input_file
