// What happens at an instant of a mechanical system, posed to the contact solvers:
//
//   impact  u⁺ = u⁻ + M⁻¹WP with the laws of all contacts that touch: Newton's restitution, friction, joints;
//   settle  which contacts at rest stay closed, and do they stick or slip? y = Wᵀu̇ + bias, M u̇ = h + Dλ, −y ∈
//           N_C(λ): forces in place of impulses. What slides has its friction in D, or pushes with its limit.
#pragma once
#include <memory>

#include "saltus/scheme/kit/contact_stage.hpp"
#include "saltus/scheme/symplectic/body_map.hpp"

namespace saltus {

class BodyEvents {
 public:
  BodyEvents(const System& system, const SolverSpec& solver, Faults& faults);

  /// Everything at (t, q, u) with contacts listed h ahead; false: the mass is singular.
  bool look(double t, const Vec& q, const Vec& u, double h);
  const ContactSet& contacts() const { return set_; }
  double gamma(int row) const { return gamma_[row]; }
  /// The size of the terms in the acceleration of a row that forces and joints make.
  double scale(int row) const;
  double kinetic(const Vec& u) const { return 0.5 * M_.bilinear(u, u); }
  /// The accelerations that forces and joints make without contacts.
  const Vec& swing() const { return swing_; }

  /// At the place of look(): x.u jumps; x.contacts has the impulses. Contacts with these increasing ids take
  /// part whatever their gap is.
  SolveReport impact(std::span<const std::uint64_t> hitting, State& x, StepReport& report);
  /// What a checkpoint keeps: the rounding of gaps follows how far coordinates have come.
  Vec& reach() { return rounding_.reach(); }
  /// Whether the gap of a contact is zero up to rounding.
  bool touches(const Contact& c) const {
    return set_.gap[c.row] <= touching_roundings * rounding_(set_, c.row, rows(system_.laws()[c.law]), c.row);
  }

  struct Candidate {
    int contact = 0;      ///< index into contacts()
    bool slides = false;  ///< has a velocity along its tangents, or in the row of its law
  };
  /// Which of the candidates (increasing indices) stay closed, with their modes. Laws without a gap are among
  /// the candidates, joints are not.
  SolveReport settle(std::span<const Candidate> candidates, std::vector<HeldContact>& held);
  /// The velocity whose sign a law on the velocity level sees; of one on the position level the gap, or where
  /// it goes from zero.
  double course(const Law& law, int row) const {
    return on_position_level(law) ? set_.gap[row] + 1e-6 * h_ * gamma_[row] : gamma_[row];
  }
  /// The forces that settle() found for a contact, by its rows; false: it has none.
  bool forces(std::uint64_t id, std::span<double> out) const;
  std::uint64_t id_of_block(int block) const { return set_.contacts[blocks_[block]].id; }

 private:
  CheckedSystem system_;
  Shape shape_;
  ContactStage stage_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  ContactSet set_;
  GapRounding rounding_;
  Matrix M_;
  Factor factor_;
  ConstraintFactor joints_;
  SparseRows joint_rows_;
  std::vector<double> joint_lambda_;
  Vec u_, free_, swing_, force_;  // swing_: free_ with the joints
  double h_ = 0;
  std::vector<double> gamma_, G_, column_, P_, y_;
  std::vector<int> blocks_, sizes_, rows_;
  std::vector<char> slides_;
  Law frictionless_ = Unilateral{};
};

}  // namespace saltus
