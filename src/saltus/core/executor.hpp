// How a number of independent jobs are run. Who has many asks for an executor; threads are in
// core/threads/thread_executor.hpp.
#pragma once
#include <cstddef>
#include <functional>

namespace saltus {

class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls job(k) once for each k from 0 to count − 1 and returns when all are done. Jobs begin in this
  /// order, and several may run at a time. After a job that throws no further ones begin, and the first
  /// exception comes out.
  virtual void run(std::size_t count, const std::function<void(std::size_t)>& job) const = 0;
};

/// One after the other, in the calling thread.
class SerialExecutor final : public Executor {
 public:
  void run(std::size_t count, const std::function<void(std::size_t)>& job) const override {
    for (std::size_t k = 0; k < count; ++k) job(k);
  }
};

}  // namespace saltus
