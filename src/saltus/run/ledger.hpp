// The ledger of a run (Ledger in outcome.hpp), kept while it goes on. Contact work comes with the reports of
// the steps, exactly; the work of loads and of damping is a quadrature of the powers that a system declares,
// and costs nothing where it declares that there are none.
//
// Of schemes of order 1 and 2 the power is taken in the middle of a step, with the mean velocity Δq/h: there
// their own forces act, also in steps with an impact and where damping is stiff. Of others it is taken at
// Gauss' two points of the cubic through q and u at both ends. Perturbing a path by e changes ∫ G(q, q̇) dt by
// ∫ (G_q − d/dt G_u) e dt, so the cubic's error h⁴ in q, not its h³ in u, decides: order 4. Neither asks at
// the ends of steps, where loads may jump.
#pragma once
#include <limits>
#include <optional>

#include "saltus/run/between.hpp"
#include "saltus/run/family_rules.hpp"
#include "saltus/run/load_share.hpp"
#include "saltus/run/momentum.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class Bookkeeper {
 public:
  Bookkeeper(const Problem& problem, const Method& method, const FamilyRules& rules);

  /// An accepted step.
  void book(const Segment& s) {
    loss_ += s.report.contact_loss, walls_ += s.report.wall_work;
    friction_ += s.report.friction_loss, ideal_ += s.report.ideal_loss;
    if (s.end.t == problem_.t0) loss_ += kinetic(s.begin) - kinetic(s.end) - s.report.contact_loss;
    if (--until_sample_ == 0) sample(s.end);
    if (s.report.min_gap < deepest_) remember_depth(s);
    if (metered_) plain_ && !s.dense ? meter_plainly(s) : meter(s);
    if (momentum_) momentum_->book(s);
    if (shares_) shares_->book(s);
  }
  /// Whether it makes use of the forces of closed contacts and joints.
  bool wants_reactions() const { return momentum_.has_value(); }
  void memory(Memory& m);
  /// The ledger of a run that ended as the result says, and what it says against the run: warnings, or that
  /// it failed.
  void close(const Trust& trust, RunResult& result);

 private:
  void meter(const Segment& s);
  void meter_plainly(const Segment& s);
  void meter_dense(const Segment& s);
  Power power() const;  // in the middle
  Power power_within(const Segment& s, double part);
  void add(double h, const Power& rate);
  void go_to_middle(const Segment& s);
  void sample(const State& x);
  void remember_depth(const Segment& s);
  double kinetic(const State& x);
  void judge(const Trust& trust, const FamilyRules::Lengths& lengths, RunResult& result) const;

  const Problem& problem_;
  const Method& method_;
  const FamilyRules& rules_;
  bool metered_, odae_, fine_, flat_ = false;
  bool plain_ = false;  // of bodies whose positions are vectors, by the midpoint rule
  double loss_ = 0, walls_ = 0, friction_ = 0, ideal_ = 0;  // of the steps' reports
  double work_ = 0, damping_ = 0, rubbing_ = 0;             // by quadrature
  // Kinetic energy and |q|: at every step of the first `samples_a_stride`, then at half as many each time.
  std::int64_t until_sample_ = 1, stride_ = 1, samples_ = 0;
  double most_kinetic_ = 0, first_kinetic_ = 0;
  double push_ = 0;  // the kinetic energy that forces give in a step, about
  Vec reach_;
  // The deepest step: gaps that are a little deeper are not remembered, so that there are few.
  double deepest_ = 0, deep_at_ = 0;
  Vec deep_from_, deep_to_;
  State middle_;
  Between between_;
  // Where the parts of a step begin that wait for its last part; not a number where none do.
  double shown_from_ = std::numeric_limits<double>::quiet_NaN();
  std::optional<CheckedSystem> bodies_;  // of a mechanical problem: its mass
  Matrix mass_;
  std::optional<MomentumBooks> momentum_;
  std::optional<LoadShareWatch> shares_;
  bool constant_mass_ = false;
};

}  // namespace saltus
