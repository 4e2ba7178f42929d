// Symplectic Euler of a mechanical system in positions and momenta, with a fixed set of constraints: joints,
// closed contacts, rows at which friction sticks. With p = M(t,q) u and f = h + Ṁu, so that ṗ = f + Wλ,
//
//   forward    M₀U = M₀u₀ + h f(t₀,q₀,U) + D₀Λ₀,   q₁ = q₀ ⊕ hU,   g(t₁,q₁) = 0;
//              M₁u₁ = M₀U + D₁Λ₁,                   W₁ᵀu₁ + χ₁ = 0
//   backward   M₁U = M₀u₀ + D₀Λ₀,                   q₁ = q₀ ⊕ hU,   g(t₁,q₁) = 0;
//              M₁u₁ = M₁U + h f(t₁,q₁,U) + D₁Λ₁,    W₁ᵀu₁ + χ₁ = 0.
//
// These are true (3.5) and its adjoint. The reaction is linear in the multipliers, so that natural is true,
// the weight α drops out (Λ₀ = hαΨ₀) and the adjoint has two stages of its own. In (q, p) both maps are
// symplectic on the constraint manifold, also where the mass varies. D = W but for contacts that slide: there
// the column of the normal carries the friction.
//
// Every system of equations is [A −D; Wᵀ 0] with A = M − h ∂f/∂u: cost is linear in bodies for chains and
// trees of them, and constraints may be redundant (linalg/constraint_factor.hpp).
#pragma once
#include <span>
#include <vector>

#include "saltus/linalg/constraint_factor.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/gap_rounding.hpp"

namespace saltus {

/// A contact, or a law with limits, that acts as a constraint: closed (its normal), stick (all rows), slip
/// and slip_back (its normal, with friction).
struct HeldContact {
  std::uint64_t id = 0;
  Mode mode = Mode::closed;
};

class BodyMap {
 public:
  BodyMap(const System& system, Faults& faults);

  struct Start {
    double t = 0, h = 0;
    const Vec &q, &u;
  };

  /// From now on, beside the joints; increasing ids. `friction`: whether what slides has its friction.
  void hold(std::span<const HeldContact> held, bool friction);

  /// Slip in a plane keeps the direction it has at (t, q, u), until release(): a step over a stop goes
  /// straight on, where a friction that follows the velocity would turn round and round.
  void freeze_directions(double t, const Vec& q, double h, const Vec& u);
  void release_directions() { directions_.clear(); }

  StepStatus forward(const Start& x0);
  StepStatus backward(const Start& x0);
  /// The first stage of forward alone: q() and, until the next call, momentum().
  StepStatus first_stage(const Start& x0);
  /// The second stage of forward from what the first one left.
  StepStatus second_stage(const Start& x0);

  /// M₀U + (W₀ − W₁)Λ₀ after first_stage(): the momentum in q() without the impulses Λ₀, which are given back
  /// there.
  void free_momentum(double t1, Vec& p);

  const Vec& q() const { return q_; }
  const Vec& u() const { return u_; }
  /// The contacts listed for the step, where the last stage left them.
  const ContactSet& contacts() const { return set_; }
  /// One constraint: its row in contacts() and the impulse of both stages together.
  struct Row {
    int row = 0, contact = 0;
    bool on_position = true;  // has a gap
    double mu[2] = {0, 0};    // times the direction of slip, of a contact that slides
  };
  std::span<const Row> rows() const { return rows_; }
  double impulse(int k) const { return total_[k]; }
  /// What the k-th constraint took from the motion in a step from velocity u0, −½ Λ·(γ⁻ + γ⁺), each impulse
  /// along the direction it has in its stage; and what the other side, if it moves, put in.
  struct Work {
    double loss = 0, wall = 0;
  };
  Work work(int k, const Vec& u0) const;
  /// Impulses of the step by rows of contacts(): constraints, friction that slides, laws at their limits.
  void impulses(double h, std::vector<double>& by_row) const;

  /// λ of the constraints at (t, q, u) from Wᵀu̇ + bias = 0, by rows of contacts(); tangential rows of
  /// contacts that slide have their friction. The contacts are listed anew. `h`: how far ahead contacts are
  /// listed.
  StepStatus multipliers(double t, const Vec& q, const Vec& u, double h, std::vector<double>& lambda);

  /// Moves u to the nearest velocity that the constraints at (t, q) allow, in the metric of M.
  bool project_velocity(double t, const Vec& q, double h, Vec& u);

  const CheckedSystem& system() const { return system_; }
  int bad_row() const { return bad_row_; }   ///< of contacts(), when a stage failed; −1: not known
  double change() const { return change_; }  ///< of U in the last iteration, √M_jj |U_j|
  /// Of the gap in a row of a contact of contacts(); the mass is that of the last stage.
  double gap_rounding(int contact, int row) const;
  const GapRounding& rounding() const { return rounding_; }
  Vec& reach() { return rounding_.reach(); }
  int iterations = 0, evaluations = 0;  ///< counted up; to be reset by the caller

 private:
  void list(double t, const Vec& q, double h, const Vec& u);
  void select(const Vec& u);
  void turn(const Vec& u);
  void find_limits();
  void add_limits(const Vec& u);
  void gather(SparseRows& out, bool friction) const;
  bool mass(double t, const Vec& q);
  void force(double t, const Vec& q, const Vec& u, double h, const Vec& slip);
  bool damping(double t, const Vec& q, const Vec& u, double h);
  bool gaps_closed();
  double weighted(const Vec& u) const;
  StepStatus solve_stage(const Start& x0, bool backward);
  StepStatus close_velocities(double t1, const Vec& momentum);

  CheckedSystem system_;
  Shape shape_;
  struct Direction {
    std::uint64_t id;
    double s[2];
  };
  bool slip_direction(const Contact& c, int row, const Vec& u, double* s) const;

  std::vector<HeldContact> held_;
  std::vector<Direction> directions_;
  bool friction_ = false;
  ContactSet set_;
  bool listed_ = false, mass_known_ = false, undamped_ = false;
  std::vector<Row> rows_;
  SparseRows D_, W_, start_rows_;  // of rows_: D₀, W where the stage looks, W₀
  // laws with limits that slide or yield, at a place where forces are: contacts, their rows, and the forces
  std::vector<int> limits_;
  SparseRows limit_rows_;
  std::vector<double> limit_drift_, limit_force_;
  std::vector<double> start_drift_, first_, total_, lambda_, correction_;
  GapRounding rounding_;
  Matrix M_, M_other_, A_, dq_, du_;
  Factor mass_, damped_;
  double damped_h_ = 0;  // linear forces: the step that damped_ belongs to; 0: none
  ConstraintFactor constraints_;
  Vec q_, u_, U_, f_, p0_, p_, rest_, displacement_, moved_;
  double change_ = 0;
  int bad_row_ = -1;
};

}  // namespace saltus
