// Which touching contacts stay closed, and does friction stick or slip? At a configuration whose contacts
// have no normal velocity the accelerations decide:
//
//     y = Wᵀ u̇ + bias,   M u̇ = F + D λ,   −y ∈ N_C(λ)
//
// the contact problem again, with forces in place of impulses. A contact that slides has its friction in D
// and keeps one row; a law without a gap that yields (relay, Tresca) is a known force. Where closed contacts
// are redundant λ is not unique, but if none of them slides the accelerations are those of every admissible
// λ: they decide. With friction that slides they depend on λ, and the motion follows the one found here
// (loads).
#pragma once
#include <vector>

#include "saltus/contact/solver.hpp"
#include "saltus/linalg/saddle_factor.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class AccelerationProblem {
 public:
  AccelerationProblem(const System& system, const SolverSpec& solver, Faults& faults);

  /// Evaluates gaps, directions, bias and the free acceleration M⁻¹F.
  bool evaluate(double t, const Vec& q, const Vec& u);
  const ContactSet& contacts() const { return set_; }
  double gamma(int row) const { return gamma_[row]; }

  /// A contact that takes part, or a law without a gap (all of them must be given).
  struct Candidate {
    int contact = 0;      ///< index into contacts()
    bool slides = false;  ///< it moves as `how` says; otherwise it is tangentially at rest
    FrozenContact how;    ///< of one that slides; of others the mode before, for ties
    double normal = -1;   ///< of Coulomb friction at rest: it stays closed, with this force; < 0: as it comes
  };
  /// `closed` receives the contacts that the accelerations keep closed and their modes (and laws without a
  /// gap with theirs), in increasing id. A tie, no force and no acceleration up to `tie` of the accelerations
  /// at play, stays as it was. False when the problem was not solved: contradictory, or Painlevé's paradox.
  bool solve(std::span<const Candidate> candidates, double tie, std::vector<FrozenContact>& closed);
  /// Of the last solution: γ̇ = Wᵀu̇ + bias of any row, the sum of the absolute values of its terms, and the
  /// force of a row (friction that slides included).
  double rate(int row) const;
  double rate_scale(int row) const;
  double force(int row) const { return force_[row]; }
  void loads(std::vector<Load>& out) const;  ///< forces of all contacts and joints, increasing ids
  /// The largest |y| of the rows that `frozen` holds: zero up to rounding where this set is admissible.
  double largest_rate_held() const { return held_; }
  double scale() const { return scale_; }  ///< of accelerations at the contacts

 private:
  struct Row {
    int row, contact, block;
    const FrozenContact* slides;  // friction is in its column
  };
  void add_rows(const Candidate* candidate, int contact, std::vector<FrozenContact>& closed);
  int friction(const Row& row, double* s) const;
  void add_column(const Row& row, double factor, double* d) const;
  FrozenContact decided(int first, const double* y, const FrozenContact& before, double tie) const;
  void decide_discs(int first, const double* y, const RollingFriction& law, double tie,
                    FrozenContact& out) const;
  bool solve_joints();
  void find_joint_scale();
  bool solve_contacts(double& tie);
  double rate_held(int first, const FrozenContact& before) const;

  CheckedSystem system_;
  Shape shape_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  ContactSet set_;
  Matrix M_;
  Factor factor_;
  SaddleFactor<double> saddle_;  // of joints alone
  SparseRows Wt_;
  bool known_ = false;  // M and W, as far as they are constant
  Vec u_, free_, acceleration_;
  std::vector<double> gamma_, force_, G_, Z_, P_, y_;
  std::vector<Row> rows_;
  std::vector<int> sizes_;
  std::vector<FrozenContact> before_;  // of each block
  double held_ = 0, scale_ = 0;
  Law frictionless_ = Unilateral{}, kept_ = Equality{};
  std::vector<Law> resting_;  // rolling friction on the discs that do not slide, friction with a given limit
};

}  // namespace saltus
