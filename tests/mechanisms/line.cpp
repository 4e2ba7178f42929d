// Masses on a line, one after the other: they hit each other and walls, hang on springs and dampers, fall.
#include "mechanisms/mechanism.hpp"
#include "mechanisms/scene_text.hpp"

namespace saltus::mechanisms {
namespace {

struct Line {
  Dice& dice;
  Mechanism m;
  int n;
  double spread;  // of the masses
  std::vector<double> mass, x;
  std::vector<std::string> coordinates, masses, potential, contacts;
  std::vector<std::vector<std::string>> force;
  bool ground = false;  // something holds on to the ground
  double e = 0;
  bool mixed = false;

  explicit Line(Dice& d)
      : dice(d), n(d.integer(1, 6)), spread(d.chance(0.5) ? 1e3 : 5), force(static_cast<std::size_t>(n)) {}

  std::string name(int i) const { return fmt::format("x{}", i + 1); }
  double restitution() { return mixed ? rounded(dice.restitution()) : e; }
  void contact(const std::string& label, const std::string& gap) {
    contacts.push_back(
        fmt::format("{}: {{gap: {}, law: {{name: unilateral, e: {}}}}}", label, gap, value(restitution())));
  }

  void place() {
    double at = dice.uniform(0.1, 0.6);
    for (int i = 0; i < n; ++i) {
      mass.push_back(rounded(dice.log_uniform(1 / spread, spread)));
      x.push_back(rounded(at));
      coordinates.push_back(
          fmt::format("{}: {{start: {}, velocity: {}}}", name(i), value(x[i]), value(dice.uniform(-1, 1))));
      masses.push_back(fmt::format("{}: {}", name(i), value(mass[i])));
      const bool touching = dice.chance(0.15);
      if (touching) m.features.emplace_back("touching");
      at += touching ? 0 : dice.uniform(0.05, 0.6);
    }
  }

  void spring(int i, int j, double omega) {  // j < 0: the ground
    const double least = j < 0 ? mass[i] : std::min(mass[i], mass[j]);
    const std::string stretch = j < 0
                                    ? fmt::format("({} - {})", name(i), value(x[i] + dice.uniform(-0.2, 0.2)))
                                    : fmt::format("({} - {} - {})", name(j), name(i), value(x[j] - x[i]));
    if (j < 0) ground = true;
    potential.push_back(fmt::format("{}*{}^2", value(least * omega * omega / 2), stretch));
    if (dice.chance(0.2)) {
      potential.push_back(fmt::format("{}*{}^4", value(least * omega * omega), stretch));
      m.features.emplace_back("nonlinear");
    }
    if (!dice.chance(0.3)) return;
    const double c = least * omega * dice.uniform(0.05, 0.5);
    const std::string rate = j < 0 ? name(i) + "'" : fmt::format("({}' - {}')", name(i), name(j));
    const std::string f = dice.chance(0.3) ? fmt::format("{}*{}*abs({})", value(c), rate, rate)
                                           : fmt::format("{}*{}", value(c), rate);
    force[i].push_back("-" + f);
    if (j >= 0) force[j].push_back(f);
  }

  void forces() {
    const double omega = dice.uniform(1, 10);
    if (dice.chance(0.5))
      for (int i = 0; i < n; ++i)
        if (dice.chance(0.5)) spring(i, i + 1 < n && dice.chance(0.7) ? i + 1 : -1, omega);
    if (dice.chance(0.4)) {
      const double g = rounded(dice.uniform(0.5, 10));
      for (int i = 0; i < n; ++i) potential.push_back(fmt::format("{}*{}", value(mass[i] * g), name(i)));
      m.features.emplace_back("gravity");
      ground = true;
    }
    if (dice.chance(0.2)) {
      const int i = dice.integer(0, n - 1);
      force[i].push_back(
          fmt::format("{}*sin({}*t)", value(mass[i] * dice.uniform(0.5, 5)), value(dice.uniform(1, 10))));
      m.passive = false, ground = true;
    }
  }

  void walls() {
    if (dice.chance(0.7)) {
      ground = true;
      const bool moves = dice.chance(0.25);
      if (moves) m.passive = false, m.features.emplace_back("moving-wall");
      contact("left", moves ? fmt::format("x1 - {}*sin({}*t)", value(dice.uniform(0.01, 0.1)),
                                          value(dice.uniform(1, 15)))
                            : "x1");
    }
    if (dice.chance(0.3)) {
      ground = true;
      contact("right", fmt::format("{} - {}", value(x[n - 1] + dice.uniform(0, 0.5)), name(n - 1)));
    }
    for (int i = 0; i + 1 < n; ++i)
      contact(fmt::format("c{}", i + 1), fmt::format("{} - {}", name(i + 1), name(i)));
  }
};

}  // namespace

Mechanism make_line(Dice& dice) {
  Line line(dice);
  Mechanism& m = line.m;
  m.t_end = 2, m.h = 0.01, m.passive = true;
  line.e = rounded(dice.restitution());
  line.mixed = dice.chance(0.25);
  m.uniform = !line.mixed;
  line.place();
  line.forces();
  line.walls();
  if (line.e > 0 || line.mixed) m.features.emplace_back("e>0");
  if (line.n > 1) m.features.emplace_back("several");
  if (!line.ground) {
    Mechanism::Momentum p;
    for (int i = 0; i < line.n; ++i) p.weights.emplace_back(line.name(i), line.mass[i]);
    m.momenta.push_back(p);
  }
  std::vector<std::string> forces;
  for (int i = 0; i < line.n; ++i)
    if (!line.force[i].empty())
      forces.push_back(fmt::format("{}: {}", line.name(i), fmt::join(line.force[i], " + ")));
  m.yaml = section("coordinates", line.coordinates) + section("mass", line.masses) +
           sum("potential", line.potential) + section("forces", forces) + section("contacts", line.contacts);
  return m;
}

}  // namespace saltus::mechanisms
