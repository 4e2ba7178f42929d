// A step of an explicit pair (dense_pair.hpp).
#pragma once
#include "saltus/scheme/runge_kutta/chart.hpp"
#include "saltus/scheme/runge_kutta/dense_pair.hpp"
#include "saltus/scheme/runge_kutta/dense_step.hpp"

namespace saltus {

class PairStep final : public DenseStep {
 public:
  PairStep(ClosedDynamics& dynamics, const DensePair& pair, int n);

  StepStatus attempt(double t, const Vec& q, const Vec& u, double h, const ErrorScales& scales) override;
  double error(const ErrorScales& scales) override;
  double growth(double error) const override;
  StepStatus inside(double s, Vec& q, Vec& u) override;
  bool dense(DensePiece& out) override;
  const DensePair& pair() const { return pair_; }

 private:
  template <class Evaluate>
  StepStatus stage(int i, double* y, Evaluate&& evaluate);
  StepStatus prepare_dense();
  void set_dense_terms();
  void set_dense_term(int term, const double* y);

  const DensePair& pair_;
  int n_;
  Chart chart_;
  double t_ = 0, h_ = 0;
  Vec stage_q_, stage_u_, a_;
  Vec stage_v_, rate_;  // of q in the chart, where it is not q itself
  // States are q (in the chart), then u; slopes are V_i, then K_i, of all stages one after the other.
  std::vector<double> start_, end_, sum_, zero_, slopes_;
  DensePiece piece_;
  bool dense_ready_ = false;
};

}  // namespace saltus
