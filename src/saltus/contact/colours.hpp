// The blocks of a sparse contact operator in classes (colours) within which none couples with another: a
// sweep may visit those of one colour at the same time. Greedy, in the order of the blocks; that of a sweep
// is colour by colour. Used for large problems only, whether or not there is a team, so that results do not
// depend on it.
#pragma once
#include <vector>

#include "saltus/contact/delassus.hpp"

namespace saltus::detail {

class Colours {
 public:
  /// Does nothing while the operator stays. There are none where it is small, not sparse, or where a body
  /// with very many contacts couples too many blocks.
  void update(const Delassus& G);
  int count() const { return static_cast<int>(first_.size()) - 1; }
  int first(int colour) const { return first_[colour]; }  ///< into order(); count() is allowed
  const int* order() const { return order_.data(); }

 private:
  std::uint64_t stamp_ = 0;
  std::vector<int> order_, first_{0}, colour_;
  std::vector<std::uint64_t> taken_;  // by degrees of freedom
};

}  // namespace saltus::detail
