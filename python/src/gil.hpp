// Work without the interpreter's lock. Ctrl-C ends what is going on, and what was computed is returned.
#pragma once
#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

namespace saltus::python {

namespace py = pybind11;

/// Set by Ctrl-C. One for every call.
class Interrupt {
 public:
  Interrupt() : outer_(current_) { current_ = this; }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt() { current_ = outer_; }

  std::atomic<bool> flag{false};
  /// Whether an exception is the Ctrl-C that a function of Python was interrupted by; then it is heard by the
  /// call of this thread, and the function may be called again.
  static bool took(py::error_already_set& e);

  /// Asks the interpreter for signals. Ctrl-C sets the flag; any other exception of a handler sets it too and
  /// is thrown again by `rethrow`. Needs the lock. Only the main thread hears signals.
  void listen();
  /// After the call. Needs the lock.
  void rethrow();
  bool heard() const { return heard_; }

 private:
  static thread_local Interrupt* current_;  // of the innermost call in this thread
  Interrupt* outer_;
  bool heard_ = false;  // Ctrl-C, not a full disk
  std::exception_ptr trouble_;
};

/// Tells `progress` (None: nobody) the part that is done, and listens, at most ten times a second. To be
/// called without the lock, in the thread that made the call.
class Watch {
 public:
  Watch(Interrupt& interrupt, const py::object& progress) : interrupt_(interrupt), progress_(progress) {}
  void operator()(double part);

 private:
  Interrupt& interrupt_;
  const py::object& progress_;
  std::chrono::steady_clock::time_point last_ = {};
};

/// Runs the work in a thread of its own, while this one listens and passes on what the work tells, from any
/// thread: for work that has several threads, or says little on its way. To be called without the lock.
using Tell = std::function<void(double part)>;
void in_thread(Interrupt& interrupt, const py::object& progress,
               const std::function<void(const Tell&)>& work);

}  // namespace saltus::python
