#include "saltus/figure/sweep_figure.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

using Spacing = SweepAxis::Spacing;

// Positions along an axis of a figure: the numbers, or 0, 1, 2, … for texts.
struct Ruler {
  const SweepAxis& axis;
  bool numeric = true;
  std::vector<double> at;

  explicit Ruler(const SweepAxis& a) : axis(a) {
    try {
      for (const auto& v : a.values) at.push_back(parse_number(v, a.name));
    } catch (const Error&) {
      numeric = false, at.clear();
      for (std::size_t i = 0; i < a.values.size(); ++i) at.push_back(static_cast<double>(i));
    }
  }
};

// "gamma [s]": steps and ends are times, and parameters know their units.
std::string axis_label(const std::string& name, std::span<const FieldDescription> parameters) {
  std::string unit = name == "h" || name == "t_end" ? "s" : "";
  for (const auto& p : parameters)
    if (p.name == name) unit = p.unit;
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

// The values of one measure over the two (or one) axes that vary; NaN where a run did not finish, or not one
// digit of it is known.
double value_of(std::span<const SweepRow> rows, std::size_t index, std::size_t measure) {
  const SweepRow& row = rows[index];
  const bool known = row.errors.empty() || !std::isnan(row.errors[measure]);
  return known && row.status == SweepRow::Status::finished ? row.values[measure] : std::nan("");
}

double error_of(const SweepRow& row, std::size_t measure) {
  return row.errors.empty() || std::isnan(row.errors[measure]) ? 0 : row.errors[measure];
}

bool wants_log(const std::vector<Curve>& curves) {
  double low = infinity, high = 0;
  for (const auto& c : curves)
    for (double y : c.y)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
  return low > 0 && high > 100 * low;
}

// One edge of a map: equal distances in x or log10 x; lists by their place.
void map_edge(const Ruler& r, std::string& label, std::vector<std::string>& names, double& first,
              double& last) {
  if (!r.numeric || r.axis.spacing == Spacing::list) {
    names = r.axis.values;
    first = 0, last = static_cast<double>(r.at.size()) - 1;
  } else if (r.axis.spacing == Spacing::logarithmic) {
    label = "log10 " + label;
    first = std::log10(r.at.front()), last = std::log10(r.at.back());
  } else {
    first = r.at.front(), last = r.at.back();
  }
}

}  // namespace

std::vector<Panel> sweep_panels(std::span<const SweepAxis> axes, std::span<const Measure> measures,
                                std::span<const SweepRow> rows, const std::string& title,
                                std::span<const FieldDescription> parameters) {
  constexpr std::size_t most_curves = 8;
  // each axis that varies, with the distance of its neighbours in the list of rows
  std::vector<std::pair<std::size_t, std::size_t>> wide;
  std::size_t stride = 1;
  for (std::size_t k = axes.size(); k-- > 0; stride *= axes[k].values.size())
    if (axes[k].values.size() > 1) wide.insert(wide.begin(), {k, stride});
  if (wide.empty() || wide.size() > 2)
    fail("a figure of a sweep shows one or two parameters that vary, here they are {}; the CSV has them all",
         wide.size());
  // the longer axis to the right where the other one is a family of curves
  const bool family = wide.size() == 1 || std::min(axes[wide[0].first].values.size(),
                                                   axes[wide[1].first].values.size()) <= most_curves;
  if (wide.size() == 2 && family && axes[wide[1].first].values.size() > axes[wide[0].first].values.size())
    std::swap(wide[0], wide[1]);
  const Ruler x(axes[wide[0].first]);
  const SweepAxis one{"", {""}, Spacing::list};
  const Ruler y(wide.size() > 1 ? axes[wide[1].first] : one);
  const auto index = [&](std::size_t ix, std::size_t iy) {
    return ix * wide[0].second + (wide.size() > 1 ? iy * wide[1].second : 0);
  };

  std::vector<Panel> panels;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    Panel panel{axis_label(x.axis.name, parameters),
                axis_label(measures[m].name, parameters),
                m == 0 ? title : "",
                false,
                {}};
    if (family) {
      if (!x.numeric) panel.x_names = x.axis.values;
      panel.log_x = x.axis.spacing == Spacing::logarithmic;
      for (std::size_t iy = 0; iy < y.at.size(); ++iy) {
        Curve c{y.axis.name.empty() ? "" : fmt::format("{} = {}", y.axis.name, y.axis.values[iy]),
                fmt::format("linespoints pt 7 ps {} lw 1.5 lc rgb '{}'", x.at.size() > 60 ? 0.15 : 0.5,
                            palette[iy]),
                {},
                {}};
        for (std::size_t ix = 0; ix < x.at.size(); ++ix)
          c.x.push_back(x.at[ix]), c.y.push_back(value_of(rows, index(ix, iy), m));
        if (std::any_of(rows.begin(), rows.end(), [](const SweepRow& r) { return !r.errors.empty(); }))
          for (std::size_t ix = 0; ix < x.at.size(); ++ix)
            c.error.push_back(error_of(rows[index(ix, iy)], m));
        panel.curves.push_back(std::move(c));
      }
      panel.log_y = wants_log(panel.curves);
    } else {
      ColourMap map;
      panel.y_label = axis_label(y.axis.name, parameters);
      map_edge(x, panel.x_label, panel.x_names, map.x0, map.x1);
      map_edge(y, panel.y_label, panel.y_names, map.y0, map.y1);
      map.nx = static_cast<int>(x.at.size()), map.ny = static_cast<int>(y.at.size());
      map.label = axis_label(measures[m].name, parameters);
      for (std::size_t iy = 0; iy < y.at.size(); ++iy)
        for (std::size_t ix = 0; ix < x.at.size(); ++ix) map.z.push_back(value_of(rows, index(ix, iy), m));
      panel.map = std::move(map);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace saltus
