// The momentum in the ledger of a run with bodies: linear, and angular about the origin. The wrench of forces
// f on the velocities of all bodies is
//
//     in the plane  Σ (f_x, f_y, f_θ + x f_y − y f_x),       in space  Σ (F, R τ + x×F),  f = (F, τ),
//
// τ in the frame of the body. That of M u is the momentum, that of W P the impulse of contacts and joints.
// Its rate by loads and weights is that of h; in space h has the moment (Jω)×ω, by which Jω changes in a
// frame that turns, and which is none of a load: that of h + ω×Jω. What acts between two bodies has no
// wrench: what is left is that of the ground.
//
// Loads are integrated by the trapezoidal rule, and impulses act at the middle of their step; of methods of
// high order by Simpson's rule, as are the forces of closed contacts and joints where those are told.
#pragma once
#include <optional>

#include "saltus/run/between.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"
#include "saltus/system/checked.hpp"

namespace saltus {

class MomentumBooks {
 public:
  /// Nothing where a coordinate belongs to no body, or bodies are many.
  static std::optional<MomentumBooks> of(const Problem& problem, bool fine);

  void book(const Segment& s);
  template <class M>
  void memory(M& m) {
    for (int k = 0; k < size_; ++k) m(loads_[k], contacts_[k]);
    m(last_t_);
    last_t_ = without_last;  // the rate is found anew
  }
  Momentum close(const State& start, const State& end);

 private:
  struct Body {
    enum class Kind : std::uint8_t { point, figure, solid };  // figure: it turns in the plane
    Kind kind;
    int q, u;
  };
  using Vec3 = Eigen::Vector3d;
  using Wrench = std::array<double, 6>;
  static constexpr double without_last = -infinity;
  static std::vector<Body> bodies_of(const System& system, const Problem& p);
  MomentumBooks(const System& system, std::vector<Body> bodies, bool fine);
  Wrench wrench(const Vec& q, const Vec& f) const;
  const Vec& impulses(double t, const Vec& q, const Vec& u);
  Wrench rate(double t, const Vec& q, const Vec& u);
  void add(Wrench& sum, double part, const Wrench& x) const;
  bool lists(const ContactMemory& memory) const;
  void book_contacts(const Segment& s);
  void book_middle(const Segment& s, double h);

  CheckedSystem system_;
  std::vector<Body> bodies_;
  int size_;
  bool constant_mass_, fine_;
  Matrix mass_;
  bool mass_known_ = false;
  ContactSet set_;
  Between between_;
  State middle_;
  Vec f_, p_;
  Wrench loads_ = {}, contacts_ = {}, rate_ = {};
  double last_t_ = without_last;  // of rate_
};

}  // namespace saltus
