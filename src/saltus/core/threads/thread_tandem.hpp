// Two jobs in two threads.
#pragma once
#include <condition_variable>
#include <mutex>

#include "saltus/core/tandem.hpp"

namespace saltus {

class ThreadTandem final : public Tandem {
 public:
  void run(const std::function<void()>& first, const std::function<void()>& second) override;
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }
  void wait() override;
  void wake() override { changed_.notify_one(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace saltus
