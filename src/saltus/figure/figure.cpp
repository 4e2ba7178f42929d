#include "saltus/figure/figure.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "saltus/core/error.hpp"
#include "saltus/figure/smooth.hpp"
#include "saltus/figure/thinning.hpp"

namespace saltus {
namespace {

constexpr int most_points = 5000, most_components = 6;

Curve thinned(std::string title, std::string style, const std::vector<double>& x,
              const std::vector<double>& y) {
  Curve c{std::move(title), std::move(style), {}, {}};
  for (int i : samples_to_draw(static_cast<int>(x.size()), most_points, [&](int k) { return y[k]; }))
    c.x.push_back(x[i]), c.y.push_back(y[i]);
  return c;
}

std::string line_style(std::size_t k) {
  return fmt::format("lines lw 1.5 lc rgb '{}'", palette[k % std::size(palette)]);
}

// The samples of a trajectory, one number each.
template <class F>
Curve curve_of(const Trajectory& trajectory, std::string title, std::size_t colour, F&& value) {
  Curve c{std::move(title), line_style(colour), {}, {}};
  for (int i : samples_to_draw(trajectory.size(), most_points, value))
    c.x.push_back(trajectory.t(i)), c.y.push_back(value(i));
  return c;
}

// The reference sampled on the trajectory's grid and, from both sides, where it jumps.
Curve reference_curve(const Trajectory& trajectory, const Reference& reference, int k, bool position,
                      std::string title) {
  std::vector<double> x, y;
  const int n = trajectory.size();
  const auto breaks = reference.breaks(trajectory.t(0), trajectory.t(n - 1));
  auto next = breaks.begin();
  Vec q, u;
  const auto add = [&](double t, Side side) {
    reference.state(t, side, q, u);
    x.push_back(t), y.push_back(position ? q[k] : u[k]);
  };
  for (int i = 0; i < n; ++i) {
    for (; next != breaks.end() && *next <= trajectory.t(i); ++next)
      add(*next, Side::left), add(*next, Side::right);
    add(trajectory.t(i), Side::right);
  }
  return thinned(std::move(title), "lines lw 5 lc rgb '#cfcfcf'", x, y);
}

std::string unit_of(std::span<const std::string> units, int k) {
  return k < static_cast<int>(units.size()) ? units[k] : "";
}

bool mixed(std::span<const std::string> units, std::span<const int> shown) {
  return std::any_of(shown.begin(), shown.end(),
                     [&](int k) { return unit_of(units, k) != unit_of(units, shown[0]); });
}

}  // namespace

std::string with_units(std::string label, std::span<const std::string> units, std::span<const int> shown) {
  std::vector<std::string> kinds;
  for (const int k : shown) {
    const std::string unit = unit_of(units, k);
    if (unit.empty()) return label;
    if (std::find(kinds.begin(), kinds.end(), unit) == kinds.end()) kinds.push_back(unit);
  }
  return kinds.empty() ? label : fmt::format("{} [{}]", label, fmt::join(kinds, ", "));
}

std::vector<Panel> trajectory_panels(const Trajectory& recorded, const Reference* reference,
                                     const std::string& title, std::span<const int> chosen,
                                     const CoordinateLabels& labels) {
  std::optional<Trajectory> room;
  const Trajectory& trajectory = smooth(recorded, room);
  const int n = trajectory.size();
  if (reference && (n == 0 || trajectory.t(n - 1) > reference->valid_until())) reference = nullptr;
  std::vector<Panel> panels(2);
  panels[0] = {time_label, "q", title, false, {}};
  panels[1] = {time_label, "u", "", false, {}};
  const auto add = [&](Panel& panel, int components, std::string_view name, bool position) {
    std::vector<int> shown;
    for (int k : chosen)
      if (k < components) shown.push_back(k);
    if (chosen.empty())
      for (int k = 0; k < std::min(components, most_components); ++k) shown.push_back(k);
    const auto& units = position ? labels.units : labels.rate_units;
    const bool one_unit = !mixed(units, shown);
    panel.y_label = with_units(std::move(panel.y_label), units, shown);
    if (chosen.empty()) {
      if (components > most_components)
        panel.y_label += fmt::format(" (first {} of {})", shown.size(), components);
    }
    if (reference && shown.size() <= 3)
      for (int k : shown)
        panel.curves.push_back(
            reference_curve(trajectory, *reference, k, position, k == shown[0] ? "reference" : ""));
    for (std::size_t c = 0; c < shown.size(); ++c) {
      const int k = shown[c];
      const bool named = k < std::ssize(labels.names), rate = !position && k < std::ssize(labels.rates);
      std::string label = rate              ? labels.rates[k]
                          : named           ? labels.names[k] + (position ? "" : "'")
                          : components == 1 ? std::string(name)
                                            : fmt::format("{}{}", name, k);
      if (!one_unit && !unit_of(units, k).empty()) label += fmt::format(" [{}]", unit_of(units, k));
      panel.curves.push_back(curve_of(
          trajectory, label, c, [&](int i) { return position ? trajectory.q(i)[k] : trajectory.u(i)[k]; }));
    }
  };
  add(panels[0], trajectory.nq(), "q", true);
  add(panels[1], trajectory.nu(), "u", false);
  std::erase_if(panels, [](const Panel& p) { return p.curves.empty(); });
  if (const int m = std::min(trajectory.multipliers(), most_components); m > 0) {
    panels.push_back({time_label, "psi", "", false, {}});
    for (int k = 0; k < m; ++k)
      panels.back().curves.push_back(
          curve_of(trajectory, fmt::format("psi{}", k), k, [&](int i) { return trajectory.psi(i)[k]; }));
  }
  if (!panels.empty()) panels.front().title = title;
  return panels;
}

std::vector<Panel> mode_panels(const Trajectory& trajectory, const System& system) {
  constexpr std::size_t most_laws = 12;
  struct Track {
    std::string name;
    Curve bar{"", "linespoints pt 5 ps 0.3 lw 6 lc rgb '#000000'", {}, {}};
  };
  // one track per contact, two where there is friction: closed, and stick
  std::map<std::pair<std::uint64_t, int>, Track> tracks;
  if (trajectory.size() < 2) return {};
  std::map<double, double> begin_of;  // end of a step -> its begin
  for (int i = 1; i < trajectory.size(); ++i)
    if (trajectory.t(i) > trajectory.t(i - 1)) begin_of[trajectory.t(i)] = trajectory.t(i - 1);
  bool switched = false;
  for (const Event& e : trajectory.events()) switched = switched || e.kind != EventKind::impact;
  for (const auto& atom : trajectory.atoms()) {
    const auto step = begin_of.find(atom.t);
    if (step == begin_of.end()) continue;
    const auto held = [&](int which, std::string name, bool on) {
      Track& track = tracks[{atom.contact, which}];
      if (track.name.empty()) track.name = std::move(name);
      if (!on) return;
      Curve& c = track.bar;
      if (c.x.empty() || c.x.back() < step->second - 1e-15) {
        if (!c.x.empty()) c.x.push_back(c.x.back()), c.y.push_back(std::nan(""));
        c.x.push_back(step->second), c.y.push_back(0), c.x.push_back(atom.t), c.y.push_back(0);
      } else {
        c.x.back() = atom.t;
      }
    };
    const std::string name = system.contact_name(atom.contact);
    const bool friction = atom.rows > 1;
    if (friction) held(0, name + " closed", true);
    held(1, name + (friction ? " stick" : " held"), atom.mode == Mode::stick || atom.mode == Mode::closed);
  }
  if (!switched || tracks.empty() || tracks.size() > most_laws) return {};
  Panel panel{time_label, "", "discrete states (bar: closed, sticking or held)", false, {}};
  const double t0 = trajectory.t(0), t1 = trajectory.t(trajectory.size() - 1);
  for (auto& [key, track] : tracks) {
    const double y = static_cast<double>(panel.y_names.size());
    panel.y_names.push_back(track.name);
    panel.curves.push_back({"", "lines lw 0.5 lc rgb '#999999'", {t0, t1}, {y, y}});
    for (double& v : track.bar.y)
      if (std::isfinite(v)) v = y;
    if (!track.bar.x.empty()) panel.curves.push_back(std::move(track.bar));
  }
  return {std::move(panel)};
}

}  // namespace saltus
