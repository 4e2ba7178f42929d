// A square matrix on a pattern fixed at construction. Small and large systems meet here: a ball has a
// diagonal mass, a chain a banded stiffness, a formula a dense one. Entries outside the pattern are zero.
// Where it is not known beforehand which bodies will touch, the pattern is open: entries come with the first
// value that is added, and go when they stayed zero between two calls of set_zero().
#pragma once
#include <Eigen/SparseCore>
#include <memory>
#include <utility>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

struct Pattern {
  enum Kind : std::uint8_t { diagonal, blocks, banded, dense, sparse };
  using Entries = std::vector<std::pair<int, int>>;

  Kind kind = dense;
  int width = 0;                           ///< blocks: block size; banded: half-bandwidth
  std::shared_ptr<const Entries> entries;  ///< sparse: (row, column) of each entry, the diagonal implied

  bool is_open() const { return kind == sparse && !entries; }  ///< sparse, entries anywhere
};

/// The smallest pattern of our five that holds both, for n×n matrices.
Pattern merge(const Pattern& a, const Pattern& b, int n);

class Matrix {
 public:
  Matrix() = default;
  Matrix(int n, Pattern pattern);

  int size() const { return n_; }
  const Pattern& pattern() const { return pattern_; }

  void set_zero();
  double operator()(int i, int j) const;
  void set(int i, int j, double value) { *entry(i, j) = value; }
  void add(int i, int j, double value) { *entry(i, j) += value; }

  /// this += α B, where B's pattern lies within this one's.
  void add_scaled(double alpha, const Matrix& B);
  /// y += α A x
  void multiply_add(double alpha, const double* x, double* y) const {
    if (pattern_.kind != Pattern::diagonal) return multiply_add_coupled(alpha, x, y);
    for (int i = 0; i < n_; ++i) y[i] += alpha * values_[i] * x[i];
  }
  void multiply_add(double alpha, In x, Out y) const { multiply_add(alpha, x.data(), y.data()); }
  /// xᵀ A y
  double bilinear(In x, In y) const;
  bool all_finite() const;
  /// visit(i, j, value) for every entry
  template <class Visit>
  void for_each(Visit&& visit) const;

  // Storage, for Factor: diagonal n; blocks row by row, n·width; banded row by row, n·(2 width + 1);
  // dense column-major n·n. A sparse matrix has its own.
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  const Eigen::SparseMatrix<double>& sparse() const { return sparse_; }

 private:
  double* entry(int i, int j);  // throws Error outside the pattern
  const double* find(int i, int j) const;
  void clear_open();
  void multiply_add_coupled(double alpha, const double* x, double* y) const;

  int n_ = 0;
  Pattern pattern_;
  std::vector<double> values_;
  Eigen::SparseMatrix<double> sparse_;
};

template <class Visit>
void Matrix::for_each(Visit&& visit) const {
  const int w = pattern_.width;
  switch (pattern_.kind) {
    case Pattern::diagonal:
      for (int i = 0; i < n_; ++i) visit(i, i, values_[i]);
      return;
    case Pattern::blocks:
      for (int i = 0, k = 0; i < n_; ++i)
        for (int j = i / w * w, b = 0; b < w; ++b) visit(i, j + b, values_[k++]);
      return;
    case Pattern::banded:
      for (int i = 0; i < n_; ++i) {
        const double* row = values_.data() + i * (2 * w + 1) + w - i;
        for (int j = std::max(0, i - w); j <= std::min(n_ - 1, i + w); ++j) visit(i, j, row[j]);
      }
      return;
    case Pattern::dense:
      for (int j = 0, k = 0; j < n_; ++j)
        for (int i = 0; i < n_; ++i) visit(i, j, values_[k++]);
      return;
    case Pattern::sparse:
      for (int j = 0; j < n_; ++j)
        for (Eigen::SparseMatrix<double>::InnerIterator it(sparse_, j); it; ++it)
          visit(static_cast<int>(it.row()), j, it.value());
      return;
  }
}

}  // namespace saltus
