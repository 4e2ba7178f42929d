// The last digits. Inside the cone r̂ and û cannot both be exact, and rounding ends the descent near 1e-10.
// From there proximal point steps lead on: with r the impulse so far and a large ρ,
//
//     P = prox(r − ρ y),   y = Wᵀ v + c,   v = Z P
//
// is a contact problem whose contacts give a little, pulled towards r. One or two semi-smooth Newton steps on
// v − Z prox(r − ρ (Wᵀ v + c)) = 0 solve it when r is close, with the matrix 1 + Σ_i Z_i ρ_i ∂prox_i W_iᵀ.
#include <algorithm>

#include "saltus/contact/interior_point.hpp"

namespace saltus::detail {
namespace {

constexpr double stiffness = 1e4;  // ρ_i, relative to the prox step 1/trace
constexpr int most_steps = 30, most_newton = 3;
constexpr double polishes = 0.6;  // what a step has to bring, or it was the last

}  // namespace

void InteriorPointSolver::polish(const ContactProblem& problem, SolveReport& report) {
  BlockMatrix J;
  double D[max_block_rows * max_block_rows];
  for (int step = 0; step < most_steps && report.residual > spec_.tolerance; ++step) {
    const double before = report.residual;
    centre_ = best_;  // r
    evaluate(problem, centre_.data(), y_.data());
    bodies_.velocity(centre_.data(), velocity_.data());
    for (int newton = 0; newton <= most_newton; ++newton) {
      const bool last = newton == most_newton;
      if (!last) bodies_.clear();
      for (int i = 0; i < problem.blocks(); ++i) {
        const Block& b = blocks_[i];
        const double rho = stiffness * steps_.rho[i];
        double* x = impulse_.data() + b.at;
        for (int a = 0; a < b.rows; ++a) x[a] = centre_[b.at + a] - rho * y_[b.at + a];
        if (!last) {
          J.resize(b.rows, b.rows);
          prox_jacobian(*problem.laws[i], problem.dt, x, J);
          for (int a = 0; a < b.rows; ++a)
            for (int k = 0; k < b.rows; ++k) D[a * b.rows + k] = rho * J(a, k);
          bodies_.add(i, D);
        }
        project(*problem.laws[i], problem.dt, x);
      }
      if (last) break;
      bodies_.velocity(impulse_.data(), change_.data());
      double largest = 0, size = 0;
      for (int k = 0; k < bodies_.size(); ++k) {
        change_[k] -= velocity_[k];
        largest = std::max(largest, std::abs(change_[k]));
        size = std::max(size, std::abs(velocity_[k]));
      }
      if (largest <= 1e-13 * size) break;
      ++report.iterations;
      if (!bodies_.factorize()) return;
      bodies_.solve(change_.data());
      for (int k = 0; k < bodies_.size(); ++k) velocity_[k] += change_[k];
      bodies_.rows(velocity_.data(), y_.data());
      for (std::size_t k = 0; k < y_.size(); ++k) y_[k] += problem.c[k];
    }
    note(problem, report);
    if (!(report.residual < polishes * before)) return;
  }
}

}  // namespace saltus::detail
