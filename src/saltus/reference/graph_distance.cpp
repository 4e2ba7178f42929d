// Branch and bound with a tree over each polyline. Everything rests on two facts.
// (1) The distance d_j to one straight segment j is convex, so on a segment P0P1 it is at most
//     max(d_j(P0), d_j(P1)): if that is ≤ the maximum found so far, segment j "covers" P0P1.
// (2) A piece of polyline and its chord are within δ of each other (as curves), where for halves meeting at m
//         δ ≤ d(m, chord) + max(δ_left, δ_right):
//     send the chord's point nearest to m to m, everything between linearly, then recurse into the halves.
// Hence a piece A of `a` is within δ_A + max(d(P0, chord_B), d(P1, chord_B)) + δ_B of any piece B of `b`,
// P0P1 the chord of A; long smooth stretches, plateaus and straight lines are settled by a few pieces.
#include "saltus/reference/graph_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Graph = std::span<const GraphPoint>;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Largest |t| + |x|, NaN if one is not finite (or so large that differences are not).
double scale_of(Graph points, const char* name) {
  if (points.empty()) fail("graph distance: polyline {} is empty; it needs at least one point", name);
  double scale = 0;
  for (const GraphPoint& p : points) {
    const double size = std::abs(p.t) + std::abs(p.x);
    if (!(8 * size < inf)) return nan;
    scale = std::max(scale, size);
  }
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].t < points[i - 1].t)
      fail("graph distance: time of polyline {} decreases from {} to {} at point {}; it must not", name,
           points[i - 1].t, points[i].t, i);
  return scale;
}

double distance(GraphPoint p, GraphPoint q) {
  return std::max(std::abs(p.t - q.t), std::abs(p.x - q.x));
}
GraphPoint between(GraphPoint p, GraphPoint q, double lambda) {
  return {p.t + lambda * (q.t - p.t), p.x + lambda * (q.x - p.x)};
}

/// Distance of p to the segment q0q1. With α = q_t − p_t and β = q_x − p_x oriented so that both grow along
/// the segment, max(|α|, |β|) is smallest on the line where α = −β; by convexity, clamp.
double distance(GraphPoint p, GraphPoint q0, GraphPoint q1) {
  const double at = q0.t - p.t, bt = q1.t - q0.t;
  double ax = q0.x - p.x, bx = q1.x - q0.x;
  if (bx < 0) ax = -ax, bx = -bx;
  const double lambda = bt + bx > 0 ? std::clamp(-(at + ax) / (bt + bx), 0.0, 1.0) : 0.0;
  return std::max(std::abs(at + lambda * bt), std::abs(ax + lambda * bx));
}

/// What is looked for in the tree: something near both ends of a chord (or of a point, p0 = p1).
struct Probe {
  explicit Probe(GraphPoint p) : Probe(p, p) { is_point = true; }
  Probe(GraphPoint p, GraphPoint q)
      : p0(p), p1(q), t_min(p.t), t_max(q.t), x_min(std::min(p.x, q.x)), x_max(std::max(p.x, q.x)) {}
  GraphPoint p0, p1;
  double t_min, t_max, x_min, x_max;
  bool is_point = false;
};

/// A piece of polyline: the segments [k 2^level, (k+1) 2^level) as far as there are any.
struct Node {
  int level = 0;
  std::size_t k = 0;
};

struct Hit {
  double value = inf;  ///< bound of the distance of the probe's chord (or point) to the polyline
  Node node;           ///< where
};

/// A polyline with its binary tree of pieces.
class Tree {
 public:
  explicit Tree(Graph points) : points_(points) {
    if (points.size() == 1) points_ = single_ = {points[0], points[0]};
    segments_ = points_.size() - 1;
    for (int level = 1; count(level - 1) > 1; ++level) {
      std::vector<Piece>& row = rows_.emplace_back(count(level));
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = joined({level, k});
    }
  }
  Tree(Tree&&) = delete;

  Node root() const { return {static_cast<int>(rows_.size()), 0}; }
  std::size_t count(int level) const { return ((segments_ - 1) >> level) + 1; }
  GraphPoint first(Node n) const { return points_[n.k << n.level]; }
  GraphPoint last(Node n) const { return points_[std::min((n.k + 1) << n.level, segments_)]; }
  double delta(Node n) const { return n.level == 0 ? 0 : rows_[n.level - 1][n.k].delta; }
  double to_segment(GraphPoint p, std::size_t j) const { return distance(p, points_[j], points_[j + 1]); }

  /// Smallest value of max(d(p0), d(p1)) over the segments, to within `slack`; any piece whose value plus δ
  /// is ≤ `stop` ends the search, and what is beyond `limit` or more than `budget` pieces away is left out.
  Hit search(const Probe& probe, Node guess, double stop, double limit, double slack,
             std::int64_t budget) const {
    Hit hit;
    const Node next{guess.level, guess.k + 1};  // often it is what was found last time, or the next one
    if (visit(probe, guess, stop, hit)) return hit;
    if (next.k < count(next.level) && visit(probe, next, stop, hit)) return hit;
    const Node top = enclosing(probe, guess, std::min(limit, hit.value));
    std::array<Hit, 72> stack;  // what may still be nearer, with a bound from below
    std::size_t size = 0;
    stack[size++] = {bound(probe, top), top};
    while (size > 0 && budget-- > 0) {
      const auto [below, node] = stack[--size];
      if (below > limit || below >= hit.value - slack) continue;
      if (visit(probe, node, stop, hit)) return hit;
      if (node.level == 0) continue;
      const Node left{node.level - 1, 2 * node.k}, right{node.level - 1, 2 * node.k + 1};
      Hit near{bound(probe, left), left};
      if (right.k < count(right.level)) {
        Hit far{bound(probe, right), right};
        const bool later = probe.t_min > last(left).t;
        if (far.value < near.value || (far.value == near.value && later)) std::swap(near, far);
        stack[size++] = far;
      }
      stack[size++] = near;
    }
    return hit;
  }

 private:
  struct Piece {
    double x_min, x_max, delta;
  };

  Piece box(Node n) const {
    if (n.level > 0) return rows_[n.level - 1][n.k];
    const auto [low, high] = std::minmax(points_[n.k].x, points_[n.k + 1].x);
    return {low, high, 0};
  }

  Piece joined(Node n) const {
    const Node left{n.level - 1, 2 * n.k}, right{n.level - 1, 2 * n.k + 1};
    const Piece l = box(left);
    if (right.k >= count(right.level)) return l;
    const Piece r = box(right);
    Piece piece{std::min(l.x_min, r.x_min), std::max(l.x_max, r.x_max), 0};
    const double diameter = std::max(last(n).t - first(n).t, piece.x_max - piece.x_min);
    piece.delta = std::min(diameter, distance(last(left), first(n), last(n)) + std::max(l.delta, r.delta));
    return piece;
  }

  /// max(d(p0, box), d(p1, box)): no chord of a piece inside is nearer to both ends.
  double bound(const Probe& probe, Node n) const {
    const Piece b = box(n);
    const double in_t = std::max(first(n).t - probe.t_min, probe.t_max - last(n).t);
    return std::max({0.0, in_t, b.x_min - probe.x_min, probe.x_max - b.x_max});
  }

  /// The smallest piece around n outside of which all is more than `radius` before or after the probe.
  Node enclosing(const Probe& probe, Node n, double radius) const {
    while (n.level < root().level && ((n.k > 0 && first(n).t >= probe.t_max - radius) ||
                                      (n.k + 1 < count(n.level) && last(n).t <= probe.t_min + radius)))
      n = {n.level + 1, n.k / 2};
    return n;
  }

  /// Tries the chord of a piece; true if it settles the search.
  bool visit(const Probe& probe, Node n, double stop, Hit& hit) const {
    const double d = delta(n);
    if (n.level > 0 && d > stop) return false;
    const GraphPoint q0 = first(n), q1 = last(n);
    double value = distance(probe.p0, q0, q1) + d;
    if (!probe.is_point && value < hit.value) value = std::max(value, distance(probe.p1, q0, q1) + d);
    if (value < hit.value && (n.level == 0 || value <= stop)) hit = {value, n};
    return value <= stop;
  }

  Graph points_;
  std::array<GraphPoint, 2> single_{};
  std::size_t segments_ = 0;
  std::vector<std::vector<Piece>> rows_;  ///< levels 1, 2, ...; a segment is its own piece
};

/// sup over `a` of the distance to `b`: raises `best` until everything is covered to `tolerance`.
class Directed {
 public:
  Directed(const Tree& a, const Tree& b, double tolerance, double rounding, double at_least)
      : a_(a), b_(b), tolerance_(tolerance), rounding_(rounding), best_(at_least) {}

  /// Level by level, so that coarse samples raise `best` before fine pieces are asked for.
  double run() {
    raise(a_.first(a_.root()), best_);
    raise(a_.last(a_.root()), best_);
    std::vector<std::size_t> now{0}, next;
    for (int level = a_.root().level; level > 0; --level, now.swap(next)) {
      next.clear();
      for (const std::size_t k : now) {
        const Node n{level, k}, right{level - 1, 2 * k + 1};
        if (covered({a_.first(n), a_.last(n)}, a_.delta(n), piece_budget)) continue;
        next.push_back(2 * k);
        if (right.k >= a_.count(right.level)) continue;
        next.push_back(right.k);
        raise(a_.first(right), best_);
      }
    }
    for (const std::size_t k : now) refine(a_.first({0, k}), a_.last({0, k}));
    return best_;
  }

 private:
  struct Part {
    GraphPoint p, q;
    std::size_t i, j;  ///< the segments of b nearest to p and to q
  };
  static constexpr std::int64_t piece_budget = 32, no_budget = std::numeric_limits<std::int64_t>::max();

  bool covered(const Probe& probe, double delta, std::int64_t budget) {
    const double stop = best_ + tolerance_ - delta;
    if (stop < 0) return false;
    const Hit hit = b_.search(probe, cover_guess_, stop, stop, 0, budget);
    if (hit.value <= stop) cover_guess_ = hit.node;
    return hit.value <= stop;
  }

  /// Raises `best` to the distance of p; one that is ≤ `stop` need not be known exactly.
  Node raise(GraphPoint p, double stop) {
    const Hit hit = b_.search(Probe(p), point_guess_, stop, inf, rounding_, no_budget);
    best_ = std::max(best_, hit.value);
    return point_guess_ = hit.node;
  }
  std::size_t nearest(GraphPoint p) { return raise(p, -1).k; }

  /// Between ends with nearest segments i and j the maximum is where d_i = d_j, unless a third one is nearer
  /// there; then that third one is the new end of both halves.
  void refine(GraphPoint from, GraphPoint to) {
    if (covered({from, to}, 0, no_budget)) return;
    std::vector<Part> stack{{from, to, nearest(from), nearest(to)}};
    while (!stack.empty()) {
      const auto [p, q, i, j] = stack.back();
      stack.pop_back();
      GraphPoint m = between(p, q, crossing(p, q, i, j));
      if (distance(m, p) <= rounding_ || distance(m, q) <= rounding_) m = between(p, q, 0.5);
      const std::size_t k = nearest(m);
      for (const Part& half : {Part{p, m, i, k}, Part{m, q, k, j}})
        if (!settled(half)) stack.push_back(half);
    }
  }

  bool settled(const Part& part) {
    if (distance(part.p, part.q) <= tolerance_) return true;
    if (b_.to_segment(part.q, part.i) <= best_ + tolerance_) return true;  // and d_i(p) ≤ best
    if (b_.to_segment(part.p, part.j) <= best_ + tolerance_) return true;
    cover_guess_ = {0, part.i};
    return covered({part.p, part.q}, 0, no_budget);
  }

  /// λ in [0, 1] with d_i = d_j at p + λ (q − p), i nearest to p and j to q: false position and bisection in
  /// turn, exact after a few steps because the distances are piecewise linear.
  double crossing(GraphPoint p, GraphPoint q, std::size_t i, std::size_t j) const {
    const auto gap = [&](GraphPoint m) { return b_.to_segment(m, i) - b_.to_segment(m, j); };
    double low = 0, high = 1, gap_low = gap(p), gap_high = gap(q), middle = 0.5;
    for (int step = 0; step < 100 && gap_low < 0 && gap_high > 0; ++step) {
      middle = step % 2 == 0 ? low + (high - low) * (gap_low / (gap_low - gap_high)) : (low + high) / 2;
      const double g = gap(between(p, q, middle));
      if (std::abs(g) <= rounding_) break;
      (g < 0 ? low : high) = middle;
      (g < 0 ? gap_low : gap_high) = g;
    }
    return middle;
  }

  const Tree& a_;
  const Tree& b_;
  double tolerance_, rounding_, best_;
  Node cover_guess_, point_guess_;
};

double distance_of(Graph a, Graph b, double tolerance, double at_least, bool both_ways) {
  const double scale = scale_of(a, "a") + scale_of(b, "b");
  if (std::isnan(scale + at_least)) return nan;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * scale;
  const double accuracy = std::max(8 * rounding, tolerance);  // in this order: a NaN tolerance is ignored
  const Tree tree_a(a), tree_b(b);
  const double there = Directed(tree_a, tree_b, accuracy, rounding, at_least).run();
  return both_ways ? Directed(tree_b, tree_a, accuracy, rounding, there).run() : there;
}

}  // namespace

double hausdorff_distance(Graph a, Graph b, double tolerance) {
  return distance_of(a, b, tolerance, 0, true);
}

double directed_distance(Graph a, Graph b, double tolerance, double at_least) {
  return distance_of(a, b, tolerance, at_least, false);
}

}  // namespace saltus
