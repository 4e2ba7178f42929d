// Branch and bound with a tree over each polyline. Everything rests on two facts.
//
// (1) The distance d_j to one straight segment j is convex, so on a segment P0P1 it is at most
//     max(d_j(P0), d_j(P1)): if that is ≤ the maximum found so far, segment j "covers" P0P1.
// (2) A piece of polyline and its chord are within δ of each other (as curves), where for halves meeting at m
//         δ ≤ d(m, chord) + max(δ_left, δ_right):
//     send the chord's point nearest to m to m, everything between linearly, then recurse into the halves.
//
// Hence a piece A of `a` is within δ_A + max(d(P0, chord_B), d(P1, chord_B)) + δ_B of any piece B of `b`,
// P0P1 the chord of A; long smooth stretches, plateaus and straight lines are settled by a few pieces.
#include "saltus/run/graph_distance.hpp"

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Largest absolute coordinate, NaN if one is not finite (or so large that differences are not).
double scale_of(std::span<const GraphPoint> points, const char* name) {
  if (points.empty()) fail("graph distance: polyline {} is empty; it needs at least one point", name);
  double scale = 0;
  for (const GraphPoint& p : points) {
    const double size = 4 * (std::abs(p.t) + std::abs(p.x));
    if (!(size < inf)) return nan;
    scale = std::max(scale, size / 4);
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
  const double speed = bt + bx;
  const double lambda = speed > 0 ? std::clamp(-(at + ax) / speed, 0.0, 1.0) : 0.0;
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
  double value = inf;  ///< bound of the distance of the probe (or of all its points) to the polyline
  Node node;           ///< where
};

/// A polyline with its binary tree of pieces.
class Tree {
 public:
  explicit Tree(std::span<const GraphPoint> points) : points_(points) {
    if (points.size() == 1) {
      single_ = {points[0], points[0]};
      points_ = single_;
    }
    segments_ = points_.size() - 1;
    for (int level = 1; count(level - 1) > 1; ++level) {
      std::vector<Piece>& row = rows_.emplace_back(count(level));
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = joined({level, k});
    }
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  Node root() const { return {static_cast<int>(rows_.size()), 0}; }
  std::size_t count(int level) const { return ((segments_ - 1) >> level) + 1; }
  std::size_t begin(Node n) const { return n.k << n.level; }
  std::size_t end(Node n) const { return std::min((n.k + 1) << n.level, segments_); }
  GraphPoint point(std::size_t i) const { return points_[i]; }
  GraphPoint first(Node n) const { return points_[begin(n)]; }
  GraphPoint last(Node n) const { return points_[end(n)]; }
  double delta(Node n) const { return n.level == 0 ? 0 : rows_[n.level - 1][n.k].delta; }

  double segment_distance(GraphPoint p, std::size_t j) const {
    return distance(p, points_[j], points_[j + 1]);
  }

  /// Smallest value of max(d(p0), d(p1)) over the segments, to within `slack`; any piece whose value plus δ
  /// is ≤ `stop` ends the search, and what is beyond `limit` or more than `budget` pieces away is left out.
  Hit search(const Probe& probe, Node guess, double stop, double limit, double slack, long budget) const {
    Hit hit;
    for (int step = 0; step < 2; ++step, ++guess.k)  // often what was found last time, or the next one
      if (guess.level <= root().level && guess.k < count(guess.level) && visit(probe, guess, stop, hit))
        return hit;
    struct Entry {
      Node node;
      double bound;
    };
    std::array<Entry, 72> stack;
    std::size_t size = 0;
    stack[size++] = {root(), bound(probe, root())};
    while (size > 0 && budget-- > 0) {
      const auto [node, node_bound] = stack[--size];
      if (node_bound > limit || node_bound >= hit.value - slack) continue;
      if (visit(probe, node, stop, hit)) return hit;
      if (node.level == 0) continue;
      Entry near{{node.level - 1, 2 * node.k}, 0}, far{{node.level - 1, 2 * node.k + 1}, 0};
      near.bound = bound(probe, near.node);
      if (far.node.k < count(far.node.level)) {
        far.bound = bound(probe, far.node);
        const bool later = probe.t_min > last(near.node).t;
        if (far.bound < near.bound || (far.bound == near.bound && later)) std::swap(near, far);
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

  std::span<const GraphPoint> points_;
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
    const Node root = a_.root();
    raise(a_.first(root));
    raise(a_.last(root));
    std::vector<std::size_t> now{0}, next;
    for (int level = root.level; level > 0; --level, now.swap(next)) {
      next.clear();
      for (const std::size_t k : now) {
        const Node n{level, k}, right{level - 1, 2 * k + 1};
        if (covered({a_.first(n), a_.last(n)}, a_.delta(n), piece_budget)) continue;
        next.push_back(2 * k);
        if (right.k >= a_.count(right.level)) continue;
        next.push_back(right.k);
        raise(a_.first(right));
      }
    }
    for (const std::size_t k : now) refine(a_.point(k), a_.point(k + 1));
    return best_;
  }

 private:
  static constexpr long piece_budget = 64, no_budget = std::numeric_limits<long>::max();

  bool covered(const Probe& probe, double delta, long budget) {
    const double stop = best_ + tolerance_ - delta;
    if (stop < 0) return false;
    const Hit hit = b_.search(probe, cover_guess_, stop, stop, 0, budget);
    if (hit.value > stop) return false;
    cover_guess_ = hit.node;
    return true;
  }

  void raise(GraphPoint p) {
    const Hit hit = b_.search(Probe(p), point_guess_, best_, inf, rounding_, no_budget);
    point_guess_ = hit.node;
    best_ = std::max(best_, hit.value);
  }

  std::size_t nearest(GraphPoint p) {
    const Hit hit =
        b_.search(Probe(p), {0, point_guess_.k << point_guess_.level}, -1, inf, rounding_, no_budget);
    point_guess_ = hit.node;
    best_ = std::max(best_, hit.value);
    return hit.node.k;
  }

  /// Between ends with nearest segments i and j the maximum is where d_i = d_j, unless a third one is nearer
  /// there; then that third one is the new end of both halves.
  void refine(GraphPoint from, GraphPoint to) {
    if (covered({from, to}, 0, no_budget)) return;
    struct Part {
      GraphPoint p, q;
      std::size_t i, j;
    };
    std::vector<Part> stack{{from, to, nearest(from), nearest(to)}};
    while (!stack.empty()) {
      const Part part = stack.back();
      stack.pop_back();
      if (distance(part.p, part.q) <= tolerance_) continue;
      cover_guess_ = {0, part.i};
      if (covered({part.p, part.q}, 0, no_budget)) continue;
      GraphPoint m = between(part.p, part.q, crossing(part.p, part.q, part.i, part.j));
      if (distance(m, part.p) <= rounding_ || distance(m, part.q) <= rounding_)
        m = between(part.p, part.q, 0.5);
      const std::size_t k = nearest(m);
      stack.push_back({m, part.q, k, part.j});
      stack.push_back({part.p, m, part.i, k});
    }
  }

  /// λ in [0, 1] with d_i = d_j at p + λ (q − p), i nearest to p and j to q: false position and bisection in
  /// turn, exact after a few steps because the distances are piecewise linear.
  double crossing(GraphPoint p, GraphPoint q, std::size_t i, std::size_t j) const {
    const auto gap = [&](GraphPoint m) { return b_.segment_distance(m, i) - b_.segment_distance(m, j); };
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

double distance_of(std::span<const GraphPoint> a, std::span<const GraphPoint> b, double tolerance,
                   double at_least, bool both_ways) {
  const double scale_a = scale_of(a, "a"), scale_b = scale_of(b, "b");
  if (std::isnan(scale_a + scale_b + at_least)) return nan;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * std::max(scale_a, scale_b);
  const double accuracy = std::max(8 * rounding, tolerance);
  const Tree tree_a(a), tree_b(b);
  const double there = Directed(tree_a, tree_b, accuracy, rounding, at_least).run();
  return both_ways ? Directed(tree_b, tree_a, accuracy, rounding, there).run() : there;
}

}  // namespace

double hausdorff_distance(std::span<const GraphPoint> a, std::span<const GraphPoint> b, double tolerance) {
  return distance_of(a, b, tolerance, 0, true);
}

double directed_distance(std::span<const GraphPoint> a, std::span<const GraphPoint> b, double tolerance,
                         double at_least) {
  return distance_of(a, b, tolerance, at_least, false);
}

}  // namespace saltus
