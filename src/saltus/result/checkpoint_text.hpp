// Lines of a checkpoint: "key value" or "key count numbers…". The last line is a checksum of all before it.
// The reader believes nothing: each number is one of its type, lists grow with the numbers that are there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/types.hpp"

namespace saltus::detail {

class CheckpointWriter {
 public:
  CheckpointWriter();
  /// A text, with line breaks and backslashes escaped.
  void text(std::string_view key, std::string_view value);
  void open(std::string_view key) { out_ += key; }
  void word(double x);
  void word(std::uint64_t x);
  void word(std::int64_t x);
  void word(int x) { word(std::int64_t{x}); }
  void close() { out_ += '\n'; }
  template <class... T>
  void line(std::string_view key, const T&... words) {
    open(key), (word(words), ...), close();
  }
  /// Its length, then the numbers.
  template <class List>
  void list(std::string_view key, const List& values) {
    open(key), word(static_cast<std::uint64_t>(values.size()));
    for (const auto& x : values) word(x);
    close();
  }
  /// With the checksum. Throws Error when it is longer than what is read again.
  const std::string& finish();

 private:
  std::string out_;
};

class CheckpointReader {
 public:
  /// Reads all of the file and checks its kind and its checksum. Throws Error.
  explicit CheckpointReader(std::string file);

  std::string text(std::string_view key);
  /// The next line, which must begin with that key; close() when its words were taken.
  void open(std::string_view key);
  void close();
  /// Whether the next line begins with that key.
  bool next_is(std::string_view key) const;
  double number();  ///< any, also infinite
  std::uint64_t natural(std::uint64_t most = UINT64_MAX);
  std::int64_t count() { return static_cast<std::int64_t>(natural(std::uint64_t{1} << 53)); }
  bool flag() { return natural(1) == 1; }
  /// The number of entries that follow, of `words` words each: no more than the line has room for.
  std::size_t entries(std::size_t words = 1);

  Vec vector(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::vector<std::uint64_t> naturals(std::string_view key);
  /// Nothing may follow.
  void end();
  [[noreturn]] void wrong(std::string_view what) const;

 private:
  std::string_view word();

  std::string file_, bytes_;
  std::string_view rest_, line_;  // lines, words that are not read yet
  std::int64_t number_ = 0;
};

}  // namespace saltus::detail
