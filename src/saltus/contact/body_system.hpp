// Linear systems of Newton's kind, solved for velocities instead of impulses. With G = Wᵀ A⁻¹ W, Z = A⁻¹ W
// and one small matrix D_i per contact,
//
//     K = 1 + Σ_i Z_i D_i W_iᵀ
//
// has one row per degree of freedom, however many contacts share it, and is far from singular where (1 + G D)
// would be as redundant as the contacts are. It is sparse where A is (block) diagonal: bodies couple through
// contacts. Where W and A are not known, or K would have more rows and more entries than G, the velocities of
// the contacts themselves take their place: W = 1, Z = G.
//
// Sparse matrices are factored front by front (frontal_lu.hpp). Rows are exchanged within a front only; a
// solution that misses its right-hand side is improved once and, where that is not enough, found anew with
// pivots from all rows.
#pragma once
#include <Eigen/SparseCore>
#include <vector>

#include "saltus/contact/delassus.hpp"
#include "saltus/linalg/decompositions.hpp"
#include "saltus/linalg/frontal_lu.hpp"

namespace saltus::detail {

class BodySystem {
 public:
  /// Takes W and Z of the operator and the pattern of K; does nothing while the operator stays.
  void prepare(const Delassus& G);
  int size() const { return n_; }

  void velocity(const double* r, double* v) const;  ///< v = Z r
  void rows(const double* v, double* y) const;      ///< y = Wᵀ v

  void clear();                       ///< K = 1
  void add(int i, const double* D);   ///< K += Z_i D W_iᵀ; D row-major, as many rows as block i
  bool factorize();                   ///< false when K is singular or not finite
  void solve(double* v);              ///< v ← K⁻¹ v
  int sign() const { return sign_; }  ///< of the determinant of K, after factorize

 private:
  struct Contact {  // where the columns and values of a block are
    int size, z, z_count, w, w_count, z_value, w_value, place;
  };
  bool bodies_are_fewer(const Delassus& G) const;
  double miss(const double* x, const double* right);
  void take_rows(const Delassus& G);
  void take_impulses(const Delassus& G);
  void add_contact(int row, int size, const SparseRows& Z, const SparseRows& W);
  void find_places();

  std::uint64_t stamp_ = 0;
  int n_ = 0;
  bool dense_ = false;
  int sign_ = 0;
  std::vector<Contact> contacts_;
  std::vector<int> column_, number_, place_;
  std::vector<double> value_;
  std::vector<double> scratch_;
  Eigen::SparseMatrix<double> K_;
  Eigen::MatrixXd full_;
  std::vector<int> diagonal_;
  DenseLu full_lu_;
  FrontalLu frontal_;
  Vec right_, error_;
};

}  // namespace saltus::detail
