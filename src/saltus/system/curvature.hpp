// Second derivatives of a system, for schemes whose Newton iteration sees positions, velocities and
// accelerations at once (generalized-α). Optional: a system with constant mass and directions has none, and
// for others a scheme without them still converges, more slowly.
#pragma once
#include "saltus/core/types.hpp"
#include "saltus/linalg/matrix.hpp"
#include "saltus/linalg/sparse_rows.hpp"
#include "saltus/system/workspace.hpp"

namespace saltus {

/// One row per row of the ContactSet.
struct Curvature {
  SparseRows velocity;      ///< ∂(Wᵀu + χ)/∂q; half of ∂bias/∂u on rows with a gap
  SparseRows acceleration;  ///< ∂(Wᵀa + bias(t,q,u))/∂q on rows with a gap
};

class CurvedSystem {
 public:
  virtual ~CurvedSystem() = default;
  /// Adds ∂(M a − W λ)/∂q to K, whose pattern is shape().jacobian, and fills the rows.
  virtual void curvature(double t, In q, In u, In a, const double* lambda, Matrix& K, Curvature& out,
                         Workspace& w) const = 0;
};

}  // namespace saltus
