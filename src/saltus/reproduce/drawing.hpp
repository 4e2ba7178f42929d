// Curves that the studies of all papers draw.
#pragma once
#include <span>
#include <string>

#include "saltus/figure/figure.hpp"

namespace saltus {

/// c h^order through the point (h, e), as a grey line over the range of h.
Curve slope_line(double h0, double h1, double through_h, double through_e, int order);
inline constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#56b4e9", "#e69f00", "#000000", "#999999"};
Curve points(std::string title, std::span<const double> x, std::span<const double> y, int colour);

}  // namespace saltus
