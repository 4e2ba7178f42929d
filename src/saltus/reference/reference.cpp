#include "saltus/reference/reference.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "saltus/core/error.hpp"
#include "saltus/reference/graph_distance.hpp"

namespace saltus {
namespace {

// The filled-in graphs of one velocity component of a trajectory and of its reference: arcs of the reference
// are cut into chords, and a graph is vertical where it jumps.
//
// A trajectory with dense output is cut at the same times. Others are known at their samples. In a step
// without a break, what is joined linearly is their error: the trajectory has the arc of the reference plus
// this line. A chord of its own would cut off the arc, and the distance would tell how far the samples are
// apart instead of how good they are. In a step with a break it is not known where the trajectory jumps:
// there it is a chord; but where it has a sample at an event of its own, this event and the break are the
// same one.
class Graphs {
  static constexpr double most_arcs = 2e4;  // of all components together: more take too long

 public:
  Graphs(const Trajectory& trajectory, const Reference& reference, int component,
         const CompareOptions& options)
      : trajectory_(trajectory), reference_(reference), component_(component), chords_(options.chords) {
    double size = 0;
    for (int i = 0; i < trajectory.size(); ++i) size = std::max(size, std::abs(ours(i)));
    tolerance_ = options.arc_tolerance * (1 + size);
  }

  double distance() {
    const auto pieces = static_cast<double>(trajectory_.pieces().size());
    if (!chords_ && pieces > 0 && pieces * trajectory_.nu() < most_arcs) return distance_of_dense();
    const int n = trajectory_.size();
    const double end = trajectory_.t(n - 1);
    const auto breaks = reference_.breaks(trajectory_.t(0), end);
    auto next = breaks.begin();
    for (int i = 0; i < n; ++i) {
      const auto first = next;
      while (next != breaks.end() && *next < trajectory_.t(i)) ++next;
      if (i > 0 && trajectory_.t(i) > trajectory_.t(i - 1))
        step(i, {breaks.data() + (first - breaks.begin()), static_cast<std::size_t>(next - first)});
      ours_.push_back({trajectory_.t(i), ours(i)});
      if (next != breaks.end() && *next == trajectory_.t(i)) ++next;
    }
    exact_.push_back({end, value(end, Side::right)});
    return hausdorff_distance(ours_, exact_, tolerance_);
  }

 private:
  // Both graphs have all nodes of either: chords then cut off the same arcs, and what is left is the error.
  double distance_of_dense() {
    const double begin = trajectory_.t(0), end = trajectory_.t(trajectory_.size() - 1);
    double a = begin;
    for (const double b : reference_.breaks(begin, end)) piece(a, b), a = b;
    piece(a, end);
    std::vector<double> times;
    for (const GraphPoint& p : exact_) times.push_back(p.t);
    for (int i = 0; i < trajectory_.size(); ++i) times.push_back(trajectory_.t(i));
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    exact_.clear();
    for (const double t : times)
      for (const Side side : {Side::left, Side::right}) {
        exact_.push_back({t, value(t, t > begin ? side : Side::right)});
        ours_.push_back({t, trajectory_.u(t, t > begin ? side : Side::right)[component_]});
      }
    return hausdorff_distance(ours_, exact_);
  }
  double ours(int i) const { return trajectory_.u(i)[component_]; }
  double value(double t, Side side) {
    reference_.state(t, side, q_, u_);
    return u_[component_];
  }
  // off the grid, or one of two at its time
  bool at_event(int i) const {
    return !trajectory_.on_grid(i) || (i > 0 && trajectory_.t(i - 1) == trajectory_.t(i)) ||
           (i + 1 < trajectory_.size() && trajectory_.t(i + 1) == trajectory_.t(i));
  }
  // Which piece of the reference, cut at its breaks, sample i - 1 to i goes along; none: -1.
  int followed(int i, std::span<const double> breaks) const {
    if (chords_) return -1;
    if (breaks.empty()) return 0;
    const bool begins = at_event(i - 1), ends = at_event(i);
    if (breaks.size() > 1 || !(begins || ends)) return -1;
    const bool nearer = breaks[0] - trajectory_.t(i - 1) < trajectory_.t(i) - breaks[0];
    return begins && (!ends || nearer) ? 1 : 0;
  }
  void step(int i, std::span<const double> breaks) {
    const int along = followed(i, breaks);
    double a = trajectory_.t(i - 1);
    for (int k = 0; k <= std::ssize(breaks); ++k) {
      const double b = k < std::ssize(breaks) ? breaks[k] : trajectory_.t(i);
      const std::size_t begin = exact_.size();
      piece(a, b);
      if (k == along) follow(std::span(exact_).subspan(begin), ours(i - 1), ours(i));
      a = b;
    }
  }
  void follow(std::span<const GraphPoint> arc, double from, double to) {
    const GraphPoint &a = arc.front(), &b = arc.back();
    for (const GraphPoint& p : arc) {
      const double s = (p.t - a.t) / (b.t - a.t);
      ours_.push_back({p.t, p.x + (1 - s) * (from - a.x) + s * (to - b.x)});
    }
  }
  void piece(double a, double b) {
    const double left = value(a, Side::right), right = value(b, Side::left);
    exact_.push_back({a, left});
    arc({a, left}, {b, right}, 0);
    exact_.push_back({b, right});
  }
  // The points between two of the exact graph, so many that chords are good.
  void arc(GraphPoint a, GraphPoint b, int depth) {
    const double m = 0.5 * (a.t + b.t);
    if (depth > 40 || !(a.t < m && m < b.t)) return;
    const double quarter = value(0.5 * (a.t + m), Side::right), middle = value(m, Side::right);
    const double error =
        std::max(std::abs(middle - 0.5 * (a.x + b.x)), std::abs(quarter - 0.75 * a.x - 0.25 * b.x));
    if (error <= tolerance_) return;
    arc(a, {m, middle}, depth + 1);
    exact_.push_back({m, middle});
    arc({m, middle}, b, depth + 1);
  }

  const Trajectory& trajectory_;
  const Reference& reference_;
  int component_;
  bool chords_;
  double tolerance_;
  Vec q_, u_;
  std::vector<GraphPoint> ours_, exact_;
};

// Sup, L1 and L2 of what a trajectory misses, component by component.
class Norms {
 public:
  explicit Norms(const Trajectory& trajectory)
      : trajectory_(trajectory),
        q_norms_(trajectory.nq()),
        u_norms_(trajectory.nu()),
        q_(trajectory.nq()),
        u_(trajectory.nu()) {}

  // (21): each sample of the grid stands for the interval that it ends.
  void on_grid(const Reference& reference) {
    const Trajectory& x = trajectory_;
    const int n = x.size();
    int next = 1;  // the first grid interval also weighs the first sample
    while (next < n - 1 && !x.on_grid(next)) ++next;
    double last = n > 1 ? 2 * x.t(0) - x.t(next) : x.t(0);
    for (int i = 0; i < n; ++i) {
      if (!x.on_grid(i)) continue;
      add(reference, x.t(i), x.q(i), x.u(i), x.t(i) - last);
      last = x.t(i);
    }
  }

  // Of dense output, whose steps are long: at Gauss' three points of every interval between samples and
  // breaks of the reference.
  void along(const Reference& reference) {
    constexpr double at[] = {0.11270166537925831, 0.5, 0.88729833462074169};
    constexpr double weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    const Trajectory& x = trajectory_;
    auto cuts = reference.breaks(x.t(0), x.t(x.size() - 1));
    for (int i = 0; i < x.size(); ++i) cuts.push_back(x.t(i));
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const double h = cuts[i] - cuts[i - 1];
      for (int k = 0; h > 0 && k < 3; ++k) {
        const double t = cuts[i - 1] + at[k] * h;
        add(reference, t, x.q(t), x.u(t), weight[k] * h);
      }
    }
  }

  TrajectoryError total() const {
    TrajectoryError e;
    for (const auto& x : q_norms_) {
      e.q_sup = std::max(e.q_sup, x.sup());
      e.q_l1 = std::max(e.q_l1, x.l1());
      e.q_l2 = std::max(e.q_l2, x.l2());
    }
    for (const auto& x : u_norms_) {
      e.u_sup = std::max(e.u_sup, x.sup());
      e.u_l1 = std::max(e.u_l1, x.l1());
      e.u_l2 = std::max(e.u_l2, x.l2());
    }
    return e;
  }

 private:
  void add(const Reference& reference, double t, In q, In u, double weight) {
    reference.state(t, Side::right, q_, u_);
    for (int k = 0; k < trajectory_.nq(); ++k) q_norms_[k].add(q_[k] - q[k], weight);
    for (int k = 0; k < trajectory_.nu(); ++k) u_norms_[k].add(u_[k] - u[k], weight);
  }

  const Trajectory& trajectory_;
  std::vector<GridNorms> q_norms_, u_norms_;
  Vec q_, u_;
};

}  // namespace

TrajectoryError compare(const Trajectory& trajectory, const Reference& reference,
                        const CompareOptions& options) {
  const int n = trajectory.size();
  if (n < 1) fail("cannot compare an empty trajectory");
  if (trajectory.t(n - 1) > reference.valid_until())
    fail("the reference is good up to t = {}, the trajectory ends at {}", reference.valid_until(),
         trajectory.t(n - 1));
  Norms norms(trajectory);
  if (trajectory.pieces().empty())
    norms.on_grid(reference);
  else
    norms.along(reference);
  TrajectoryError e = norms.total();
  Vec q(trajectory.nq()), u(trajectory.nu());
  reference.state(trajectory.t(n - 1), Side::right, q, u);
  e.q_final = (q - trajectory.q(n - 1)).lpNorm<Eigen::Infinity>();
  if (options.hausdorff && reference.jumps())
    for (int k = 0; k < trajectory.nu(); ++k)
      e.u_hausdorff = std::max(e.u_hausdorff, Graphs(trajectory, reference, k, options).distance());
  else
    e.u_hausdorff = std::nan("");
  return e;
}

}  // namespace saltus
