// Delassus' operator G = Wᵀ A⁻¹ W on blocks, in one of three forms:
//   dense    all of G in one array;
//   sparse   block rows (A diagonal or block-diagonal: contacts couple only through shared bodies). Where
//            all blocks have three rows or more and are many, as of bodies in space, products and sweeps go
//            over the velocities of the bodies (body_rows.hpp), and block rows are made when asked for;
//   product  A⁻¹W column by column, G never formed (row(i) needs the running velocity A⁻¹W P).
// Solvers ask for apply, block(i) and row(i)·P, Newton's and Lemke's for the entries. Memory is kept.
#pragma once
#include <span>
#include <vector>

#include "saltus/contact/body_rows.hpp"
#include "saltus/core/types.hpp"
#include "saltus/linalg/factor.hpp"
#include "saltus/linalg/sparse_rows.hpp"

namespace saltus {

/// Block rows whose blocks are all 2×2: row i holds first[i] … first[i+1] of the columns and values.
struct PairRows {
  const int *first, *column;
  const double* values;
  void row(int i, const double* P, double* out) const {
    double a = 0, b = 0;
    for (int k = first[i]; k < first[i + 1]; ++k) {
      const double *g = values + 4 * static_cast<std::size_t>(k), *p = P + 2 * column[k];
      a += g[0] * p[0] + g[1] * p[1];
      b += g[2] * p[0] + g[3] * p[1];
    }
    out[0] = a, out[1] = b;
  }
};

class Delassus {
 public:
  enum class Form : std::uint8_t { automatic, dense, sparse, product };

  /// Block i has sizes[i] rows; the rows of Wt follow the blocks. `automatic` chooses sparse where A is
  /// (block) diagonal, dense otherwise, and product for dense operators of more than 2000 rows.
  void build(const Factor& A, const SparseRows& Wt, std::span<const int> sizes, Form form = Form::automatic);
  /// From a matrix given entry by entry (row-major), for tests, files and small problems.
  void build_dense(std::span<const double> G, std::span<const int> sizes);
  /// From blocks (i, j) in any order, row-major, in the sparse form; blocks given twice are added.
  struct GivenBlock {
    int i, j;
    const double* values;
  };
  void build_blocks(std::span<const GivenBlock> given, std::span<const int> sizes);

  Form form() const { return form_; }
  int blocks() const { return static_cast<int>(offset_.size()) - 1; }
  int rows() const { return offset_.empty() ? 0 : offset_.back(); }
  int offset(int i) const { return offset_[i]; }
  int block_size(int i) const { return offset_[i + 1] - offset_[i]; }
  /// Changes whenever the operator is built anew: solvers keep a factorisation while it stays.
  std::uint64_t stamp() const { return stamp_; }

  /// y = G P
  void apply(const double* P, double* y) const;
  /// Σ_j |G_ij| |P_j| row by row, with what cancelled when G was formed: the scale of rounding in G P. Valid
  /// until the next call.
  std::span<const double> row_sizes(const double* P) const;
  /// The diagonal block, row-major block_size² values.
  const double* block(int i) const { return diagonal_.data() + diagonal_at_[i]; }
  /// All entries row by row; dense form only.
  const double* dense() const { return values_.data(); }
  /// Writes all of G row by row into rows()² places; any form.
  void to_dense(double* out) const;
  /// visit(j, values) for every stored block (i, j) of row i, row-major; dense and sparse forms only.
  template <class Visit>
  void for_row(int i, Visit&& visit) const;
  int stored_in_row(int i) const { return first_[i + 1] - first_[i]; }  ///< blocks; sparse form only
  /// visit(i, j, values) for every stored block; any form, the product's column by column.
  template <class Visit>
  void for_each_block(Visit&& visit) const;
  /// Whether W and Z = A⁻¹W are known (not when G was given entry by entry), and their rows.
  bool has_columns() const { return Z_.rows() == rows() && rows() > 0; }
  const SparseRows& W() const { return W_; }
  const SparseRows& Z() const { return Z_; }
  /// Where sweeps go over velocities: the rows of blocks over the degrees of freedom; else null.
  const BodyRows* body_rows() const { return bodies_.empty() ? nullptr : &bodies_; }
  /// Upper bound of Σ_j |G_ij| for each row of block i, into out (used by PJOR).
  void row_sums(int i, double* out) const;

  // Gauss–Seidel sweeps: begin(P), then row(i, P, out) = (G P)_i and, after changing block i, update(i, dP).
  void begin_sweep(const double* P);
  /// Whether row(i, P) needs no begin_sweep.
  bool rows_by_themselves() const { return form_ != Form::product && bodies_.empty(); }
  void row(int i, const double* P, double* out) const;
  /// Whether all blocks have two rows (friction in the plane) in the sparse form: pair_rows are then row().
  bool pairs() const { return form_ == Form::sparse && pairs_; }
  PairRows pair_rows() const { return {first_.data(), column_.data(), values_.data()}; }
  void update(int i, const double* dP);
  double* sweep_velocity() { return velocity_.data(); }  ///< A⁻¹ W P since begin_sweep; see body_rows

 private:
  void set_sizes(std::span<const int> sizes);
  void build_columns(const Factor& A, const SparseRows& Wt);
  void list_columns(int dofs);
  // Block rows of the sparse form, made by one worker; where they go is known when all are made.
  struct Band {
    std::vector<int> column, value_at, mark;
    std::vector<double> values;
  };
  bool suits_bodies() const;
  void build_bodies(int dofs);
  void need_blocks() const;
  void build_sparse();
  void build_band(int from, int to, Band& out);
  void build_full();
  void build_product();
  void copy_diagonal();

  Form form_ = Form::dense;
  bool scalar_ = false;  // every block has one row
  bool pairs_ = false;   // every block has two rows; sparse values then lie in the order of the columns
  std::uint64_t stamp_ = 0;
  std::vector<int> offset_, block_of_row_, diagonal_at_;
  std::vector<double> diagonal_, values_;       // values_: dense row-major, or the sparse blocks
  std::vector<int> first_, column_, value_at_;  // sparse: block row i holds first_[i] … first_[i+1]
  SparseRows W_, Z_;                            // W rows and Z = A⁻¹W (as rows)
  BodyRows bodies_;                             // not empty: sweeps go over velocities,
  bool blocks_known_ = true;                    // and block rows are made when asked for
  std::vector<int> by_column_first_;            // Z by columns
  std::vector<SparseRows::Entry> by_column_;
  std::vector<int> mark_;
  std::vector<Band> bands_;
  mutable std::vector<double> velocity_;  // product and bodies: A⁻¹W P
  std::vector<double> column_sums_;       // product: Σ_j |Z_jk|
  mutable std::vector<double> scratch_;   // one value per degree of freedom
  mutable std::vector<double> sizes_;     // of rows
};

template <class Visit>
void Delassus::for_row(int i, Visit&& visit) const {
  if (form_ == Form::sparse) {
    if (!blocks_known_) need_blocks();
    for (int k = first_[i]; k < first_[i + 1]; ++k) visit(column_[k], values_.data() + value_at_[k]);
    return;
  }
  double copy[max_block_rows * max_block_rows];
  const auto n = static_cast<std::size_t>(rows());
  for (int j = 0; j < blocks(); ++j) {
    const int si = block_size(i), sj = block_size(j);
    for (int a = 0; a < si; ++a)
      for (int b = 0; b < sj; ++b) copy[a * sj + b] = values_[(offset_[i] + a) * n + offset_[j] + b];
    visit(j, copy);
  }
}

template <class Visit>
void Delassus::for_each_block(Visit&& visit) const {
  if (form_ != Form::product) {
    for (int i = 0; i < blocks(); ++i) for_row(i, [&](int j, const double* g) { visit(i, j, g); });
    return;
  }
  std::vector<double> unit(rows(), 0.0), columns(static_cast<std::size_t>(rows()) * max_block_rows);
  double copy[max_block_rows * max_block_rows];
  for (int j = 0; j < blocks(); ++j) {
    const int sj = block_size(j);
    for (int b = 0; b < sj; ++b) {
      unit[offset_[j] + b] = 1;
      apply(unit.data(), columns.data() + static_cast<std::size_t>(b) * rows());
      unit[offset_[j] + b] = 0;
    }
    for (int i = 0; i < blocks(); ++i) {
      for (int a = 0; a < block_size(i); ++a)
        for (int b = 0; b < sj; ++b)
          copy[a * sj + b] = columns[static_cast<std::size_t>(b) * rows() + offset_[i] + a];
      visit(i, j, copy);
    }
  }
}

}  // namespace saltus
