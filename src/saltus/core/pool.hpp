// Buffers for const objects that several threads may use: a call borrows a room and gives it back. Once as
// many rooms exist as threads ask at a time, nothing is allocated.
#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace saltus {

template <class Room>
class Pool {
 public:
  class Borrowed {
   public:
    Borrowed(Pool& pool, std::unique_ptr<Room> room) : pool_(pool), room_(std::move(room)) {}
    ~Borrowed() {
      const std::lock_guard guard(pool_.lock_);
      pool_.idle_.push_back(std::move(room_));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Room* operator->() const { return room_.get(); }
    Room& operator*() const { return *room_; }

   private:
    Pool& pool_;
    std::unique_ptr<Room> room_;
  };

  /// make() gives a new room where none is idle.
  template <class Make>
  Borrowed borrow(Make&& make) {
    std::unique_ptr<Room> room;
    {
      const std::lock_guard guard(lock_);
      if (!idle_.empty()) room = std::move(idle_.back()), idle_.pop_back();
    }
    if (!room) room = std::make_unique<Room>(make());
    return {*this, std::move(room)};
  }

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Room>> idle_;
};

}  // namespace saltus
