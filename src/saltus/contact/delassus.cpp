#include "saltus/contact/delassus.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/stamp.hpp"
#include "saltus/core/team.hpp"

namespace saltus {
namespace {

constexpr int blocks_a_band = 1024;

// Four partial sums: the order is fixed, and no addition waits for the one before.
double dot(int n, const double* a, const double* b) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    s0 += a[k] * b[k];
    s1 += a[k + 1] * b[k + 1];
    s2 += a[k + 2] * b[k + 2];
    s3 += a[k + 3] * b[k + 3];
  }
  for (; k < n; ++k) s0 += a[k] * b[k];
  return (s0 + s1) + (s2 + s3);
}

}  // namespace

void Delassus::set_sizes(std::span<const int> sizes) {
  offset_.resize(sizes.size() + 1);
  diagonal_at_.resize(sizes.size() + 1);
  offset_[0] = diagonal_at_[0] = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    offset_[i + 1] = offset_[i] + sizes[i];
    diagonal_at_[i + 1] = diagonal_at_[i] + sizes[i] * sizes[i];
  }
  block_of_row_.resize(rows());
  for (int i = 0; i < blocks(); ++i)
    std::fill(block_of_row_.begin() + offset_[i], block_of_row_.begin() + offset_[i + 1], i);
  diagonal_.assign(diagonal_at_.back(), 0.0);
  scalar_ = rows() == blocks();
  pairs_ = blocks() > 0 && std::all_of(sizes.begin(), sizes.end(), [](int n) { return n == 2; });
  bodies_.clear();
  blocks_known_ = true;
  stamp_ = next_stamp();
}

void Delassus::build_dense(std::span<const double> G, std::span<const int> sizes) {
  set_sizes(sizes);
  const int n = rows();
  if (static_cast<int>(G.size()) != n * n)
    fail("a contact matrix for {} rows needs {} values, not {}", n, n * n, G.size());
  form_ = Form::dense;
  W_.clear();
  Z_.clear();
  values_.assign(G.begin(), G.end());
  copy_diagonal();
}

void Delassus::build_blocks(std::span<const GivenBlock> given, std::span<const int> sizes) {
  set_sizes(sizes);
  const int n = blocks();
  form_ = Form::sparse;
  W_.clear();
  Z_.clear();
  std::vector<int> order(given.size());
  for (std::size_t k = 0; k < given.size(); ++k) {
    const auto [i, j, values] = given[k];
    if (i < 0 || i >= n || j < 0 || j >= n) fail("contact block ({}, {}) of a problem with {}", i, j, n);
    order[k] = static_cast<int>(k);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return given[a].i != given[b].i ? given[a].i < given[b].i : given[a].j < given[b].j;
  });
  first_.assign(n + 1, 0);
  column_.clear();
  value_at_.clear();
  values_.clear();
  int last = -1;  // of the blocks so far
  for (const int k : order) {
    const auto [i, j, values] = given[k];
    const int area = block_size(i) * block_size(j);
    if (last < 0 || given[last].i != i || given[last].j != j) {
      ++first_[i + 1];
      column_.push_back(j);
      value_at_.push_back(static_cast<int>(values_.size()));
      values_.resize(values_.size() + area, 0.0);
    }
    last = k;
    for (int a = 0; a < area; ++a) values_[value_at_.back() + a] += values[a];
  }
  for (int i = 0; i < n; ++i) first_[i + 1] += first_[i];
  for (int i = 0; i < n; ++i)
    for (int k = first_[i]; k < first_[i + 1]; ++k)
      if (column_[k] == i)
        std::copy_n(values_.data() + value_at_[k], block_size(i) * block_size(i),
                    diagonal_.data() + diagonal_at_[i]);
}

void Delassus::build(const Factor& A, const SparseRows& Wt, std::span<const int> sizes, Form form) {
  set_sizes(sizes);
  const bool local = A.pattern().kind == Pattern::diagonal || A.pattern().kind == Pattern::blocks;
  if (form == Form::automatic) form = local ? Form::sparse : rows() <= 2000 ? Form::dense : Form::product;
  if (form == Form::sparse && !local) form = Form::dense;  // every contact couples with every other one
  form_ = form;
  build_columns(A, Wt);
  if (form != Form::sparse) scratch_.assign(A.size(), 0.0);
  if (form == Form::sparse && suits_bodies())
    build_bodies(A.size());
  else if (form == Form::sparse)
    list_columns(A.size()), build_sparse();
  if (form == Form::dense) build_full();
  if (form == Form::product) build_product();
}

// W_ ← rows of Wᵀ; Z_ ← (A⁻¹ W)ᵀ, sparse where A is (block) diagonal; W by columns for the products.
void Delassus::build_columns(const Factor& A, const SparseRows& Wt) {
  const int n = rows(), dofs = A.size(), w = A.pattern().width;
  if (Wt.rows() != n) fail("the contact blocks have {} rows, but W has {}", n, Wt.rows());
  W_.clear();
  Z_.clear();
  if (A.pattern().kind == Pattern::blocks)
    mark_.assign(dofs / w, -1);
  else if (A.pattern().kind != Pattern::diagonal)
    scratch_.resize(dofs);
  double x[64];
  for (int i = 0; i < n; ++i) {
    const auto row = Wt.row(i);
    W_.append_row(row);
    if (A.pattern().kind == Pattern::diagonal) {
      for (const auto& e : row) Z_.add(e.column, e.value * A.reciprocals()[e.column]);
    } else if (A.pattern().kind == Pattern::blocks && w <= 64) {
      for (const auto& e : row) {
        const int block = e.column / w;
        if (mark_[block] == i) continue;
        mark_[block] = i;
        std::fill_n(x, w, 0.0);
        for (const auto& f : row)
          if (f.column / w == block) x[f.column % w] += f.value;
        A.solve_block(block, x);
        for (int k = 0; k < w; ++k)
          if (x[k] != 0) Z_.add(block * w + k, x[k]);
      }
    } else {
      scratch_.assign(dofs, 0.0);
      for (const auto& e : row) scratch_[e.column] += e.value;
      A.solve(scratch_.data());
      for (int k = 0; k < dofs; ++k) Z_.add(k, scratch_[k]);
    }
    Z_.end_row();
  }
}

// Z by columns: who feels an impulse through a degree of freedom
void Delassus::list_columns(int dofs) {
  by_column_first_.assign(dofs + 1, 0);
  for (int i = 0; i < rows(); ++i)
    for (const auto& e : Z_.row(i)) ++by_column_first_[e.column + 1];
  for (int k = 0; k < dofs; ++k) by_column_first_[k + 1] += by_column_first_[k];
  by_column_.resize(by_column_first_[dofs]);
  mark_.assign(by_column_first_.begin(), by_column_first_.end() - 1);  // where the next one goes
  for (int i = 0; i < rows(); ++i)
    for (const auto& e : Z_.row(i)) by_column_[mark_[e.column]++] = {i, e.value};
}

// Row by row: G_ij = Σ_k w_ik z_jk adds to the block (i, j), which is made when first met; then the blocks of
// the row are put in increasing order of j.
void Delassus::build_sparse() {
  const int n = blocks();
  const Pieces pieces(0, n, blocks_a_band);
  first_.resize(n + 1);
  if (static_cast<int>(bands_.size()) < pieces.count) bands_.resize(pieces.count);
  if (pieces.count == 1) {  // into the places they stay
    Band& only = bands_[0];
    only.column.swap(column_), only.value_at.swap(value_at_), only.values.swap(values_);
    build_band(0, n, only);
    only.column.swap(column_), only.value_at.swap(value_at_), only.values.swap(values_);
    first_[n] = static_cast<int>(column_.size());
    return;
  }
  for_parts(pieces.count, [&](int k) { build_band(pieces.first(k), pieces.last(k), bands_[k]); });
  std::size_t columns = 0, values = 0;
  int starts[most_pieces], places[most_pieces];
  for (int k = 0; k < pieces.count; ++k) {
    starts[k] = static_cast<int>(columns), places[k] = static_cast<int>(values);
    columns += bands_[k].column.size(), values += bands_[k].values.size();
  }
  column_.resize(columns), value_at_.resize(columns), values_.resize(values);
  for_parts(pieces.count, [&](int k) {
    const Band& band = bands_[k];
    std::copy(band.column.begin(), band.column.end(), column_.begin() + starts[k]);
    std::copy(band.values.begin(), band.values.end(), values_.begin() + places[k]);
    for (std::size_t i = 0; i < band.value_at.size(); ++i)
      value_at_[starts[k] + i] = band.value_at[i] + places[k];
    for (int i = pieces.first(k); i < pieces.last(k); ++i) first_[i] += starts[k];
  });
  first_[n] = static_cast<int>(columns);
}

void Delassus::build_band(int from, int to, Band& out) {
  out.column.clear(), out.value_at.clear(), out.values.clear();
  out.mark.assign(blocks(), -1);  // where the block (i, j) of the row at hand is
  for (int i = from; i < to; ++i) {
    const int start = first_[i] = static_cast<int>(out.column.size()), si = block_size(i);
    for (int r = offset_[i]; r < offset_[i + 1]; ++r)
      for (const auto& w : std::as_const(W_).row(r))
        for (int k = by_column_first_[w.column]; k < by_column_first_[w.column + 1]; ++k) {
          const SparseRows::Entry& z = by_column_[k];  // its `column` is a row of Z
          const int j = block_of_row_[z.column], sj = block_size(j);
          if (out.mark[j] < start) {
            out.mark[j] = static_cast<int>(out.column.size());
            out.column.push_back(j);
            out.value_at.push_back(static_cast<int>(out.values.size()));
            out.values.resize(out.values.size() + static_cast<std::size_t>(si) * sj, 0.0);
          }
          out.values[out.value_at[out.mark[j]] + (r - offset_[i]) * sj + z.column - offset_[j]] +=
              w.value * z.value;
        }
    const int place = out.mark[i] >= start ? out.value_at[out.mark[i]] : -1;
    if (place >= 0) std::copy_n(out.values.data() + place, si * si, diagonal_.data() + diagonal_at_[i]);
    for (int k = start + 1; k < static_cast<int>(out.column.size()); ++k)
      for (int l = k; l > start && out.column[l - 1] > out.column[l]; --l) {
        std::swap(out.column[l - 1], out.column[l]);
        double* v = out.values.data();
        if (scalar_)  // values follow, so that they lie in the order of the columns
          std::swap(v[l - 1], v[l]);
        else if (pairs_)
          std::swap_ranges(v + 4 * (l - 1), v + 4 * l, v + 4 * l);
        else
          std::swap(out.value_at[l - 1], out.value_at[l]);
      }
  }
}

void Delassus::build_full() {
  const int n = rows();
  values_.resize(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j) {
    Z_.add_to(j, 1, scratch_.data());
    for (int i = 0; i < n; ++i) values_[static_cast<std::size_t>(i) * n + j] = W_.dot(i, scratch_.data());
    for (const auto& e : Z_.row(j)) scratch_[e.column] = 0;
  }
  copy_diagonal();
}

void Delassus::copy_diagonal() {
  const auto n = static_cast<std::size_t>(rows());
  for (int i = 0; i < blocks(); ++i)
    for (int a = 0, k = diagonal_at_[i]; a < block_size(i); ++a)
      for (int b = 0; b < block_size(i); ++b) diagonal_[k++] = values_[(offset_[i] + a) * n + offset_[i] + b];
}

void Delassus::build_product() {
  velocity_.assign(scratch_.size(), 0.0);
  column_sums_.assign(scratch_.size(), 0.0);
  for (int i = 0; i < blocks(); ++i)
    for (int b = 0; b < block_size(i); ++b) {
      Z_.add_to(offset_[i] + b, 1, scratch_.data());
      for (int a = 0; a < block_size(i); ++a)
        diagonal_[diagonal_at_[i] + a * block_size(i) + b] = W_.dot(offset_[i] + a, scratch_.data());
      for (const auto& e : Z_.row(offset_[i] + b)) {
        column_sums_[e.column] += std::abs(e.value);
        scratch_[e.column] = 0;
      }
    }
}

void Delassus::apply(const double* P, double* y) const {
  const int n = rows();
  if (form_ == Form::dense) {
    for (int i = 0; i < n; ++i) y[i] = dot(n, values_.data() + static_cast<std::size_t>(i) * n, P);
  } else if (!bodies_.empty()) {
    velocity_.assign(velocity_.size(), 0.0);
    for (int i = 0; i < blocks(); ++i) bodies_.add(i, P + offset_[i], velocity_.data());
    for_pieces(0, blocks(), blocks_a_band, [&](int from, int to) {
      for (int i = from; i < to; ++i) bodies_.row(i, velocity_.data(), y + offset_[i]);
    });
  } else if (form_ == Form::sparse && scalar_) {
    for_pieces(0, n, blocks_a_band, [&](int from, int to) {
      for (int i = from; i < to; ++i) {
        double sum = 0;
        for (int k = first_[i]; k < first_[i + 1]; ++k) sum += values_[k] * P[column_[k]];
        y[i] = sum;
      }
    });
  } else if (form_ == Form::sparse) {
    for_pieces(0, blocks(), blocks_a_band, [&](int from, int to) {
      for (int i = from; i < to; ++i) row(i, P, y + offset_[i]);
    });
  } else {
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    for (int r = 0; r < n; ++r)
      if (P[r] != 0) Z_.add_to(r, P[r], scratch_.data());
    for (int r = 0; r < n; ++r) y[r] = W_.dot(r, scratch_.data());
  }
}

std::span<const double> Delassus::row_sizes(const double* P) const {
  sizes_.assign(static_cast<std::size_t>(rows()), 0.0);
  if (!has_columns()) {
    for (int i = 0; i < blocks(); ++i)
      for_row(i, [&](int j, const double* g) {
        const int n = block_size(i), m = block_size(j);
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < m; ++b) sizes_[offset(i) + a] += std::abs(g[a * m + b] * P[offset(j) + b]);
      });
    return sizes_;
  }
  const auto at = [&](int k) -> double& {
    if (k >= static_cast<int>(scratch_.size())) scratch_.resize(static_cast<std::size_t>(k) + 1, 0.0);
    return scratch_[k];
  };
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  for (int r = 0; r < rows(); ++r)
    for (const auto& e : Z_.row(r)) at(e.column) += std::abs(e.value * P[r]);
  for (int r = 0; r < rows(); ++r)
    for (const auto& e : W_.row(r)) sizes_[r] += std::abs(e.value) * at(e.column);
  std::fill(scratch_.begin(), scratch_.end(), 0.0);
  return sizes_;
}

void Delassus::to_dense(double* out) const {
  const auto n = static_cast<std::size_t>(rows());
  if (form_ == Form::dense) {
    std::copy_n(values_.data(), n * n, out);
  } else if (form_ == Form::sparse) {
    std::fill_n(out, n * n, 0.0);
    for (int i = 0; i < blocks(); ++i)
      for_row(i, [&](int j, const double* g) {
        for (int a = 0; a < block_size(i); ++a)
          std::copy_n(g + a * block_size(j), block_size(j), out + (offset_[i] + a) * n + offset_[j]);
      });
  } else {
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    for (int j = 0; j < rows(); ++j) {
      Z_.add_to(j, 1, scratch_.data());
      for (int i = 0; i < rows(); ++i) out[i * n + j] = W_.dot(i, scratch_.data());
      for (const auto& e : Z_.row(j)) scratch_[e.column] = 0;
    }
  }
}

void Delassus::begin_sweep(const double* P) {
  if (!bodies_.empty()) {
    velocity_.assign(velocity_.size(), 0.0);
    for (int i = 0; i < blocks(); ++i) bodies_.add(i, P + offset_[i], velocity_.data());
    return;
  }
  if (form_ != Form::product) return;
  std::fill(velocity_.begin(), velocity_.end(), 0.0);
  for (int r = 0; r < rows(); ++r)
    if (P[r] != 0) Z_.add_to(r, P[r], velocity_.data());
}

void Delassus::row(int i, const double* P, double* out) const {
  const int si = block_size(i);
  if (!bodies_.empty()) {
    bodies_.row(i, velocity_.data(), out);
  } else if (form_ == Form::sparse && scalar_) {
    double sum = 0;
    for (int k = first_[i]; k < first_[i + 1]; ++k) sum += values_[k] * P[column_[k]];
    out[0] = sum;
  } else if (pairs()) {
    pair_rows().row(i, P, out);
  } else if (form_ == Form::sparse) {
    std::fill_n(out, si, 0.0);
    for (int k = first_[i]; k < first_[i + 1]; ++k) {
      const int j = column_[k], sj = block_size(j);
      const double *g = values_.data() + value_at_[k], *p = P + offset_[j];
      for (int a = 0; a < si; ++a)
        for (int b = 0; b < sj; ++b) out[a] += g[a * sj + b] * p[b];
    }
  } else if (form_ == Form::dense) {
    const auto n = static_cast<std::size_t>(rows());
    for (int a = 0; a < si; ++a) out[a] = dot(rows(), values_.data() + (offset_[i] + a) * n, P);
  } else {
    for (int a = 0; a < si; ++a) out[a] = W_.dot(offset_[i] + a, velocity_.data());
  }
}

void Delassus::update(int i, const double* dP) {
  if (!bodies_.empty()) return bodies_.add(i, dP, velocity_.data());
  if (form_ != Form::product) return;
  for (int a = 0; a < block_size(i); ++a)
    if (dP[a] != 0) Z_.add_to(offset_[i] + a, dP[a], velocity_.data());
}

}  // namespace saltus
