// From panels to a picture: the script for gnuplot, and the file.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/core/plain_text.hpp"
#include "saltus/figure/axis.hpp"
#include "saltus/figure/figure.hpp"
#include "saltus/figure/gnuplot.hpp"
#include "saltus/figure/thinning.hpp"

namespace saltus {
namespace {

constexpr int panel_height = 320, only_height = 520, tallest = 30000;  // pixels; cairo ends at 32767
constexpr int most_drawn = 5000;                                       // of a curve
constexpr std::size_t longest_name = 40, longest_title = 100, longest_entry = 45;

/// What all panels of a figure share, so that equal times stand below each other.
struct Layout {
  int left = 10, right = 3;      // margins, in characters
  bool legend_below = false;     // titles too long for a place beside the curves
  std::size_t most_entries = 0;  // of a legend
  std::size_t longest_label = 0;
};

bool has_legend(const Panel& p) {
  return !p.map && (p.y_names.empty() || p.legend);
}

Axis axis_of(const Panel& p, bool x) {
  Axis axis;
  axis.logarithmic = p.logarithmic || (x ? p.log_x : p.log_y);
  if (x && p.x_range) {
    axis.add(p.x_range->first), axis.add(p.x_range->second);
  } else {
    for (const Curve& c : p.curves)
      for (std::size_t k = 0; k < (x ? c.x : c.y).size(); ++k) {
        const double v = (x ? c.x : c.y)[k], bar = x || c.error.empty() ? 0 : c.error[k];
        axis.add(v);
        if (bar > 0) axis.add(v - bar), axis.add(v + bar);
      }
  }
  axis.widen(x ? 0 : 0.08);
  return axis;
}

Layout layout_of(std::span<const Panel> panels) {
  Layout out;
  out.most_entries = panels.size() > 1 ? 14 : 24;
  out.longest_label = panels.size() > 1 ? 40 : 60;
  std::size_t longest = 0;
  for (const Panel& p : panels) {
    if (p.map) continue;
    if (p.y_names.empty()) out.left = std::max(out.left, axis_of(p, false).label_width() + 5);
    for (const auto& name : p.y_names)
      out.left =
          std::max(out.left, static_cast<int>(std::min(text_width(plain_text(name)), longest_name)) + 4);
    if (!has_legend(p)) continue;
    for (const Curve& c : p.curves) longest = std::max(longest, text_width(plain_text(c.title)));
  }
  out.legend_below = longest > longest_entry;
  if (longest > 0 && !out.legend_below) out.right = static_cast<int>(longest) + 8;
  if (out.legend_below) out.most_entries = 8;
  return out;
}

std::string tics(char axis, const std::vector<std::string>& names) {
  std::string out =
      fmt::format("unset logscale {0}\nset {0}range [-0.6:{1}]\nset {0}tics (", axis, names.size() - 0.4);
  for (std::size_t k = 0; k < names.size(); ++k)
    out += fmt::format("{}{} {}", k ? ", " : "", gnuplot_tic_text(names[k], longest_name), k);
  return out + ") noenhanced\n";
}

// The points that can be drawn, an empty line for a gap; long curves are thinned, keeping their peaks.
// Returns how many there are.
int write_data(std::string& script, const Curve& c, bool log_x, bool log_y) {
  int points = 0;
  bool gap = true;
  const int n = static_cast<int>(std::min(c.x.size(), c.y.size()));
  for (const int i : samples_to_draw(
           n, most_drawn, [&](int k) { return c.x[k]; }, [&](int k) { return c.y[k]; })) {
    const double x = drawable(c.x[i], log_x), y = drawable(c.y[i], log_y);
    const bool good = !std::isnan(x) && !std::isnan(y);
    if (good)
      script +=
          fmt::format("{:.12g} {:.12g}{}\n", x, y, c.error.empty() ? "" : fmt::format(" {:.3g}", c.error[i])),
          ++points;
    else if (!gap)
      script += '\n';
    gap = !good;
  }
  return points;
}

std::string colour_of(const Curve& c) {
  const auto colour = c.style.find("lc rgb");
  return colour == std::string::npos ? std::string() : c.style.substr(colour);
}

// A line through one point is none.
std::string style_of(const Curve& c, int points) {
  if (points != 1 || !c.style.starts_with("lines ")) return c.style;
  return "points pt 7 ps 0.6 " + colour_of(c);
}

void write_curves(std::string& script, const Panel& panel, int id, const Layout& layout) {
  const bool log_x = panel.logarithmic || panel.log_x, log_y = panel.logarithmic || panel.log_y;
  std::string plot;
  bool any = false;
  std::size_t entries = 0, more = 0;
  for (const Curve& c : panel.curves) more += !c.title.empty();
  more -= std::min(more, layout.most_entries);
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const Curve& c = panel.curves[k];
    script += fmt::format("$d{}_{} << EOD\n", id, k);
    const int points = write_data(script, c, log_x, log_y);
    script += "EOD\n";
    any = any || points > 0;
    std::string title = "notitle";
    if (!c.title.empty() && ++entries <= layout.most_entries)
      title = "title " + gnuplot_text(entries == layout.most_entries && more > 0
                                          ? fmt::format("… and {} more", more + 1)
                                          : c.title);
    const std::string data = points > 0 ? fmt::format("$d{}_{} using 1:2", id, k) : std::string("NaN");
    plot += fmt::format("{}{} with {} {}", k ? ", " : "", data, style_of(c, points), title);
    if (points > 0 && !c.error.empty())
      plot += fmt::format(", $d{}_{} using 1:($2-$3):(0):(2*$3) with vectors nohead lw 1.5 {} notitle", id, k,
                          colour_of(c));
  }
  if (!any) script += "set label 1 'no finite value' at graph 0.5,0.5 center\n";
  script += "plot " + (plot.empty() ? std::string("NaN notitle") : plot) + "\nunset label\n";
}

void write_panel(std::string& script, const Panel& panel, int id, const Layout& layout) {
  script += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                        gnuplot_text(panel.title, longest_title), gnuplot_text(panel.x_label, longest_title),
                        gnuplot_text(panel.y_label, layout.longest_label));
  // a map has tics of gnuplot's choice: beside long ones there must be room for the label, or it is left out
  script +=
      fmt::format("set lmargin {}\nset rmargin {}\n",
                  panel.map ? std::max<int>(layout.left, 14) : layout.left, panel.map ? -1 : layout.right);
  if (panel.map) {
    script += "unset logscale\nset format '%g'\nset xtics autofreq\nset ytics autofreq\n";
    if (!panel.x_names.empty()) script += tics('x', panel.x_names);
    if (!panel.y_names.empty()) script += tics('y', panel.y_names);
    return write_map(script, *panel.map, id);
  }
  script += panel.x_names.empty() ? axis_of(panel, true).script('x') : tics('x', panel.x_names);
  script += panel.y_names.empty() ? axis_of(panel, false).script('y') : tics('y', panel.y_names);
  script += !has_legend(panel)    ? "set key off\n"
            : layout.legend_below ? "set key on outside bottom center horizontal noenhanced\n"
                                  : "set key on outside right top vertical Left reverse noenhanced\n";
  script += "set grid back lt 1 lw 0.5 lc rgb '#e4e4e4'\nset tics nomirror\n";
  write_curves(script, panel, id, layout);
}

bool is_whole(const std::string& bytes, bool png) {
  const std::string_view tail =
      std::string_view(bytes).substr(bytes.size() - std::min<std::size_t>(bytes.size(), 32));
  return tail.find(png ? "IEND" : "</svg>") != std::string_view::npos;
}

// gnuplot leaves > as it is, which XML forbids after ]].
std::string as_xml(std::string bytes) {
  for (std::size_t at = 0; (at = bytes.find("]]>", at)) != std::string::npos; at += 3)
    bytes.replace(at + 2, 1, "&gt;");
  return bytes;
}

}  // namespace

void check_figure_file(const std::string& file, std::string_view option, bool svg_only) {
  if (!file.ends_with(".svg") && (svg_only || !file.ends_with(".png")))
    fail("{} {}: the name of a figure must end in {}", option, file, svg_only ? ".svg" : ".svg or .png");
  try {
    check_writable(file);
  } catch (const Error& e) {
    fail("{} {}: {}", option, file, e.what());
  }
}

std::string figure_script(std::span<const Panel> panels, bool png) {
  const int n = static_cast<int>(panels.size());
  int each = n > 1 ? panel_height : only_height;
  for (const Panel& p : panels)
    each = std::max(each, 90 + 15 * static_cast<int>(p.y_names.size()));  // a line each
  const int rows = std::max(1, n), height = rows * std::max(1, std::min(each, tallest / rows));
  std::string script =
      png ? fmt::format("set terminal pngcairo size 900,{} font 'sans,11'\n", height)
          : fmt::format("set terminal svg size 900,{} dynamic background 'white' font 'sans,12'\n", height);
  script += fmt::format("set encoding utf8\nset multiplot layout {},1\n", n);
  const Layout layout = layout_of(panels);
  for (int i = 0; i < n; ++i) write_panel(script, panels[i], i, layout);
  return script + "unset multiplot\n";
}

std::string draw(const std::string& file, std::span<const Panel> panels) {
  try {
    check_figure_file(file, "figure", false);
    if (panels.empty()) return fmt::format("figure {}: there is nothing to draw", file);
    const bool png = file.ends_with(".png");
    Picture picture = run_gnuplot(figure_script(panels, png));
    if (!picture.trouble.empty()) return fmt::format("figure {}: {}", file, picture.trouble);
    if (!is_whole(picture.bytes, png))
      return fmt::format("figure {}: gnuplot ended before the picture was whole; {}", file,
                         png ? "does it have pngcairo? try a name that ends in .svg" : "try again");
    write_file(file, png ? picture.bytes : as_xml(std::move(picture.bytes)));
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

}  // namespace saltus
