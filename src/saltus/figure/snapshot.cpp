#include "saltus/figure/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "saltus/core/plain_text.hpp"

namespace saltus {
namespace {

constexpr double width = 640;  // of the picture, in pixels
constexpr const char* fills[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                 "#9467bd", "#8c564b", "#e377c2", "#17becf"};

}  // namespace

std::string to_svg(const Sketch& sketch, const std::string& title) {
  const SketchBox box = box_of(sketch);
  const double span = std::max(box.x1 - box.x0, 1e-300), k = width / (1.04 * span), rim = 0.02 * span * k;
  const double height = (box.y1 - box.y0) * k + 2 * rim, far = 4 * (span + box.y1 - box.y0);
  const auto px = [&](double x) { return (x - box.x0) * k + rim; };
  const auto py = [&](double y) { return (box.y1 - y) * k + rim; };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\">\n"
      "<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g stroke=\"#333\" "
      "stroke-width=\"1\">\n",
      width, height, width, height, xml_text(title));
  for (const auto& l : sketch.lines)
    out +=
        fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", px(l.x - far * l.dx),
                    py(l.y - far * l.dy), px(l.x + far * l.dx), py(l.y + far * l.dy));
  for (const auto& p : sketch.polygons) {
    out += "<polygon points=\"";
    for (const auto& [x, y] : p.points) out += fmt::format("{:.2f},{:.2f} ", px(x), py(y));
    out += fmt::format("\" fill=\"{}\"/>\n", p.colour >= 0 ? fills[p.colour % 8] : "#ddd");
  }
  for (const auto& r : sketch.rounds) {
    const bool filled = r.colour >= 0;
    out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\" stroke-width=\"{}\"/>\n",
                       px(r.x), py(r.y), std::max(r.radius * k, 2.0), filled ? fills[r.colour % 8] : "none",
                       filled ? 0.4 : 1.5);
    out +=
        fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke-width=\"0.7\"/>\n",
                    px(r.x + (filled ? 0 : 0.97) * r.radius * std::cos(r.angle)),
                    py(r.y + (filled ? 0 : 0.97) * r.radius * std::sin(r.angle)),
                    px(r.x + r.radius * std::cos(r.angle)), py(r.y + r.radius * std::sin(r.angle)));
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace saltus
