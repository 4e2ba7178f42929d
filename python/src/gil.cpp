#include "gil.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace saltus::python {

void Interrupt::listen() {
  if (PyErr_CheckSignals() == 0) return;
  flag = true;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    heard_ = true;
  } else if (!trouble_) {
    trouble_ = std::make_exception_ptr(py::error_already_set());
  } else {
    PyErr_Clear();
  }
}

thread_local Interrupt* Interrupt::current_ = nullptr;

bool Interrupt::took(py::error_already_set& e) {
  if (!current_ || !e.matches(PyExc_KeyboardInterrupt)) return false;
  current_->flag = true, current_->heard_ = true;
  return true;
}

void Interrupt::rethrow() {
  if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
}

void Watch::operator()(double part) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const py::gil_scoped_acquire lock;
  interrupt_.listen();
  if (progress_.is_none()) return;
  try {
    progress_(part);
  } catch (py::error_already_set& e) {
    if (!Interrupt::took(e)) throw;
  }
}

void in_thread(Interrupt& interrupt, const py::object& progress,
               const std::function<void(const Tell&)>& work) {
  std::atomic<double> part{0};
  std::mutex door;
  std::condition_variable news;
  bool done = false;
  std::exception_ptr trouble, trouble_of_bar;
  std::thread worker([&] {
    try {
      work([&part](double x) { part = x; });
    } catch (...) {
      trouble = std::current_exception();
    }
    const std::lock_guard lock(door);
    done = true;
    news.notify_one();
  });
  for (;;) {
    std::unique_lock lock(door);
    if (news.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) break;
    lock.unlock();
    const py::gil_scoped_acquire python;
    try {
      interrupt.listen();
      if (!progress.is_none()) progress(part.load());
    } catch (py::error_already_set&) {  // of the bar: the worker must not be left behind
      if (!trouble_of_bar) trouble_of_bar = std::current_exception();
      interrupt.flag = true;
    }
  }
  worker.join();
  if (trouble) std::rethrow_exception(trouble);
  if (trouble_of_bar) std::rethrow_exception(trouble_of_bar);
}

}  // namespace saltus::python
