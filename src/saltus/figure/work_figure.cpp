#include "saltus/figure/work_figure.hpp"

#include <cmath>

namespace saltus {

std::vector<Panel> work_panels(std::span<const WorkTable> tables, const std::string& title) {
  std::vector<Panel> panels(3);
  panels[0] = {"force evaluations", "error q_sup [SI units]", title, true, {}};
  panels[1] = {"force evaluations", "error u_l1 [SI units]", "", true, {}};
  panels[2] = {"CPU time [s]", "error q_sup [SI units]", "", true, {}};
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const auto add = [&](Panel& panel, double TrajectoryError::*norm, bool cpu) {
      Curve c{short_label(tables[k].method),
              fmt::format("linespoints pt {} ps 0.7 lw 1.5 lc rgb '{}'", tables[k].knob == Knob::step ? 7 : 9,
                          palette[k % 8]),
              {},
              {}};
      for (const auto& row : tables[k].rows) {
        const double work = cpu ? row.stats.cpu_seconds : static_cast<double>(row.stats.force_evaluations);
        const double error = row.error.*norm;
        if (error > 0 && std::isfinite(error) && work > 0) c.x.push_back(work), c.y.push_back(error);
      }
      if (!c.x.empty()) panel.curves.push_back(std::move(c));
    };
    add(panels[0], &TrajectoryError::q_sup, false);
    add(panels[1], &TrajectoryError::u_l1, false);
    add(panels[2], &TrajectoryError::q_sup, true);
  }
  std::erase_if(panels, [](const Panel& p) { return p.curves.empty(); });
  return panels;
}

}  // namespace saltus
