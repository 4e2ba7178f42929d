#include "saltus/result/distance.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reference/graph_distance.hpp"

namespace saltus {
namespace {

/// Norms of functions that are linear between the nodes and may jump there, without error of quadrature.
class Norms {
 public:
  explicit Norms(int n) : l1_(Vec::Zero(n)), squares_(Vec::Zero(n)) {}
  /// The difference goes from a to b in a time h.
  void add(const Vec& a, const Vec& b, double h) {
    for (Eigen::Index k = 0; k < a.size(); ++k) {
      const double x = a[k], y = b[k], sum = std::abs(x) + std::abs(y);
      sup_ = std::max({sup_, std::abs(x), std::abs(y)});
      if (sum > 0) l1_[k] += h * (x * y >= 0 ? sum : (x * x + y * y) / sum) / 2;
      squares_[k] += h * (x * x + x * y + y * y) / 3;
    }
  }
  double sup() const { return sup_; }
  double l1() const { return l1_.size() > 0 ? l1_.maxCoeff() : 0; }
  double l2() const { return squares_.size() > 0 ? std::sqrt(squares_.maxCoeff()) : 0; }

 private:
  double sup_ = 0;
  Vec l1_, squares_;
};

// The filled-in graph of one velocity over [t0, t1], cut between samples where the time they share ends.
std::vector<GraphPoint> graph(const Trajectory& x, int component, double t0, double t1) {
  std::vector<GraphPoint> out;
  if (x.t(0) < t0) out.push_back({t0, x.u(t0, Side::right)[component]});
  for (int i = 0; i < x.size(); ++i)
    if (x.t(i) >= t0 && x.t(i) <= t1) out.push_back({x.t(i), x.u(i)[component]});
  if (x.t(x.size() - 1) > t1) out.push_back({t1, x.u(t1, Side::left)[component]});
  return out;
}

// The same with values of dense output at all nodes of both: chords then cut off the same arcs, and the
// distance tells how far the motions are apart, not their samples.
std::vector<GraphPoint> graph(const Trajectory& x, int component, const std::vector<double>& times) {
  std::vector<GraphPoint> out;
  for (const double t : times)
    for (const Side side : {Side::left, Side::right})
      if (const double u = x.u(t, side)[component]; out.empty() || out.back().t != t || out.back().x != u)
        out.push_back({t, u});
  return out;
}

}  // namespace

TrajectoryError distance(const Trajectory& a, const Trajectory& b) {
  if (a.size() < 2 || b.size() < 2) fail("a trajectory with fewer than two samples has no distance");
  if (a.nq() != b.nq() || a.nu() != b.nu())
    fail("one trajectory has {} coordinates and {} velocities, the other {} and {}", a.nq(), a.nu(), b.nq(),
         b.nu());
  const double t0 = std::max(a.t(0), b.t(0)), t1 = std::min(a.t(a.size() - 1), b.t(b.size() - 1));
  if (!(t1 > t0)) fail("the trajectories share no time: one begins at {}, where the other ended", t0);
  std::vector<double> times;
  for (const Trajectory* x : {&a, &b})
    for (int i = 0; i < x->size(); ++i)
      if (x->t(i) >= t0 && x->t(i) <= t1) times.push_back(x->t(i));
  times.push_back(t0), times.push_back(t1);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());

  Norms q(a.nq()), u(a.nu());
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    const double s = times[i], t = times[i + 1];
    q.add(a.q(s) - b.q(s), a.q(t) - b.q(t), t - s);
    u.add(a.u(s, Side::right) - b.u(s, Side::right), a.u(t, Side::left) - b.u(t, Side::left), t - s);
  }
  u.add(a.u(t1) - b.u(t1), a.u(t1) - b.u(t1), 0);
  TrajectoryError e;
  e.q_sup = q.sup(), e.q_l1 = q.l1(), e.q_l2 = q.l2();
  e.u_sup = u.sup(), e.u_l1 = u.l1(), e.u_l2 = u.l2();
  e.q_final = a.nq() > 0 ? (a.q(t1) - b.q(t1)).lpNorm<Eigen::Infinity>() : 0;
  const bool dense = !a.pieces().empty() || !b.pieces().empty();
  const auto graph_of = [&](const Trajectory& x, int k) {
    return dense ? graph(x, k, times) : graph(x, k, t0, t1);
  };
  for (int k = 0; k < a.nu(); ++k)
    e.u_hausdorff = std::max(e.u_hausdorff, hausdorff_distance(graph_of(a, k), graph_of(b, k)));
  return e;
}

}  // namespace saltus
