// A Runge–Kutta method on a chain, reduced to stage positions (chain_stepper.hpp), with the step size in it.
#pragma once
#include "saltus/scheme/first_order/chain_stepper.hpp"

namespace saltus {

// Products of a tableau, compiled once for all numbers of stages: h²A², h²A·Ak, hA, the inverse of the last m
// rows and columns of A, h²bᵀA, h²bᵀAk.
struct StageProducts {
  Eigen::MatrixXd F, L, D, A_inverse;
  Eigen::RowVectorXd f, l;
};
StageProducts stage_products(const ChainMethod& t, double h, int m);

// The method with h in it. Stage 0 of `…0` is the start, where that is a stage.
template <int m>
struct Coefficients {
  using Mat = Eigen::Matrix<double, m, m>;
  using Col = Eigen::Matrix<double, m, 1>;
  Mat force, damp, local;     // h²A², hA, h²A·Ak
  Col force0, damp0, local0;  // their column of the start
  Col c, load;                // h A1, h² A² 1
  Mat rate;                   // formulation x: V_i = Σ rate_ij (X_j − x) − rate0_i v
  Col rate0;
  // the end: positions (force, damp, local) and velocities (kick, local kick)
  Col end_force, end_damp, end_local, kick, local_kick;
  double end_force0 = 0, end_damp0 = 0, end_local0 = 0, kick0 = 0, local_kick0 = 0, end_load = 0,
         end_kick = 0;
  bool has_start = false, ends_in_last = false;

  void set(const ChainMethod& t, double h) {
    const int s = static_cast<int>(t.b.size()), o = s - m;
    has_start = o == 1;
    const auto [F, L, D, A_inverse, f, l] = stage_products(t, h, m);
    force = F.bottomRightCorner(m, m), local = L.bottomRightCorner(m, m), damp = D.bottomRightCorner(m, m);
    c = D.rowwise().sum().tail(m), load = F.rowwise().sum().tail(m);
    end_force = f.tail(m).transpose(), end_local = l.tail(m).transpose();
    end_damp = h * t.b.tail(m), kick = end_damp, local_kick = h * t.bk.tail(m);
    end_load = f.sum(), end_kick = h * t.b.sum();
    rate = A_inverse / h;
    force0.setZero(), damp0.setZero(), local0.setZero(), rate0.setZero();
    if (has_start) {
      force0 = F.col(0).tail(m), damp0 = D.col(0).tail(m), local0 = L.col(0).tail(m);
      rate0 = rate * damp0;
      end_force0 = f[0], end_local0 = l[0], end_damp0 = kick0 = h * t.b[0], local_kick0 = h * t.bk[0];
    }
    ends_in_last =
        (t.A.row(s - 1).transpose() - t.b).isZero(0) && (t.Ak.row(s - 1).transpose() - t.bk).isZero(0);
  }
};

}  // namespace saltus
