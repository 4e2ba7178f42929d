#include "saltus/figure/reduction_figure.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/figure/sweep_labels.hpp"

namespace saltus {
namespace {

constexpr std::size_t most_panels = 24;

struct Statistic {
  std::string name;
  double (*plain)(const Summary&);
  std::size_t quantile = 0;  // where `plain` is null

  double of(const Summary& s) const { return plain ? plain(s) : s.quantiles[quantile]; }
};

std::vector<Statistic> statistics_of(const Reduction& asked) {
  std::vector<Statistic> out;
  if (asked.mean) out.push_back({"mean", [](const Summary& s) { return s.mean; }});
  if (asked.sd) out.push_back({"sd", [](const Summary& s) { return s.sd; }});
  if (asked.min) out.push_back({"min", [](const Summary& s) { return s.min; }});
  if (asked.max) out.push_back({"max", [](const Summary& s) { return s.max; }});
  for (std::size_t k = 0; k < asked.quantiles.size(); ++k)
    out.push_back({fmt::format("quantile {}", number_text(asked.quantiles[k])), nullptr, k});
  return out;
}

Panel histogram_panel(const Summary& s, const std::string& label) {
  Panel panel{label, "points", "", false, {}};
  Curve c{"", fmt::format("lines lw 1.5 lc rgb '{}'", palette[0]), {}, {}};
  if (s.bins)
    for (std::size_t i = 0; i < s.histogram.size(); ++i)
      for (const double x : {s.bins->edge(i), s.bins->edge(i), s.bins->edge(i + 1), s.bins->edge(i + 1)}) {
        const bool low = c.x.size() % 4 == 0 || c.x.size() % 4 == 3;
        c.x.push_back(x), c.y.push_back(low ? 0.0 : static_cast<double>(s.histogram[i]));
      }
  panel.curves.push_back(std::move(c));
  return panel;
}

// Positions of groups on an axis; names where they are no numbers.
std::vector<double> places(const GroupAxis& axis, std::vector<std::string>& names) {
  std::vector<double> out;
  try {
    for (std::size_t i = 0; i < axis.size(); ++i) out.push_back(parse_number(axis.label(i), axis.name));
  } catch (const Error&) {
    out.clear(), names = axis.values;
    for (std::size_t i = 0; i < axis.size(); ++i) out.push_back(static_cast<double>(i));
  }
  return out;
}

Panel curves_panel(const ReducedMeasure& measure, const GroupAxis& axis, const Reduction& asked) {
  Panel panel;
  const std::vector<double> x = places(axis, panel.x_names);
  panel.log_x = axis.spacing == SweepAxis::Spacing::logarithmic && !axis.bins;
  std::size_t colour = 0;
  for (const Statistic& s : statistics_of(asked)) {
    if (s.name == "sd" && asked.mean) continue;  // the bars of the mean
    Curve c{s.name,
            fmt::format("linespoints pt 7 ps 0.4 lw 1.5 lc rgb '{}'", palette[colour++ % std::size(palette)]),
            x,
            {}};
    for (const Summary& group : measure.groups) c.y.push_back(s.of(group));
    if (s.name == "mean" && asked.sd)
      for (const Summary& group : measure.groups) c.error.push_back(std::isnan(group.sd) ? 0 : group.sd);
    panel.curves.push_back(std::move(c));
  }
  return panel;
}

// One edge of a map: equal distances; lists and logarithmic series by their places.
void map_edge(const GroupAxis& axis, std::vector<std::string>& names, double& first, double& last) {
  if (axis.bins || axis.spacing == SweepAxis::Spacing::linear) {
    const std::vector<double> x = places(axis, names);
    first = x.front(), last = x.back();
  } else {
    names = axis.values;
    first = 0, last = static_cast<double>(axis.size()) - 1;
  }
}

Panel map_panel(const ReducedMeasure& measure, std::span<const GroupAxis> axes, const Statistic& statistic) {
  Panel panel;
  ColourMap map;
  map_edge(axes[0], panel.x_names, map.x0, map.x1);
  map_edge(axes[1], panel.y_names, map.y0, map.y1);
  map.nx = static_cast<int>(axes[0].size()), map.ny = static_cast<int>(axes[1].size());
  for (std::size_t iy = 0; iy < axes[1].size(); ++iy)
    for (std::size_t ix = 0; ix < axes[0].size(); ++ix)
      map.z.push_back(statistic.of(measure.groups[ix * axes[1].size() + iy]));
  panel.map = std::move(map);
  return panel;
}

}  // namespace

void check_reduction_panels(const Reduction& asked, std::size_t by, std::size_t measures) {
  const std::size_t wanted = by == 0 ? (asked.histogram ? 1 : 0) : statistics_of(asked).size();
  if (wanted == 0)
    fail(
        "there is nothing to draw: a figure shows --reduce histogram=BINS, or mean, sd, min, max and "
        "quantiles --by a parameter");
  if (by == 2 && wanted * measures > most_panels)
    fail("the figure would have {} maps; at most {} (fewer statistics in --reduce, or measures)",
         wanted * measures, most_panels);
}

std::vector<Panel> reduction_panels(const ReducedSweep& reduced, std::span<const Measure> measures,
                                    const Reduction& asked, const std::string& title,
                                    std::span<const FieldDescription> parameters) {
  const auto axes = reduced.groups.axes();
  check_reduction_panels(asked, axes.size(), measures.size());
  std::vector<Panel> panels;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::string label = axis_label(measures[m].name, parameters);
    const ReducedMeasure& measure = reduced.measures[m];
    if (axes.empty()) {
      panels.push_back(histogram_panel(measure.groups[0], label));
    } else if (axes.size() == 1) {
      panels.push_back(curves_panel(measure, axes[0], asked));
      panels.back().x_label = axis_label(axes[0].name, parameters), panels.back().y_label = label;
    } else {
      for (const Statistic& s : statistics_of(asked)) {
        panels.push_back(map_panel(measure, axes, s));
        panels.back().x_label = axis_label(axes[0].name, parameters);
        panels.back().y_label = axis_label(axes[1].name, parameters);
        panels.back().map->label = fmt::format("{} of {}", s.name, label);
      }
    }
  }
  if (!panels.empty()) panels.front().title = title;
  return panels;
}

}  // namespace saltus
