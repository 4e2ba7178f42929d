// A square matrix on a pattern fixed at construction. Small and large systems meet here: a ball has a
// diagonal mass, a chain a banded stiffness, a formula a dense one. Entries outside the pattern are zero.
#pragma once
#include <Eigen/Sparse>
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
  void multiply_add(double alpha, In x, Out y) const;
  /// xᵀ A y
  double bilinear(In x, In y) const;
  bool all_finite() const;

  // Storage, for Factor: diagonal n; blocks row by row, n·width; banded row by row, n·(2 width + 1);
  // dense column-major n·n. A sparse matrix has its own.
  const std::vector<double>& values() const { return values_; }
  std::vector<double>& values() { return values_; }
  const Eigen::SparseMatrix<double>& sparse() const { return sparse_; }

 private:
  double* entry(int i, int j);  // throws Error outside the pattern
  const double* find(int i, int j) const;
  template <class Visit>
  void for_each(Visit&& visit) const;  // visit(i, j, value)

  int n_ = 0;
  Pattern pattern_;
  std::vector<double> values_;
  Eigen::SparseMatrix<double> sparse_;
};

}  // namespace saltus
