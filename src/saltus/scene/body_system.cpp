// From the bodies of a scene to their system.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/scene/bodies.hpp"
#include "saltus/scene/materials.hpp"

namespace saltus {
namespace {

// Bodies heaped up at one place, or a huge margin, would make more contacts than memory holds. Circles around
// the bodies, from left to right.
void check_neighbours(const RigidSystem::Data& d) {
  constexpr std::int64_t most = 300'000;
  struct Circle {
    double left, right;
    const RigidBody* body;
  };
  std::vector<Circle> circles;
  for (const RigidBody& b : d.bodies) {
    if (!b.touches || b.shape == RigidBody::Shape::plane || b.shape == RigidBody::Shape::drum) continue;
    double reach = b.radius;
    for (const Vec2& p : b.corners) reach = std::max(reach, p.norm());
    const Circle c{b.start[0] - reach, b.start[0] + reach + d.margin, &b};
    if (std::isfinite(c.right - c.left)) circles.push_back(c);  // others are refused where the system is made
  }
  std::sort(circles.begin(), circles.end(), [](const Circle& a, const Circle& b) { return a.left < b.left; });
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < circles.size(); ++i)
    for (std::size_t j = i + 1; j < circles.size() && circles[j].left <= circles[i].right; ++j) {
      const RigidBody &a = *circles[i].body, &b = *circles[j].body;
      const double reach = (circles[i].right - circles[i].left + circles[j].right - circles[j].left) / 2;
      if ((a.fixed() && b.fixed()) || (a.group >= 0 && a.group == b.group)) continue;
      if (std::abs(a.start[1] - b.start[1]) <= reach && ++pairs > most)
        fail(
            "more than {} pairs of bodies are close to each other at the start: give them room, a smaller "
            "contact_margin, or self_contact: false",
            most);
    }
}

}  // namespace

std::shared_ptr<const RigidSystem> rigid_system(SceneCompiler& c, std::vector<std::pair<int, int>> linked) {
  if (c.rigids().empty()) return nullptr;
  RigidSystem::Data d;
  d.parameters = c.parameter_values();
  for (const SceneRigid& r : c.rigids()) d.bodies.push_back(r.body);
  const Materials materials = materials_of(c);
  d.materials = materials.table;
  d.gravity = vector_of(c, c.scene().gravity, "m/s^2", {0, -9.81});
  d.apart = std::move(linked);
  d.margin = c.number_in(Range::positive(), c.scene().contact_margin, 0);
  check_neighbours(d);
  try {
    return std::make_shared<RigidSystem>(std::move(d));
  } catch (const MaterialClash& trouble) {
    const std::string &a = materials.names[trouble.first], &b = materials.names[trouble.second];
    for (const auto& e : c.scene().materials.list)
      if (e.name == b)
        c.complain(e.value.law.name, fmt::format("materials {} and {}: {}", a, b, trouble.what()));
    return nullptr;
  }
}

}  // namespace saltus
