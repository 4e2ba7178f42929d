// Evaluates the system at an iterate, each part when it is asked for, and once where it is constant.
#pragma once
#include "saltus/contact/solver.hpp"
#include "saltus/scheme/generalized_alpha/step_data.hpp"
#include "saltus/system/checked.hpp"

namespace saltus::generalized_alpha {

class Evaluator {
 public:
  Evaluator(const System& system, Faults& faults);

  const CheckedSystem& system() const { return system_; }
  const Shape& shape() const { return shape_; }
  const SystemValues& values() const { return at_; }

  void mass(double t, In q) {
    if (!mass_known_) evaluate_mass(t, q);
  }
  bool factor_mass();
  /// The contacts near (t, q), where the list changes: those that may close within `look_ahead`.
  void list(double t, In q, double look_ahead);
  /// Gaps, directions, γ and, where they are asked for, γ̇ of the contacts that are listed.
  void rows(double t, In q, In v, const Vec& vdot, bool accelerations);
  void row_accelerations(double t, In q, In v, const Vec& vdot);
  void keep_directions(double t, In q);  ///< W₀
  void force(double t, In q, In v) { system_.force(t, q, v, at_.force); }
  /// K, Fv and the curvature.
  void derivatives(double t, In q, In v, In vdot, const Vec& lambda);

 private:
  void evaluate_mass(double t, In q);

  CheckedSystem system_;
  bool curved_;
  Shape shape_;
  SystemValues at_;
  Matrix Fq_;
  bool mass_known_ = false, mass_factored_ = false, directions_known_ = false, jacobians_known_ = false;
  bool springs_ = false;  // Fq does not vanish
};

/// (38): v̇ and λ from q and u, where mass and rows have been evaluated. Joints, and closed contacts that stay
/// so if they are in S; an active-set iteration finds which of them carry a force, a contact solver where
/// rows are redundant or many (start.cpp). Throws Error for a singular mass and for constraints that
/// contradict each other.
void initial_acceleration(const Scheme& scheme, const std::vector<Row>& rows, Evaluator& evaluator,
                          const SolverSpec& solver, double t, In q, In u, Vec& vdot, Vec& lambda);

}  // namespace saltus::generalized_alpha
