// What drivers and observers of a run keep from step to step, as a list of 64-bit words: one function of each
// writes and reads it, `void memory(Memory& m) { m(h_, closed_, count_); }`.
//
// Words may come from a file that somebody changed, so reading trusts none of them: numbers must fit their
// type, enums their names, lists what is left of the words, states the run. What only the driver has (a
// step length must be positive) it checks itself, with require().
#pragma once
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/port.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/state.hpp"

namespace saltus {

/// Whether the records of a memory lie within its impulses, in the order of their ids.
bool is_sound(const ContactMemory& memory);

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
  /// What a stepper keeps beside the state.
  void stepper(Stepper& s) {
    for (Vec* x : s.kept()) {
      const auto size = x->size();
      item(*x);
      require(x->size() == size && x->allFinite() && (x->array() >= 0).all());
    }
  }
  /// Throws Error when what was read cannot be.
  void require(bool good) const {
    if (reading_ && !good) misfit();
  }
  /// For those who want none of it.
  void skip() { at_ = words_.size(); }
  /// After the last item: no word may be left.
  void finish() const { require(at_ == words_.size()); }

 private:
  // the last value of each enum that is kept
  static constexpr Mode last_of(Mode) { return last_mode; }
  static constexpr StepStatus last_of(StepStatus) { return StepStatus::not_unique; }

  template <class T>
  void item(T& x) {
    if constexpr (std::is_same_v<T, double>) {
      x = port::bit_cast<double>(word(port::bit_cast<std::uint64_t>(x)));
    } else if constexpr (std::is_enum_v<T>) {
      const std::uint64_t value = word(static_cast<std::uint64_t>(x));
      require(value <= static_cast<std::uint64_t>(last_of(T{})));
      x = static_cast<T>(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      const std::uint64_t value = word(x ? 1 : 0);
      require(value <= 1);
      x = value == 1;
    } else if constexpr (std::is_integral_v<T>) {
      integer(x);
    } else if constexpr (requires { x.memory(*this); }) {
      x.memory(*this);
    } else if constexpr (std::is_same_v<T, State>) {
      state(x);
    } else if constexpr (std::is_same_v<T, ContactMemory::Record>) {
      (*this)(x.id, x.offset, x.rows, x.has_gap, x.resting, x.mode);
    } else {
      list(x);
    }
  }
  template <class T>
  void integer(T& x) {
    if constexpr (std::is_signed_v<T>) {
      const auto value = static_cast<std::int64_t>(word(static_cast<std::uint64_t>(std::int64_t{x})));
      require(value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
              value < most_count);
      x = static_cast<T>(value);
    } else {
      const std::uint64_t value = word(x);
      require(value <= std::numeric_limits<T>::max());
      x = static_cast<T>(value);
    }
  }
  template <class List>
  void list(List& x) {
    const std::uint64_t size = word(static_cast<std::uint64_t>(x.size()));
    if (reading_) {
      require(size <= words_.size() - at_);  // every entry needs a word at least
      if constexpr (requires { List::MaxSizeAtCompileTime; })
        require(List::MaxSizeAtCompileTime == Eigen::Dynamic ||
                size <= static_cast<std::uint64_t>(List::MaxSizeAtCompileTime));
      x.resize(static_cast<decltype(x.size())>(size));
    }
    for (auto& entry : x) item(entry);
  }
  // Another state of the run: as many coordinates as this one has. Whether a stepper accepts its aux is the
  // driver's to check.
  void state(State& x) {
    const auto nq = x.q.size(), nu = x.u.size();
    (*this)(x.t, x.q, x.u, x.aux, x.contacts.closed, x.contacts.impulse, x.contacts.speed, x.contacts.step);
    require(x.q.size() == nq && x.u.size() == nu && is_sound(x.contacts));
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
    fail("the checkpoint does not fit this run: it was left by another method or problem, or was changed");
  }

  // Counters grow from here on: far below what overflows.
  static constexpr std::int64_t most_count = std::int64_t{1} << 53;

  Words words_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

}  // namespace saltus
