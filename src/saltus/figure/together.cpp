#include "saltus/figure/together.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// Of run k: another colour, or another pattern.
std::string styled(const std::string& style, std::size_t k, bool alone) {
  constexpr std::size_t patterns = 5;
  const auto colour = style.find(" lc rgb");
  if (!alone) return k == 0 ? style : fmt::format("{} dt {}", style, 1 + k % patterns);
  return fmt::format("{} lc rgb '{}'", style.substr(0, colour), palette[k % std::size(palette)]);
}

// What the labels of the runs have in common, or all of them.
std::string joined(std::vector<std::string> labels) {
  std::vector<std::string> kinds;
  for (auto& label : labels)
    if (std::find(kinds.begin(), kinds.end(), label) == kinds.end()) kinds.push_back(std::move(label));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

Panel shared(std::span<const std::string> names, std::vector<std::vector<Panel>>& runs, std::size_t at) {
  Panel out = runs.front()[at];
  out.curves.clear();
  std::vector<std::string> x, y, titles;
  bool alone = true;
  for (const auto& panels : runs) {
    x.push_back(panels[at].x_label), y.push_back(panels[at].y_label), titles.push_back(panels[at].title);
    alone = alone && panels[at].curves.size() == 1;
  }
  out.x_label = joined(std::move(x)), out.y_label = joined(std::move(y));
  out.title = joined(std::move(titles));
  for (std::size_t k = 0; k < runs.size(); ++k)
    for (Curve& c : runs[k][at].curves) {
      c.title = names[k] + (c.title.empty() ? "" : " " + c.title);
      c.style = styled(c.style, k, alone);
      out.curves.push_back(std::move(c));
    }
  return out;
}

}  // namespace

std::vector<Panel> together(std::span<const std::string> names, std::vector<std::vector<Panel>> runs) {
  for (const auto& panels : runs)
    if (panels.size() != runs.front().size())
      fail("the files do not have the same panels (velocities, multipliers): draw each of them alone");
  std::vector<Panel> out;
  for (std::size_t at = 0; at < runs.front().size(); ++at) {
    if (runs.front()[at].y_names.empty()) {
      out.push_back(shared(names, runs, at));
      continue;
    }
    auto range = runs.front()[at].x_range;  // equal times below each other
    for (const auto& panels : runs)
      if (const auto& other = panels[at].x_range; range && other)
        range = {std::min(range->first, other->first), std::max(range->second, other->second)};
    for (std::size_t k = 0; k < runs.size(); ++k) {
      runs[k][at].x_range = range;
      runs[k][at].title = names[k] + ": " + runs[k][at].title;
      out.push_back(std::move(runs[k][at]));
    }
  }
  return out;
}

}  // namespace saltus
