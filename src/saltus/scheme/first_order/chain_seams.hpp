// A chain solved in pieces, so that workers can eliminate at the same time. In a piece with the beads [a, b[
// the elimination from a to b leaves, with u the unknown of the bead before a,
//
//     δ_n = z_n + L_n u + G_n δ_{n+1},      L_a = D_a⁻¹ S_a,  L_n = D_n⁻¹ S_n L_{n−1}
//
// and going back δ_a = y + V u + W δ_b. The unknowns on both sides of the seams follow from these two rows of
// every piece, from seam to seam, and pieces go back on their own. L and W decay from bead to bead as the
// pivots dominate, within some tens of beads in steps that follow the motion, and are not followed farther
// than to rounding: pieces cost no more than the whole. Where they do not decay they are followed to the end.
#pragma once
#include <Eigen/LU>
#include <vector>

namespace saltus {

template <int m>
struct ChainSeam {
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;

  int negative = -1;      ///< the last bead of the piece whose pivot block has no positive determinant
  bool singular = false;  ///< that one's has none at all
  int depth = 0;          ///< beads of the piece that δ_a depends on
  std::vector<Mat> L;     ///< of the beads that u acts on
  Mat L_last, V, W;
  Col y;
  Col before, after;  ///< u and δ_b

  /// With the pivots of the piece [a, b[: D⁻¹ in `inverse`, G, and S so that S[n] couples bead n to n − 1.
  void follow(int a, int b, const Mat* inverse, const Mat* G, const Mat* S) {
    constexpr double negligible = 1e-20;
    const auto size = [](const Mat& x) { return x.cwiseAbs().maxCoeff(); };
    L.clear();
    L.push_back(inverse[a] * S[a]);
    for (int n = a + 1; n < b && !(size(L.back()) < negligible); ++n) {
      const Mat next = inverse[n] * (S[n] * L.back());
      L.push_back(next);
    }
    L_last = a + static_cast<int>(L.size()) == b ? L.back() : Mat::Zero();
    W = G[a], depth = 1;
    for (; a + depth < b && !(size(W) < negligible); ++depth) W = Mat(W * G[a + depth]);
    if (a + depth < b) W.setZero();
    V = L.back();
    for (int k = static_cast<int>(L.size()) - 2; k >= 0; --k) V = Mat(L[k] + G[a + k] * V);
  }
  /// y from the eliminated right-hand sides.
  void go_back(int a, const Mat* G, const Col* z) {
    y = z[a + depth - 1];
    for (int n = a + depth - 2; n >= a; --n) y = Col(z[n] + G[n] * y);
  }
};

/// What stands on both sides of the seams; last_z and last_G are those of the last bead of a piece.
template <int m>
class ChainSeams {
 public:
  using Mat = typename ChainSeam<m>::Mat;
  using Col = typename ChainSeam<m>::Col;

  void resize(int count) {
    if (static_cast<int>(list_.size()) < count) list_.resize(count), knots_.resize(count);
  }
  ChainSeam<m>& operator[](int k) { return list_[k]; }

  /// With fresh pivots; the number of the piece where the unknowns are not unique, or −1.
  template <class LastG>
  int factorize(int count, LastG&& last_G) {
    int bad = -1;
    knots_[0].B = last_G(0);
    for (int k = 1; k < count; ++k) {
      const ChainSeam<m>& s = list_[k];
      Knot &left = knots_[k - 1], &right = knots_[k];
      const Mat E = Mat::Identity() - s.V * left.B;
      double det = 0;
      bool invertible = false;
      E.computeInverseAndDetWithCheck(left.inverse, det, invertible, 0);
      if (!(det > 0)) bad = k;
      left.F = left.inverse * s.W;
      right.B = last_G(k) + s.L_last * left.B * left.F;
    }
    return bad;
  }
  template <class LastZ>
  void solve(int count, LastZ&& last_z) {
    knots_[0].alpha = last_z(0);
    for (int k = 1; k < count; ++k) {
      const ChainSeam<m>& s = list_[k];
      Knot &left = knots_[k - 1], &right = knots_[k];
      left.c = left.inverse * (s.y + s.V * left.alpha);
      right.alpha = last_z(k) + s.L_last * (left.alpha + left.B * left.c);
    }
    list_[0].before.setZero(), list_[count - 1].after.setZero();
    for (int k = count - 1; k > 0; --k) {
      const Knot& left = knots_[k - 1];
      list_[k - 1].after = left.c + left.F * list_[k].after;
      list_[k].before = left.alpha + left.B * list_[k - 1].after;
    }
  }

 private:
  // Left of a seam δ = alpha + B δ', right of it δ' = c + F δ'' with the one right of the next seam.
  struct Knot {
    Mat B, F, inverse;
    Col alpha, c;
  };
  std::vector<ChainSeam<m>> list_;
  std::vector<Knot> knots_;
};

}  // namespace saltus
