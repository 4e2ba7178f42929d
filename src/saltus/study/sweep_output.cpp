// The table of a sweep as text.
#include <algorithm>
#include <cmath>

#include "saltus/study/sweep.hpp"

namespace saltus {
namespace {

std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string sweep_csv(std::span<const SweepAxis> axes, std::span<const Measure> measures,
                      std::span<const SweepRow> rows) {
  std::string out;
  for (const auto& a : axes) out += cell(a.name) + ",";
  for (const auto& m : measures) out += cell(m.name) + ",";
  const bool bars =
      std::any_of(rows.begin(), rows.end(), [](const SweepRow& r) { return !r.errors.empty(); });
  if (bars)
    for (const auto& m : measures) out += cell(m.name + "_error") + ",";
  const auto numbers = [&](const std::vector<double>& list) {
    for (std::size_t k = 0; k < measures.size(); ++k)
      out += (list.empty() || std::isnan(list[k]) ? "nan" : number_text(list[k])) + ",";
  };
  out += "status,message\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    if (row.status == SweepRow::Status::missing) continue;
    for (const auto& [name, value] : sweep_point(axes, i)) out += cell(value) + ",";
    numbers(row.values);
    if (bars) numbers(row.errors);
    out += fmt::format("{},{}\n", to_string(row.status), cell(row.message));
  }
  return out;
}

}  // namespace saltus
