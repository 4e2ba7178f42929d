// Locks and space of files that are written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "saltus/core/error.hpp"
#include "saltus/core/file/disk_room.hpp"
#include "saltus/core/file/file_lock.hpp"

namespace saltus::test_file_lock {
namespace {

namespace fs = std::filesystem;

class FileLock : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  ~FileLock() override { fs::remove_all(folder_); }

 private:
  fs::path folder_ = [] {
    std::string name = (fs::temp_directory_path() / "saltus-XXXXXX").string();
    return fs::path(mkdtemp(name.data()));
  }();
};

TEST_F(FileLock, OfANameIsHeldOnceAndLeavesNothing) {
  auto first = std::make_unique<NameLock>(file("a"));
  EXPECT_THROW(NameLock(file("a")), Error);
  NameLock other(file("b"));
  first.reset();
  EXPECT_FALSE(fs::exists(file("a.lock")));
  NameLock again(file("a"));
  EXPECT_THROW(NameLock(file("no/such/folder")), Error);
}

TEST_F(FileLock, DoesNotFollowALink) {
  std::ofstream(file("precious")) << "precious";
  fs::create_symlink(file("precious"), file("a.lock"));
  EXPECT_THROW(NameLock(file("a")), Error);
  EXPECT_TRUE(fs::exists(file("precious")));
}

TEST_F(FileLock, OfADescriptorIsSeenByOthersUntilItIsClosed) {
  const int id = ::open(file("x").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(id, 0);
  EXPECT_FALSE(is_locked(file("x")));
  EXPECT_TRUE(lock_descriptor(id));
  EXPECT_TRUE(is_locked(file("x")));
  ::close(id);
  EXPECT_FALSE(is_locked(file("x")));
}

TEST_F(FileLock, RoomBeyondTheLimitOfFilesIsRefusedAndWithinItIsThere) {
  const int id = ::open(file("x").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(id, 0);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 100'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  DiskRoom room(id);
  EXPECT_EQ(room.reserve(90'000), "");
  EXPECT_NE(room.reserve(100'001).find("ulimit"), std::string::npos);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(room.reserve(100'001), "");
  EXPECT_FALSE(room.reserve(std::uint64_t{1} << 60).empty());  // no disk has that
  struct stat now {};
  ASSERT_EQ(::fstat(id, &now), 0);
  EXPECT_EQ(now.st_size, 0);
  room.give_back();
  ::close(id);
}

}  // namespace
}  // namespace saltus::test_file_lock
