// Moreau–Jean θ time stepping (Acary 2012, (16), corrected). One step of length h:
//
//     v_{k+θ} = (1−θ) v_k + θ v_{k+1},   q_{k+θ} = q_k + θ h v_{k+θ},   t_{k+θ} = t_k + θ h
//     M_{k+θ} (v_{k+1} − v_k) = h F(t_{k+θ}, q_{k+θ}, v_{k+θ}) + W_{k+θ} P
//     q_{k+1} = q_k + h v_{k+θ}
//     contact active  ⇔  g(q_k) + γ h U_k ≤ 0, U_k = W(q_k)ᵀ v_k + χ;  then  −(U_{k+1} + E U_k) ∈ N_C(P)
//
// Order 1 through impacts (in L1, graph distance, and every norm of q), 2 in smooth motion for θ = 1/2.
// Restitution is met exactly at any step; θ = 1/2 with e = 1 and linear forces conserves energy, impacts
// included. θ = 0 is explicit; θ > 0 solves for v_{k+1} by Newton with one contact problem per iteration, and
// by one linear solve with a stored factor where mass, force and directions are linear.
#pragma once
#include "saltus/scheme/contact_stage.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

struct MoreauJean {
  static constexpr std::string_view name = "moreau-jean", summary = "Moreau–Jean θ time stepping (16)";
  double theta = 0.5, gamma = 1;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"theta", "", "implicitness of forces and positions", Range::closed(0, 1)}, theta);
    v(FieldInfo{"gamma", "", "how far ahead a contact is predicted, in steps", Range::closed(0, 1)}, gamma);
  }
};

class MoreauJeanStepper final : public Stepper {
 public:
  MoreauJeanStepper(const System& system, const MoreauJean& options, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override;
  using Stepper::step;
  /// With q_{k+θ} displaced by `shift` (may be null): the monolithic projected scheme needs it.
  StepReport step(const State& x0, double h, const Vec* shift, State& x1);
  void set_closed_rule(const ClosedRule& rule) override { stage_.set_closed_rule(rule); }
  /// See ContactStage::set_touch.
  void set_touch(double gap) { stage_.set_touch(gap); }
  /// See ContactStage::force.
  void force(std::span<const std::uint64_t> contacts) { stage_.force(contacts); }
  const ContactProblem* contact_problem() const override { return stage_.problem(); }
  std::span<const double> contact_impulses() const override { return stage_.impulses(); }

 private:
  StepReport take_step(const State& x0, double h, State& x1) override { return step(x0, h, nullptr, x1); }
  bool prepare_matrix(double h, bool jacobians);
  void advance(const State& x0, double h, Vec& q);
  StepStatus solve_linear(const State& x0, double h, StepReport& report);
  StepStatus solve_contacts(const State& x0, double h, Vec& v, StepReport& report);
  StepStatus iterate(const State& x0, double h, const Vec* shift, StepReport& report);

  CheckedSystem system_;
  MoreauJean options_;
  Shape shape_;
  bool linear_;  // mass, force and directions have constant coefficients
  ContactStage stage_;
  ContactSet set_;
  Matrix M_, A_, dq_, du_;
  Factor factor_;
  Vec v_, v_new_, v_theta_, q_theta_, force_, displacement_, difference_;
  double prepared_h_ = -1;         // linear systems: the step the stored factor belongs to
  bool directions_known_ = false;  // constant directions have been evaluated
  bool fresh_ = true;              // the factor changed since the contact operator was built
};

}  // namespace saltus
