#include "saltus/scene/start.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/odae/hidden_constraint.hpp"
#include "saltus/system/check.hpp"

namespace saltus {
namespace {

struct Spot {
  Place place{1, 1};
  std::string path;
};

template <class T>
std::optional<Spot> entry_of(const Named<T>& section, std::string_view what, std::string_view name) {
  for (const auto& e : section.list)
    if (e.name == name) return Spot{e.place, fmt::format("{}.{}", what, name)};
  return {};
}

// Where a body stands, and the coordinates and contacts that begin with its name: ball.x, ball:2/floor,
// balls.3/floor.
Spot body_spot(const Scene& s, std::string_view name) {
  name = name.substr(0, name.find_first_of(".:/"));
  if (s.space) {
    if (auto spot = entry_of(s.space->bodies, "space.bodies", name)) return *spot;
    if (auto spot = entry_of(s.space->walls, "space.walls", name)) return *spot;
  }
  if (auto spot = entry_of(s.bodies, "bodies", name)) return *spot;
  if (auto spot = entry_of(s.groups, "groups", name)) return *spot;
  if (auto spot = entry_of(s.beams, "beams", name)) return *spot;
  if (auto spot = entry_of(s.walls, "walls", name)) return *spot;
  return s.ready ? Spot{s.ready->problem.place, "ready"} : Spot{};
}

Spot contact_spot(const Scene& s, std::string_view name) {
  if (auto spot = entry_of(s.contacts, "contacts", name)) return *spot;
  if (auto spot = entry_of(s.joints, "joints", name)) return *spot;
  if (auto spot = entry_of(s.links, "links", name)) return *spot;
  if (auto spot = entry_of(s.motors, "motors", name)) return *spot;
  if (s.space)
    if (auto spot = entry_of(s.space->joints, "space.joints", name)) return *spot;
  constexpr std::string_view motion = "motion of ";
  if (name.starts_with(motion))
    if (auto spot = entry_of(s.motions, "motions", name.substr(motion.size()))) return *spot;
  return body_spot(s, name);
}

Spot mass_spot(const Scene& s, std::string_view coordinate) {
  if (auto spot = entry_of(s.mass.diagonal, "mass", coordinate)) return *spot;
  if (s.mass.given()) return {s.mass.place, "mass"};
  if (s.kinetic.given()) return {s.kinetic.place, "kinetic"};
  return body_spot(s, coordinate);
}

Spot force_spot(const Scene& s, std::string_view coordinate) {
  if (auto spot = entry_of(s.forces, "forces", coordinate)) return *spot;
  if (s.potential.given()) return {s.potential.place, "potential"};
  if (auto spot = entry_of(s.coordinates, "coordinates", coordinate)) return *spot;
  return body_spot(s, coordinate);
}

void tell(const Scene& s, std::span<const std::string> coordinates, const StartTrouble& x,
          Complaints& complaints) {
  using About = StartTrouble::About;
  // mass and force are of velocities; in space those have names of their own
  const std::string name = x.coordinate < 0 ? std::string()
                           : x.coordinate < static_cast<int>(coordinates.size())
                               ? coordinates[x.coordinate]
                               : fmt::format("q{}", x.coordinate);
  const auto add = [&](const Spot& spot, std::string text) {
    complaints.add(spot.place, spot.path, std::move(text));
  };
  switch (x.about) {
    case About::mass:
      return add(mass_spot(s, name),
                 name.empty()
                     ? x.message
                     : fmt::format("the mass of {} is {} at the start: it must be a finite number > 0", name,
                                   x.value));
    case About::force:
      return add(force_spot(s, name), fmt::format("the force on {} is {} at the start: it must be finite",
                                                  name, std::isnan(x.value) ? std::nan("") : x.value));
    case About::penetration:
      return add(contact_spot(s, x.contact),
                 fmt::format("the start penetrates at contact {}, gap = {:.6g}; move it apart, or set "
                             "run.accept_penetration: true (then the contact starts closed and keeps that "
                             "depth until it opens)",
                             x.contact, x.value));
    default: {
      const Spot spot = contact_spot(s, x.contact);
      const std::size_t name_end = x.message.find(x.contact + ": ");
      const bool named = spot.path.ends_with("." + x.contact) && name_end != std::string::npos;
      return add(spot, named ? x.message.substr(name_end + x.contact.size() + 2) : x.message);
    }
  }
}

}  // namespace

void check_start(const Scene& scene, std::span<const std::string> coordinates, const Problem& p,
                 Complaints& complaints) {
  constexpr std::size_t shown = 8;
  try {
    if (const System* m = as_mechanical(p.system.get())) {
      const auto troubles = start_troubles(*m, p.t0, p.t_end, p.q0, p.u0, p.penetration);
      for (std::size_t i = 0; i < std::min(shown, troubles.size()); ++i)
        tell(scene, coordinates, troubles[i], complaints);
      if (troubles.size() > shown)
        complaints.add(
            contact_spot(scene, troubles[shown].contact).place, "",
            fmt::format("{} more contacts and joints are wrong at the start", troubles.size() - shown));
    }
    if (p.system->family() != Family::odae) return;
    const auto& odae = static_cast<const OdaeSystem&>(*p.system);
    check_sizes(odae, p.t0, p.t_end, p.q0, p.u0);
    check_consistent(odae, p.t0, p.q0, p.u0);
  } catch (const Error& e) {
    const std::string message = e.what();
    Spot spot{scene.place_of("constraints"), scene.constraints.empty() ? "" : "constraints"};
    for (const auto& c : scene.constraints.list)
      if (message.starts_with("constraint " + c.name + ":")) spot = {c.place, "constraints." + c.name};
    complaints.add(spot.place, spot.path, message);
  }
}

}  // namespace saltus
