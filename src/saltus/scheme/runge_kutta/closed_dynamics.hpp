// Smooth motion with a frozen set of closed contacts and joints, the index-1 DAE of Acary 2012, (62),
// corrected:
//
//     M u̇ = F + D λ,   0 = Wᵀ u̇ + bias,   bias = d(Wᵀ)/dt u + dχ/dt.
//
// W holds the normal rows of closed contacts, the tangential rows of sticking ones, and the joints. D = W but
// for slipping contacts, whose normal column carries the friction it causes: w_N − μ w_T s, s the direction
// of slip. With the multipliers eliminated this is an ordinary differential equation u̇ = a(t, q, u), so any
// Runge–Kutta method applies; the curvature in `bias` is what keeps its order on curved constraints.
#pragma once
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/QR>

#include "saltus/linalg/factor.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// A closed contact with its friction mode: closed (no friction), stick, slip or slip_back; or a law without
/// a gap that holds (stick) or yields (slip, slip_back).
struct FrozenContact {
  std::uint64_t id = 0;
  Mode mode = Mode::closed;
  /// Where a law with several tangential rows slips: the direction of its slip when it was frozen.
  std::array<double, max_block_rows> slip = {};
};

/// The direction of slip on n rows with velocity `gamma`. One row: the sign of the mode. Several rows: that
/// of the velocity as long as it points forward of the frozen direction, beyond that the frozen direction. So
/// the slip continues smoothly through a stop, where the velocity alone would be the direction of rounding.
inline void slip_direction(const FrozenContact& f, const double* gamma, int n, double* s) {
  if (n == 1) {
    s[0] = f.mode == Mode::slip_back ? -1 : 1;
    return;
  }
  double forward = 0, length = 0;
  for (int k = 0; k < n; ++k) forward += gamma[k] * f.slip[k], length += gamma[k] * gamma[k];
  length = std::sqrt(length);
  for (int k = 0; k < n; ++k) s[k] = forward > 0 ? gamma[k] / length : f.slip[k];
}

/// The force with which a law with bounded C resists motion along `direction` (of length 1): the point of C
/// farthest against it, prox_C(−R·direction) for R → ∞. Unique where C is strictly convex or has one row.
inline void resistance(const Law& law, const double* direction, double* out) {
  constexpr double far = 1e12;  // times the forces of C: lost digits of −R d change the result by 1e-12 of it
  double size = 1;
  if (const auto limits = limits_of(law)) size += std::abs(limits->lower) + std::abs(limits->upper);
  for (int r = 0; r < rows(law); ++r) out[r] = -far * size * direction[r];
  prox(law, 1, out);
}

class ClosedDynamics {
 public:
  ClosedDynamics(const System& system, Faults& faults);

  /// The contacts held closed, in increasing id; joints and relays are added by themselves. `relays` gives
  /// modes to laws that act always and can slip (their ids and modes are in the list as well).
  void freeze(std::span<const FrozenContact> closed);

  enum class Status : std::uint8_t { ok, singular_mass, rank_deficient, not_finite };
  /// a(t, q, u); the multipliers and the contact set stay readable until the next call.
  Status acceleration(double t, const Vec& q, const Vec& u, Vec& a);
  /// ∂a/∂q and ∂a/∂u without the derivatives of M, W and bias: what Newton's iteration needs.
  void jacobians(double t, const Vec& q, const Vec& u, Eigen::MatrixXd& by_q, Eigen::MatrixXd& by_u);

  /// Whether the last evaluation had no constraints: then a = M⁻¹F, and with a diagonal M its derivatives
  /// have the pattern of ∂F.
  bool free() const { return rows_.empty(); }
  struct ForceJacobians {
    const Matrix &by_q, &by_u, &mass;
  };
  ForceJacobians force_jacobians(double t, const Vec& q, const Vec& u);

  /// u ← u − M⁻¹ D S⁻¹ (Wᵀu + χ): the velocity closest to u that keeps the set closed; uses the last
  /// evaluation.
  void project_velocity(Vec& u);

  const ContactSet& contacts() const { return set_; }
  /// Whether the rows of the last evaluation were linearly dependent: multipliers are then not unique.
  bool redundant() const { return redundant_; }
  /// The multiplier of a row of the contact set; for a slipping contact its tangential rows hold the
  /// friction.
  double lambda(int row) const { return lambda_[row]; }
  double gamma(int row, const Vec& u) const { return set_.Wt.dot(row, u.data()) + set_.drift[row]; }
  std::int64_t evaluations() const { return evaluations_; }
  std::uint64_t rank_deficient_contact() const { return bad_contact_; }

 private:
  struct Row {
    int row = 0;            // of the contact set: the constraint
    int contact = 0;        // index into set_.contacts
    bool slipping = false;  // its column carries friction
    int frozen = -1;        // index into frozen_
  };
  void select_rows(const Vec& u);
  void add_column(const Row& row, const Vec& u, double* d) const;
  bool factor_constraints();
  void solve_constraints();
  void friction(const Row& row, const Vec& u, double* s, int& tangents, double& mu) const;
  void add_resistances(const Vec& u);

  CheckedSystem system_;
  Shape shape_;
  std::vector<FrozenContact> frozen_;
  ContactSet set_;
  Matrix M_, dq_, du_;
  Factor factor_;
  bool mass_known_ = false, directions_known_ = false;
  Vec force_;
  std::vector<Row> rows_;
  std::vector<double> Z_, S_, rhs_, lambda_;  // Z_: M⁻¹D column by column
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> least_;
  bool redundant_ = false;
  std::uint64_t bad_contact_ = 0;
  std::int64_t evaluations_ = 0;
};

}  // namespace saltus
