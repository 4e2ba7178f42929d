// The table of a sweep as text.
#include <cmath>

#include "saltus/study/csv_cell.hpp"
#include "saltus/study/sweep.hpp"

namespace saltus {

void write_sweep_csv(const SweepPoints& points, std::span<const Measure> measures, const RowStore& rows,
                     const WriteText& write) {
  std::string out;
  for (const auto& name : points.names()) out += csv_cell(name) + ",";
  for (const auto& m : measures) out += csv_cell(m.name) + ",";
  if (rows.has_errors())
    for (const auto& m : measures) out += csv_cell(m.name + "_error") + ",";
  const auto numbers = [&](const std::vector<double>& list) {
    for (std::size_t k = 0; k < measures.size(); ++k)
      out += (list.empty() || std::isnan(list[k]) ? "nan" : number_text(list[k])) + ",";
  };
  out += "status,message\n";
  constexpr std::size_t piece = 1 << 16;
  for (std::size_t i = 0; i < rows.points(); ++i) {
    if (!rows.has(i)) continue;
    const SweepRow row = rows.row(i);
    for (const auto& [name, value] : points.point(i)) out += csv_cell(value) + ",";
    numbers(row.values);
    if (rows.has_errors()) numbers(row.errors);
    out += fmt::format("{},{}\n", to_string(row.status), csv_cell(row.message));
    if (out.size() > piece) write(out), out.clear();
  }
  write(out);
}

std::string sweep_csv(const SweepPoints& points, std::span<const Measure> measures, const RowStore& rows) {
  std::string out;
  write_sweep_csv(points, measures, rows, [&](std::string_view text) { out += text; });
  return out;
}

}  // namespace saltus
