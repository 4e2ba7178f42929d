// What bodies in space look like: their shapes, solids of the same inertia where they have none, joints and
// springs.
#include <Eigen/Eigenvalues>

#include "saltus/spatial/spatial_system.hpp"
#include "saltus/system/rings.hpp"

namespace saltus {
namespace {

std::array<double, 3> numbers(const Vec3& x) {
  return {x[0], x[1], x[2]};
}

std::array<double, 4> quaternion(const Rotation& r) {
  return {r.v[0], r.v[1], r.v[2], r.w};
}

Rotation along(const Vec3& axis) {  // takes the third axis there
  const Vec3 a = axis.normalized(), n = some_normal_to(a);
  Mat3 R;
  R << n, cross(a, n), a;
  return rotation_of(R);
}

void place(Sketch::Solid& s, const SpaceFrame& f, const Vec3& centre, const Rotation& own) {
  s.place = numbers(f.x + f.turned(centre));
  s.turn = quaternion(rotation_of(f.R) * own);
  s.centre = numbers(f.x), s.frame_turn = quaternion(rotation_of(f.R));
}

// What pictures show of cones and ellipsoids: rings in fractions of the size.
void add_rings(Sketch::Solid& s, const SpaceShape& shape, const Mat3& axes, const Vec3& size,
               const std::vector<Ring>& rings) {
  constexpr int around = 24;
  s.kind = Sketch::Solid::Kind::polytope;
  RingSurface surface = surface_of(rings, around);
  for (const auto& c : surface.corners)
    s.corners.push_back(numbers(shape.centre + axes * Vec3(c[0], c[1], c[2]).cwiseProduct(size)));
  s.faces = std::move(surface.faces);
}

Sketch::Solid solid_of(const SpaceShape& shape, const SpaceFrame& f) {
  using Kind = Sketch::Solid::Kind;
  Sketch::Solid s;
  s.radius = shape.radius, s.half = shape.half;
  switch (shape.kind) {
    case SpaceShape::Kind::sphere:
      s.kind = Kind::sphere;
      break;
    case SpaceShape::Kind::capsule:
      s.kind = Kind::capsule;
      break;
    case SpaceShape::Kind::disk:
    case SpaceShape::Kind::cylinder:
      s.kind = Kind::cylinder;
      break;
    case SpaceShape::Kind::cone:
      add_rings(s, shape, along(shape.axis).matrix(), {shape.radius, shape.radius, shape.half},
                {{-1, 1}, {1, 1e-6}});
      break;
    case SpaceShape::Kind::ellipsoid: {
      std::vector<Ring> rings;
      for (int k = 0; k <= 12; ++k) {
        const double angle = std::acos(-1.0) * (0.01 + 0.98 * k / 12);
        rings.push_back({-std::cos(angle), std::sin(angle)});
      }
      add_rings(s, shape, shape.axes, shape.radii, rings);
      break;
    }
    case SpaceShape::Kind::half_space:
      s.kind = Kind::plane;
      break;
    case SpaceShape::Kind::polytope:
      s.kind = Kind::polytope;
      for (const Vec3& v : shape.polytope.vertices) s.corners.push_back(numbers(v));
      for (const auto& face : shape.polytope.faces) s.faces.push_back(face.corners);
      break;
  }
  const bool has_axis = s.kind != Kind::sphere && s.kind != Kind::polytope;
  const bool placed = s.kind != Kind::polytope;  // corners are in the frame of the body
  place(s, f, placed ? shape.centre : Vec3::Zero(), has_axis ? along(shape.axis) : Rotation{});
  return s;
}

// A cylinder where two principal moments are equal, else a box.
Sketch::Solid model_of(const SpaceBody& b, const SpaceFrame& f) {
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(b.inertia);
  const Vec3 I = axes.eigenvalues() / b.mass;
  const auto root = [](double x) { return std::sqrt(std::max(x, 0.0)); };
  const auto equal = [](double x, double y) { return std::abs(x - y) <= 1e-6 * (x + y); };
  Sketch::Solid s;
  s.model = true;
  const bool low = equal(I[0], I[1]), high = equal(I[1], I[2]);
  if (low || high) {
    const int k = low ? 2 : 0;
    s.kind = Sketch::Solid::Kind::cylinder;
    s.radius = root(2 * I[k]), s.half = 0.5 * root(12 * I[1] - 6 * I[k]);
    place(s, f, Vec3::Zero(), along(axes.eigenvectors().col(k)));
    return s;
  }
  const double sum = I.sum();
  Vec3 half(root(1.5 * (sum - 2 * I[0])), root(1.5 * (sum - 2 * I[1])), root(1.5 * (sum - 2 * I[2])));
  half = half.cwiseMax(1e-3 * half.maxCoeff());  // of a plane figure
  const Polytope box = box_polytope(half);
  Mat3 R = axes.eigenvectors();
  if (R.determinant() < 0) R.col(2) *= -1;
  s = solid_of(SpaceShape::of(box), f);
  place(s, f, Vec3::Zero(), rotation_of(R));
  s.model = true;
  return s;
}

}  // namespace

bool SpatialSystem::sketch(double t, In q, Sketch& out) const {
  std::vector<SpaceFrame> where;
  frames(t, q, nullptr, where);
  for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
    const SpaceBody& b = data_.bodies[i];
    const auto put = [&](Sketch::Solid s) {
      s.name = b.name, s.colour = b.fixed() ? -1 : place_[i] % 8;
      if (!b.fixed()) s.velocity = 6 * place_[i], s.position = 7 * place_[i];
      out.solids.push_back(std::move(s));
    };
    for (const SpaceShape& shape : b.shapes) put(solid_of(shape, where[i]));
    if (b.shapes.empty() && !b.fixed()) put(model_of(b, where[i]));
  }
  const auto point = [&](int body, const Vec3& r) { return Vec3(where[body].x + where[body].turned(r)); };
  for (const SpaceJoint& j : data_.joints) {
    const Vec3 a = point(j.a, j.point_a), b = point(j.b, j.point_b);
    std::vector<std::array<double, 3>> points;  // from centre to centre by way of the joint
    if (place_[j.a] >= 0) points.push_back(numbers(where[j.a].x));
    points.push_back(numbers(a));
    if (j.kind == SpaceJoint::Kind::distance) points.push_back(numbers(b));
    if (place_[j.b] >= 0) points.push_back(numbers(where[j.b].x));
    out.strands.push_back({j.name, std::move(points), 7, false});
  }
  for (const SpaceSpring& s : data_.springs)
    out.strands.push_back(
        {s.name, {numbers(point(s.a, s.point_a)), numbers(point(s.b, s.point_b))}, 2, true});
  return true;
}

}  // namespace saltus
