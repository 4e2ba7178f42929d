#include "saltus/scene/layouts.hpp"

#include <unordered_map>

#include "saltus/core/random.hpp"

namespace saltus {
namespace {

std::vector<LayoutPlace> places(const GridLayout& g, double, double width, double height, int) {
  if (static_cast<double>(g.columns) * g.rows > most_members)
    fail("{} columns and {} rows are more than {} bodies", g.columns, g.rows, most_members);
  const double dx = g.dx == 0 ? width : g.dx, dy = g.dy == 0 ? height : g.dy;
  if ((g.columns > 1 && dx == 0) || (g.rows > 1 && dy == 0))
    fail("points have no size to stand side by side: give dx and dy");
  std::vector<LayoutPlace> out;
  for (int row = 0; row < g.rows; ++row)
    for (int column = 0; column < g.columns; ++column)
      out.push_back({{g.x + column * dx + (row % 2) * g.shift, g.y + row * dy}});
  return out;
}

std::vector<LayoutPlace> places(const ChainLayout& c, double, double, double, int) {
  if (c.count > 1 && c.dx == 0 && c.dy == 0) fail("all of them would stand at one place: give dx or dy");
  std::vector<LayoutPlace> out;
  for (int i = 0; i < c.count; ++i) out.push_back({{c.x + i * c.dx, c.y + i * c.dy}});
  return out;
}

// Circles one after the other at random places; one that overlaps an earlier one is tried elsewhere.
// Neighbours are found in the cells of a grid.
class Packing {
 public:
  Packing(const RandomOptions& o, double reach, int seed)
      : o_(o),
        reach_(reach),
        cell_(2 * reach * (1 + o.spread) + o.distance),
        random_(o.seed > 0 ? o.seed : seed) {}

  /// `place` draws a centre for a circle of the given radius.
  template <class Place>
  std::vector<LayoutPlace> fill(Place&& place) {
    constexpr int tries = 1000;
    for (int i = 0; i < o_.count; ++i) {
      LayoutPlace p;
      p.scale = 1 + o_.spread * random_.between(-1, 1);
      if (o_.turned) p.angle = random_.between(-M_PI, M_PI);
      int left = tries;
      do p.at = place(random_, reach_ * p.scale);
      while (!free(p) && --left > 0);
      if (left == 0)
        fail("only {} of {} bodies find a place: give them more room, or lower count, spread or distance", i,
             o_.count);
      cells_[key(p.at, 0, 0)].push_back(static_cast<int>(out_.size()));
      out_.push_back(p);
    }
    return std::move(out_);
  }

 private:
  std::uint64_t key(const Vec2& p, int dx, int dy) const {
    const auto index = [&](double x, int d) {  // far off, or for points without extent, any cell will do
      const double cell = x / cell_;
      return static_cast<std::uint32_t>(
          std::abs(cell) < 1e15 ? static_cast<std::int64_t>(std::floor(cell)) + d : 0);
    };
    return static_cast<std::uint64_t>(index(p[0], dx)) << 32 | index(p[1], dy);
  }
  bool free(const LayoutPlace& p) const {
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        if (const auto it = cells_.find(key(p.at, dx, dy)); it != cells_.end())
          for (const int i : it->second)
            if ((out_[i].at - p.at).norm() < reach_ * (out_[i].scale + p.scale) + o_.distance) return false;
    return true;
  }

  RandomOptions o_;
  double reach_, cell_;
  SplitMix64 random_;
  std::vector<LayoutPlace> out_;
  std::unordered_map<std::uint64_t, std::vector<int>> cells_;
};

std::vector<LayoutPlace> places(const RandomLayout& r, double reach, double, double, int seed) {
  const double largest = 2 * reach * (1 + r.spread);
  if (!(r.right - r.left >= largest && r.top - r.bottom >= largest))
    fail("the rectangle [{}, {}] × [{}, {}] does not hold one body of diameter {}", r.left, r.right, r.bottom,
         r.top, largest);
  return Packing(r, reach, seed).fill([&](SplitMix64& random, double radius) {
    const double x = random.between(r.left + radius, r.right - radius);
    return Vec2(x, random.between(r.bottom + radius, r.top - radius));
  });
}

std::vector<LayoutPlace> places(const RandomCircleLayout& r, double reach, double, double, int seed) {
  if (!(r.radius >= reach * (1 + r.spread)))
    fail("a circle of radius {} does not hold one body of radius {}", r.radius, reach * (1 + r.spread));
  return Packing(r, reach, seed).fill([&](SplitMix64& random, double radius) {
    const double angle = random.between(0, 2 * M_PI), out = (r.radius - radius) * std::sqrt(random.next());
    return Vec2(r.x + out * std::cos(angle), r.y + out * std::sin(angle));
  });
}

}  // namespace

std::vector<LayoutPlace> places_of(const SceneLayout& layout, double reach, double width, double height,
                                   int seed) {
  return std::visit([&](const auto& l) { return places(l, reach, width, height, seed); }, layout);
}

}  // namespace saltus
