// The ledger of a run (Ledger in outcome.hpp), kept while it goes on. Contact work comes with the reports of
// the steps, exactly; the work of loads and of damping is a quadrature of the powers that a system declares,
// and costs nothing where it declares that there are none.
//
// Between two states the power is taken at both ends, by schemes of order 1 and 2 that is all; for others,
// Simpson's rule adds the middle of the cubic through q and u at both ends. Perturbing a path by e changes
// ∫ G(q, q̇) dt by ∫ (G_q − d/dt G_u) e dt, so the cubic's error h⁴ in q, not its h³ in u, decides: order 4.
#pragma once
#include <optional>

#include "saltus/run/family_rules.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class Bookkeeper {
 public:
  Bookkeeper(const Problem& problem, const Method& method, const FamilyRules& rules);

  /// An accepted step.
  void book(const Segment& s) {
    loss_ += s.report.contact_loss, walls_ += s.report.wall_work;
    friction_ += s.report.friction_loss, ideal_ += s.report.ideal_loss;
    if (--until_sample_ == 0) sample(s.end);
    if (metered_) meter(s);
  }
  void memory(Memory& m);
  /// The ledger of a run that ended as the result says, and what it says against the run: warnings, or that
  /// it failed.
  void close(const Trust& trust, RunResult& result) const;

 private:
  void meter(const Segment& s);
  bool resolved(const Segment& s, const Power& a, const Power& b);
  void sample(const State& x);
  double kinetic(const State& x);
  void judge(const Trust& trust, const FamilyRules::Lengths& lengths, RunResult& result) const;

  const Problem& problem_;
  const Method& method_;
  const FamilyRules& rules_;
  bool metered_, simpson_;
  double loss_ = 0, walls_ = 0, friction_ = 0, ideal_ = 0;  // of the steps' reports
  double work_ = 0, damping_ = 0, rubbing_ = 0;             // by quadrature
  Power last_;
  double last_t_;
  // Kinetic energy and |q|: at every step of the first `samples_a_stride`, then at half as many each time.
  std::int64_t until_sample_ = 1, stride_ = 1, samples_ = 0;
  double most_kinetic_ = 0, first_kinetic_ = 0;
  Vec reach_;
  State middle_;
  std::optional<CheckedSystem> bodies_;  // of a mechanical problem: its mass
  Matrix mass_;
  bool constant_mass_ = false;
};

}  // namespace saltus
