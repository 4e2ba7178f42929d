// What drivers and observers of a run keep from step to step, as a list of 64-bit words: one function of each
// writes and reads it, `void memory(Memory& m) { m(h_, closed_, count_); }`.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/system/state.hpp"

namespace saltus {

class Memory {
 public:
  using Words = std::vector<std::uint64_t>;
  Memory() = default;  ///< to write
  explicit Memory(const Words& words) : words_(words), reading_(true) {}
  bool reading() const { return reading_; }
  const Words& words() const { return words_; }

  /// Each in turn, written or read. Throws Error when the words do not fit.
  template <class... T>
  void operator()(T&... x) {
    (item(x), ...);
  }

 private:
  template <class T>
  void item(T& x) {
    if constexpr (std::is_same_v<T, double>)
      x = std::bit_cast<double>(word(std::bit_cast<std::uint64_t>(x)));
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      x = static_cast<T>(word(static_cast<std::uint64_t>(x)));
    else if constexpr (requires { x.memory(*this); })
      x.memory(*this);
    else if constexpr (std::is_same_v<T, State>)
      (*this)(x.t, x.q, x.u, x.aux, x.contacts.closed, x.contacts.impulse, x.contacts.speed, x.contacts.step);
    else if constexpr (std::is_same_v<T, ContactMemory::Record>)
      (*this)(x.id, x.offset, x.rows, x.has_gap, x.resting, x.mode);
    else {
      const auto size = word(static_cast<std::uint64_t>(x.size()));
      if (reading_) {
        if (size > words_.size()) misfit();
        x.resize(static_cast<decltype(x.size())>(size));
      }
      for (auto& entry : x) item(entry);
    }
  }
  std::uint64_t word(std::uint64_t x) {
    if (!reading_) {
      words_.push_back(x);
      return x;
    }
    if (at_ == words_.size()) misfit();
    return words_[at_++];
  }
  [[noreturn]] static void misfit() {
    fail("the checkpoint does not fit this run: it was left by another method or problem");
  }

  Words words_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

}  // namespace saltus
