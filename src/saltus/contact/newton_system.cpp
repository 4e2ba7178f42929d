// Assembly, factors and solution of the reduced Newton system (formulas in newton_system.hpp).
#include "saltus/contact/newton_system.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace saltus::detail {
namespace {

constexpr double pivot_floor = 1e-12;  // a scaled pivot below this means a redundant contact
constexpr double growth_limit = 1e11;  // and so does a solution this much larger than its right side
constexpr int widest_band = 64, largest_dense = 300;

double largest(const std::vector<double>& x, int n) {
  double m = 0;
  for (int k = 0; k < n; ++k) m = std::max(m, std::abs(x[k]));
  return m;
}

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

// put(u, v, value) for every entry of the unscaled B G C + S
template <class Put>
void NewtonSystem::for_each_entry(const ContactProblem& problem, const Steps& steps, Put&& put) {
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
    if (branch_[i] == Branch::turn) put(p + 1, p + 1, tangent_[i].stiffness);
    if (branch_[i] == Branch::general)
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b)
          put(p + a, p + b, ((a == b) - jacobian_[i * block_area + a * n + b]) / steps.rho[i]);
  }
  if (G.form() == Delassus::Form::product) for_each_column(problem, put);
}

// The product form knows G only by its columns.
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
    for_each_entry(problem, steps,
                   [&](int u, int v, double value) { place(u, v) += scale_[u] * value * scale_[v]; });
    for (int u = 0; u < n_; ++u) place(u, u) += sigma;
  };
  if (storage_ == Storage::banded) {
    const std::ptrdiff_t stride = 3 * width_ + 1;
    lu_.assign(n * stride, 0.0);
    fill([&](int u, int v) -> double& { return lu_[u * stride + v - u + width_]; });
  } else if (storage_ == Storage::eigen_sparse) {
    triplets_.clear();
    for_each_entry(problem, steps, [&](int u, int v, double value) {
      triplets_.emplace_back(u, v, scale_[u] * value * scale_[v]);
    });
    for (int u = 0; u < n_; ++u) triplets_.emplace_back(u, u, sigma);
  } else {
    lu_.assign(n * n, 0.0);
    fill([&](int u, int v) -> double& { return lu_[v * n + u]; });
  }
}

bool NewtonSystem::factorize(const ContactProblem& problem, const Steps& steps, double sigma) {
  number_unknowns(problem);
  storage_ = choose_storage(problem);
  if (storage_ == Storage::eigen_sparse) sigma = std::max(sigma, first_sigma);  // it does not see singularity
  sigma_ = sigma;
  const double floor = sigma > 0 ? 0 : pivot_floor;
  if (storage_ == Storage::none) return true;
  assemble(problem, steps, sigma);
  switch (storage_) {
    case Storage::none:
    case Storage::single:
      return std::abs(lu_[0]) > floor && std::isfinite(lu_[0]);
    case Storage::banded:
      return banded_lu(n_, width_, lu_.data(), pivot_.data(), floor) < 0;
    case Storage::dense:
      return dense_lu(n_, lu_.data(), pivot_.data(), floor) < 0;
    case Storage::eigen_dense:
      large_ = std::make_unique<Eigen::PartialPivLU<Eigen::MatrixXd>>(
          Eigen::Map<Eigen::MatrixXd>(lu_.data(), n_, n_));
      return large_->matrixLU().diagonal().cwiseAbs().minCoeff() > floor;
    case Storage::eigen_sparse: {
      Eigen::SparseMatrix<double> K(n_, n_);
      K.setFromTriplets(triplets_.begin(), triplets_.end());
      sparse_ = std::make_unique<Eigen::SparseLU<Eigen::SparseMatrix<double>>>(K);
      return sparse_->info() == Eigen::Success;
    }
  }
  return false;
}

// x_ ← scaled −B y − S q
void NewtonSystem::right_side(const ContactProblem& problem, const Steps& steps, const double* P,
                              const double* y) {
  if (all_full_) {
    for (int k = 0; k < n_; ++k) x_[k] = -y[k] * scale_[k];
    return;
  }
  for (int i = 0; i < problem.blocks(); ++i) {
    const int p = position_[i];
    if (p < 0) continue;
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const Tangent& t = tangent_[i];
    switch (branch_[i]) {
      case Branch::fixed:
        break;
      case Branch::full:
        for (int a = 0; a < n; ++a) x_[p + a] = -y[at + a] * scale_[p + a];
        break;
      case Branch::turn: {
        const double q = t.turn[0] * P[at + 1] + t.turn[1] * P[at + 2];
        const double v = t.turn[0] * y[at + 1] + t.turn[1] * y[at + 2];
        x_[p + 1] = -(v + t.stiffness * q) * scale_[p + 1];
        [[fallthrough]];
      }
      case Branch::slide:
        x_[p] = -y[at] * scale_[p];
        break;
      case Branch::general:
        for (int a = 0; a < n; ++a) {
          double sum = target_[at + a] - P[at + a];
          for (int b = 0; b < n; ++b)
            sum += jacobian_[i * block_area + a * n + b] * (P[at + b] - steps.rho[i] * y[at + b]);
          x_[p + a] = sum / steps.rho[i] * scale_[p + a];
        }
        break;
    }
  }
}

void NewtonSystem::solve() {
  Eigen::Map<Vec> x(x_.data(), n_);
  switch (storage_) {
    case Storage::none:
      return;
    case Storage::single:
      x_[0] /= lu_[0];
      return;
    case Storage::banded:
      return banded_lu_solve(n_, width_, lu_.data(), pivot_.data(), x_.data());
    case Storage::dense:
      return dense_lu_solve(n_, lu_.data(), pivot_.data(), x_.data());
    case Storage::eigen_dense:
      x = large_->solve(Vec(x)).eval();
      return;
    case Storage::eigen_sparse:
      x = sparse_->solve(Vec(x)).eval();
      return;
  }
}

// P += C δq
void NewtonSystem::add_step(const ContactProblem& problem, double* P) const {
  if (all_full_) {
    for (int k = 0; k < n_; ++k) P[k] += x_[k] * scale_[k];
    return;
  }
  for (int i = 0; i < problem.blocks(); ++i) {
    const int p = position_[i];
    if (p < 0) continue;
    const int at = problem.G.offset(i), n = problem.G.block_size(i);
    const double d = x_[p] * scale_[p];
    P[at] += d;
    if (branch_[i] == Branch::full || branch_[i] == Branch::general) {
      for (int a = 1; a < n; ++a) P[at + a] += x_[p + a] * scale_[p + a];
    } else {
      const Tangent& t = tangent_[i];
      const double q = branch_[i] == Branch::turn ? x_[p + 1] * scale_[p + 1] : 0;
      for (int a = 1; a < n; ++a) P[at + a] += t.slope[a - 1] * d + t.turn[a - 1] * q;
    }
  }
}

double NewtonSystem::step(const ContactProblem& problem, const Steps& steps, double sigma, double* P,
                          double* y) {
  if (move_to_branches(problem, P)) evaluate(problem, P, y);
  const double asked = sigma;
  for (;; sigma = std::max(first_sigma, 100 * sigma)) {
    if (sigma > 1) return -1;
    const bool fresh = !factored_ || sigma_ < sigma;
    if (fresh) {
      factored_ = factorize(problem, steps, sigma);
      keep_ = asked == 0;
    }
    if (!factored_) continue;
    right_side(problem, steps, P, y);
    const double size = fresh ? largest(x_, n_) : 0;
    solve();
    if (!fresh || largest(x_, n_) <= growth_limit * size) break;
    factored_ = false;
  }
  add_step(problem, P);
  if (sigma_ > 0) {  // once more with the same factors: the branches are solved, not their regularisation
    evaluate(problem, P, y);
    right_side(problem, steps, P, y);
    solve();
    add_step(problem, P);
  }
  return sigma_;
}

}  // namespace saltus::detail
