// LU without exchanges of a sparse matrix on a fixed pattern. The order of elimination is chosen once, by
// least degree, and the places of the fill-in are laid out with it; a factorisation then only computes.
// Chains and trees have no fill-in to speak of, bands keep their width.
//
// Unknowns may be `late`: their diagonal is zero until all their neighbours that are not late are eliminated
// (multipliers of constraints). The pivot of such a row is then the squared distance of its constraint from
// the span of those before it; where next to nothing is left of it the row says nothing new, and it is
// dropped: its unknown is zero, its equation ignored.
#pragma once
#include <complex>
#include <vector>

#include "saltus/core/types.hpp"

namespace saltus {

/// |x| up to a factor √2, without a root
inline double size_of(double x) {
  return std::abs(x);
}
inline double size_of(const std::complex<double>& x) {
  return std::abs(x.real()) + std::abs(x.imag());
}

/// Rows of places: those of row i are first[i] … first[i + 1] in `column`.
struct SparsePlaces {
  std::vector<int> first{0}, column;
  int rows() const { return static_cast<int>(first.size()) - 1; }
};

/// Order and fill-in, the part without numbers.
struct FilledPattern {
  /// `late` has one flag per row. Rows of `places` may come in any order and need not be symmetric.
  void analyse(const SparsePlaces& places, const std::vector<char>& late);
  int size() const { return static_cast<int>(order.size()); }

  std::vector<int> order, place;             ///< order[i] is eliminated as number i; its inverse
  std::vector<int> first, diagonal, column;  ///< filled rows in the new numbers: L, diagonal, U
  std::vector<int> cross;                    ///< of a place (i, k) in L: the place of (k, i) in U
};

template <class Scalar>
class FilledLu {
 public:
  static constexpr double nothing_new =
      1e-11;  ///< of the squared length of a constraint: it depends on others
  /// Values of row i of the original matrix at places.first[i] …; `dropped` (one flag per original row) is
  /// read, and set where a late row has nothing new: `decide` anew, or only where
  /// nothing at all is left. Returns false when an entry is not finite. Vanishing pivots of other rows are
  /// replaced by small ones: `perturbed()`.
  bool factorize(const FilledPattern& pattern, const SparsePlaces& places, const Scalar* values,
                 const std::vector<char>& late, std::vector<char>& dropped, bool decide);
  /// How many pivots were replaced, and the original row of the first one (−1).
  int perturbed() const { return perturbed_; }
  int bad_row() const { return bad_row_; }
  /// The smallest share of a late row that was new, of those kept.
  double weakest() const { return weakest_; }

  /// x ← A⁻¹ x and A⁻ᵀ x on the rows that are not dropped; the others are ignored and come out as 0. Original
  /// numbers.
  void solve(const FilledPattern& pattern, Scalar* x);
  void solve_transposed(const FilledPattern& pattern, Scalar* x);

 private:
  std::vector<Scalar> lu_, work_;  // the diagonal holds reciprocals
  int perturbed_ = 0, bad_row_ = -1;
  double weakest_ = 1;
};

extern template class FilledLu<double>;
extern template class FilledLu<std::complex<double>>;

}  // namespace saltus
