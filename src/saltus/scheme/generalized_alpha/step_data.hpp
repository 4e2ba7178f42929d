// What one step of generalized-α knows, as plain data, and the formulas of generalized_alpha.hpp that fill
// it.
#pragma once
#include "saltus/linalg/factor.hpp"
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"
#include "saltus/system/curvature.hpp"
#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus::generalized_alpha {

enum Level : std::uint8_t { pos, vel, acc };  // of the sets A, B, S

/// Levels with unknowns, or those that a correction changes.
struct Mask {
  bool U = true, V = true, smooth = true;
  bool total() const { return U && V && smooth; }  // then λ moves neither q₁ nor v₁
};

/// What vanishes on a row that acts, scaled to an acceleration.
struct Condition {
  enum Quantity : std::uint8_t { none, position, velocity, smooth_velocity, acceleration, baumgarte };
  Quantity quantity = none;
  double scale = 1, alpha = 0, beta = 0;  // the last two: of baumgarte

  /// Of a row, or of a change of it: x has the quantities.
  template <class X>
  double operator()(const X& x) const {
    if (quantity == position) return scale * x.position();
    if (quantity == velocity) return scale * x.velocity();
    if (quantity == smooth_velocity) return scale * x.smooth_velocity();
    if (quantity == baumgarte)
      return x.acceleration() + 2 * alpha * x.velocity() + beta * beta * x.position();
    return x.acceleration();
  }
};

/// What the equations of a step have as constants.
struct Coefficients {
  Mask unknowns;
  bool relative = false;  // open contacts have ν = 0 and Λ = 0 as printed, not ν* = 0 and Λ* = 0
  bool plain_U = false;   // (73): U = W₀ ν
  double t = 0, h = 0;    // end and length of the step
  double cq = 0, cv = 0;  // ∂q₁/∂v̇₁ = h²βκ, ∂v₁/∂v̇₁ = hγκ
  Condition conditions[3];
  bool corrects() const { return unknowns.U || unknowns.V; }
};

/// These and the options they are made from.
struct Scheme : Coefficients {
  explicit Scheme(const GeneralizedAlpha& options);
  void begin_step(double t0, double h);

  GeneralizedAlpha options;
  AlphaCoefficients alpha;
  Condition::Quantity smooth;            // what vanishes on the rows of the smooth motion
  bool on_velocities, on_accelerations;  // it is a velocity, or has accelerations
  bool contacts_in_S;                    // closed contacts are among these rows, not joints only
  bool coupled;                          // Newton on all levels at once
};

struct Unknowns {
  Vec vdot, U, V, lambda, nu, Lambda;
  bool corrected = false;  // else U, V, ν and Λ vanish
};

/// The state at both ends of the step, the second one as far as it is known.
struct StepData : Unknowns {
  Vec q0, q_known, v_known;    // q₁ = q₀ ⊕ (q_known + cq v̇ + U), v₁ = v_known + cv v̇ + V
  Vec nu_known, Lambda_known;  // ν* = nu_known + cq λ + ν, Λ* = Lambda_known + cv λ + Λ
  Vec a_known, eta_known;      // a₁ = a_known + κ v̇, η₁ = eta_known + κ λ
  Vec gamma0, rebound;         // γ₀ and E γ₀
  Vec displacement, q, v, nu_star, Lambda_star;  // of every iterate
  Vec a, eta;                                    // of the last one
};

/// The system at an iterate.
struct SystemValues {
  Matrix M;
  Factor mass_factor;
  Vec inverse_mass, force;  // 1/M_ii, f
  Vec unit;                 // 1/√M_ii: what makes forces and torques comparable
  ContactSet set;
  SparseRows W0;                        // Wᵀ at the start of the step, for plain_U
  Vec gamma, acceleration, row_mass;    // of every row γ, γ̇ = Wᵀv̇ + bias, 1/Σ w²/M_ii
  Vec row_unit;                         // √row_mass: a row's acceleration in the unit of residuals
  Matrix K, Fv;                         // ∂(M v̇ − W λ − f)/∂q, ∂f/∂v
  Curvature curvature;                  // where `curved`
  bool curved = false, linear = false;  // linear: everything is constant
  bool stiff = false, damped = false;   // K, Fv do not vanish
};

struct Row {
  enum Kind : std::uint8_t { joint, normal, tangent, force, spring };  // spring: pre-stressed
  Kind kind = joint;
  const Law* law = nullptr;
  int contact = 0, first = 0, size = 1;  // its contact, and that contact's rows
  bool prox = false;                     // friction and laws without a gap: solved through their prox
};

struct Sets {
  std::vector<Row> rows;
  bool prox = false;        // some row is solved through its prox
  int rough = 0;            // contacts with such rows
  bool springs = false;     // some law is on the position level
  std::vector<char> in[3];  // whether a row acts on a level
  Vec carried;              // the part of h Λ* that positions feel, on rows without a gap
  std::vector<int> flips;   // how often a contact closed or opened in the iteration
};

/// Λ̂ − prox(Λ̂ − w y) of a contact's rows with Λ̂ = Λ*/h and y the velocity over h, and J ∈ ∂prox.
struct ProxBlock {
  double weight = 1, residual[max_block_rows] = {};
  BlockMatrix J;
};

struct Residuals {
  Vec r1, r2, r3, reaction;     // M v̇ − W λ − f, M U − W ν, M V − W Λ, and W λ
  Vec row[3];                   // of a row that acts as acceleration, else of its multiplier as force
  std::vector<ProxBlock> prox;  // at the first row of each contact
  // In units of force/√mass, which are the same for every kind of coordinate and of row:
  double size[3] = {};    // of r₂, r₃, r₁, as forces
  double scale[3] = {};   // of the forces: all of them on the last level, with the corrections' on the others
  double enough[3] = {};  // a residual that counts as none: the tolerance, or the rounding of momentum over h
  double excess = infinity;  // over the tolerance in the iteration before
};

/// What the last step left, row by row as contacts are listed now.
struct Past {
  const double *vdot, *a, *lambda, *eta, *gamma;
};

/// What is constant in the step, and the first iterate: v̇ and λ as they were, no corrections.
void predict(const Scheme& scheme, const State& x0, const Past& past, StepData& x);
/// E γ₀
void rebound(const std::vector<Row>& rows, const ContactSet& set, StepData& x);
/// γ₀ and E γ₀ of contacts that land, where directions change. `before`: γ at the end of the last step.
void turn_rebounds(const State& x0, const double* before, const std::vector<Row>& rows, const ContactSet& set,
                   StepData& x);
/// The displacement q₁ ⊖ q₀, v₁, ν* and Λ* of an iterate.
void update(const Scheme& scheme, StepData& x);
/// a₁ and η₁. |η| below `nothing`, of rows with the given units, is 0.
void finish(const Scheme& scheme, double nothing, const Vec& row_unit, StepData& x);

}  // namespace saltus::generalized_alpha
