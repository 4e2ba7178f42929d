#include "saltus/study/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace saltus {

void write_map(std::string& script, const ColourMap& map, int id) {
  double low = 0, high = 0;
  bool first = true;
  script += fmt::format("$m{} << EOD\n", id);
  for (int iy = 0; iy < map.ny; ++iy) {
    for (int ix = 0; ix < map.nx; ++ix) {
      const double z = map.z[static_cast<std::size_t>(iy) * map.nx + ix];
      if (std::isfinite(z)) {
        low = first ? z : std::min(low, z), high = first ? z : std::max(high, z), first = false;
        fmt::format_to(std::back_inserter(script), "{:.5g} ", z);
      } else {
        script += "NaN ";
      }
    }
    script += '\n';
  }
  script += "EOD\n";
  const bool both = low < 0 && high > 0;
  if (both) high = std::max(-low, high), low = -high;
  if (!(high > low)) high = low + (low == 0 ? 1 : std::abs(low) * 1e-3);
  const double dx = map.nx > 1 ? (map.x1 - map.x0) / (map.nx - 1) : 1;
  const double dy = map.ny > 1 ? (map.y1 - map.y0) / (map.ny - 1) : 1;
  script +=
      both ? "set palette defined (-1 '#053061', -0.5 '#4393c3', 0 '#ffffff', 0.5 '#d6604d', 1 '#67001f')\n"
           : "set palette defined (0 '#ffffff', 0.25 '#a6bddb', 0.5 '#3690c0', 1 '#023858')\n";
  std::string label = map.label;
  std::erase(label, '"');
  script += fmt::format(
      "set cbrange [{:.9g}:{:.9g}]\nset cblabel \"{}\" noenhanced\nset colorbox\nset format cb '%g'\n", low,
      high, label);
  script += "set datafile missing 'NaN'\nunset key\nunset grid\nset tics nomirror out\nset offsets\n";
  script += fmt::format("set xrange [{:.9g}:{:.9g}]\nset yrange [{:.9g}:{:.9g}]\n", map.x0 - dx / 2,
                        map.x1 + dx / 2, map.y0 - dy / 2, map.y1 + dy / 2);
  script += fmt::format(
      "plot $m{} matrix using ({:.12g} + $1*{:.12g}):({:.12g} + $2*{:.12g}):3 with image notitle\n", id,
      map.x0, dx, map.y0, dy);
}

}  // namespace saltus
