// Equations of motion with constraints, in one sparse factor:
//
//     [ A   −D ] [v]   [f]
//     [ Wᵀ  −C ] [λ] = [r],       A: n×n on any of our patterns, unsymmetric if it likes; Wᵀ, Dᵀ: m sparse
//     rows.
//
// Accelerations (A = M), Newton's iteration of implicit schemes (A = M + γ C + β K) and, with complex
// numbers, the transformed stages of implicit Runge–Kutta methods are of this kind. The order of elimination
// follows the places (filled_lu.hpp): a chain or tree of bodies costs what its length does, and so does a bar
// or beam of any band with contacts anywhere on it.
//
// Constraints may be redundant: four feet of a table, a hinge that closes a loop. A row that depends on
// others is found by its pivot and dropped, and exchanged for a kept one that says less than it would. v is
// then unique, λ is not, and solve_least_norm() gives the λ of least norm, in which each multiplier counts as
// √(Σ_k |W_ik D_ik / A_kk|) times its value, so units do not matter. It depends smoothly on the data as long
// as the same rows are dropped. left_over() says by how much the right-hand side contradicts itself.
//
// Places are analysed when they change. A place of A that was never anything but zero does not count. After
// that nothing is allocated.
#pragma once
#include <span>

#include "saltus/linalg/filled_lu.hpp"
#include "saltus/linalg/matrix.hpp"
#include "saltus/linalg/sparse_rows.hpp"

namespace saltus {

template <class Scalar = double>
class SaddleFactor {
 public:
  struct Block {
    Scalar factor;
    const Matrix* matrix;
  };
  struct Rows {
    Scalar factor;
    const SparseRows* rows;
  };
  /// A = Σ factor · matrix, Wᵀ = Σ factor · rows, Dᵀ, and the diagonal of C (may be empty).
  struct Terms {
    std::span<const Block> A;
    std::span<const Rows> Wt;
    const SparseRows* Dt = nullptr;  ///< null: no constraints
    std::span<const double> C = {};
  };
  /// Which rows are redundant: found out, or the same as last time (a nearby state that meets the constraints
  /// only roughly must not decide). With other sizes than last time it is found out in any case.
  enum class Rank : std::uint8_t { decide, keep };

  /// False: an entry is not finite; bad_row() says where. A is made regular where it is singular:
  /// perturbed().
  bool factorize(const Terms& terms, Rank rank = Rank::decide);
  int size() const { return n_; }  ///< n
  int rows() const { return m_; }  ///< m
  int perturbed() const { return lu_.perturbed(); }
  int bad_row() const { return lu_.bad_row(); }
  bool redundant() const { return redundant_ > 0; }
  /// Whether all rows are kept and would be if it were decided now.
  bool regular() const { return redundant_ == 0 && lu_.weakest() > FilledLu<Scalar>::nothing_new; }
  bool dropped(int row) const { return dropped_[static_cast<std::size_t>(n_) + row] != 0; }

  /// (f, r) ← (v, λ), n + m numbers. Equations that were dropped are ignored, their multipliers 0.
  void solve(Scalar* x) { lu_.solve(pattern_, x); }
  /// The same, corrected until the residual stands still. Returns it, relative to the terms of each equation,
  /// at its largest; without the equations that were dropped.
  double solve_refined(Scalar* x);

  // For real factors:
  /// The same as solve() with the λ of least norm.
  void solve_least_norm(double* x);
  /// By how much (v, λ) misses the equations that were dropped, relative to their terms, at its largest;
  /// `row` says where. Rounding when (f, r) does not contradict itself.
  double left_over(const double* x, const double* right, int* row = nullptr);
  /// The rows on which a dropped one depends.
  void rows_behind(int row, std::vector<int>& out);

  std::int64_t analyses() const { return analyses_; }  ///< how often places were analysed
  std::int64_t entries() const { return static_cast<std::int64_t>(pattern_.column.size()); }  ///< of L and U

 private:
  struct Seen {
    std::int64_t place;  // as it was visited
    int at;              // its number in values_; −1: always zero so far
  };
  static std::int64_t place_of(int i, int j) { return static_cast<std::int64_t>(i) << 32 | j; }
  template <class Visit>
  void visit(const Terms& terms, Visit&& visit) const;
  bool fill(const Terms& terms);
  void analyse(const Terms& terms);
  bool exchange_weak_rows();
  void prepare_least_norm();
  double residual(const Scalar* x, const Scalar* right, Scalar* out) const;

  int n_ = 0, m_ = 0, redundant_ = 0;
  std::int64_t analyses_ = 0;
  int growth_ = 0;          // analyses since the sizes changed
  std::vector<Seen> seen_;  // and a last one that is no place
  SparsePlaces places_;
  std::vector<Scalar> values_;
  std::vector<char> late_, dropped_;
  FilledPattern pattern_;
  FilledLu<Scalar> lu_;
  // least norm: which rows are dropped, how they depend on the others, what their forces do, the small system
  bool prepared_ = false;
  std::vector<int> which_, pivot_, used_;
  std::vector<double> depends_, effect_, weight_, small_, y_;
  std::vector<Scalar> right_, rest_;
};

extern template class SaddleFactor<double>;
extern template class SaddleFactor<std::complex<double>>;

}  // namespace saltus
