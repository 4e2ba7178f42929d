#include "saltus/figure/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "saltus/figure/axis.hpp"
#include "saltus/figure/gnuplot.hpp"

namespace saltus {
namespace {

// The cells of one edge: centres from..to, or the two halves of a single cell, because gnuplot draws no image
// of one row or column.
struct Edge {
  int repeat = 1;
  double first = 0, step = 1, low = 0, high = 1;

  Edge(int n, double from, double to) {
    from = drawable(from), to = drawable(to);
    if (std::isnan(from) || std::isnan(to)) from = 0, to = n - 1;
    const double cell = n > 1 && to != from ? (to - from) / (n - 1) : 1;
    repeat = n > 1 ? 1 : 2;
    step = cell / repeat;
    first = from - (repeat - 1) * step / 2;
    low = from - cell / 2, high = from + (n - 0.5) * cell;
  }
};

// Data, and the range of what is finite.
Axis write_values(std::string& script, const ColourMap& map, const Edge& x, const Edge& y) {
  Axis range;
  for (int iy = 0; iy < map.ny * y.repeat; ++iy) {
    for (int ix = 0; ix < map.nx * x.repeat; ++ix) {
      const double z = drawable(map.z[static_cast<std::size_t>(iy / y.repeat) * map.nx + ix / x.repeat]);
      range.add(z);
      if (std::isnan(z))
        script += "NaN ";
      else
        script += fmt::format("{:.5g} ", z);
    }
    script += '\n';
  }
  return range;
}

}  // namespace

void write_map(std::string& script, const ColourMap& map, int id) {
  const Edge x(map.nx, map.x0, map.x1), y(map.ny, map.y0, map.y1);
  script += fmt::format("$m{} << EOD\n", id);
  Axis range = write_values(script, map, x, y);
  script += "EOD\n";
  const bool both = range.low < 0 && range.high > 0;
  if (both) range.high = std::max(-range.low, range.high), range.low = -range.high;
  range.widen(0);
  script +=
      both ? "set palette defined (-1 '#053061', -0.5 '#4393c3', 0 '#ffffff', 0.5 '#d6604d', 1 '#67001f')\n"
           : "set palette defined (0 '#ffffff', 0.25 '#a6bddb', 0.5 '#3690c0', 1 '#023858')\n";
  script += fmt::format(
      "set cbrange [{:.9g}:{:.9g}]\nset cblabel {} noenhanced\nset colorbox\nset format cb '%g'\n", range.low,
      range.high, gnuplot_text(map.label, 40));
  script += "set datafile missing 'NaN'\nunset key\nunset grid\nset tics nomirror out\nset offsets\n";
  script +=
      fmt::format("set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n", x.low, x.high, y.low, y.high);
  script += fmt::format(
      "plot $m{} matrix using ({:.12g} + $1*{:.12g}):({:.12g} + $2*{:.12g}):3 with image notitle\n", id,
      x.first, x.step, y.first, y.step);
}

}  // namespace saltus
