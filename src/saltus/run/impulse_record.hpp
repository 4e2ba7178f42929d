// The impulses of contacts, step by step. What rests acts in every step, so stretches of steps in which the
// same contacts act in the same modes have one list of them, and a step adds its time and its impulses only:
// a quarter of the memory of one entry after the other.
#pragma once
#include <iterator>
#include <vector>

#include "saltus/system/state.hpp"

namespace saltus {

/// Numbers in a row that grow by moving pages: nothing is cleared, and little is copied.
class GrowingNumbers {
 public:
  /// Room for n more.
  double* add(std::size_t n) {
    if (size_ + n > static_cast<std::size_t>(data_.size())) grow(n);
    double* out = data_.data() + size_;
    size_ += n;
    return out;
  }
  void push_back(double x) { *add(1) = x; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double operator[](std::size_t i) const { return data_.data()[i]; }
  const double* data() const { return data_.data(); }

 private:
  void grow(std::size_t n);
  Vec data_;
  std::size_t size_ = 0;
};

/// A contact in a step.
struct ImpulseAtom {
  double t = 0;  ///< the impulse of the step that ends at t
  std::uint64_t contact = 0;
  std::size_t offset = 0;  ///< of its impulses in the record
  int rows = 0;
  Mode mode = Mode::open;  ///< of the contact in that step: the atoms are the history of the modes
};

/// Atoms in the order of time, those of a step by their contacts. They are made when they are read.
class ImpulseRecord {
 public:
  using value_type = ImpulseAtom;

  /// What acted in a step that ends at t.
  void add(double t, const ContactMemory& acted);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ImpulseAtom operator[](std::size_t i) const { return atom(stretch_of(i), i); }
  double impulse(const ImpulseAtom& a, int row) const {
    return numbers_[a.offset + static_cast<std::size_t>(row)];
  }

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = ImpulseAtom;
    using difference_type = std::ptrdiff_t;
    using reference = ImpulseAtom;
    struct pointer {
      ImpulseAtom value;
      const ImpulseAtom* operator->() const { return &value; }
    };
    Iterator() = default;
    Iterator(const ImpulseRecord& record, std::size_t i) : record_(&record), i_(i) {}
    ImpulseAtom operator*() const { return (*this)[0]; }
    pointer operator->() const { return {**this}; }
    ImpulseAtom operator[](difference_type n) const;
    Iterator& operator+=(difference_type n) { return i_ += static_cast<std::size_t>(n), *this; }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return Iterator(*record_, i_++); }
    Iterator operator--(int) { return Iterator(*record_, i_--); }
    friend Iterator operator+(Iterator a, difference_type n) { return a += n; }
    friend Iterator operator+(difference_type n, Iterator a) { return a += n; }
    friend Iterator operator-(Iterator a, difference_type n) { return a -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return static_cast<difference_type>(a.i_) - static_cast<difference_type>(b.i_);
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.i_ <=> b.i_; }

   private:
    const ImpulseRecord* record_ = nullptr;
    std::size_t i_ = 0;
    mutable std::size_t stretch_ = 0;  // of the atom that was read last: the next one is mostly there too
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  struct Acting {
    std::uint64_t contact = 0;
    int offset = 0, rows = 0;  // of its impulses after the time of the step
    Mode mode = Mode::open;
  };
  struct Stretch {
    std::size_t atom = 0, number = 0, acting = 0;  // where it begins
    std::size_t count = 0, width = 1;              // of atoms and of numbers in a step
  };
  bool goes_on(const ContactMemory& acted) const;
  void begin_stretch(const ContactMemory& acted);
  bool holds(std::size_t stretch, std::size_t i) const {
    return stretches_[stretch].atom <= i &&
           (stretch + 1 == stretches_.size() || i < stretches_[stretch + 1].atom);
  }
  std::size_t stretch_of(std::size_t i) const;
  ImpulseAtom atom(std::size_t stretch, std::size_t i) const;

  std::vector<Stretch> stretches_;
  std::vector<Acting> acting_;
  GrowingNumbers numbers_;  // t and the impulses of one step after the other
  std::size_t size_ = 0;
};

}  // namespace saltus
