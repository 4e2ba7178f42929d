// A step of an explicit pair (dense_pair.hpp).
#pragma once
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
  void stage(int i, Vec& q, Vec& v);
  StepStatus prepare_dense();
  void dense_terms(const Vec& y0, const Vec& y1, const std::vector<double>& f, Vec& c) const;

  const DensePair& pair_;
  int n_;
  double t_ = 0, h_ = 0;
  Vec q_, u_, end_q_, end_u_;
  Vec stage_q_, stage_u_, a_;
  std::vector<double> V_, K_;  // of all stages, one after the other
  DensePiece piece_;
  bool dense_ready_ = false;
};

}  // namespace saltus
