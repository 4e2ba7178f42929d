#include "saltus/core/file/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr std::size_t buffer_size = 1 << 16;

// A device or a pipe has no beginning to go back to and must not be replaced.
bool is_special(const std::string& name) {
  struct stat found {};
  return ::stat(name.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

bool write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(descriptor, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    data += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

std::string system_reason(int error) {
  if (error == ENOENT) return "no such folder";
  if (error == ENOSPC || error == EDQUOT) return "the disk is full";
  return std::strerror(error);
}

int create_beside(const std::string& name, std::string_view ending, std::string& path) {
  std::random_device chance;
  for (int attempt = 0; attempt < 100; ++attempt) {
    path = fmt::format("{}.{:08x}{}", name, chance(), ending);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) return descriptor;
    if (errno != EEXIST) break;
  }
  fail("cannot write '{}': {}", name, system_reason(errno));
}

OutputFile::OutputFile(std::string name) : name_(std::move(name)) {
  struct stat found {};
  if (::stat(name_.c_str(), &found) == 0 && S_ISDIR(found.st_mode))
    fail("cannot write '{}': it is a folder; name a file", name_);
  if (is_special(name_)) {
    path_ = name_;
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) give_up("cannot write");
  } else {
    descriptor_ = create_beside(name_, ".part", path_);
    temporary_ = true;
  }
  buffer_.reserve(buffer_size);
}

OutputFile::OutputFile(OutputFile&& o) noexcept
    : name_(std::move(o.name_)),
      path_(std::move(o.path_)),
      buffer_(std::move(o.buffer_)),
      descriptor_(std::exchange(o.descriptor_, -1)),
      temporary_(std::exchange(o.temporary_, false)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_) ::unlink(path_.c_str());
}

void OutputFile::give_up(const char* what) {
  fail("{} '{}': {}", what, name_, system_reason(errno));
}

void OutputFile::flush() {
  if (!write_all(descriptor_, buffer_.data(), buffer_.size())) give_up("writing failed:");
  buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() < buffer_size) {
    buffer_ += bytes;
  } else if (!write_all(descriptor_, bytes.data(), bytes.size())) {
    give_up("writing failed:");
  }
}

void OutputFile::commit() {
  flush();
  // devices and pipes cannot be synced; a file must be on the disk before it replaces another
  if (temporary_ && ::fsync(descriptor_) != 0) give_up("writing failed:");
  if (::close(std::exchange(descriptor_, -1)) != 0) give_up("writing failed:");
  if (!temporary_) return;
  if (std::rename(path_.c_str(), name_.c_str()) != 0) give_up("cannot write");
  temporary_ = false;
}

void check_writable(const std::string& name) {
  if (!is_special(name)) OutputFile probe(name);
}

void write_file(const std::string& name, std::string_view bytes) {
  OutputFile out(name);
  out.write(bytes);
  out.commit();
}

}  // namespace saltus
