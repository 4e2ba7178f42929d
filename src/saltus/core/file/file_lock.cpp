#include "saltus/core/file/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus {
namespace {

// Whether the name still stands for the file that was opened: its last owner may have removed it meanwhile.
bool is_file_of(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

// Locks of open file descriptions, where the system has them: those of a process end when any descriptor of
// the file is closed, and flock is what HDF5 uses itself.
bool lock_descriptor(int descriptor) {
#ifdef F_OFD_SETLK
  struct flock all {};
  all.l_type = F_WRLCK, all.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &all) == 0 || (errno != EAGAIN && errno != EACCES);
#else
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
#endif
}

bool is_locked(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
#ifdef F_OFD_GETLK
  struct flock all {};
  all.l_type = F_WRLCK, all.l_whence = SEEK_SET;
  const bool locked = ::fcntl(descriptor, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK;
#else
  const bool locked = !lock_descriptor(descriptor);
#endif
  ::close(descriptor);
  return locked;
}

NameLock::NameLock(const std::string& file) : path_(file + ".lock") {
  for (;;) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == ELOOP)
      fail("cannot write '{}': '{}' is a symbolic link; remove it", file, path_);
    if (descriptor_ < 0) fail("cannot write '{}': {}", file, system_reason(errno));
    const bool mine = lock_descriptor(descriptor_), there = is_file_of(descriptor_, path_);
    if (mine && there) return;
    ::close(std::exchange(descriptor_, -1));
    if (!mine) fail("another process is writing '{}'; wait for it, or end it", file);
  }
}

NameLock::~NameLock() {
  ::unlink(path_.c_str());  // before the lock ends: it is still ours
  ::close(descriptor_);
}

}  // namespace saltus
