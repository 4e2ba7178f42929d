// Factors and solution of the reduced Newton system (formulas in newton_system.hpp).
#include "saltus/contact/newton_system.hpp"

#include <algorithm>

namespace saltus::detail {
namespace {

constexpr double pivot_floor = 1e-12;  // a scaled pivot below this means a redundant contact
constexpr double growth_limit = 1e11;  // and so does a solution this much larger than its right side

double largest(const std::vector<double>& x, int n) {
  double m = 0;
  for (int k = 0; k < n; ++k) m = std::max(m, std::abs(x[k]));
  return m;
}

}  // namespace

bool NewtonSystem::factorize(const ContactProblem& problem, const Steps& steps, double sigma) {
  number_unknowns(problem);
  storage_ = choose_storage(problem);
  if (storage_ == Storage::eigen_sparse) sigma = std::max(sigma, first_sigma);  // it does not see singularity
  sigma_ = sigma;
  const double smallest = sigma > 0 ? 0 : pivot_floor;
  if (storage_ == Storage::none) return true;
  assemble(problem, steps, sigma);
  switch (storage_) {
    case Storage::none:
    case Storage::single:
      return std::abs(lu_[0]) > smallest && std::isfinite(lu_[0]);
    case Storage::banded:
      return banded_lu(n_, width_, lu_.data(), pivot_.data(), smallest) < 0;
    case Storage::dense:
      return dense_lu(n_, lu_.data(), pivot_.data(), smallest) < 0;
    case Storage::eigen_dense:
      large_.compute(Eigen::Map<Eigen::MatrixXd>(lu_.data(), n_, n_));
      return large_.smallest_pivot() > smallest;
    case Storage::eigen_sparse: {
      Eigen::SparseMatrix<double> K(n_, n_);
      K.setFromTriplets(triplets_.begin(), triplets_.end());
      sparse_.analyse(K);
      return sparse_.factorize(K);
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
      large_.solve(x);
      return;
    case Storage::eigen_sparse:
      sparse_.solve(x);
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

void NewtonSystem::pull(const ContactProblem& problem, const Steps& steps, double sigma, const double* centre,
                        const double* P, double* y) {
  for (int i = 0; i < problem.blocks(); ++i)
    for (int k = problem.G.offset(i); k < problem.G.offset(i + 1); ++k)
      y[k] += sigma * steps.trace[i] * (P[k] - centre[k]);
}

double NewtonSystem::step(const ContactProblem& problem, const Steps& steps, double sigma, double* P,
                          double* y, const double* centre) {
  if (move_to_branches(problem, P)) {
    evaluate(problem, P, y);
    if (centre) pull(problem, steps, sigma, centre, P, y);
  }
  const double asked = sigma;
  for (;; sigma = std::max(first_sigma, 100 * sigma)) {
    if (sigma > 1) return -1;
    const bool fresh = !factored_ || (centre ? sigma_ != sigma : sigma_ < sigma);
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
  if (sigma_ > 0 && !centre) {  // once more: solve the branches, not their regularisation
    evaluate(problem, P, y);
    right_side(problem, steps, P, y);
    solve();
    add_step(problem, P);
  }
  return sigma_;
}

}  // namespace saltus::detail
