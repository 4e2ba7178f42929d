#include "saltus/figure/convergence_figure.hpp"

#include "saltus/study/work_precision.hpp"

namespace saltus {

namespace {

Panel panel_of(std::span<const ConvergenceTable> tables, const std::string& title) {
  const bool steps = tables.front().knob == Knob::step;
  Panel panel{
      steps ? "h [s]" : std::string(to_string(tables.front().knob)), "error [SI units]", title, true, {}};
  int mark = 7, colour = 0;
  for (const auto& table : tables) {
    if (tables.size() == 1) colour = 0;
    for (const auto& norm : norm_names()) {
      if (tables.size() > 1 && norm.name != "q_sup") continue;  // one curve per scheme
      if (norm.name == "q_final" || norm.name == "q_l2") continue;
      Curve c{fmt::format("{}{} ({:.2f})", tables.size() > 1 ? short_label(table.method) + " " : "",
                          norm.name, table.order.*norm.member),
              fmt::format("linespoints pt {} ps 0.7 lw 1.5 lc rgb '{}'", mark, palette[colour++ % 8]),
              {},
              {}};
      for (const auto& row : table.rows)
        if (row.error.*norm.member > 0) c.x.push_back(row.h), c.y.push_back(row.error.*norm.member);
      if (!c.x.empty()) panel.curves.push_back(std::move(c));
    }
    mark = mark == 7 ? 5 : mark + 4;
  }
  return panel;
}

}  // namespace

std::vector<Panel> convergence_panels(std::span<const ConvergenceTable> tables, const std::string& title) {
  std::vector<Panel> out;  // tables over the same knob stand in a row
  for (std::size_t begin = 0, end = 0; begin < tables.size(); begin = end) {
    while (end < tables.size() && tables[end].knob == tables[begin].knob) ++end;
    out.push_back(panel_of(tables.subspan(begin, end - begin), out.empty() ? title : ""));
  }
  return out;
}

}  // namespace saltus
