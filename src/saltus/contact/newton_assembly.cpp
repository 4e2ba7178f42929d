// Numbering, entries and storage of the reduced Newton system (formulas in newton_system.hpp).
#include <algorithm>

#include "saltus/contact/newton_system.hpp"

namespace saltus::detail {
namespace {

constexpr int widest_band = 64, largest_dense = 300;

}  // namespace

int NewtonSystem::unknowns(Branch branch, int size) {
  switch (branch) {
    case Branch::fixed:
      return 0;
    case Branch::slide:
      return 1;
    case Branch::turn:
      return 2;
    case Branch::full:
    case Branch::general:
      return size;
  }
  return size;
}

void NewtonSystem::number_unknowns(const ContactProblem& problem) {
  position_.resize(branch_.size());
  scale_.resize(root_.size());
  n_ = 0;
  all_full_ = true;
  for (int i = 0; i < problem.blocks(); ++i) {
    all_full_ = all_full_ && branch_[i] == Branch::full;
    const int m = unknowns(branch_[i], problem.G.block_size(i)), at = problem.G.offset(i);
    position_[i] = m > 0 ? n_ : -1;
    for (int a = 0; a < m; ++a) scale_[n_ + a] = root_[at + a] > 0 ? root_[at + a] : 1;
    n_ += m;
  }
  x_.resize(root_.size());
  pivot_.resize(root_.size());
}

// out ← g C_j, si rows; returns g itself where C_j is the identity
const double* NewtonSystem::reduce_columns(int j, int si, int sj, const double* g, double* out) const {
  if (branch_[j] == Branch::full || branch_[j] == Branch::general) return g;
  const Tangent& t = tangent_[j];
  const int m = unknowns(branch_[j], sj);
  for (int a = 0; a < si; ++a) {
    const double* row = g + a * sj;
    out[a * m] = row[0];
    for (int b = 1; b < sj; ++b) out[a * m] += row[b] * t.slope[b - 1];
    if (m == 2) out[a * 2 + 1] = row[1] * t.turn[0] + row[2] * t.turn[1];
  }
  return out;
}

// out ← B_i g, `columns` columns; returns g itself where B_i is the identity
const double* NewtonSystem::reduce_rows(int i, int si, int columns, const double* g, double* out) const {
  const Tangent& t = tangent_[i];
  switch (branch_[i]) {
    case Branch::turn:
      for (int b = 0; b < columns; ++b) {
        out[b] = g[b];
        out[columns + b] = t.turn[0] * g[columns + b] + t.turn[1] * g[2 * columns + b];
      }
      return out;
    case Branch::general: {
      const double* D = jacobian_.data() + i * block_area;
      std::fill_n(out, si * columns, 0.0);
      for (int a = 0; a < si; ++a)
        for (int k = 0; k < si; ++k)
          for (int b = 0; b < columns; ++b) out[a * columns + b] += D[a * si + k] * g[k * columns + b];
      return out;
    }
    default:
      return g;  // full: all rows; slide: the first
  }
}

// put(u, v, value) for every entry of the unscaled B (G + σ trace) C + S
template <class Put>
void NewtonSystem::for_each_entry(const ContactProblem& problem, const Steps& steps, double sigma,
                                  Put&& put) {
  const Delassus& G = problem.G;
  double right[block_area], both[block_area];
  const auto put_block = [&](int i, int j, const double* g) {
    const int si = G.block_size(i), mi = unknowns(branch_[i], si), mj = unknowns(branch_[j], G.block_size(j));
    if (mi == 1 && mj == 1 && branch_[i] == Branch::full && branch_[j] == Branch::full)
      return put(position_[i], position_[j], *g);
    const double* k = reduce_rows(i, si, mj, reduce_columns(j, si, G.block_size(j), g, right), both);
    for (int a = 0; a < mi; ++a)
      for (int b = 0; b < mj; ++b) put(position_[i] + a, position_[j] + b, k[a * mj + b]);
  };
  for (int i = 0; i < problem.blocks(); ++i) {
    const int p = position_[i], n = G.block_size(i);
    if (p < 0) continue;
    if (G.form() != Delassus::Form::product)
      G.for_row(i, [&](int j, const double* g) {
        if (position_[j] >= 0) put_block(i, j, g);
      });
    const double ridge = sigma * steps.trace[i];
    if (branch_[i] == Branch::general) {
      const double* D = jacobian_.data() + i * block_area;
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
          put(p + a, p + b, ((a == b) - D[a * n + b]) / steps.rho[i] + ridge * D[a * n + b]);
      continue;
    }
    for (int a = 0; a < unknowns(branch_[i], n); ++a) put(p + a, p + a, ridge);
    if (branch_[i] == Branch::turn) put(p + 1, p + 1, tangent_[i].stiffness);
  }
  if (G.form() == Delassus::Form::product) for_each_column(problem, put);
}

// The product form has G only by its columns.
template <class Put>
void NewtonSystem::for_each_column(const ContactProblem& problem, Put&& put) {
  const Delassus& G = problem.G;
  unit_.assign(root_.size(), 0.0);
  column_.resize(root_.size());
  double reduced[block_area];
  for (int j = 0; j < problem.blocks(); ++j) {
    if (position_[j] < 0) continue;
    const int sj = G.block_size(j), mj = unknowns(branch_[j], sj);
    double identity[block_area] = {}, right[block_area];
    for (int a = 0; a < sj; ++a) identity[a * sj + a] = 1;
    const double* C = reduce_columns(j, sj, sj, identity, right);
    for (int b = 0; b < mj; ++b) {
      for (int a = 0; a < sj; ++a) unit_[G.offset(j) + a] = C[a * mj + b];
      G.apply(unit_.data(), column_.data());
      for (int i = 0; i < problem.blocks(); ++i) {
        if (position_[i] < 0) continue;
        const double* k = reduce_rows(i, G.block_size(i), 1, column_.data() + G.offset(i), reduced);
        for (int a = 0; a < unknowns(branch_[i], G.block_size(i)); ++a)
          put(position_[i] + a, position_[j] + b, k[a]);
      }
    }
    std::fill_n(unit_.data() + G.offset(j), sj, 0.0);
  }
}

NewtonSystem::Storage NewtonSystem::choose_storage(const ContactProblem& problem) {
  if (n_ == 0) return Storage::none;
  if (n_ == 1) return Storage::single;
  const bool sparse = problem.G.form() == Delassus::Form::sparse;
  width_ = n_;
  if (sparse && n_ > 4) {
    width_ = 0;
    for (int i = 0; i < problem.blocks(); ++i)
      if (position_[i] >= 0)
        problem.G.for_row(i, [&](int j, const double*) {
          if (position_[j] < 0) return;
          const int top = position_[i] + unknowns(branch_[i], problem.G.block_size(i)) - 1;
          width_ = std::max(width_, top - position_[j]);  // the structure is symmetric
        });
  }
  if (width_ <= widest_band && 3 * width_ < n_) return Storage::banded;
  if (n_ <= largest_dense) return Storage::dense;
  return sparse ? Storage::eigen_sparse : Storage::eigen_dense;
}

void NewtonSystem::assemble(const ContactProblem& problem, const Steps& steps, double sigma) {
  const auto n = static_cast<std::size_t>(n_);
  const auto fill = [&](auto&& place) {
    for_each_entry(problem, steps, sigma,
                   [&](int u, int v, double value) { place(u, v) += scale_[u] * value * scale_[v]; });
  };
  if (storage_ == Storage::banded) {
    const std::ptrdiff_t stride = 3 * width_ + 1;
    lu_.assign(n * stride, 0.0);
    fill([&](int u, int v) -> double& { return lu_[u * stride + v - u + width_]; });
  } else if (storage_ == Storage::eigen_sparse) {
    triplets_.clear();
    for_each_entry(problem, steps, sigma, [&](int u, int v, double value) {
      triplets_.emplace_back(u, v, scale_[u] * value * scale_[v]);
    });
  } else {
    lu_.assign(n * n, 0.0);
    fill([&](int u, int v) -> double& { return lu_[v * n + u]; });
  }
}

}  // namespace saltus::detail
