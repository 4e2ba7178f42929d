// An iteration of generalized-α in which contact solvers find the sets: for contacts that are redundant, for
// several contacts with friction, and wherever Newton's iteration on the sets itself fails. The motion is
// linearised as in newton_matrix.hpp; then one contact problem is posed on each level,
//
//     positions       y = (g + Wᵀ dq₁)/h²,            P = ν*/h²    joints, normals        G = Wᵀ A⁻¹ W
//     velocities      y = (γ₁ + E γ₀ + Wᵀ dv₁)/h,     P = Λ*/h     what is in A, all rows G = Wᵀ M⁻¹ W
//     accelerations   y = Wᵀ(v̇ + dv̇) + bias,          P = λ        joints, normals in B   G = Wᵀ M⁻¹ W
//
// each with the vectors as the last one left them. Solvers cope with redundant rows: multipliers are then not
// unique, the motion is. What the levels do to earlier ones (through damping, and friction that ν* = ½ h Λ*
// carries to the positions) is left to the next iteration. Where damping or stiffness dominate the mass, G is
// formed from what a multiplier does in truth, M⁻¹W with the response of the smooth motion.
//
// A pre-stressed spring holds g = 0 with a force of at most its limit L: |ν̂| ≤ L/2 and, while it holds,
// |Λ̂| ≤ L against the velocity; when it yields Λ̂ = 2 ν̂ = ±L, a constant force.
#pragma once
#include "saltus/contact/solver.hpp"
#include "saltus/scheme/generalized_alpha/newton_matrix.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus::generalized_alpha {

class ContactLevels {
 public:
  ContactLevels(int n, const SolverSpec& solver);

  /// Adds the correction to x and finds the sets; A: the factor of newton_matrix.hpp. Not ok: not finite, or
  /// a contact problem that was not solved; the report says which contacts.
  StepStatus correct(const Scheme& scheme, const SystemValues& at, const Residuals& left, const Factor& A,
                     StepData& x, Sets& sets, StepReport& report);
  /// The residuals of the laws, as forces, and those of the vectors. `first`: nothing was solved yet.
  bool converged(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                 bool first, Residuals& residuals, int& worst_row);
  /// After the predictor. Friction begins where the last step left it.
  void begin_step(const ContactMemory& before, const Scheme& scheme, const SystemValues& at, const Sets& sets,
                  StepData& x);

 private:
  struct Block {
    const Law* law;
    int row, size;
  };
  struct Spring {
    double limit = 0;
    Law positions = Relay{}, velocities = Relay{};
  };
  void free_motion(const Scheme& scheme, const SystemValues& at, const Residuals& left, const Factor& A,
                   StepData& x);
  void carry_friction(const Scheme& scheme, const SystemValues& at, const Factor& A, const StepData& x,
                      const Sets& sets);
  void choose(Level level, const Scheme& scheme, const SystemValues& at, const Sets& sets, const StepData& x);
  double row_value(Level level, const Scheme& scheme, const SystemValues& at, const StepData& x, int r) const;
  StepStatus solve(Level level, const Scheme& scheme, const SystemValues& at, const Factor& A,
                   const StepData& x, StepReport& report);
  void build_operator(Level level, const Scheme& scheme, const SystemValues& at, const Factor& A);
  /// What multipliers with the generalised force `force_` do on a level.
  void respond(Level level, const Scheme& scheme, const SystemValues& at, const Factor& A, Vec& da, Vec& dq,
               Vec& dv);
  void apply(const Scheme& scheme, const SystemValues& at, const Residuals& left, StepData& x);

  std::unique_ptr<ContactSolver> solver_;
  double tolerance_;                  // of the solver
  double reached_[3] = {-1, -1, -1};  // by it in this step, or −1
  ContactProblem problem_;
  Law contact_ = Unilateral{};
  std::vector<Block> blocks_;
  std::vector<Spring> springs_;  // by rows
  std::vector<int> sizes_;
  std::vector<double> P_, z_, dense_;
  SparseRows Wt_;
  Vec total_[3], change_[3];  // P of every row, and its change in this iteration
  Vec da_, dq_, dv_;          // dv̇, dq₁, dv₁ so far
  Vec u2_, u3_, force_, z1_, ca_, cq_, cv_;
  double violation_[3] = {}, last_ = infinity;  // what the solver left; the excess of the last iteration
  double moved_ = infinity;                     // by the last iteration, over the tolerance
  int iterations_ = 0;
};

/// What a row's residual may be, as a force: the tolerance, and what rounding leaves.
double allowed(Level level, const Scheme& scheme, const StepData& x, const SystemValues& at,
               const Residuals& left, int row);

}  // namespace saltus::generalized_alpha
