#include "saltus/core/file/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/file/descriptor.hpp"

namespace saltus {
namespace {

constexpr std::size_t piece = 1 << 16;

int open_to_read(const std::string& file, struct stat& found) {
  const int id = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (id < 0) fail("cannot read '{}': {}", file, errno == ENOENT ? "no such file" : std::strerror(errno));
  if (::fstat(id, &found) != 0 || S_ISDIR(found.st_mode)) {
    ::close(id);
    fail("cannot read '{}': it is a folder; name a file", file);
  }
  return id;
}

// Appends the next piece; false at the end of the file.
bool read_piece(int id, const std::string& file, std::string& text, std::size_t size = piece) {
  const std::size_t before = text.size();
  text.resize(before + size);
  ssize_t n = 0;
  do n = ::read(id, text.data() + before, size);
  while (n < 0 && errno == EINTR);
  if (n < 0) fail("reading '{}' failed: {}", file, std::strerror(errno));
  text.resize(before + static_cast<std::size_t>(n));
  return n > 0;
}

}  // namespace

std::string read_file(const std::string& file, std::size_t most, std::string_view head) {
  struct stat found {};
  const Descriptor in{open_to_read(file, found)};
  std::string text;
  while (text.size() < std::max<std::size_t>(head.size(), 1) && read_piece(in.fd, file, text)) {
  }
  if (!head.empty() && !text.starts_with(head)) return text;
  const auto refuse = [&](double bytes) {
    fail("'{}' has {} {:.0f} MB; at most {:.0f} MB are read", file, S_ISREG(found.st_mode) ? "" : "more than",
         bytes / 1e6, static_cast<double>(most) / 1e6);
  };
  const auto size = S_ISREG(found.st_mode) ? static_cast<std::size_t>(found.st_size) : 0;
  if (size > most) refuse(static_cast<double>(size));
  text.reserve(size + 1);
  while (
      text.size() <= most &&
      read_piece(in.fd, file, text, std::clamp(size + 1 - std::min(size, text.size()), piece, 64 * piece))) {
  }
  if (text.size() > most) refuse(static_cast<double>(most));
  return text;
}

LineReader::LineReader(std::string file, std::size_t longest) : file_(std::move(file)), longest_(longest) {
  struct stat found {};
  descriptor_ = open_to_read(file_, found);
}

LineReader::~LineReader() {
  ::close(descriptor_);
}

LineReader::Found LineReader::next(std::string& line) {
  std::size_t looked = at_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', looked);
    if (std::min(end, buffer_.size()) - at_ > longest_)
      fail("{}:{}: the line has more than {} bytes; the file is damaged or of another kind", file_,
           number_ + 1, longest_);
    if (end != std::string::npos) {
      line.assign(buffer_, at_, end - at_);
      at_ = end + 1, ++number_;
      return Found::line;
    }
    if (ended_) break;
    looked = buffer_.size() - at_;
    buffer_.erase(0, std::exchange(at_, 0));
    ended_ = !read_piece(descriptor_, file_, buffer_);
  }
  if (at_ == buffer_.size()) return Found::end;
  line.assign(buffer_, at_);
  at_ = buffer_.size(), ++number_;
  return Found::cut;
}

}  // namespace saltus
