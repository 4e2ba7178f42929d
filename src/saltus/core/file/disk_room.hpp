// Space on the disk for a file that grows by another library's writes: a full disk is met before them, while
// the file is still whole, and not in the midst of them.
#pragma once
#include <cstdint>
#include <string>

namespace saltus {

class DiskRoom {
 public:
  /// Of an open file; the descriptor stays the caller's.
  explicit DiskRoom(int descriptor = -1) : descriptor_(descriptor) {}
  /// Sees to it that the file can grow to so many bytes; where the file system cannot reserve them, that
  /// there are so many now. Returns what stands against it; empty when nothing does.
  std::string reserve(std::uint64_t size);
  /// A library that sets the size of the file gives back what was reserved: it is reserved anew.
  void forget() { reserved_ = 0; }
  /// Frees what is reserved beyond the end of the file.
  void give_back();
  /// The file becomes as long as it may have been: a last write that failed can leave a file that is shorter
  /// than its own header says, which cannot be opened any more.
  void keep() const;

 private:
  int descriptor_;
  std::uint64_t reserved_ = 0, largest_ = 0;  // largest_: that was ever asked for
};

}  // namespace saltus
