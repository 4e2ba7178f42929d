// The linear algebra of one Newton iteration. With K = ∂(M v̇ − W λ − f)/∂q, C = −∂f/∂v and
// A = M + cq K + cv C (cq = h²βκ, cv = hγκ) an iteration solves
//
//     A dv̇ + K dU + C dV − W dλ = −r₁,   M dU − W dν = −r₂,   M dV − W dΛ = −r₃,   and the rows.
//
// Vectors are eliminated through the factors of A and M on their own patterns; what is left is a small dense
// system in the rows that act or change ("live"). In the totals ν̂ = ν*/h², Λ̂ = Λ*/h the multiplier λ drops
// out of dq₁ and dv₁, because A M⁻¹ W = W + cq K M⁻¹W + cv C M⁻¹W:
//
//     dv̇  = −A⁻¹(r₁ − K u₂ − C u₃) + Y dλ − h² Z dν̂ − h Z' dΛ̂,     Y = M⁻¹W, Z = A⁻¹K Y, Z' = A⁻¹C Y
//     dq₁ = cq dv̇₀ − u₂ + h² (Y − cq Z) dν̂ − cq h Z' dΛ̂,           u₂ = M⁻¹r₂, u₃ = M⁻¹r₃
//     dv₁ = cv dv̇₀ − u₃ − cv h² Z dν̂ + h (Y − cv Z') dΛ̂
//
// so without damping and friction the rows are block triangular: positions, velocities, accelerations
// (newton_levels.cpp). Where damping or friction couple the levels, and for variants that have not all three,
// it is one dense system (newton_dense.cpp). What r₂ and r₃ change with q is left out: U is O(h²), and V with
// q in one step O(h).
#pragma once
#include "saltus/scheme/generalized_alpha/step_data.hpp"

namespace saltus::generalized_alpha {

/// What a correction is made of.
struct Equations {
  const Coefficients& c;
  const SystemValues& at;
  const Sets& sets;
  const Residuals& left;
  Mask mask;  // the levels it changes
};

class NewtonMatrix {
 public:
  explicit NewtonMatrix(const Shape& shape);

  /// A and its factors; false: it is singular. Forgets the columns.
  bool factorize(const Coefficients& c, const SystemValues& at);
  bool is_for(double h) const { return h_ == h; }
  const Factor& factor() const { return factor_; }  ///< of A
  /// Where W or M changed.
  void forget_columns(int rows) { slot_.assign(rows, -1), slots_ = 0; }
  /// Adds the correction to x; false: the rows are singular.
  bool correct(const Equations& e, Unknowns& x);

 private:
  struct Effect {  // of a unit of one unknown on v̇, q₁ and v₁, seen through a row
    double a, q, v;
  };
  struct BaseChange;
  struct UnitChange;
  template <class Space>
  struct SpaceChange;
  template <int N>
  struct ShortSpace;
  struct LongSpace;
  enum Functional : std::uint8_t { through_W, through_bend_v, through_bend_a };  // Wᵀ, ∂γ/∂q, ∂γ̇/∂q
  static const SparseRows& functional(const SystemValues& at, int f) {
    return f == through_W        ? at.set.Wt
           : f == through_bend_v ? at.curvature.velocity
                                 : at.curvature.acceleration;
  }

  void number(const Equations& e);
  void prepare_columns(const Equations& e);
  double known_change(const Equations& e, const Vec& lambda, int row, Level level) const;
  // newton_levels.cpp
  bool solve_in_turn(const Equations& e, Unknowns& x);
  template <class Space>
  bool solve_levels(const Equations& e, Space& space, Unknowns& x);
  // newton_dense.cpp
  bool solve_together(const Equations& e, Unknowns& x);
  void tabulate(const Equations& e);
  void assemble_row(const Equations& e, const Vec& lambda, int i, Level level);
  void add_condition(const Equations& e, double factor, int i, Level level, int row);
  bool solve_blocks(const Equations& e);
  void apply(const Equations& e, Unknowns& x);

  double* column(std::vector<double>& of, int row) {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }
  const double* column(const std::vector<double>& of, int row) const {
    return of.data() + static_cast<std::size_t>(slot_[row]) * n_;
  }
  double& entry(int row, Level unknown, int j) {
    return S_[static_cast<std::size_t>(offset_[unknown] + j) * N_ + row];
  }

  int n_;
  double h_ = -1;  // A is made for
  Matrix A_;
  Factor factor_;
  std::vector<int> live_, slot_;            // rows; where their columns are, or −1
  int slots_ = 0, N_ = 0, offset_[3] = {};  // N: unknowns of the dense system, level by level from offset
  std::vector<double> Y_, Z_, Zc_, P_;  // columns M⁻¹W, A⁻¹KM⁻¹W, A⁻¹CM⁻¹W, and what λ does to v̇
  std::vector<Effect> effects_;         // functional, unknown, live row, live column
  std::vector<double> S_, rhs_, block_, delassus_;  // column-major; rhs becomes the solution
  std::vector<int> pivot_;
  Vec da_, dq_, dv_, u2_, u3_;  // dv̇, dq₁, dv₁ before the rows act
};

}  // namespace saltus::generalized_alpha
