// Values on a rectangle as colours, for gnuplot.
#pragma once
#include <string>
#include <vector>

namespace saltus {

struct ColourMap {
  int nx = 0, ny = 0;
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;  ///< centres of the first and the last cell
  std::vector<double> z;                  ///< row by row: z[iy·nx + ix]; NaN stays blank
  std::string label;
};

/// Data and plot command. Values of both signs: blue, white at zero, red; else one colour getting darker.
void write_map(std::string& script, const ColourMap& map, int id);

}  // namespace saltus
