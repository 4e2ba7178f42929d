// Smooth motion by steps of varying length, with an error estimate and dense output: an explicit pair, and
// Radau IIA while the motion is stiff.
//
// Stiff means that a motion much faster than the one that is seen keeps the steps of the pair short: h|λ| of
// the fastest motion (motion_rate.hpp) is close to the limit of stability, or large enough to matter for the
// error. Whether Radau is cheaper only a trial can tell. It is looked at every few steps; Radau then takes
// over, and gives back where it does not pay: where its own steps cost more evaluations per time than stable
// steps of the pair would. After a trial that failed the next one comes later.
#pragma once
#include <algorithm>
#include <optional>

#include "saltus/scheme/runge_kutta/motion_rate.hpp"
#include "saltus/scheme/runge_kutta/pair_step.hpp"
#include "saltus/scheme/runge_kutta/radau_step.hpp"

namespace saltus {

class ControlledFlow final : public Flow {
 public:
  /// Radau has more stages the smaller `rtol` is.
  ControlledFlow(const System& system, const DensePair& pair, double rtol, Faults& faults);

  /// Loads may jump at that time: steps that end there count with their values before.
  void stay_before(double t) {
    if (t == stop_) return;
    pair_.stay_before(t), stop_ = t;
    if (radau_) radau_->stay_before(t);
  }
  /// The next attempt, of length h, looks whether it is stiff: friction that turns with a slip that has
  /// hardly begun is.
  void expect_stiffness(double h) { since_ = std::max(since_, wait_), h_ = h; }
  /// Whether the next attempt looks at scales.
  bool needs_scales() const { return next_ || since_ >= wait_; }
  /// A step of length h from (t, q, u); nothing is known of its error yet.
  StepStatus attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales);
  /// The estimated error of the last attempt, one meaning that it is as large as allowed.
  double error(const ErrorScales& scales) { return active().error(scales); }
  /// What the step may be multiplied by after such an error.
  double growth(double error) const { return stiff_ ? radau_->growth(error) : pair_.growth(error); }
  /// The last attempt is taken. Returns what the next step must not exceed.
  double accept(const ErrorScales& scales);
  /// Whether Radau made the last attempt.
  bool by_radau() const { return stiff_; }
  /// The last attempt, which was taken and by Radau, once more with another end; it is taken, too.
  StepStatus end_at(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales);
  /// What rounding of the forces makes of velocity i in a step of length h, where the mass is m: stiff forces
  /// are differences of positions.
  double rounding(int i, double m, double h) const;
  /// The state s after the start of the last attempt, which began at (t, q, u).
  StepStatus step(double t, const Vec& q, const Vec& u, double s, Vec& q1, Vec& u1) override;

  bool dense(DensePiece& out) override { return active().dense(out); }

  int order() const override { return pair_.pair().order; }
  std::int64_t newton_iterations() const override { return radau_ ? radau_->newton_iterations() : 0; }
  std::int64_t stiff_steps() const { return stiff_steps_; }  ///< taken by Radau
  /// Steps of the pair that a motion much faster than the one that is seen kept short, and its |λ|.
  std::int64_t short_steps() const { return short_steps_; }
  double fastest() const { return fastest_; }

  /// What it keeps from step to step.
  template <class M>
  void memory(M& m) {
    m(next_, since_, wait_, stay_, doubts_, h_, stiff_steps_, short_steps_, fastest_, rate_, pull_, slope_,
      radau());
    m.require(since_ < most_steps && stay_ < most_steps && doubts_ < most_steps);
    m.require(since_ >= 0 && wait_ > 0 && wait_ <= longest_wait && stay_ >= 0 && doubts_ >= 0 && h_ >= 0 &&
              stiff_steps_ >= 0 && short_steps_ >= 0 && fastest_ >= 0);
  }

 private:
  static constexpr int least_wait = 8, longest_wait = 256, most_steps = 1'000'000'000;
  DenseStep& active() { return stiff_ ? static_cast<DenseStep&>(*radau_) : pair_; }
  bool is_stiff(double t, const Vec& q, const Vec& u, const ErrorScales& scales);
  double after_radau(const ErrorScales& scales);
  void note_pull(const ClosedDynamics::Linearisation& at, const Vec& q);
  RadauStep& radau();

  PairStep pair_;
  std::optional<RadauStep> radau_;  // made when it is asked for: most motions are not stiff
  double rtol_, stop_ = infinity;
  MotionRate rate_;
  Vec a_;
  Vec pull_, slope_;  // Σ |∂f_i/∂q_j q_j| and |∂f_i/∂q_i|, when it was looked for stiffness
  double h_ = 0;      // of the last attempt
  bool stiff_ = false, next_ = false;  // whether Radau makes this attempt, and the next one
  int since_ = 0, wait_ = least_wait;  // steps of the pair since stiffness was looked at, and until then
  int stay_ = 0, doubts_ = 0;          // steps of Radau since it took over, and those that did not pay
  std::int64_t stiff_steps_ = 0, short_steps_ = 0;
  double fastest_ = 0;
};

}  // namespace saltus
