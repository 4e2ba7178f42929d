// Moreau's scheme with projected positions (Acary 2012, (19), corrected): (16), and
//
//     q_{k+1} = q_k + h v_{k+θ} + M⁻¹ W τ,   0 ≤ g(q_{k+1}) ⊥ τ ≥ 0   (joints: g(q_{k+1}) = 0).
//
// decoupled   the Moreau step first, then the projection;
// monolithic  τ also moves q_{k+θ}, at which forces and directions are taken: q_{k+θ} = (1−θ) q_k + θ
// q_{k+1}. Gaps are non-negative on the grid; the orders are those of (16).
#pragma once
#include "saltus/scheme/moreau_jean.hpp"
#include "saltus/scheme/position_projection.hpp"

namespace saltus {

struct MoreauProjected {
  enum class Coupling : std::uint8_t { decoupled, monolithic };
  static constexpr std::string_view coupling_names[] = {"decoupled", "monolithic"};
  static constexpr std::string_view name = "moreau-projected",
                                    summary = "Moreau–Jean with projected positions (19)";
  double theta = 0.5, gamma = 1;
  Coupling coupling = Coupling::decoupled;
  template <class V>
  void fields(V&& v) {
    v(FieldInfo{"theta", "", "implicitness of forces and positions", Range::closed(0, 1)}, theta);
    v(FieldInfo{"gamma", "", "how far ahead a contact is predicted, in steps", Range::closed(0, 1)}, gamma);
    v(FieldInfo{"coupling", "", "whether the projection enters the forces of its own step"}, coupling,
      Names(coupling_names));
  }
};

class MoreauProjectedStepper final : public Stepper {
 public:
  MoreauProjectedStepper(const System& system, const MoreauProjected& options, const SolverSpec& solver);
  int order() const override { return 1; }
  State start(double t, In q, In u) override { return base_.start(t, q, u); }
  StepReport take_step(const State& x0, double h, State& x1) override;
  void set_closed_rule(const ClosedRule& rule) override { base_.set_closed_rule(rule); }
  const ContactProblem* contact_problem() const override { return base_.contact_problem(); }
  std::span<const double> contact_impulses() const override { return base_.contact_impulses(); }
  double tau(int row) const { return projection_.tau(row); }

 private:
  bool project(const State& x0, State& x1);

  MoreauProjected options_;
  bool curved_;  // directions change with q
  MoreauJeanStepper base_;
  PositionProjection projection_;
  Vec shift_, unprojected_;
  std::vector<std::uint64_t> persisting_;
};

}  // namespace saltus
