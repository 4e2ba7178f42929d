// The stepper of symplectic_euler.hpp. With unilateral constraints `step` is complementarity time stepping on
// true, of order 1 (euler_complementarity.cpp); `locked_step` keeps the closed contacts of its start, for
// drivers that locate events.
#pragma once
#include "saltus/scheme/symplectic/euler_map.hpp"
#include "saltus/scheme/symplectic/odae_stepper.hpp"

namespace saltus {

class SymplecticEulerStepper final : public OdaeStepper {
 public:
  SymplecticEulerStepper(std::shared_ptr<const OdaeSystem> system, const SymplecticEuler& options);

  int order() const override;  ///< that of `true` with its composition; natural has it where r is affine in ψ
  StepReport take_step(const State& x0, double h, State& x1) override;
  StepReport take_locked_step(const State& x0, double h, State& x1) override;

 private:
  StepReport try_step(const State& x0, double h, State& x1);
  StepReport complementarity_step(const State& x0, double h, State& x1);
  StepStatus settle_position(const EulerStart& start);
  StepStatus settle_velocity(const EulerStart& start);
  void choose_rebounds(const State& x0, double h);

  SymplecticEuler options_;
  std::vector<EulerPart> parts_;
  EulerMap map_;
  std::vector<int> first_, second_;  // constraints that act on positions, and on velocities
  int disputed_ = 0;                 // the one that joined or left last
  std::vector<char> forced_;         // closed before the step
  std::vector<double> target_;       // γ*
  Vec y_, z_, Psi0_, Psi1_, rate0_;
};

}  // namespace saltus
