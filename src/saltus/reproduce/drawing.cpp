#include "saltus/reproduce/drawing.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

Curve slope_line(double h0, double h1, double through_h, double through_e, int order) {
  const auto at = [&](double h) { return through_e * std::pow(h / through_h, order); };
  return {fmt::format("slope {}", order), "lines lw 1 dt 2 lc rgb '#999999'", {h0, h1}, {at(h0), at(h1)}};
}

Curve points(std::string title, std::span<const double> x, std::span<const double> y, int colour) {
  Curve c{std::move(title),
          fmt::format("linespoints pt 7 ps 0.6 lw 1.5 lc rgb '{}'", colours[colour % 8]),
          {},
          {}};
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i] > 0 && std::isfinite(y[i])) c.x.push_back(x[i]), c.y.push_back(y[i]);
  return c;
}

}  // namespace saltus
