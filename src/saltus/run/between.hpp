// States between the ends of a step. On the cubic through positions and velocities at both ends, in the chart
// of the begin: with d = q₁ ⊖ q₀ and w the rate of the chart at the end (u₁ where positions are vectors),
//
//     v = r²(3−2r) d + h r(1−r) ((1−r) u₀ − r w),    v̇ = 6r(1−r) d/h + (1−r)(1−3r) u₀ + r(3r−2) w,
//
// q = q₀ ⊕ v at the part r of the step, and u is what moves it so.
#pragma once
#include "saltus/system/state.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

class Between {
 public:
  /// Null: positions are vectors.
  explicit Between(const System* system) : system_(system && !system->shape().flat ? system : nullptr) {}

  void on_cubic(const State& a, const State& b, double r, State& out) {
    const double h = b.t - a.t, from = (1 - r) * (1 - 3 * r), to = r * (3 * r - 2);
    out.t = a.t + r * h;
    if (!system_) {
      out.q = a.q + r * r * (3 - 2 * r) * (b.q - a.q) + h * r * (1 - r) * ((1 - r) * a.u - r * b.u);
      out.u = 6 * r * (1 - r) / h * (b.q - a.q) + from * a.u + to * b.u;
      return;
    }
    fit(a, out);
    system_->difference(a.q, b.q, way_);
    system_->lift(way_, b.u, out.u);
    v_ = r * r * (3 - 2 * r) * way_ + h * r * (1 - r) * ((1 - r) * a.u - r * out.u);
    out.u = 6 * r * (1 - r) / h * way_ + from * a.u + to * out.u;
    system_->push(v_, out.u, out.u);
    system_->retract(a.q, v_, out.q);
  }

  /// Half the way from a to b, the velocity left as it is.
  void half_way(const Vec& a, const Vec& b, Vec& out) {
    if (!system_) {
      out = 0.5 * a + 0.5 * b;
      return;
    }
    way_.resize(system_->shape().nu), out.resize(a.size());
    system_->difference(a, b, way_);
    way_ *= 0.5;
    system_->retract(a, way_, out);
  }

 private:
  void fit(const State& a, State& out) {
    const auto n = a.u.size();
    way_.resize(n), v_.resize(n), out.q.resize(a.q.size()), out.u.resize(n);
  }

  const System* system_;
  Vec way_, v_;
};

}  // namespace saltus
