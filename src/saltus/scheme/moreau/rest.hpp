// Systems at rest. A step of Moreau–Jean is a function of its state, the list, gaps and directions of the
// contacts, and the force. Where all of these have the bits that they had in a step that changed nothing, the
// step is taken as done: no contact problem is solved, and the result is the one it would have.
//
// For that velocities have to be zero: those that are rounding of the impulses that cancel each other, in all
// coordinates, are made so. Nothing is that has a velocity of its own, however small.
#pragma once
#include <optional>

#include "saltus/contact/problem.hpp"
#include "saltus/linalg/pattern.hpp"
#include "saltus/scheme/stepper.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class Rest {
 public:
  /// v ← 0 where M v is rounding of the impulses W P, with u before the step zero, or rounding too.
  bool settle(const ContactProblem& problem, std::span<const double> P, const Matrix& M, const Vec& u,
              Vec& v);

  /// A step of length h from x0 to x1; `set` and `force` are those it was computed with.
  void keep(const State& x0, double h, const State& x1, const ContactSet& set, const Vec& force,
            const StepReport& report);
  /// Whether a step from x0 may be the one that was kept; then contacts and force are to be compared.
  bool may_hold(const State& x0, double h) const;
  bool holds(const ContactSet& set, const Vec& force) const;
  const StepReport& report() const { return kept_->report; }
  void forget() { kept_.reset(); }

 private:
  struct Kept {
    State x;
    double h = 0;
    ContactSet set;
    Vec force;
    StepReport report;
  };
  std::optional<Kept> kept_;
  Vec size_, momentum_;  // scratch
};

}  // namespace saltus
