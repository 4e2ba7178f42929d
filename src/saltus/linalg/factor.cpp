#include "saltus/linalg/factor.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

// Note one pivot: true when it can be divided by; keeps the smallest ratio |pivot| / column scale.
bool usable(double pivot, double scale, double* smallest) {
  const double p = std::abs(pivot);
  if (smallest) *smallest = std::min(*smallest, scale > 0 ? p / scale : 0.0);
  return std::isfinite(p) && p > 0;
}

}  // namespace

int dense_lu(int n, double* a, int* pivot, double* smallest) {
  if (smallest) *smallest = 1;
  double scale = 0;
  for (int k = 0; k < n * n; ++k) scale = std::max(scale, std::abs(a[k]));
  for (int k = 0; k < n; ++k) {
    double* ck = a + k * n;
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(ck[i]) > std::abs(ck[p])) p = i;
    pivot[k] = p;
    if (!usable(ck[p], scale, smallest)) return k;
    if (p != k)
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + p]);
    const double inverse = 1 / ck[k];
    for (int i = k + 1; i < n; ++i) ck[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* cj = a + j * n;
      const double f = cj[k];
      if (f != 0)
        for (int i = k + 1; i < n; ++i) cj[i] -= f * ck[i];
    }
  }
  return -1;
}

void dense_lu_solve(int n, const double* a, const int* pivot, double* x) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
  for (int k = 0; k < n; ++k)
    if (x[k] != 0)
      for (int i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * x[k];
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k * n + k];
    if (x[k] != 0)
      for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
  }
}

int banded_lu(int n, int w, double* a, int* pivot, double* smallest) {
  if (smallest) *smallest = 1;
  const int stride = 3 * w + 1;
  const auto at = [=](int i, int j) -> double& { return a[i * stride + j - i + w]; };
  double scale = 0;
  for (int k = 0; k < n * stride; ++k) scale = std::max(scale, std::abs(a[k]));
  for (int k = 0; k < n; ++k) {
    const int last_row = std::min(n - 1, k + w);
    int p = k;
    for (int i = k + 1; i <= last_row; ++i)
      if (std::abs(at(i, k)) > std::abs(at(p, k))) p = i;
    pivot[k] = p;
    if (!usable(at(p, k), scale, smallest)) return k;
    const int last_col = std::min(n - 1, k + 2 * w);
    if (p != k)
      for (int j = k; j <= last_col; ++j) std::swap(at(k, j), at(p, j));
    const double inverse = 1 / at(k, k);
    const double* rk = a + k * stride - k + w;
    for (int i = k + 1; i <= last_row; ++i) {
      const double f = at(i, k) *= inverse;
      if (f == 0) continue;
      double* ri = a + i * stride - i + w;
      for (int j = k + 1; j <= last_col; ++j) ri[j] -= f * rk[j];
    }
  }
  return -1;
}

void banded_lu_solve(int n, int w, const double* a, const int* pivot, double* x) {
  const int stride = 3 * w + 1;
  for (int k = 0; k < n; ++k) {
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
    const double xk = x[k];
    for (int i = k + 1; i <= std::min(n - 1, k + w); ++i) x[i] -= a[i * stride + k - i + w] * xk;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double* row = a + k * stride - k + w;
    double sum = x[k];
    for (int j = k + 1; j <= std::min(n - 1, k + 2 * w); ++j) sum -= row[j] * x[j];
    x[k] = sum / row[k];
  }
}

bool Factor::factorize(const Matrix& A) {
  n_ = A.size();
  pattern_ = A.pattern();
  bad_row_ = -1;
  const int w = pattern_.width;
  const auto& v = A.values();
  switch (pattern_.kind) {
    case Pattern::diagonal:
      lu_.resize(v.size());
      for (int i = 0; i < n_; ++i) {
        if (!usable(v[i], 1, nullptr)) {
          bad_row_ = i;
          return false;
        }
        lu_[i] = 1 / v[i];
      }
      return true;
    case Pattern::blocks:
      lu_.resize(v.size());
      pivot_.resize(n_);
      for (int b = 0; b < n_ / w; ++b) {
        double* block = lu_.data() + b * w * w;
        for (int i = 0; i < w; ++i)  // row-major to column-major
          for (int j = 0; j < w; ++j) block[j * w + i] = v[(b * w + i) * w + j];
        const int bad = dense_lu(w, block, pivot_.data() + b * w);
        if (bad >= 0) {
          bad_row_ = b * w + bad;
          return false;
        }
      }
      return true;
    case Pattern::banded: {
      const int in = 2 * w + 1, out = 3 * w + 1;
      lu_.assign(static_cast<std::size_t>(n_) * out, 0.0);
      pivot_.resize(n_);
      for (int i = 0; i < n_; ++i) std::copy_n(v.data() + i * in, in, lu_.data() + i * out);
      bad_row_ = banded_lu(n_, w, lu_.data(), pivot_.data());
      return bad_row_ < 0;
    }
    case Pattern::dense:
      lu_ = v;
      pivot_.resize(n_);
      bad_row_ = dense_lu(n_, lu_.data(), pivot_.data());
      return bad_row_ < 0;
    case Pattern::sparse:
      if (!A.all_finite()) {
        bad_row_ = 0;
        return false;
      }
      if (!sparse_) {
        sparse_ = std::make_shared<Eigen::SparseLU<Eigen::SparseMatrix<double>>>();
        sparse_->analyzePattern(A.sparse());
      }
      sparse_->factorize(A.sparse());
      if (sparse_->info() != Eigen::Success) bad_row_ = 0;
      return bad_row_ < 0;
  }
  return false;
}

void Factor::solve(double* x) const {
  switch (pattern_.kind) {
    case Pattern::diagonal:
      for (int i = 0; i < n_; ++i) x[i] *= lu_[i];
      return;
    case Pattern::blocks:
      for (int b = 0; b < n_ / pattern_.width; ++b) solve_block(b, x + b * pattern_.width);
      return;
    case Pattern::banded:
      return banded_lu_solve(n_, pattern_.width, lu_.data(), pivot_.data(), x);
    case Pattern::dense:
      return dense_lu_solve(n_, lu_.data(), pivot_.data(), x);
    case Pattern::sparse: {
      Eigen::Map<Vec> view(x, n_);
      view = sparse_->solve(Vec(view)).eval();
      return;
    }
  }
}

void Factor::solve_block(int block, double* x) const {
  const int w = pattern_.width;
  dense_lu_solve(w, lu_.data() + block * w * w, pivot_.data() + block * w, x);
}

}  // namespace saltus
