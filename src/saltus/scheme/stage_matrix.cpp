#include "saltus/scheme/stage_matrix.hpp"

#include <algorithm>

namespace saltus {
namespace {

// The pattern of W ∘ J with s stages innermost
Pattern interleaved(const Pattern& p, int s) {
  switch (p.kind) {
    case Pattern::diagonal:
      return {Pattern::blocks, s, nullptr};
    case Pattern::blocks:
      return {Pattern::blocks, p.width * s, nullptr};
    case Pattern::banded:
      return {Pattern::banded, p.width * s + s - 1, nullptr};
    case Pattern::dense:
      return p;
    case Pattern::sparse:
      break;
  }
  auto entries = std::make_shared<Pattern::Entries>();
  for (const auto& [k, l] : *p.entries)
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) entries->emplace_back(k * s + i, l * s + j);
  return {Pattern::sparse, 0, entries};
}

// visit(k, l) for every place of a pattern, the diagonal of a sparse one apart
template <class Visit>
void for_each_place(const Pattern& p, int n, Visit&& visit) {
  if (p.kind == Pattern::sparse) {
    for (const auto& [k, l] : *p.entries) visit(k, l);
    return;
  }
  for (int k = 0; k < n; ++k) {
    int first = 0, last = n - 1;
    if (p.kind == Pattern::diagonal) first = last = k;
    if (p.kind == Pattern::blocks) first = k / p.width * p.width, last = first + p.width - 1;
    if (p.kind == Pattern::banded) first = std::max(0, k - p.width), last = std::min(n - 1, k + p.width);
    for (int l = first; l <= last; ++l) visit(k, l);
  }
}

}  // namespace

StageMatrix::StageMatrix(const Pattern& pattern, int n, int stages)
    : n_(n), s_(stages), pattern_(pattern), matrix_(n * stages, interleaved(pattern, stages)) {}

void StageMatrix::set_identity() {
  matrix_.set_zero();
  for (int k = 0; k < n_ * s_; ++k) matrix_.add(k, k, 1);
}

void StageMatrix::subtract(double factor, const Eigen::MatrixXd& weights, std::span<const Matrix> J,
                           const double* rows) {
  for_each_place(pattern_, n_, [&](int k, int l) {
    const double scale = rows ? factor * rows[k] : factor;
    for (int j = 0; j < s_; ++j) {
      const double value = scale * J[J.size() == 1 ? 0 : static_cast<std::size_t>(j)](k, l);
      if (value == 0) continue;
      for (int i = 0; i < s_; ++i)
        if (weights(i, j) != 0) matrix_.add(at(k, i), at(l, j), -weights(i, j) * value);
    }
  });
}

}  // namespace saltus
