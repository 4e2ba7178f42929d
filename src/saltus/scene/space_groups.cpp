// Groups of equal bodies in space, on a grid or packed at random, and the boxes that hold them.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "saltus/core/error.hpp"
#include "saltus/core/random.hpp"
#include "saltus/scene/space_reader.hpp"

namespace saltus {
namespace {

constexpr int most_packed = 100'000;

struct PackedBall {
  Vec3 at{0, 0, 0};
  double scale = 1;
};

// Balls one after the other at random places; one that overlaps an earlier one is tried elsewhere. Neighbours
// are found in the cells of a grid.
class BallPacking {
 public:
  BallPacking(double reach, double spread, double distance)
      : reach_(reach), distance_(distance), cell_(2 * reach * (1 + spread) + distance) {}

  bool free(const PackedBall& p) const {
    for (int n = 0; n < 27; ++n)
      if (const auto it = cells_.find(key(p.at, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)); it != cells_.end())
        for (const PackedBall& o : it->second)
          if ((o.at - p.at).norm() < reach_ * (o.scale + p.scale) + distance_) return false;
    return true;
  }
  void add(const PackedBall& p) { cells_[key(p.at, 0, 0, 0)].push_back(p); }

 private:
  std::uint64_t key(const Vec3& p, int dx, int dy, int dz) const {
    const auto index = [&](double x, int d) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x / cell_)) + d) & 0x1fffff;
    };
    return index(p[0], dx) << 42 | index(p[1], dy) << 21 | index(p[2], dz);
  }
  double reach_, distance_, cell_;
  std::unordered_map<std::uint64_t, std::vector<PackedBall>> cells_;
};

// Uniform over all orientations.
Rotation random_turn(SplitMix64& random) {
  for (;;) {
    const Rotation p{random.between(-1, 1),
                     {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)}};
    const double length = std::sqrt(p.w * p.w + p.v.squaredNorm());
    if (length > 0.1 && length <= 1) return Rotation{p.w / length, p.v / length}.normalised();
  }
}

// A sphere of another size, of the same density.
void resize_ball(SpaceBody& b, double by) {
  for (SpaceShape& s : b.shapes) s.radius *= by;
  b.mass *= by * by * by;
  b.inertia *= std::pow(by, 5);
}

}  // namespace

void SpaceReader::group(const SceneSpaceGroup& s, const Word& here) {
  if (s.grid.has_value() == s.packing.has_value())
    return c_.complaints().add(here.place, here.path,
                               "give one of `grid` and `packing`: where the bodies are");
  const std::size_t pushes = pushes_.size();
  if (s.packing && !s.position.empty())
    c_.complain(s.position[0], "a packing has random places: leave the position out");
  body(s, here);  // the first one, and what the others are like
  if (pushes_.size() > pushes) {
    pushes_.resize(pushes);
    c_.complaints().add(here.place, here.path,
                        "forces on a group are numbers; formulas are for single bodies");
  }
  if (s.packing) return pack(*s.packing, here);
  const SpaceBody like = data_.bodies.back();
  const Start start = starts_.back();
  data_.bodies.pop_back(), starts_.pop_back();
  const std::size_t first = data_.bodies.size();
  for (const Vec3& at : grid(*s.grid, like.start, here)) {
    SpaceBody& b = data_.bodies.emplace_back(like);
    b.name = fmt::format("{}.{}", here.text, data_.bodies.size() - first);
    b.start = at, b.motion.pivot = at;
    starts_.push_back(start);
  }
}

std::vector<Vec3> SpaceReader::grid(const SceneSpaceGrid& s, const Vec3& first, const Word& here) {
  const Vec3 count = vector_of(here, "grid.count", s.count, {0, 0, 0}),
             step = vector_of(here, "grid.step", s.step, {0, 0, 0});
  const double shift = c_.number(s.shift);
  std::vector<Vec3> out;
  const bool whole = (count.array() == count.array().round()).all() && count.minCoeff() >= 1;
  if (!whole || count.prod() > most_packed) {
    if (!c_.complaints().about(here.path))
      c_.complaints().add(
          here.place, here.path + ".grid.count",
          fmt::format("expected three whole numbers from 1 on, {} bodies at most", most_packed));
    return out;
  }
  for (int k = 0; k < 3; ++k)
    if (count[k] > 1 && !(step[k] > 0))
      c_.complaints().add(here.place, here.path + ".grid.step", "all of them would stand at one place");
  for (int k = 0; k < count[2]; ++k)
    for (int j = 0; j < count[1]; ++j)
      for (int i = 0; i < count[0]; ++i)
        out.push_back(first + Vec3(i * step[0] + k % 2 * shift, j * step[1], k * step[2]));
  return out;
}

void SpaceReader::pack(const SceneSpacePacking& s, const Word& here) {
  const SpaceBody like = data_.bodies.back();
  const Start start = starts_.back();
  data_.bodies.pop_back(), starts_.pop_back();
  Vec3 lower, upper;
  if (!corners(s.lower, s.upper, field(here, "packing"), lower, upper)) return;
  const double count = c_.number_in(Range::closed(1, most_packed), s.count, 1),
               distance = c_.number_in(Range::non_negative(), s.distance, 0),
               spread = c_.number_in(Range{0, 0.9, true, true}, s.spread, 0);
  const double seed = c_.number_in(Range::non_negative(), s.seed, c_.scene().run.seed.value);
  double reach = 0;
  bool spheres = true;
  for (const SpaceShape& shape : like.shapes)
    reach = std::max(reach, shape.reach()), spheres &= shape.kind == SpaceShape::Kind::sphere;
  const auto complain = [&](std::string text) {
    c_.complaints().add(here.place, here.path + ".packing", std::move(text));
  };
  if (spread > 0 && (!spheres || like.shapes.size() != 1))
    c_.complain(s.spread, "only spheres have a spread");
  if (like.shapes.empty()) return complain("bodies without a shape have no size to be packed by");
  if (!((upper - lower).minCoeff() >= 2 * reach * (1 + spread)))
    return complain(fmt::format("the box does not hold one body: the ball around it has a diameter of {:.6g}",
                                2 * reach * (1 + spread)));
  SplitMix64 random(static_cast<std::uint64_t>(seed));
  BallPacking packing(reach, spread, distance);
  constexpr int tries = 1000;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    PackedBall p;
    p.scale = 1 + spread * random.between(-1, 1);
    const Vec3 room = Vec3::Constant(reach * p.scale);
    int left = tries;
    do
      for (int k = 0; k < 3; ++k) p.at[k] = random.between(lower[k] + room[k], upper[k] - room[k]);
    while (!packing.free(p) && --left > 0);
    if (left == 0)
      return complain(fmt::format(
          "only {} of {} bodies find a place: give them more room, or lower count, spread or distance", i,
          count));
    packing.add(p);
    SpaceBody& b = data_.bodies.emplace_back(like);
    Start& at = starts_.emplace_back(start);
    b.name = fmt::format("{}.{}", here.text, i + 1);
    b.start = p.at, b.motion.pivot = p.at;
    if (spread > 0) resize_ball(b, p.scale);
    if (!s.turned) continue;
    const Vec3 spin = b.turn * at.spin;
    at.turn = random_turn(random), b.turn = at.turn.matrix();
    at.spin = b.turn.transpose() * spin;
  }
}

bool SpaceReader::corners(const Values& lower, const Values& upper, const Word& here, Vec3& low, Vec3& high) {
  if (lower.size() != 3 || upper.size() != 3) {
    if (!c_.complaints().about(here.path))
      c_.complaints().add(here.place, here.path, "lower and upper are corners: three numbers each");
    return false;
  }
  low = vector_of(here, "lower", lower), high = vector_of(here, "upper", upper);
  if ((high - low).minCoeff() > 0) return true;
  c_.complain(upper[0], "the upper corner is not above the lower one");
  return false;
}

void SpaceReader::box(const SceneSpaceBox& s, const Word& here) {
  constexpr std::string_view sides[] = {"left", "right", "front", "back", "bottom", "top"};
  Vec3 low, high;
  if (!corners(s.lower, s.upper, here, low, high)) return;
  for (const Word& w : s.open.list)
    if (std::find(std::begin(sides), std::end(sides), w.text) == std::end(sides))
      c_.complain(w, fmt::format("unknown side '{}'; sides: {}", w.text, fmt::join(sides, ", ")));
  for (int k = 0; k < 6; ++k) {
    if (std::any_of(s.open.list.begin(), s.open.list.end(),
                    [&](const Word& w) { return w.text == sides[k]; }))
      continue;
    SpaceBody b;
    b.name = fmt::format("{}.{}", here.text, sides[k]);
    b.start = k % 2 == 0 ? low : high;
    Vec3 normal = Vec3::Zero();
    normal[k / 2] = k % 2 == 0 ? 1 : -1;
    b.shapes.push_back(SpaceShape::half_space(normal));
    b.material = material(s.material);
    b.motion.pivot = b.start;
    data_.bodies.push_back(std::move(b)), starts_.push_back({});
  }
}

}  // namespace saltus
