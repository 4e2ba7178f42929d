// LU of a sparse matrix with a symmetric pattern, of bodies or links that are coupled in small dense blocks.
// Columns with the same pattern (those of one body) are one node of a graph; minimum degree orders the nodes,
// and the elimination tree is cut into fronts, each a dense matrix
//
//     ( F₁₁  F₁₂ )   own columns      F₁₁ = P L U,  F₁₂ ← L⁻¹ P F₁₂,  F₂₁ ← F₂₁ U⁻¹
//     ( F₂₁  F₂₂ )   border           F₂₂ ← F₂₂ − F₂₁ F₁₂, added to the front of the parent
//
// so that nearly all the work is in products of dense matrices. Rows are exchanged within F₁₁ only. That is
// enough for matrices like 1 + Σ Z D Wᵀ, whose diagonal blocks are regular; callers check what they solved.
// Everything is laid out by analyze(): factors and solutions of one pattern need no further memory.
#pragma once
#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <vector>

namespace saltus {

class FrontalLu {
 public:
  using Sparse = Eigen::SparseMatrix<double>;
  /// Takes the pattern of A: compressed, with a symmetric structure that includes the diagonal.
  void analyze(const Sparse& A);
  /// A with the pattern that was analyzed; false when a front is singular or not finite.
  bool factorize(const Sparse& A);
  void solve(double* x);              ///< x ← A⁻¹ x
  int sign() const { return sign_; }  ///< of the determinant, after factorize

 private:
  struct Front {
    int first = 0, own = 0, border = 0;  // own columns first … in elimination order; size of the border
    int rows = 0;                        // where the places of the border are listed, in border_
    int parent = -1, map = 0;            // where the places of its border in the parent's front are, in map_
    int entries = 0, entries_end = 0;    // of A, in entry_
    std::size_t values = 0;              // of the front, in value_
    int size() const { return own + border; }
  };
  struct Entry {
    int from, row, column;  // index of A's value, place in the front
  };
  using Nodes = std::vector<std::vector<int>>;
  static void find_nodes(const Sparse& A, std::vector<int>& node_of, Nodes& members);
  static Nodes graph_of(const Sparse& A, const std::vector<int>& node_of, const Nodes& members);
  void lay_out(const Sparse& A, const Nodes& columns, const Nodes& borders, const std::vector<int>& parent);

  int n_ = 0, sign_ = 1;
  std::vector<Front> front_;  // children before parents
  std::vector<int> place_;    // of each column in the order of elimination
  std::vector<int> border_, map_;
  std::vector<Entry> entry_;
  std::vector<double> value_, x_, b_;
  std::vector<Eigen::PartialPivLU<Eigen::MatrixXd>> pivot_;
};

}  // namespace saltus
