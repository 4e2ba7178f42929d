#include "saltus/core/threads/thread_executor.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace saltus {

ThreadExecutor::ThreadExecutor(int threads)
    : threads_(threads > 0 ? static_cast<std::size_t>(threads)
                           : std::max(1U, std::thread::hardware_concurrency())) {}

void ThreadExecutor::run(std::size_t count, const std::function<void(std::size_t)>& job) const {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex door;
  std::exception_ptr trouble;
  const auto work = [&] {
    for (std::size_t k; !stop && (k = next++) < count;) try {
        job(k);
      } catch (...) {
        const std::lock_guard lock(door);
        if (!trouble) trouble = std::current_exception();
        stop = true;
      }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads_, count); ++i) others.emplace_back(work);
    work();
  }
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace saltus
