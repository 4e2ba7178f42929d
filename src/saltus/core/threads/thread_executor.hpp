// Jobs side by side.
#pragma once
#include "saltus/core/executor.hpp"

namespace saltus {

class ThreadExecutor final : public Executor {
 public:
  /// 0: as many threads as there are cores. The calling thread is one of them.
  explicit ThreadExecutor(int threads = 0);
  void run(std::size_t count, const std::function<void(std::size_t)>& job) const override;

 private:
  std::size_t threads_;
};

}  // namespace saltus
