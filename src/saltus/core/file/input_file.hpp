// Files that are read whole, up to a size that is believable: a device, a pipe without an end or a file of
// many gigabytes is refused before it fills the memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace saltus {

/// All bytes of a file. Throws Error, with the reason of the system, when it cannot be read or has more than
/// `most` bytes. When the file does not begin with `head`, reading ends after its first piece: the caller
/// sees that from the bytes, however long the file is.
std::string read_file(const std::string& file, std::size_t most, std::string_view head = {});

/// The lines of a file, one at a time.
class LineReader {
 public:
  enum class Found : std::uint8_t { line, cut, end };  ///< cut: the file ends within this line

  /// Throws Error when the file cannot be opened.
  LineReader(std::string file, std::size_t longest);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line without its end. Throws Error when it has more than `longest` bytes.
  Found next(std::string& line);
  std::int64_t number() const { return number_; }  ///< of the last line, from 1

 private:
  std::string file_, buffer_;
  std::size_t longest_, at_ = 0;
  std::int64_t number_ = 0;
  int descriptor_;
  bool ended_ = false;
};

}  // namespace saltus
