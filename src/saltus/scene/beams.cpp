#include "saltus/scene/beams.hpp"

#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/flexible/beam.hpp"
#include "saltus/scene/bodies.hpp"

namespace saltus {
namespace {

/// The one of these names that the word says, the first when it is not given.
template <class E, std::size_t n>
E one_of(SceneCompiler& c, const Word& w, const std::string_view (&names)[n], E missing) {
  if (!w.given()) return missing;
  for (std::size_t i = 0; i < n; ++i)
    if (names[i] == w.text) return static_cast<E>(i);
  const std::vector<std::string> known(std::begin(names), std::end(names));
  c.complain(w, fmt::format("unknown '{}'{}; known: {}", w.text, suggestion(w.text, known), listed(known)));
  return missing;
}

void read_section(SceneCompiler& c, const SceneBeam& s, Place place, const std::string& path, BeamData& d) {
  const auto positive = [&](const Value& v, double missing) {
    return c.number_in(Range::positive(), v, missing);
  };
  if (s.section.given()) {
    for (const Value* v : {&s.area, &s.inertia})
      if (v->given()) c.complain(*v, "the section has it already: leave one of them out");
    const Vec2 size = vector_of(c, s.section, "m", {1, 1});
    if (!(size[0] > 0 && size[1] > 0)) c.complain(s.section.x, "width and height must be above 0");
    d.area = size[0] * size[1], d.inertia = d.area * size[1] * size[1] / 12;
  } else if (!s.area.given() || !s.inertia.given()) {
    c.miss(place, path, "section", "a beam needs its section: [width, height], or area and inertia");
  } else {
    d.area = positive(s.area, 1), d.inertia = positive(s.inertia, 1);
  }
  d.shear_area = positive(s.shear_area, 5 * d.area / 6);
}

BeamData beam_data(SceneCompiler& c, const SceneBeam& s, Place place, const std::string& path) {
  BeamData d;
  const Vec2 from = vector_of(c, s.from, "m"), to = vector_of(c, s.to, "m"), way = to - from;
  if (s.from.given() && s.to.given() && !(way.norm() > 0)) c.complain(s.to.x, "it ends where it begins");
  d.elements = s.elements.value;
  d.length = way.norm() > 0 ? way.norm() : 1, d.angle = std::atan2(way[1], way[0]);
  d.origin = {from[0], from[1]};
  read_section(c, s, place, path, d);
  d.young = c.number_in(Range::positive(), s.young, 1);
  d.density = c.number_in(Range::positive(), s.density, 1);
  d.poisson = c.number_in(Range::closed(-0.999, 0.5), s.poisson, 0.3);
  d.damping = c.number_in(Range::non_negative(), s.damping, 0);
  d.drag = c.number_in(Range::non_negative(), s.drag, 0);
  d.first = one_of(c, s.first, support_names, Support::free);
  d.last = one_of(c, s.last, support_names, Support::free);
  d.mass = one_of(c, s.mass, mass_names, MassKind::consistent);
  const Vec2 gravity = vector_of(c, c.scene().gravity, "m/s^2", {0, -9.81});
  d.gravity = {gravity[0], gravity[1]};
  return d;
}

}  // namespace

void add_beam_coordinates(SceneCompiler& c) {
  for (const auto& [name, place, s] : c.scene().beams.list) {
    const std::string path = "beams." + name;
    if (name.find('.') != std::string::npos) {
      c.complaints().add(place, path, fmt::format("'{}': the name of a beam has no dot", name));
      continue;
    }
    const BeamData data = beam_data(c, s, place, path);
    const Vec2 velocity = vector_of(c, s.velocity, "m/s");
    const double spin = c.number(s.spin);
    if (c.complaints().about(path)) {
      c.give_up(name);
      continue;
    }
    std::shared_ptr<const BeamSystem> beam;
    try {
      beam = std::make_shared<const BeamSystem>(data);
    } catch (const Error& e) {
      c.complaints().add(place, path, e.what());
      c.give_up(name);
      continue;
    }
    auto& coordinates = c.coordinates();
    c.beams().push_back({beam, static_cast<int>(coordinates.size())});
    const Vec q = beam->straight(), turning = beam->spin(q, spin);
    for (int k = 0; k <= data.elements; ++k)
      for (int i = 0; i < 3; ++i) {
        const int at = beam->place(k, i);
        if (at < 0) continue;
        static constexpr std::string_view names[] = {"x", "y", "angle"};
        std::optional<Dimension> dimension;
        if (c.units() != SceneCompiler::Units::none) dimension = i < 2 ? length_dimension : Dimension{};
        coordinates.push_back({fmt::format("{}.{}.{}", name, k, names[i]), dimension, q[at],
                               turning[at] + (i < 2 ? velocity[i] : 0), true,
                               s.velocity.given() || s.spin.given()});
      }
  }
}

}  // namespace saltus
