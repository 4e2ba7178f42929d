#include "saltus/study/figure.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <map>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return fmt::format("\"{}\"", out);
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

std::string tics(char axis, const std::vector<std::string>& names) {
  std::string out = fmt::format("set {}range [-0.6:{}]\nset {}tics (", axis, names.size() - 0.4, axis);
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("{}{} {}", k ? ", " : "", quoted(names[k]), k);
  return out + ") noenhanced\n";
}

void write_panel(std::string& script, const Panel& panel, int id, int margin) {
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const Curve& c = panel.curves[k];
    script += fmt::format("$d{}_{} << EOD\n", id, k);
    for (std::size_t i = 0; i < c.x.size(); ++i)
      script += std::isfinite(c.y[i]) ? fmt::format("{:.9g} {:.9g}\n", c.x[i], c.y[i]) : std::string("\n");
    script += "EOD\n";
  }
  script += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                        quoted(panel.title), quoted(panel.x_label), quoted(panel.y_label));
  script += panel.logarithmic
                ? "set logscale xy\nset format '10^{%L}'\nset offsets\nset key outside right noenhanced\n"
                : "unset logscale\nset format '%g'\nset offsets 0,0,graph 0.08,graph 0.08\n"
                  "set key inside top right noenhanced\n";
  if (panel.log_x) script += "set logscale x\nset format x '10^{%L}'\n";
  if (panel.log_y) script += "set logscale y\nset format y '10^{%L}'\nset offsets\n";
  script += "set xtics autofreq\nset ytics autofreq\nset autoscale x\n";
  if (!panel.y_names.empty())
    script += tics('y', panel.y_names) +
              (panel.legend ? "set key on outside bottom center horizontal\n" : "set key off\n") +
              fmt::format("set lmargin {}\n", margin);
  else
    script += fmt::format("set autoscale y\nset key on\nset lmargin {}\n", margin);
  if (!panel.x_names.empty()) script += tics('x', panel.x_names);
  if (panel.map) return write_map(script, *panel.map, id);
  script += "set grid back lt 1 lw 0.5 lc rgb '#e4e4e4'\nset tics nomirror\n";
  if (panel.x_names.empty()) script += "set autoscale xfix\n";
  if (panel.x_range)
    script += fmt::format("set xrange [{}:{}]\n", panel.x_range->first, panel.x_range->second);
  script += "plot ";
  for (std::size_t k = 0; k < panel.curves.size(); ++k)
    script += fmt::format("{}$d{}_{} using 1:2 with {} title {}", k ? ", " : "", id, k, panel.curves[k].style,
                          quoted(panel.curves[k].title));
  script += "\n";
}

constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#56b4e9", "#e69f00", "#000000", "#999999"};

// The reference sampled on the trajectory's grid and, from both sides, where it jumps.
Curve reference_curve(const Trajectory& trajectory, const Reference& reference, int k, bool position,
                      std::string title) {
  Curve c{std::move(title), "lines lw 5 lc rgb '#cfcfcf'", {}, {}};
  const int n = trajectory.size(), stride = std::max(1, n / 4000);
  const auto breaks = reference.breaks(trajectory.t(0), trajectory.t(n - 1));
  auto next = breaks.begin();
  Vec q, u;
  const auto add = [&](double t, Side side) {
    reference.state(t, side, q, u);
    c.x.push_back(t), c.y.push_back(position ? q[k] : u[k]);
  };
  for (int i = 0; i < n; i += stride) {
    for (; next != breaks.end() && *next <= trajectory.t(i); ++next)
      add(*next, Side::left), add(*next, Side::right);
    add(trajectory.t(i), Side::right);
  }
  return c;
}

}  // namespace

std::string draw(const std::string& file, std::span<const Panel> panels) {
  if (!ends_with(file, ".png") && !ends_with(file, ".svg"))
    return fmt::format("cannot write the figure '{}': its name must end in .svg or .png", file);
  const std::string part = file + ".part";  // an old figure stays until there is a new one
  std::FILE* probe = std::fopen(part.c_str(), "w");
  if (!probe) return fmt::format("cannot write the figure '{}': no such folder, or not allowed", file);
  std::fclose(probe);
  const int height = panels.size() > 1 ? 320 * static_cast<int>(panels.size()) : 520;
  std::string script =
      ends_with(file, ".png")
          ? fmt::format("set terminal pngcairo size 900,{} font 'sans,11'\n", height)
          : fmt::format("set terminal svg size 900,{} dynamic background 'white' font 'sans,12'\n", height);
  script += fmt::format("set output {}\n", quoted(part));
  script += fmt::format("set multiplot layout {},1\n", panels.size());
  int margin = 10;  // one for all: times of different panels stand below each other
  for (const Panel& p : panels)
    if (!p.y_names.empty()) margin = 20;
  for (std::size_t i = 0; i < panels.size(); ++i) write_panel(script, panels[i], static_cast<int>(i), margin);
  script += "unset multiplot\n";
  const auto handler = std::signal(SIGPIPE, SIG_IGN);  // a missing gnuplot closes the pipe at once
  std::FILE* pipe = popen("gnuplot 2>/dev/null", "w");
  if (pipe) std::fwrite(script.data(), 1, script.size(), pipe);
  const bool drawn = pipe && pclose(pipe) == 0;
  std::signal(SIGPIPE, handler);
  if (drawn && std::rename(part.c_str(), file.c_str()) == 0) return {};
  std::remove(part.c_str());
  return "gnuplot failed or is not installed (package gnuplot-nox); no figure was drawn";
}

std::vector<Panel> trajectory_panels(const Trajectory& trajectory, const Reference* reference,
                                     const std::string& title, std::span<const int> chosen,
                                     std::span<const std::string> names) {
  constexpr int most_points = 4000, most_components = 6;
  const int n = trajectory.size(), stride = std::max(1, n / most_points);
  if (reference && n > 0 && trajectory.t(n - 1) > reference->valid_until()) reference = nullptr;
  std::vector<Panel> panels(2);
  panels[0] = {"t", "q", title, false, {}};
  panels[1] = {"t", "u", "", false, {}};
  const auto add = [&](Panel& panel, int components, std::string_view name, bool position) {
    std::vector<int> shown;
    for (int k : chosen)
      if (k < components) shown.push_back(k);
    if (chosen.empty()) {
      for (int k = 0; k < std::min(components, most_components); ++k) shown.push_back(k);
      if (components > most_components)
        panel.y_label += fmt::format(" (first {} of {})", shown.size(), components);
    }
    if (reference && shown.size() <= 3)
      for (int k : shown)
        panel.curves.push_back(
            reference_curve(trajectory, *reference, k, position, k == shown[0] ? "reference" : ""));
    for (std::size_t c = 0; c < shown.size(); ++c) {
      const int k = shown[c];
      const bool named = k < static_cast<int>(names.size());
      const std::string label = named             ? names[k] + (position ? "" : "'")
                                : components == 1 ? std::string(name)
                                                  : fmt::format("{}{}", name, k);
      Curve ours{label, fmt::format("lines lw 1.5 lc rgb '{}'", palette[c % std::size(palette)]), {}, {}};
      for (int i = 0; i < n; i += i + stride < n || i == n - 1 ? stride : n - 1 - i)
        ours.x.push_back(trajectory.t(i)),
            ours.y.push_back(position ? trajectory.q(i)[k] : trajectory.u(i)[k]);
      panel.curves.push_back(std::move(ours));
    }
  };
  add(panels[0], trajectory.nq(), "q", true);
  add(panels[1], trajectory.nu(), "u", false);
  if (const int m = std::min(trajectory.multipliers(), most_components); m > 0) {
    panels.push_back({"t", "psi", "", false, {}});
    for (int k = 0; k < m; ++k) {
      Curve psi{fmt::format("psi{}", k),
                fmt::format("lines lw 1.5 lc rgb '{}'", palette[k % std::size(palette)]),
                {},
                {}};
      for (int i = 0; i < n; i += stride)
        psi.x.push_back(trajectory.t(i)), psi.y.push_back(trajectory.psi(i)[k]);
      panels.back().curves.push_back(std::move(psi));
    }
  }
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
  Panel panel{"t", "", "discrete states (bar: closed, sticking or held)", false, {}};
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

std::vector<Panel> convergence_panels(std::span<const ConvergenceTable> tables, const std::string& title) {
  Panel panel{"h", "error", title, true, {}};
  int mark = 7, colour = 0;
  for (const auto& table : tables) {
    if (tables.size() == 1) colour = 0;
    for (const auto& norm : norm_names()) {
      if (tables.size() > 1 && norm.name != "q_sup") continue;  // one curve per scheme
      if (norm.name == "q_final" || norm.name == "q_l2") continue;
      Curve c{fmt::format("{}{} ({:.2f})", tables.size() > 1 ? to_text(table.method.scheme) + " " : "",
                          norm.name, table.order.*norm.member),
              fmt::format("linespoints pt {} ps 0.7 lw 1.5 lc rgb '{}'", mark, palette[colour++ % 8]),
              {},
              {}};
      for (const auto& row : table.rows)
        if (row.error.*norm.member > 0) c.x.push_back(row.h), c.y.push_back(row.error.*norm.member);
      if (!c.x.empty()) panel.curves.push_back(std::move(c));
    }
    mark = mark == 7 ? 5 : mark + 4;
  }
  return {std::move(panel)};
}

}  // namespace saltus
