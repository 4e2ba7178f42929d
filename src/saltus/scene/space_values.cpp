#include "saltus/scene/space_values.hpp"

#include <cmath>

namespace saltus {

// n numbers of a list; complains at the list's place, or that of `here` where it is empty.
bool SpaceValues::has(const Values& v, std::size_t n, const Word& here, std::string_view what) {
  if (v.size() == n) return true;
  c_.complaints().add(v.empty() ? here.place : v[0].place, here.path,
                      fmt::format("found a list of {}, expected {}", v.size(), what));
  return false;
}

Vec3 SpaceValues::vector_of(const Word& here, const Values& v, const Vec3& missing) {
  if (v.empty() || !has(v, 3, here, "three numbers: [x, y, z]")) return missing;
  return {c_.number(v[0]), c_.number(v[1]), c_.number(v[2])};
}

Word SpaceValues::field(const Word& here, std::string_view name) {
  return {std::string(name), fmt::format("{}.{}", here.path, name), here.place};
}

Vec3 SpaceValues::vector_of(const Word& here, std::string_view name, const Values& v, const Vec3& missing) {
  return vector_of(field(here, name), v, missing);
}

// Of length 1; z after a complaint.
Vec3 SpaceValues::direction_of(const Word& here, std::string_view name, const Values& v,
                               const Vec3& missing) {
  const Vec3 d = vector_of(here, name, v, missing);
  if (d.norm() > 0 && d.allFinite()) return d.normalized();
  c_.complaints().add(v.empty() ? here.place : v[0].place, field(here, name).path,
                      "a direction must not be zero");
  return {0, 0, 1};
}

Rotation SpaceValues::turn_of(const SceneTurn& s, const Word& here) {
  const int given = !s.quaternion.empty() + !s.axis_angle.empty() + !s.euler.empty() + !s.matrix.empty();
  if (given > 1)
    c_.complaints().add(here.place, here.path,
                        "give one orientation: quaternion, axis_angle, euler or matrix");
  const auto number = [&](const Values& v, int k) { return c_.number(v[static_cast<std::size_t>(k)]); };
  if (!s.quaternion.empty() &&
      has(s.quaternion, 4, field(here, "quaternion"), "four numbers: [w, x, y, z]")) {
    const Rotation p{number(s.quaternion, 0),
                     {number(s.quaternion, 1), number(s.quaternion, 2), number(s.quaternion, 3)}};
    const double length = std::sqrt(p.w * p.w + p.v.squaredNorm());
    if (length > 0 && std::isfinite(length)) return Rotation{p.w / length, p.v / length}.normalised();
    c_.complain(s.quaternion[0], "a quaternion of length zero is no orientation; [1, 0, 0, 0] does not turn");
  }
  if (!s.axis_angle.empty() &&
      has(s.axis_angle, 4, field(here, "axis_angle"), "four numbers: [x, y, z, angle]")) {
    const Vec3 axis{number(s.axis_angle, 0), number(s.axis_angle, 1), number(s.axis_angle, 2)};
    if (axis.norm() > 0) return rotation_exp(number(s.axis_angle, 3) * axis.normalized()).normalised();
    c_.complain(s.axis_angle[0], "an axis must not be zero");
  }
  if (!s.euler.empty() && has(s.euler, 3, field(here, "euler"), "three angles: [φ, θ, ψ]"))
    return (rotation_exp({0, 0, number(s.euler, 0)}) * rotation_exp({number(s.euler, 1), 0, 0}) *
            rotation_exp({0, 0, number(s.euler, 2)}))
        .normalised();
  if (!s.matrix.empty()) return turn_of_matrix(s, here);
  return {};
}

Rotation SpaceValues::turn_of_matrix(const SceneTurn& s, const Word& here) {
  const Word at = field(here, "matrix");
  Mat3 R;
  if (s.matrix.size() != 3) return c_.complain(at, "found a list of rows that are not three"), Rotation{};
  for (int i = 0; i < 3; ++i) {
    if (!has(s.matrix[static_cast<std::size_t>(i)], 3, at, "three rows of three numbers")) return {};
    for (int j = 0; j < 3; ++j)
      R(i, j) = c_.number(s.matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
  }
  const double off = (R * R.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(off < 1e-6) || !(R.col(0).dot(cross(R.col(1), R.col(2))) > 0)) {
    c_.complain(
        s.matrix[0][0],
        fmt::format("the rows are no rotation: R Rᵀ differs from 1 by {:.3g}, or they are left-handed", off));
    return {};
  }
  return rotation_of(R);
}

}  // namespace saltus
