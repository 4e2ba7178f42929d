#include "saltus/scheme/runge_kutta/stage_matrix.hpp"

namespace saltus {
namespace {

// The pattern of W ∘ J with s stages innermost
Pattern interleaved(const Pattern& p, int n, int s) {
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
  if (p.is_open()) return p;
  auto entries = std::make_shared<Pattern::Entries>();
  const auto add = [&](int k, int l) {
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) entries->emplace_back(k * s + i, l * s + j);
  };
  for (const auto& [k, l] : *p.entries) add(k, l);
  for (int k = 0; k < n; ++k) add(k, k);
  return {Pattern::sparse, 0, entries};
}

}  // namespace

StageMatrix::StageMatrix(const Pattern& pattern, int n, int stages)
    : n_(n), s_(stages), matrix_(n * stages, interleaved(pattern, n, stages)) {}

// A vanishing pivot leaves the other factor, which exchanges rows.
bool StageMatrix::factorize() {
  without_exchanges_ = false;
  if (matrix_.pattern().kind == Pattern::sparse) {
    const SaddleFactor<double>::Block all{1, &matrix_};
    without_exchanges_ = sparse_.factorize({{&all, 1}, {}, nullptr}) && sparse_.perturbed() == 0;
  }
  return without_exchanges_ || factor_.factorize(matrix_);
}

void StageMatrix::set_identity() {
  matrix_.set_zero();
  for (int k = 0; k < n_ * s_; ++k) matrix_.add(k, k, 1);
}

void StageMatrix::set_mass(const Matrix& M) {
  matrix_.set_zero();
  M.for_each([&](int k, int l, double x) {
    for (int i = 0; x != 0 && i < s_; ++i) matrix_.add(at(k, i), at(l, i), x);
  });
}

void StageMatrix::subtract(double factor, const Eigen::MatrixXd& weights, std::span<const Matrix> J,
                           const double* rows) {
  for (std::size_t b = 0; b < J.size(); ++b) {
    const int first = J.size() == 1 ? 0 : static_cast<int>(b), last = J.size() == 1 ? s_ : first + 1;
    J[b].for_each([&](int k, int l, double x) {
      const double value = (rows ? factor * rows[k] : factor) * x;
      if (value == 0) return;
      for (int j = first; j < last; ++j)
        for (int i = 0; i < s_; ++i)
          if (weights(i, j) != 0) matrix_.add(at(k, i), at(l, j), -weights(i, j) * value);
    });
  }
}

}  // namespace saltus
