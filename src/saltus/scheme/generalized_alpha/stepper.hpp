// The stepper of generalized_alpha.hpp, which has the formulas. Its parts are private to this folder.
#pragma once
#include "saltus/scheme/generalized_alpha/generalized_alpha.hpp"
#include "saltus/scheme/stepper.hpp"

namespace saltus {

namespace generalized_alpha {
class Step;
}

class GeneralizedAlphaStepper final : public Stepper {
 public:
  /// Throws Error for contacts with a variant for joints only.
  GeneralizedAlphaStepper(const System& system, const GeneralizedAlpha& options,
                          const SolverSpec& solver = AutomaticSolver{});
  ~GeneralizedAlphaStepper() override;
  int order() const override { return 2; }
  State start(double t, In q, In u) override;
  StepReport take_step(const State& x0, double h, State& x1) override;
  bool takes_aux(Eigen::Index size, Eigen::Index at_start) const override;

  // What the last step (or start) computed, for studies of the multipliers; one entry per contact row.
  const Vec& acceleration() const { return last_.vdot; }  ///< v̇
  const Vec& shifted() const { return last_.a; }          ///< a
  const Vec& lambda() const { return last_.lambda; }      ///< λ̃
  const Vec& relative_impulse() const { return last_.Lambda; }
  const Vec& impulse() const { return last_.Lambda_star; }
  /// Residuals of every row at the end of the last step.
  const std::vector<double>& gaps() const { return last_.gap; }
  const Vec& gap_velocity() const { return last_.gamma; }
  const Vec& gap_acceleration() const { return last_.gap_acceleration; }
  bool active_on_acceleration(int row) const { return last_.in_S[row] != 0; }

 private:
  struct Results {
    const Vec &vdot, &a, &lambda, &Lambda, &Lambda_star, &gamma, &gap_acceleration;
    const std::vector<double>& gap;
    const std::vector<char>& in_S;
  };
  std::unique_ptr<generalized_alpha::Step> step_;
  Results last_;  // in step_
};

}  // namespace saltus
