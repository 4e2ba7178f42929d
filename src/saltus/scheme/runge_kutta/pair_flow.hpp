// One step of an explicit pair (dense_pair.hpp) on smooth motion with a frozen contact set, with an estimate
// of its local error and dense output: after attempt(), every state within the step is there without
// integrating again.
#pragma once
#include "saltus/scheme/runge_kutta/dense_pair.hpp"
#include "saltus/scheme/runge_kutta/flow.hpp"

namespace saltus {

class PairFlow final : public Flow {
 public:
  PairFlow(const System& system, const DensePair& pair, Faults& faults);

  /// A step of length h from (t, q, u); nothing is known of its error yet.
  StepStatus attempt(double t, const Vec& q, const Vec& u, double h);
  /// The estimated error of the last attempt, root mean square over all coordinates and velocities, each in
  /// its own scale.
  double error(const Vec& q_scale, const Vec& u_scale) const;
  /// The state s after the start of the last attempt, which began at (t, q, u).
  StepStatus step(double t, const Vec& q, const Vec& u, double s, Vec& q1, Vec& u1) override;
  bool dense(DensePiece& out) override;
  int order() const override { return pair_.order; }
  const DensePair& pair() const { return pair_; }

 private:
  void stage(int i);
  StepStatus prepare_dense();
  void dense_terms(const Vec& y0, const Vec& y1, const std::vector<Vec>& f, Vec& c) const;

  const DensePair& pair_;
  int n_;
  double t_ = 0, h_ = 0;
  Vec q_, u_;  // the start
  std::vector<Vec> Q_, V_, K_;
  DensePiece piece_;
  bool dense_ready_ = false;
};

}  // namespace saltus
