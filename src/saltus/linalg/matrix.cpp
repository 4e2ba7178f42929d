#include "saltus/linalg/matrix.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/pattern.hpp"

namespace saltus {
Pattern::Entries entries_of(const Pattern& p, int n) {
  Pattern::Entries out;
  switch (p.kind) {
    case Pattern::diagonal:
      break;  // implied
    case Pattern::blocks:
      for (int i = 0; i < n; ++i)
        for (int j = i / p.width * p.width; j < (i / p.width + 1) * p.width; ++j) out.emplace_back(i, j);
      break;
    case Pattern::banded:
      for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - p.width); j <= std::min(n - 1, i + p.width); ++j) out.emplace_back(i, j);
      break;
    case Pattern::dense:
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) out.emplace_back(i, j);
      break;
    case Pattern::sparse:
      if (p.entries) out = *p.entries;
      break;
  }
  return out;
}

Pattern pattern_holding(int n, Pattern::Entries places) {
  int width = 0;
  for (const auto& [i, j] : places) width = std::max(width, std::abs(i - j));
  if (width == 0) return {Pattern::diagonal, 0, nullptr};
  if (4 * width + 2 <= n) return {Pattern::banded, width, nullptr};
  if (n < 64 || places.size() * 8 > static_cast<std::size_t>(n) * n) return {Pattern::dense, 0, nullptr};
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return {Pattern::sparse, 0, std::make_shared<const Pattern::Entries>(std::move(places))};
}

Pattern merge(const Pattern& a, const Pattern& b, int n) {
  if (b.kind < a.kind) return merge(b, a, n);  // now a.kind <= b.kind
  if (a.kind == Pattern::diagonal || b.kind == Pattern::dense) return b;
  if (a.kind == Pattern::dense) return a;
  if (b.is_open()) return b;
  if (b.kind == Pattern::sparse) {
    if (a.is_open()) return a;
    auto all = entries_of(a, n);
    const auto more = entries_of(b, n);
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return {Pattern::sparse, 0, std::make_shared<const Pattern::Entries>(std::move(all))};
  }
  if (a.kind == Pattern::blocks && b.kind == Pattern::blocks && a.width == b.width) return a;
  const auto reach = [](const Pattern& p) { return p.kind == Pattern::blocks ? p.width - 1 : p.width; };
  return {Pattern::banded, std::max(reach(a), reach(b)), nullptr};
}

Matrix::Matrix(int n, Pattern pattern) : n_(n), pattern_(std::move(pattern)) {
  if (n < 0) fail("a matrix cannot have size {}", n);
  const auto un = static_cast<std::size_t>(n);
  const auto w = static_cast<std::size_t>(pattern_.width);
  switch (pattern_.kind) {
    case Pattern::diagonal:
      values_.assign(un, 0.0);
      break;
    case Pattern::blocks:
      if (pattern_.width < 1 || n % pattern_.width != 0)
        fail("block width {} does not divide the matrix size {}", pattern_.width, n);
      values_.assign(un * w, 0.0);
      break;
    case Pattern::banded:
      if (pattern_.width < 0) fail("half-bandwidth {} is negative", pattern_.width);
      values_.assign(un * (2 * w + 1), 0.0);
      break;
    case Pattern::dense:
      values_.assign(un * un, 0.0);
      break;
    case Pattern::sparse: {
      std::vector<Eigen::Triplet<double>> triplets;
      for (int i = 0; i < n; ++i) triplets.emplace_back(i, i, 0.0);
      for (const auto& [i, j] : entries_of(pattern_, n)) {
        if (i < 0 || j < 0 || i >= n || j >= n)
          fail("sparse entry ({}, {}) lies outside a {}×{} matrix", i, j, n, n);
        triplets.emplace_back(i, j, 0.0);
      }
      sparse_.resize(n, n);
      sparse_.setFromTriplets(triplets.begin(), triplets.end());
      sparse_.makeCompressed();
      break;
    }
  }
}

const double* Matrix::find(int i, int j) const {
  const auto at = [this](int k) { return values_.data() + k; };
  switch (pattern_.kind) {
    case Pattern::diagonal:
      return i == j ? at(i) : nullptr;
    case Pattern::blocks: {
      const int w = pattern_.width;
      return i / w == j / w ? at(i * w + j % w) : nullptr;
    }
    case Pattern::banded: {
      const int w = pattern_.width;
      return std::abs(i - j) <= w ? at(i * (2 * w + 1) + j - i + w) : nullptr;
    }
    case Pattern::dense:
      return at(j * n_ + i);
    case Pattern::sparse: {
      const int* first = sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[j];
      const int* count = sparse_.innerNonZeroPtr();  // of an open pattern, whose columns have spare places
      const int* last = count ? first + count[j] : sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[j + 1];
      const int* it = std::lower_bound(first, last, i);
      return it != last && *it == i ? sparse_.valuePtr() + (it - sparse_.innerIndexPtr()) : nullptr;
    }
  }
  return nullptr;
}

double* Matrix::entry(int i, int j) {
  const bool inside = i >= 0 && j >= 0 && i < n_ && j < n_;
  if (inside && pattern_.is_open()) return &sparse_.coeffRef(i, j);
  const double* p = inside ? find(i, j) : nullptr;
  if (!p) fail("entry ({}, {}) lies outside the pattern of a {}×{} matrix", i, j, n_, n_);
  return const_cast<double*>(p);
}

double Matrix::operator()(int i, int j) const {
  const double* p = find(i, j);
  return p ? *p : 0.0;
}

void Matrix::set_zero() {
  std::fill(values_.begin(), values_.end(), 0.0);
  if (pattern_.is_open()) return clear_open();
  if (pattern_.kind == Pattern::sparse) sparse_.coeffs().setZero();
}

// Entries that are zero go, so that the pattern is that of now and of the last time; their places stay for
// new ones. A copy of a matrix has no spare places: it gets them here.
void Matrix::clear_open() {
  constexpr int spare = 24;  // per column: eight bodies of three coordinates
  if (sparse_.isCompressed()) sparse_.reserve(Eigen::VectorXi::Constant(n_, spare));
  for (int j = 0; j < n_; ++j) {
    int keep = sparse_.outerIndexPtr()[j];
    for (int k = keep, last = keep + sparse_.innerNonZeroPtr()[j]; k < last; ++k) {
      const int i = sparse_.innerIndexPtr()[k];
      if (sparse_.valuePtr()[k] == 0 && i != j) continue;
      sparse_.innerIndexPtr()[keep] = i;
      sparse_.valuePtr()[keep++] = 0;
    }
    sparse_.innerNonZeroPtr()[j] = keep - sparse_.outerIndexPtr()[j];
  }
}

void Matrix::add_scaled(double alpha, const Matrix& B) {
  if (B.n_ != n_) fail("cannot add a matrix of size {} to one of size {}", B.n_, n_);
  if (pattern_.kind == B.pattern_.kind && pattern_.width == B.pattern_.width &&
      pattern_.kind != Pattern::sparse) {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += alpha * B.values_[k];
    return;
  }
  B.for_each([&](int i, int j, double v) { *entry(i, j) += alpha * v; });
}

void Matrix::multiply_add_coupled(double alpha, const double* x, double* y) const {
  for_each([=](int i, int j, double v) { y[i] += alpha * v * x[j]; });
}

double Matrix::bilinear(In x, In y) const {
  const double *left = x.data(), *right = y.data();
  double sum = 0;
  for_each([&](int i, int j, double v) { sum += left[i] * v * right[j]; });
  return sum;
}

bool Matrix::all_finite() const {
  bool ok = true;
  for_each([&](int, int, double v) { ok = ok && std::isfinite(v); });
  return ok;
}

}  // namespace saltus
