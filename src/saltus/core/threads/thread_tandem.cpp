#include "saltus/core/threads/thread_tandem.hpp"

#include <thread>

namespace saltus {

void ThreadTandem::run(const std::function<void()>& first, const std::function<void()>& second) {
  const std::jthread beside(second);  // waited for at the end, also where first throws
  first();
}

void ThreadTandem::wait() {
  std::unique_lock held(mutex_, std::adopt_lock);
  changed_.wait(held);
  held.release();
}

}  // namespace saltus
