#include "saltus/linalg/factor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace saltus {
namespace {

constexpr double working_precision = 4 * std::numeric_limits<double>::epsilon();

// Whether |pivot| is a number above floor · scale
bool usable(double pivot, double scale, double floor) {
  const double p = std::abs(pivot);
  return std::isfinite(p) && p > 0 && p >= floor * scale;
}

// x ← x − f · column, for four columns at once: x is read and written once
void subtract_columns(int n, const double* c, int stride, const double* f, double* x) {
  const double *c0 = c, *c1 = c + stride, *c2 = c + 2 * stride, *c3 = c + 3 * stride;
  const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  for (int i = 0; i < n; ++i) x[i] -= (f0 * c0[i] + f1 * c1[i]) + (f2 * c2[i] + f3 * c3[i]);
}

// x ← L⁻¹ x for the first k columns of L (unit lower, column-major, n rows); the rows below k are reduced
// too.
void forward(int n, int k, const double* a, double* x) {
  int j = 0;
  for (; j + 4 <= k; j += 4) {
    const double* c = a + j * n + j;
    x[j + 1] -= c[1] * x[j];
    x[j + 2] -= c[2] * x[j] + c[n + 2] * x[j + 1];
    x[j + 3] -= c[3] * x[j] + c[n + 3] * x[j + 1] + c[2 * n + 3] * x[j + 2];
    subtract_columns(n - j - 4, c + 4, n, x + j, x + j + 4);
  }
  for (; j < k; ++j)
    for (int i = j + 1; i < n; ++i) x[i] -= a[j * n + i] * x[j];
}

}  // namespace

// Column by column (left-looking). A pivot much smaller than its column is measured against the terms whose
// sum it is, |a_pk| + Σ_j |l_pj u_jk|: what cancellation leaves over is rounding, a small entry of old is
// not.
int dense_lu(int n, double* a, int* pivot, double floor) {
  for (int k = 0; k < n; ++k) {
    double* ck = a + k * n;
    for (int j = 0; j < k; ++j)
      if (pivot[j] != j) std::swap(ck[j], ck[pivot[j]]);
    double before = 0;
    for (int i = 0; i < n; ++i) before = std::max(before, std::abs(ck[i]));
    forward(n, k, a, ck);
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(ck[i]) > std::abs(ck[p])) p = i;
    pivot[k] = p;
    double scale = 0;
    if (std::abs(ck[p]) < 1e-3 * before) {
      scale = std::abs(ck[p]);
      for (int j = 0; j < k; ++j) scale += 2 * std::abs(a[j * n + p] * ck[j]);
    }
    if (!usable(ck[p], scale, floor)) return k;
    if (p != k)
      for (int j = 0; j <= k; ++j) std::swap(a[j * n + k], a[j * n + p]);
    const double inverse = 1 / ck[k];
    for (int i = k + 1; i < n; ++i) ck[i] *= inverse;
  }
  return -1;
}

void dense_lu_solve(int n, const double* a, const int* pivot, double* x) {
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
  forward(n, n, a, x);
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k * n + k];
    if (x[k] != 0)
      for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * x[k];
  }
}

// Rows are exchanged only for a pivot ten times larger: symmetric positive systems stay narrow. The diagonal
// keeps the reciprocals of the pivots. The last place of row k stays unused until step k, so it
// keeps the scale of column k until then.
int banded_lu(int n, int w, double* a, int* pivot, double floor) {
  const std::ptrdiff_t stride = 3 * w + 1;
  const auto row = [=](int i) { return a + i * (stride - 1) + w; };  // row(i)[j] is entry (i, j)
  if (w > 0)
    for (int i = 0; i < n; ++i)
      for (int j = std::max(0, i - w); j <= std::min(n - 1, i + w); ++j) {
        double& scale = a[j * stride + 3 * w];
        scale = std::max(scale, std::abs(row(i)[j]));
      }
  for (int k = 0; k < n; ++k) {
    const int last_row = std::min(n - 1, k + w), last_col = std::min(n - 1, k + 2 * w);
    const double scale = w > 0 ? std::exchange(a[k * stride + 3 * w], 0.0) : std::abs(a[k]);
    int p = k;
    for (int i = k + 1; i <= last_row; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;
    if (std::abs(row(k)[k]) >= 0.1 * std::abs(row(p)[k])) p = k;
    pivot[k] = p;
    if (!usable(row(p)[k], scale, floor)) return k;
    if (p != k)
      for (int j = k; j <= last_col; ++j) std::swap(row(k)[j], row(p)[j]);
    double* rk = row(k);
    rk[k] = 1 / rk[k];
    for (int i = k + 1; i <= last_row; ++i) {
      double* ri = row(i);
      const double f = ri[k] *= rk[k];
      if (f == 0) continue;
      for (int j = k + 1; j <= last_col; ++j) ri[j] -= f * rk[j];
    }
  }
  return -1;
}

namespace {

// w = 1 without exchanges, the system of every chain: nothing waits but one product and one difference per
// row.
void solve_tridiagonal(int n, const double* a, double* x) {
  double last = x[0];
  for (int k = 1; k < n; ++k) last = x[k] -= a[4 * k] * last;
  last = 0;
  for (int k = n - 1; k >= 0; --k) {
    const double inverse = a[4 * k + 1];
    last = x[k] = x[k] * inverse - a[4 * k + 2] * inverse * last;
  }
}

}  // namespace

void banded_lu_solve(int n, int w, const double* a, const int* pivot, double* x) {
  const std::ptrdiff_t stride = 3 * w + 1;
  int exchanges = 0;
  for (int k = 0; k < n; ++k) exchanges += pivot[k] != k;
  if (w == 1 && exchanges == 0) return solve_tridiagonal(n, a, x);
  for (int k = 0; k < n; ++k) {
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
    const double* below = a + k * stride + w;
    const double xk = x[k];
    const int rows = std::min(w, n - 1 - k);
    for (int i = 1; i <= rows; ++i) x[k + i] -= below[i * (stride - 1)] * xk;
  }
  const int reach = exchanges > 0 ? 2 * w : w;  // of U
  for (int k = n - 1; k >= 0; --k) {
    const double* row = a + k * stride + w;
    const int columns = std::min(reach, n - 1 - k);
    double sum = x[k];
    for (int j = columns; j >= 1; --j) sum -= row[j] * x[k + j];
    x[k] = sum * row[0];
  }
}

namespace {

// Whether two compressed matrices have their entries at the same places.
bool same_places(const Eigen::SparseMatrix<double>& A, const Eigen::SparseMatrix<double>& B) {
  return A.nonZeros() == B.nonZeros() && A.outerSize() == B.outerSize() &&
         std::equal(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1, B.outerIndexPtr()) &&
         std::equal(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros(), B.innerIndexPtr());
}

}  // namespace

bool Factor::factorize(const Matrix& A) {
  bool analysed = sparse_ && !sparse_.is_shared() && n_ == A.size() && pattern_.kind == A.pattern().kind &&
                  pattern_.entries == A.pattern().entries;
  n_ = A.size();
  pattern_ = A.pattern();
  bad_row_ = -1;
  const int w = pattern_.width;
  const auto& v = A.values();
  switch (pattern_.kind) {
    case Pattern::diagonal:
      lu_.resize(v.size());
      for (int i = 0; i < n_; ++i) {
        if (!usable(v[i], 0, 0)) {
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
        const int bad = dense_lu(w, block, pivot_.data() + b * w, working_precision);
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
      bad_row_ = banded_lu(n_, w, lu_.data(), pivot_.data(), working_precision);
      return bad_row_ < 0;
    }
    case Pattern::dense:
      lu_ = v;
      pivot_.resize(n_);
      bad_row_ = dense_lu(n_, lu_.data(), pivot_.data(), working_precision);
      return bad_row_ < 0;
    case Pattern::sparse:
      if (!A.all_finite()) {
        bad_row_ = 0;
        return false;
      }
      if (!pattern_.is_open()) return factorize_sparse(A.sparse(), analysed);
      // without the zeros of entries that were: the order of elimination is to depend on this matrix alone
      Eigen::SparseMatrix<double> now = A.sparse();
      now.makeCompressed();
      now.prune([](Eigen::Index i, Eigen::Index j, double x) { return i == j || x != 0; });
      analysed = analysed && same_places(now, packed_);
      packed_.swap(now);
      return factorize_sparse(packed_, analysed);
  }
  return false;
}

bool Factor::factorize_sparse(const Eigen::SparseMatrix<double>& A, bool analysed) {
  if (!analysed) sparse_.analyse(A);  // also when a copy of this factor shares it
  if (!sparse_.factorize(A)) bad_row_ = 0;
  return bad_row_ < 0;
}

void Factor::solve_coupled(double* x) const {
  switch (pattern_.kind) {
    case Pattern::diagonal:
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
      return sparse_.solve(view);
    }
  }
}

void Factor::solve_block(int block, double* x) const {
  const int w = pattern_.width;
  dense_lu_solve(w, lu_.data() + block * w * w, pivot_.data() + block * w, x);
}

}  // namespace saltus
