#include "saltus/core/file/disk_room.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace saltus {
namespace {

constexpr std::uint64_t ahead = 1 << 20;  // so that it is asked for rarely
constexpr const char* full = "the disk is full";

// 0, or the error of the system.
int allocate(int descriptor, std::uint64_t from, std::uint64_t to) {
#ifdef FALLOC_FL_KEEP_SIZE
  return ::fallocate(descriptor, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                     static_cast<off_t>(to - from)) == 0
             ? 0
             : errno;
#else
  return EOPNOTSUPP;
#endif
}

}  // namespace

std::string DiskRoom::reserve(std::uint64_t size) {
  largest_ = std::max(largest_, size);
  if (descriptor_ < 0 || size <= reserved_) return {};
  struct rlimit limit {};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (limited && size > limit.rlim_cur) return "files may not be larger here (ulimit -f)";
  struct stat now {};
  if (::fstat(descriptor_, &now) != 0) return std::strerror(errno);
  const auto end = static_cast<std::uint64_t>(now.st_size);
  if (size <= end) return {};
  reserved_ = limited ? std::min<std::uint64_t>(size + ahead, limit.rlim_cur) : size + ahead;
  int error = allocate(descriptor_, end, reserved_);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    error = allocate(descriptor_, end, size), reserved_ = size;
  if (error == 0) return {};
  reserved_ = 0;
  if (error == ENOSPC || error == EDQUOT) return full;
  if (error == EFBIG || error == EIO) return std::strerror(error);
  struct statvfs disk {};  // a file system that cannot reserve
  if (::fstatvfs(descriptor_, &disk) != 0) return {};
  return disk.f_bavail < (size - end) / disk.f_frsize + 1 ? full : std::string();
}

void DiskRoom::give_back() {
  struct stat now {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &now) != 0) return;
  if (::ftruncate(descriptor_, now.st_size) == 0) reserved_ = 0;
}

void DiskRoom::keep() const {
  struct stat now {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &now) != 0) return;
  if (static_cast<std::uint64_t>(now.st_size) < largest_)
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(largest_)));
}

}  // namespace saltus
