#include "saltus/contact/body_rows.hpp"

#include <algorithm>

namespace saltus {

void BodyRows::build(const SparseRows& W, const SparseRows& Z, const std::vector<int>& offset, int dofs) {
  dofs_ = dofs;
  first_.clear(), column_.clear(), value_.clear();
  mark_.assign(static_cast<std::size_t>(dofs), -1);
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) {
    Block b{offset[i + 1] - offset[i], 0, static_cast<int>(column_.size()), static_cast<int>(value_.size())};
    const auto find = [&](const SparseRows& rows) {
      for (int r = offset[i]; r < offset[i + 1]; ++r)
        for (const auto& e : rows.row(r))
          if (mark_[e.column] < b.column) {
            mark_[e.column] = static_cast<int>(column_.size());
            column_.push_back(e.column);
          }
    };
    find(W), find(Z);
    b.width = static_cast<int>(column_.size()) - b.column;
    value_.resize(value_.size() + 2 * static_cast<std::size_t>(b.size) * b.width, 0.0);
    double* to = value_.data() + b.value;
    for (const SparseRows* rows : {&W, &Z})
      for (int r = offset[i]; r < offset[i + 1]; ++r, to += b.width)
        for (const auto& e : rows->row(r)) to[mark_[e.column] - b.column] += e.value;
    first_.push_back(b);
  }
}

// Sizes known to the compiler: of one and of two bodies in space; 0: any.
template <int size, int width>
void BodyRows::row_of(const Block& b, const double* v, double* out) const {
  const int n = size > 0 ? size : b.size, m = width > 0 ? width : b.width;
  const int* column = column_.data() + b.column;
  const double* w = value_.data() + b.value;
  if constexpr (size > 0) {
    double sum[size] = {};
    for (int k = 0; k < m; ++k) {
      const double x = v[column[k]];
      for (int a = 0; a < n; ++a) sum[a] += w[a * m + k] * x;
    }
    std::copy_n(sum, n, out);
  } else {
    for (int a = 0; a < n; ++a, w += m) {
      out[a] = 0;
      for (int k = 0; k < m; ++k) out[a] += w[k] * v[column[k]];
    }
  }
}

template <int size, int width>
void BodyRows::add_of(const Block& b, const double* d, double* v) const {
  const int n = size > 0 ? size : b.size, m = width > 0 ? width : b.width;
  const int* column = column_.data() + b.column;
  const double* z = value_.data() + b.value + static_cast<std::ptrdiff_t>(n) * m;
  for (int k = 0; k < m; ++k) {
    double sum = 0;
    for (int a = 0; a < n; ++a) sum += z[a * m + k] * d[a];
    v[column[k]] += sum;
  }
}

void BodyRows::row(int i, const double* v, double* out) const {
  const Block& b = first_[i];
  if (b.size == 3 && b.width == 12) return row_of<3, 12>(b, v, out);
  if (b.size == 3 && b.width == 6) return row_of<3, 6>(b, v, out);
  row_of<0, 0>(b, v, out);
}

void BodyRows::add(int i, const double* d, double* v) const {
  const Block& b = first_[i];
  if (b.size == 3 && b.width == 12) return add_of<3, 12>(b, d, v);
  if (b.size == 3 && b.width == 6) return add_of<3, 6>(b, d, v);
  add_of<0, 0>(b, d, v);
}

void BodyRows::diagonal(int i, double* out) const {
  const Block& b = first_[i];
  const double *w = value_.data() + b.value, *z = w + static_cast<std::ptrdiff_t>(b.size) * b.width;
  for (int a = 0; a < b.size; ++a)
    for (int c = 0; c < b.size; ++c, ++out) {
      *out = 0;
      for (int k = 0; k < b.width; ++k) *out += w[a * b.width + k] * z[c * b.width + k];
    }
}

}  // namespace saltus
