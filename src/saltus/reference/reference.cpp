#include "saltus/reference/reference.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reference/graph_distance.hpp"

namespace saltus {
namespace {

// The filled-in graph of one velocity component of the reference: arcs cut into chords, vertical where it
// jumps.
class GraphBuilder {
 public:
  GraphBuilder(const Reference& reference, int component, double tolerance)
      : reference_(reference), component_(component), tolerance_(tolerance) {}

  std::vector<GraphPoint> build(double t0, double t1) {
    double a = t0;
    auto ends = reference_.breaks(t0, t1);
    ends.push_back(t1);
    for (double b : ends) {
      const double left = value(a, Side::right), right = value(b, Side::left);
      points_.push_back({a, left});
      arc(a, left, b, right, 0);
      points_.push_back({b, right});
      a = b;
    }
    points_.push_back({t1, value(t1, Side::right)});
    return std::move(points_);
  }

 private:
  double value(double t, Side side) {
    reference_.state(t, side, q_, u_);
    return u_[component_];
  }
  void arc(double a, double xa, double b, double xb, int depth) {
    const double m = 0.5 * (a + b);
    if (depth > 40 || !(a < m && m < b)) return;
    const double quarter = value(0.5 * (a + m), Side::right), xm = value(m, Side::right);
    const double error = std::max(std::abs(xm - 0.5 * (xa + xb)), std::abs(quarter - 0.75 * xa - 0.25 * xb));
    if (error <= tolerance_) return;
    arc(a, xa, m, xm, depth + 1);
    points_.push_back({m, xm});
    arc(m, xm, b, xb, depth + 1);
  }

  const Reference& reference_;
  int component_;
  double tolerance_;
  Vec q_, u_;
  std::vector<GraphPoint> points_;
};

double graph_error(const Trajectory& trajectory, const Reference& reference, int component,
                   double tolerance) {
  const int n = trajectory.size();
  std::vector<GraphPoint> ours(n);
  double size = 0;
  for (int i = 0; i < n; ++i) {
    ours[i] = {trajectory.t(i), trajectory.u(i)[component]};
    size = std::max(size, std::abs(ours[i].x));
  }
  const auto exact =
      GraphBuilder(reference, component, tolerance * (1 + size)).build(ours.front().t, ours.back().t);
  return hausdorff_distance(ours, exact, tolerance * (1 + size));
}

}  // namespace

TrajectoryError compare(const Trajectory& trajectory, const Reference& reference,
                        const CompareOptions& options) {
  const int n = trajectory.size();
  if (n < 1) fail("cannot compare an empty trajectory");
  if (trajectory.t(n - 1) > reference.valid_until())
    fail("the reference is good up to t = {}, the trajectory ends at {}", reference.valid_until(),
         trajectory.t(n - 1));
  std::vector<GridNorms> q_norms(trajectory.nq()), u_norms(trajectory.nu());
  TrajectoryError e;
  Vec q(trajectory.nq()), u(trajectory.nu());
  int next = 1;  // the first grid interval also weighs the first sample
  while (next < n - 1 && !trajectory.on_grid(next)) ++next;
  double last = n > 1 ? 2 * trajectory.t(0) - trajectory.t(next) : trajectory.t(0);
  for (int i = 0; i < n; ++i) {
    if (!trajectory.on_grid(i)) continue;
    reference.state(trajectory.t(i), Side::right, q, u);
    const double weight = trajectory.t(i) - last;
    last = trajectory.t(i);
    for (int k = 0; k < trajectory.nq(); ++k) q_norms[k].add(std::abs(q[k] - trajectory.q(i)[k]), weight);
    for (int k = 0; k < trajectory.nu(); ++k) u_norms[k].add(std::abs(u[k] - trajectory.u(i)[k]), weight);
    if (i == n - 1) e.q_final = (q - trajectory.q(i)).lpNorm<Eigen::Infinity>();
  }
  for (const auto& x : q_norms) {
    e.q_sup = std::max(e.q_sup, x.sup());
    e.q_l1 = std::max(e.q_l1, x.l1());
    e.q_l2 = std::max(e.q_l2, x.l2());
  }
  for (const auto& x : u_norms) {
    e.u_sup = std::max(e.u_sup, x.sup());
    e.u_l1 = std::max(e.u_l1, x.l1());
    e.u_l2 = std::max(e.u_l2, x.l2());
  }
  if (options.hausdorff && reference.jumps())
    for (int k = 0; k < trajectory.nu(); ++k)
      e.u_hausdorff = std::max(e.u_hausdorff, graph_error(trajectory, reference, k, options.arc_tolerance));
  else
    e.u_hausdorff = std::nan("");
  return e;
}

}  // namespace saltus
