// Which touching contacts stay closed, and does friction stick or slip? At a configuration whose contacts
// have no normal velocity the accelerations decide: y = Wᵀ u̇ + bias, M u̇ = F + D λ, −y ∈ N_C(λ) — the contact
// problem again, with forces in place of impulses. A contact that slides has its friction in D and keeps one
// row.
#pragma once
#include <vector>

#include "saltus/contact/solver.hpp"
#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class AccelerationProblem {
 public:
  AccelerationProblem(const System& system, const SolverSpec& solver, Faults& faults);

  /// Evaluates gaps, directions, bias and the free acceleration M⁻¹F.
  bool evaluate(double t, const Vec& q, const Vec& u);
  const ContactSet& contacts() const { return set_; }
  /// γ of a row, and the acceleration scale Σ|W_rj||a_j| + |bias_r|.
  double gamma(int row) const { return gamma_[row]; }
  double scale(int row) const;
  double free_acceleration(int row) const;  ///< Wᵀ a_free + bias

  struct Candidate {
    int contact = 0;      ///< index into contacts()
    bool slides = false;  ///< has a tangential velocity; otherwise it is tangentially at rest
  };
  /// `closed` receives the contacts with a positive force and their modes (and relays with theirs), in
  /// increasing id. False when the problem was not solved: redundant or contradictory.
  bool solve(std::span<const Candidate> candidates, std::vector<FrozenContact>& closed);

 private:
  struct Row {
    int row, contact, block;
    double sign;  // of sliding in the plane, for the friction column
  };
  void friction_column(const Row& row, double* d) const;

  CheckedSystem system_;
  Shape shape_;
  std::unique_ptr<ContactSolver> solver_;
  ContactProblem problem_;
  ContactSet set_;
  Matrix M_;
  Factor factor_;
  Vec u_, free_;
  std::vector<double> gamma_, G_, Z_, P_;
  std::vector<Row> rows_;
  std::vector<int> sizes_;
  Law frictionless_ = Unilateral{};
};

}  // namespace saltus
