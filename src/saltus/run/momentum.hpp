// The momentum in the ledger of a run with bodies in the plane: linear in x and y, and angular about the
// origin. The wrench of forces f on the velocities of all bodies is
//
//     Σ (f_x, f_y, f_θ + x f_y − y f_x),
//
// that of M u is the momentum, that of h its rate by loads and weights, that of W P the impulse of contacts
// and joints. What acts between two bodies has no wrench: what is left is that of the ground.
//
// Loads are integrated by the trapezoidal rule, and impulses act at the middle of their step; of methods of
// high order by Simpson's rule, as are the forces of closed contacts and joints where those are told.
#pragma once
#include <optional>

#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class MomentumBooks {
 public:
  /// Nothing where a coordinate belongs to no body in the plane, or bodies are many.
  static std::optional<MomentumBooks> of(const Problem& problem, bool fine);

  void book(const Segment& s);
  template <class M>
  void memory(M& m) {
    for (int k = 0; k < 3; ++k) m(loads_[k], contacts_[k]);
    m(last_t_);
    last_t_ = without_last;  // the rate is found anew
  }
  Momentum close(const State& start, const State& end);

 private:
  using Wrench = std::array<double, 3>;
  static constexpr double without_last = -infinity;
  MomentumBooks(const System& system, std::vector<Sketch::Coordinates> bodies, bool fine);
  Wrench wrench(const Vec& q, const Vec& f) const;
  Wrench momentum(const State& x);
  void book_contacts(const Segment& s);
  void book_middle(const Segment& s, double h);

  CheckedSystem system_;
  std::vector<Sketch::Coordinates> bodies_;
  Matrix mass_;
  ContactSet set_;
  bool fine_;
  Vec q_, u_, f_;
  Wrench loads_ = {}, contacts_ = {}, rate_ = {};
  double last_t_ = without_last;  // of rate_
};

}  // namespace saltus
