// Rows of a sparse matrix, appended one by one; clear() keeps the memory. Holds Wᵀ: one row per contact row.
#pragma once
#include <span>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

class SparseRows {
 public:
  struct Entry {
    int column;
    double value;
  };

  void clear() { entries_.clear(), ends_.clear(); }
  void add(int column, double value) { entries_.push_back({column, value}); }
  void end_row() { ends_.push_back(static_cast<int>(entries_.size())); }
  void append_row(std::span<const Entry> row) {
    entries_.insert(entries_.end(), row.begin(), row.end());
    end_row();
  }

  int rows() const { return static_cast<int>(ends_.size()); }
  std::span<const Entry> row(int i) const {
    const int first = i > 0 ? ends_[i - 1] : 0;
    return {entries_.data() + first, static_cast<std::size_t>(ends_[i] - first)};
  }
  std::span<Entry> row(int i) {
    const int first = i > 0 ? ends_[i - 1] : 0;
    return {entries_.data() + first, static_cast<std::size_t>(ends_[i] - first)};
  }
  double dot(int i, const double* x) const {
    double sum = 0;
    for (const Entry& e : row(i)) sum += e.value * x[e.column];
    return sum;
  }
  /// visit(i, row(i) · x) for one row after the other
  template <class Visit>
  void for_each_dot(const double* x, Visit&& visit) const {
    const Entry* e = entries_.data();
    int i = 0;
    for (const int end : ends_) {
      const Entry* const last = entries_.data() + end;
      double sum = 0;
      for (; e != last; ++e) sum += e->value * x[e->column];
      visit(i++, sum);
    }
  }
  /// y += s · row(i)
  void add_to(int i, double s, double* y) const {
    for (const Entry& e : row(i)) y[e.column] += s * e.value;
  }

 private:
  std::vector<Entry> entries_;
  std::vector<int> ends_;
};

}  // namespace saltus
