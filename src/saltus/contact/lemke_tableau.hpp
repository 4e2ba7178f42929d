// The contact problem as a linear complementarity problem w = q + M z, 0 ≤ w ⊥ z ≥ 0, and Lemke's pivots on
// it. Pairs (w, z) of each law, with y = G P + c:
//
//   unilateral          (y, P)
//   coulomb, one        (y_N, P_N), (λ + y_T, β⁺), (λ − y_T, β⁻), (μ P_N − β⁺ − β⁻, λ),  P_T = β⁺ − β⁻
//     tangent
//   coulomb, two        (y_N, P_N), (λ + d_k·y_T, β_k) for `facets` directions d_k around the disc,
//     tangents          (μ P_N − Σ β_k, λ),  P_T = Σ β_k d_k: a polygon for the disc, only a guess
//   rolling friction    the same for each of its discs
//   coulomb, μ = 0      (y_N, P_N),  P_T = 0
//   fixed limits [l, u] (y + s, p), (u − l − p, s),  P = l + p
//   equality            (y, P) with y = 0 and P free: exchanged once at the start, then left alone
//
// M is copositive on these pairs (zᵀ M z = Pᵀ G P + μ λ P_N), so that pivoting ends on a solution whenever c
// allows one. Rows and impulses are scaled by √ρ and all by the largest entry of c: tolerances are relative.
// The tableau is condensed: basic = q + T · nonbasic. Ties of the ratio test are broken lexicographically,
// with the columns of the initial basis read from T.
#pragma once
#include <vector>

#include "saltus/contact/kernels.hpp"

namespace saltus::detail {

class LemkeTableau {
 public:
  /// The number of pairs; `facets` (even) is the number of sides of a disc.
  static int count_pairs(const ContactProblem& problem, int facets);
  void build(const ContactProblem& problem, const Steps& steps, int facets = 8);
  /// Pivots until the covering variable leaves; false on a ray or after max_pivots.
  bool pivot_to_solution(int max_pivots, int& pivots);
  void impulse(double* P) const;

 private:
  struct Pair {
    int row;              // first row of P and y it acts on, −1 for λ and s
    double direction[2];  // P_row += z direction, w = direction · y_row; the second is 0 but for facets
    bool is_free;         // equality
  };
  void list_pairs(const ContactProblem& problem, int facets);
  double product(const Pair& a, const Pair& b, int n) const;
  void fill_operator(const ContactProblem& problem);
  void fill_laws(const ContactProblem& problem, int facets);
  void set_scale(const ContactProblem& problem, const Steps& steps);
  void eliminate_equalities();
  void exchange(int row, int column);
  int leaving_row(int column) const;
  bool comes_before(int a, int b, int column) const;

  double& at(int row, int column) { return table_[static_cast<std::size_t>(row) * stride_ + column]; }
  double at(int row, int column) const { return table_[static_cast<std::size_t>(row) * stride_ + column]; }
  int cover() const { return pairs(); }         // column and half the label of z₀
  int constant() const { return pairs() + 1; }  // column of q
  int pairs() const { return static_cast<int>(pair_.size()); }

  std::vector<Pair> pair_;
  std::vector<double> unit_;  // √ρ of each row
  std::vector<double> base_;  // scaled impulse at z = 0: the lower limits of relays
  double size_ = 1;           // what scaled velocities are divided by
  std::size_t stride_ = 0;
  std::vector<double> G_, start_, table_;
  std::vector<int> basic_, nonbasic_;  // labels: w_k is k, z_k is pairs + k, z₀ is 2 pairs
  std::vector<int> column_of_w_;       // −1 while w_k is basic
  std::vector<char> fixed_;            // rows that no ratio test looks at
};

}  // namespace saltus::detail
