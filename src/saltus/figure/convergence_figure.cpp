#include "saltus/figure/convergence_figure.hpp"

#include "saltus/study/work_precision.hpp"

namespace saltus {

std::vector<Panel> convergence_panels(std::span<const ConvergenceTable> tables, const std::string& title) {
  Panel panel{"h [s]", "error [SI units]", title, true, {}};
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
  return {std::move(panel)};
}

}  // namespace saltus
