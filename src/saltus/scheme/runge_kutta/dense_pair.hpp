// Explicit Runge–Kutta pairs with dense output, as data: the methods behind runs by tolerance.
//
//     V_i = u + h Σ a_ij K_j,   Q_i = q + h Σ a_ij V_j,   K_i = a(t + c_i h, Q_i, V_i)
//
// Stages 0 … s−1 make the step, whose weights are row s of A: stage s is the end of the step, and the start
// of the next one. Stages beyond it serve the dense output only. With x the part of the step that has passed,
//
//     y(t + x h) = y₀ + x (F₀ + (1−x) (F₁ + x (F₂ + (1−x) (F₃ + …)))),
//     F₀ = Δy,  F₁ = h f₀ − Δy,  F₂ = 2 Δy − h (f₀ + f₁),  F_{3+k} = h Σ d_ki f_i
//
// (Hairer, Nørsett, Wanner I, II.6). Both ends and the derivatives there are met exactly.
#pragma once
#include <string_view>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

/// Σ weight_j x_{stage_j} over the stages whose weights are not zero, increasing.
struct StageSum {
  struct Term {
    int stage;
    double weight;
  };
  std::vector<Term> terms;

  template <class Weights>
  static StageSum of(const Weights& weights) {
    StageSum out;
    for (int i = 0; i < weights.size(); ++i)
      if (weights(i) != 0) out.terms.push_back({i, weights(i)});
    return out;
  }
};

struct DensePair {
  std::string_view name, reference;  ///< the name is that of the tableau
  int order = 0;                     ///< of the step
  int error_order = 0;               ///< the estimate of its local error is O(h^error_order)
  int dense_order = 0;               ///< of the dense output, uniformly in the step
  int stages = 0;                    ///< s
  Eigen::MatrixXd A;                 ///< all stages, s + 1 and those of the dense output
  Vec c;
  double stiff_limit = 0;  ///< steps with a larger h|λ| are close to the limit of stability
  Vec error;               ///< weights of the error estimate, stages 0 … s
  Vec second;              ///< of a second estimate of lower order that damps the first; or empty
  Eigen::MatrixXd D;       ///< of the dense output, a row for each F beyond F₂

  std::vector<StageSum> stage_sums;  ///< the rows of A
  std::vector<StageSum> dense_sums;  ///< the rows of D
  StageSum error_sum, second_sum;
  void find_sums();

  int all_stages() const { return static_cast<int>(c.size()); }
};

/// Dormand and Prince 1980: order 5, error estimate of order 4, dense output of order 4.
const DensePair& dopri_5();
/// Dormand and Prince 1989, with the error estimate and the dense output of Hairer's DOP853: order 8, dense
/// output of order 7.
const DensePair& dop_853();
/// The pair behind a tableau, herk-5 or dop-8; null: it has no dense output.
const DensePair* dense_pair(std::string_view tableau);

}  // namespace saltus
