// Moreau's midpoint rule (Studer, Leine, Glocker 2008, Sect. 4, corrected). One step from B to E of length h:
//
//     q_M = q_B + h/2 u_B,  t_M = t_B + h/2;   M, W, χ at (t_M, q_M),  F = F(t_M, q_M, u_B)
//     M (u_E − u_B) = h F + W P,   −(γ_E + E γ_B) ∈ N_C(P),  γ = Wᵀu + χ
//     q_E = q_M + h/2 u_E
//
// A contact is active iff g(t_M, q_M) ≤ 0. Explicit in the forces; for F = F(t, q) smooth steps are position
// Verlet, of order 2 with even powers of h only.
#pragma once
#include "saltus/scheme/contact_stage.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

struct MoreauMidpoint {
  static constexpr std::string_view name = "moreau-midpoint", summary = "Moreau's midpoint rule";
  template <class V>
  void fields(V&&) {}
};

class MoreauMidpointStepper final : public Stepper {
 public:
  MoreauMidpointStepper(const System& system, const MoreauMidpoint&, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override;
  StepReport take_step(const State& x0, double h, State& x1) override;
  void set_closed_rule(const ClosedRule& rule) override { stage_.set_closed_rule(rule); }
  const ContactProblem* contact_problem() const override { return stage_.problem(); }
  std::span<const double> contact_impulses() const override { return stage_.impulses(); }

 private:
  CheckedSystem system_;
  Shape shape_;
  ContactStage stage_;
  ContactSet set_;
  Matrix M_;
  Factor factor_;
  Vec q_mid_, half_, force_, v_;
  bool factored_ = false, directions_known_ = false;
};

}  // namespace saltus
