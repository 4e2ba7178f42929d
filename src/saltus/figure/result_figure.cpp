#include "saltus/figure/result_figure.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "saltus/core/error.hpp"
#include "saltus/figure/smooth.hpp"
#include "saltus/figure/thinning.hpp"

namespace saltus {
namespace {

constexpr int most_samples = 20000;
constexpr std::size_t most_contacts = 24;

Panel phase(const Result& r, std::span<const int> components, const CoordinateLabels& labels) {
  std::optional<Trajectory> room;
  const Trajectory& x = smooth(r.trajectory, room);
  std::vector<int> which(components.begin(), components.end());
  if (which.empty()) which = {0};
  Panel panel{with_units("q", labels.units, which),
              with_units("u", labels.rate_units, which),
              "phase portrait",
              false,
              {}};
  for (std::size_t c = 0; c < which.size(); ++c) {
    const int k = which[c];
    if (k >= x.nq() || k >= x.nu())
      fail("component {}: the result has {} coordinates and {} velocities", k, x.nq(), x.nu());
    Curve curve{k < static_cast<int>(labels.names.size()) ? labels.names[k]
                : x.nq() > 1                              ? fmt::format("component {}", k)
                                                          : "",
                fmt::format("lines lw 1.2 lc rgb '{}'", palette[c % 6]),
                {},
                {}};
    for (int i : samples_to_draw(
             x.size(), most_samples, [&](int j) { return x.q(j)[k]; }, [&](int j) { return x.u(j)[k]; }))
      curve.x.push_back(x.q(i)[k]), curve.y.push_back(x.u(i)[k]);
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

Panel energy(const Result& r) {
  Curve curve{"", fmt::format("lines lw 1.5 lc rgb '{}'", palette[0]), {}, {}};
  for (int i : samples_to_draw(r.trajectory.size(), most_samples, [&](int k) { return r.energy[k]; }))
    curve.x.push_back(r.trajectory.t(i)), curve.y.push_back(r.energy[i]);
  return {time_label, "energy [J]", "", false, {std::move(curve)}};
}

std::pair<double, double> span_of(const Result& r) {
  return {r.trajectory.t(0), r.trajectory.t(r.trajectory.size() - 1)};
}

// Lines for the contacts, in the order of their ids; if there are more than the limit, the title says so.
std::map<std::uint64_t, double> rows_of(const Result& r, Panel& panel) {
  std::map<std::uint64_t, double> row;
  for (const auto& [id, name] : r.names) {
    if (row.size() == most_contacts) {
      panel.title += fmt::format(" (first {} of {} contacts)", row.size(), r.names.size());
      break;
    }
    row[id] = static_cast<double>(row.size());
    panel.y_names.push_back(name);
  }
  if (row.empty()) fail("the result has no contacts: there is nothing to draw");
  return row;
}

Panel events(const Result& r) {
  Panel panel{time_label, "", "events", false, {}};
  panel.x_range = span_of(r), panel.legend = true;
  const auto row = rows_of(r, panel);
  for (int kind = 0; kind <= static_cast<int>(EventKind::accumulation); ++kind) {
    Curve c{std::string(to_string(static_cast<EventKind>(kind))),
            fmt::format("points pt {} ps 0.8 lc rgb '{}'", 5 + kind, palette[kind % 6]),
            {},
            {}};
    for (const Event& e : r.trajectory.events())
      if (const auto at = row.find(e.contact); static_cast<int>(e.kind) == kind && at != row.end())
        c.x.push_back(e.t), c.y.push_back(at->second);
    if (!c.x.empty()) panel.curves.push_back(std::move(c));
  }
  if (panel.curves.empty()) fail("the result has no events: there is nothing to draw");
  return panel;
}

// Thick where closed or sticking, thin where slipping, nothing where open.
Panel modes(const Result& r) {
  Panel panel{time_label, "", "modes (thick: closed or sticking, thin: slipping)", false, {}};
  panel.x_range = span_of(r);
  const Trajectory& x = r.trajectory;
  const auto row = rows_of(r, panel);
  std::map<std::pair<std::uint64_t, bool>, Curve> bars;
  int i = 0;
  for (const auto& atom : x.atoms()) {
    while (i + 1 < x.size() && x.t(i) < atom.t) ++i;
    const auto at = row.find(atom.contact);
    if (at == row.end()) continue;
    const bool held = is_constraint(atom.mode);
    Curve& c = bars[{atom.contact, held}];
    const double begin = i > 0 ? x.t(i - 1) : x.t(0);
    if (c.x.empty() || c.x.back() < begin) {
      if (!c.x.empty()) c.x.push_back(c.x.back()), c.y.push_back(std::nan(""));
      c.x.push_back(begin), c.y.push_back(at->second);
    }
    c.x.push_back(atom.t), c.y.push_back(at->second);
  }
  for (auto& [key, c] : bars) {
    c.style = key.second ? "lines lw 7 lc rgb '#0072b2'" : "lines lw 2 lc rgb '#d55e00'";
    panel.curves.push_back(std::move(c));
  }
  if (panel.curves.empty()) fail("no contact was closed: there is nothing to draw");
  return panel;
}

}  // namespace

std::vector<Panel> result_panels(const Result& r, const std::string& what, std::span<const int> components,
                                 const CoordinateLabels& labels) {
  if (r.trajectory.size() == 0) fail("the result has no samples");
  for (int k : components)
    if (k < 0 || k >= std::max(r.trajectory.nq(), r.trajectory.nu()))
      fail("--components {}: the result has components 0 to {}", k,
           std::max(r.trajectory.nq(), r.trajectory.nu()) - 1);
  const auto title = fmt::format("{}, {}", r.info.problem, r.info.scheme);
  std::vector<Panel> out;
  std::string rest = what + ",";
  for (std::size_t end; (end = rest.find(',')) != std::string::npos; rest.erase(0, end + 1)) {
    const std::string name = rest.substr(0, end);
    if (name == "history")
      for (Panel& p : trajectory_panels(r.trajectory, nullptr, title, components, labels))
        out.push_back(std::move(p));
    else if (name == "phase")
      out.push_back(phase(r, components, labels));
    else if (name == "energy")
      out.push_back(energy(r));
    else if (name == "events")
      out.push_back(events(r));
    else if (name == "modes")
      out.push_back(modes(r));
    else
      fail("--what {}: not one of history, phase, energy, events, modes", name);
  }
  return out;
}

}  // namespace saltus
