// Figures through gnuplot: SVG, or PNG when the file's name ends in .png.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "saltus/figure/colour_map.hpp"
#include "saltus/reference/reference.hpp"
#include "saltus/run/trajectory.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

/// Colours of curves, in turn; they stay apart for colour-blind readers too.
inline constexpr const char* palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#56b4e9", "#e69f00", "#000000", "#999999"};

struct Curve {
  std::string title, style;        ///< style: gnuplot's, e.g. "lines lw 2"
  std::vector<double> x, y;        ///< a NaN breaks the line
  std::vector<double> error = {};  ///< bars of y, up and down; none when empty
};
struct Panel {
  std::string x_label, y_label, title;
  bool logarithmic = false;
  std::vector<Curve> curves;
  std::vector<std::string> y_names = {};  ///< written at y = 0, 1, 2, … instead of numbers
  std::vector<std::string> x_names = {};  ///< the same for x
  bool log_x = false, log_y = false;      ///< one of them only
  std::optional<ColourMap> map = {};      ///< drawn instead of the curves
  std::optional<std::pair<double, double>> x_range = {};
  bool legend = false;  ///< with y_names: titles of the curves
};

/// Draws the panels one above the other. Returns an empty string, or what went wrong (no gnuplot, no such
/// folder, a full disk); an old figure of that name then stays. Any text and any numbers can be drawn: what
/// is not finite is left out.
std::string draw(const std::string& file, std::span<const Panel> panels);
/// The script that gnuplot gets; it writes the picture to its standard output.
std::string figure_script(std::span<const Panel> panels, bool png = false);
/// Before the work for a figure begins: throws Error, naming the option, unless the file's name has the right
/// ending and a file can be written there.
void check_figure_file(const std::string& file, std::string_view option, bool svg_only = false);

/// Names and units of coordinates and velocities; empty, or shorter, where they are not known, and velocities
/// without a name of their own are rates of the coordinates.
struct CoordinateLabels {
  std::vector<std::string> names = {}, units = {}, rate_units = {}, rates = {};
};
/// "q [m]", or "q [m, rad]" when those of `shown` differ; "q" where one is not known.
std::string with_units(std::string label, std::span<const std::string> units, std::span<const int> shown);
inline constexpr const char* time_label = "t [s]";

/// Positions and velocities over time, with the reference where there is one: of the components asked for, or
/// of the first few. A component that a trajectory with nq !=
/// nu has in one of the two only is drawn there; a panel that would have none is left out (an ordinary
/// differential equation has no velocities). Long curves are thinned, keeping their peaks.
std::vector<Panel> trajectory_panels(const Trajectory& trajectory, const Reference* reference,
                                     const std::string& title, std::span<const int> components = {},
                                     const CoordinateLabels& labels = {});
/// What each law did over time, a bar where it was closed, sticking or held (as Fig. 13 of Studer et al.
/// 2008), a thin line where it was open or slipping. Laws of friction have a bar each for normal and tangent.
/// Empty without laws that switched.
std::vector<Panel> mode_panels(const Trajectory& trajectory, const System& system);

}  // namespace saltus
