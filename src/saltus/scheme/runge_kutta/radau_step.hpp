// A step of Radau IIA with s = 3, 5 or 7 stages, order 2s − 1, for stiff motion (Hairer, Wanner II, IV.8):
//
//     V_i = u + h Σ a_ij K_j,   Q_i = q + h Σ a_ij V_j,   K_i = a(t + c_i h, Q_i, V_i),   i = 1 … s,  c_s = 1
//
// by simplified Newton iterations, linearised about the start of the step, one sparse solve per eigenvalue of
// A (stage_solver.hpp). The first guess continues the polynomial of the step before. The dense output is the
// collocation polynomial, through the start and all stages, of order s.
//
// Error: what that polynomial misses of the motion at the start of the step, f₀ − ẏ(t₀), times hγ with the
// real eigenvalue γ of A: the difference to a method of order s. Stiff components are damped as they are in
// the step,
//
//     (1 − hγ J)⁻¹ hγ (f₀ − Σ ℓ_i(0) f_i),     f = (V, K),   J = ∂f/∂(q, u).
#pragma once
#include "saltus/scheme/runge_kutta/chart.hpp"
#include "saltus/scheme/runge_kutta/dense_step.hpp"
#include "saltus/scheme/runge_kutta/stage_solver.hpp"
#include "saltus/scheme/runge_kutta/tableau.hpp"

namespace saltus {

class RadauStep final : public DenseStep {
 public:
  RadauStep(ClosedDynamics& dynamics, int stages, int n);

  StepStatus attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales) override;
  double error(const ErrorScales& scales) override;
  double growth(double error) const override;
  StepStatus inside(double s, Vec& q, Vec& u) override;
  bool dense(DensePiece& out) override;
  /// The last attempt is taken: the next one continues it.
  void accept();
  /// Nothing of the steps before is used any more.
  void forget() { last_h_ = 0, last_error_ = 0, speed_ = 1, hard_ = true; }

  /// Newton's method ends at rounding, not at a part of the tolerance.
  void sharpen(bool on) { sharp_ = on; }
  int stages() const { return s_; }
  int iterations() const { return iterations_; }  ///< of the last attempt
  std::int64_t newton_iterations() const { return newton_iterations_; }
  /// About its start.
  const ClosedDynamics::Linearisation& linearisation() const { return *at_; }

  /// What it keeps from step to step.
  template <class M>
  void memory(M& m) {
    m(end_, last_h_, last_error_, speed_, hard_, last_u_);
    m.require(last_h_ >= 0 && last_error_ >= 0 && speed_ >= 0 && fits(last_u_));
    for (Vec& k : last_K_) m(k), m.require(fits(k));
  }

 private:
  bool fits(const Vec& x) const { return x.size() == n_; }
  void predict(const ErrorScales& scales);
  StepStatus newton(const ErrorScales& scales);
  StepStatus residuals();
  double correct(const ErrorScales& scales, double& way);
  void lift_stages();
  const Vec& slope(int i) const { return chart_.flat() ? V_[i] : L_[i]; }
  double filtered(const Vec& u, const Vec& a, const ErrorScales& scales);

  Tableau tableau_;
  int s_, n_;
  Chart chart_;
  double gamma_ = 0;
  std::vector<double> nodes_, first_;  // 0, c_1, …, c_s; ℓ_i(0)
  Eigen::MatrixXd terms_;              // of the dense piece, from the values at the nodes
  StageSolver solver_;
  const ClosedDynamics::Linearisation* at_ = nullptr;

  double t_ = 0, h_ = 0;
  Vec q_, u_, a_;  // the start; q_ and Q_ are in the chart
  std::vector<Vec> Q_, V_, K_, R_;
  std::vector<Vec> L_;  // rates of Q_, where they are not V_
  Vec start_, stage_q_;
  Vec error_q_, error_u_, shifted_, force_;
  double error_ = 0;
  int iterations_ = 0;
  std::int64_t newton_iterations_ = 0;
  // the step before: its end, length, error, and how fast Newton's iteration converged
  double end_ = 0, last_h_ = 0, last_error_ = 0, speed_ = 1;
  bool sharp_ = false;
  bool hard_ = true;  // the first step, or one that was tried in vain
  std::vector<Vec> last_K_;
  Vec last_u_;
};

}  // namespace saltus
