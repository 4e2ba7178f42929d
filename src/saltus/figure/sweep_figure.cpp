#include "saltus/figure/sweep_figure.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/figure/sweep_labels.hpp"

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
      for (std::size_t i = 0; i < a.size(); ++i) at.push_back(parse_number(a.value(i), a.name));
    } catch (const Error&) {
      numeric = false, at.clear();
      for (std::size_t i = 0; i < a.size(); ++i) at.push_back(static_cast<double>(i));
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < axis.size(); ++i) out.push_back(axis.value(i));
    return out;
  }
};

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
    names = r.names();
    first = 0, last = static_cast<double>(r.at.size()) - 1;
  } else if (r.axis.spacing == Spacing::logarithmic) {
    label = "log10 " + label;
    first = std::log10(r.at.front()), last = std::log10(r.at.back());
  } else {
    first = r.at.front(), last = r.at.back();
  }
}

// An axis that varies, with the distance of its neighbours in the list of rows.
struct Wide {
  const SweepAxis* axis;
  std::size_t stride;
};
std::vector<Wide> wide_axes(const SweepPoints& points) {
  std::vector<Wide> out;
  std::size_t stride = 1;
  for (std::size_t k = points.axes.size(); k-- > 0; stride *= points.axes[k].size())
    if (points.axes[k].size() > 1) out.insert(out.begin(), {&points.axes[k], stride});
  return out;
}

// Where points are no grid: dots over the only parameter that varies.
std::vector<Panel> dot_panels(const SweepPoints& points, std::span<const Measure> measures,
                              const RowStore& rows, const std::string& title,
                              std::span<const FieldDescription> parameters) {
  const std::string name = points.names().back();
  std::vector<std::pair<double, std::size_t>> at;
  for (std::size_t i = 0; i < rows.points(); ++i)
    if (rows.has(i)) at.emplace_back(parse_number(points.point(i).back().second, name), i);
  std::sort(at.begin(), at.end());
  std::vector<Panel> panels;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::vector<double> values = measure_column(rows, m, true);
    Curve c{
        "", fmt::format("points pt 7 ps {} lc rgb '{}'", at.size() > 300 ? 0.2 : 0.5, palette[0]), {}, {}};
    for (const auto& [x, i] : at) c.x.push_back(x), c.y.push_back(values[i]);
    Panel panel{axis_label(name, parameters),
                axis_label(measures[m].name, parameters),
                m == 0 ? title : "",
                false,
                {}};
    panel.curves.push_back(std::move(c));
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace

void check_sweep_panels(const SweepPoints& points) {
  const std::size_t wide = wide_axes(points).size();
  if (!points.table && !points.samples) {
    if (wide == 0 || wide > 2)
      fail(
          "a figure of a sweep shows one or two parameters that vary, here they are {}; the CSV has them all",
          wide);
    return;
  }
  const std::size_t free = points.names().size() - points.axes.size();
  if (wide + free != 1)
    fail(
        "a figure shows the points of a table or samples over one parameter, here {} vary; --reduce draws "
        "histograms, curves and maps of any number",
        wide + free);
  if (points.samples && points.samples->parameters().front().distribution.is_choice())
    fail("a figure needs numbers; '{}' is a choice; --reduce mean --by {} draws one", points.names().back(),
         points.names().back());
  for (std::size_t i = 0; points.table && i < points.table->size(); ++i)
    parse_number(points.table->value(i, 0), points.names().back());
}

std::vector<Panel> sweep_panels(const SweepPoints& points, std::span<const Measure> measures,
                                const RowStore& rows, const std::string& title,
                                std::span<const FieldDescription> parameters) {
  constexpr std::size_t most_curves = 8;
  check_sweep_panels(points);
  if (points.table || points.samples) return dot_panels(points, measures, rows, title, parameters);
  std::vector<Wide> wide = wide_axes(points);
  // the longer axis to the right where the other one is a family of curves
  const bool family = wide.size() == 1 || std::min(wide[0].axis->size(), wide[1].axis->size()) <= most_curves;
  if (wide.size() == 2 && family && wide[1].axis->size() > wide[0].axis->size()) std::swap(wide[0], wide[1]);
  const Ruler x(*wide[0].axis);
  const SweepAxis one{.name = "", .list = {""}};
  const Ruler y(wide.size() > 1 ? *wide[1].axis : one);
  const auto index = [&](std::size_t ix, std::size_t iy) {
    return ix * wide[0].stride + (wide.size() > 1 ? iy * wide[1].stride : 0);
  };

  std::vector<Panel> panels;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::vector<double> values = measure_column(rows, m, true);
    std::vector<double> errors;
    if (rows.has_errors()) errors = error_column(rows, m);
    Panel panel{axis_label(x.axis.name, parameters),
                axis_label(measures[m].name, parameters),
                m == 0 ? title : "",
                false,
                {}};
    if (family) {
      if (!x.numeric) panel.x_names = x.names();
      panel.log_x = x.axis.spacing == Spacing::logarithmic;
      for (std::size_t iy = 0; iy < y.at.size(); ++iy) {
        Curve c{y.axis.name.empty() ? "" : fmt::format("{} = {}", y.axis.name, y.axis.value(iy)),
                fmt::format("linespoints pt 7 ps {} lw 1.5 lc rgb '{}'", x.at.size() > 60 ? 0.15 : 0.5,
                            palette[iy]),
                {},
                {}};
        for (std::size_t ix = 0; ix < x.at.size(); ++ix) {
          const std::size_t i = index(ix, iy);
          c.x.push_back(x.at[ix]), c.y.push_back(values[i]);
          if (!errors.empty()) c.error.push_back(std::isnan(errors[i]) ? 0 : errors[i]);
        }
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
        for (std::size_t ix = 0; ix < x.at.size(); ++ix) map.z.push_back(values[index(ix, iy)]);
      panel.map = std::move(map);
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace saltus
