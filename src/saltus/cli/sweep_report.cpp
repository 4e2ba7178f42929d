#include "saltus/cli/sweep_report.hpp"

#include <ostream>

#include "saltus/cli/accuracy_report.hpp"
#include "saltus/cli/json_stream.hpp"

namespace saltus::cli {
namespace {

Json row_json(const SweepReport& x, std::size_t index) {
  const SweepRow row = x.rows.row(index);
  const auto measures = x.measures.list();
  Json point = Json::object(), values = Json::object(), errors = Json::object();
  for (const auto& [name, value] : x.points.point(index)) point[name] = value;
  for (std::size_t k = 0; k < measures.size(); ++k)
    values[measures[k].name] = row.values.empty() ? Json(nullptr) : number(row.values[k]);
  for (std::size_t k = 0; k < row.errors.size(); ++k) errors[measures[k].name] = number(row.errors[k]);
  Json out = {{"point", std::move(point)},
              {"measures", std::move(values)},
              {"status", to_string(row.status)},
              {"message", row.message}};
  if (!row.errors.empty()) out["error_estimate"] = std::move(errors);
  return out;
}

Json axes_json(const SweepPoints& points) {
  Json axes = Json::array();
  for (const auto& a : points.axes) {
    Json values = Json::array();
    for (std::size_t i = 0; i < a.size(); ++i) values.push_back(a.value(i));
    axes.push_back({{"name", a.name}, {"values", std::move(values)}});
  }
  return axes;
}

Json samples_json(const Samples& samples) {
  Json list = Json::array();
  for (const auto& p : samples.parameters()) list.push_back({{"name", p.name}, {"distribution", p.text}});
  return {{"points", samples.points()},
          {"sampling", to_string(samples.kind())},
          {"seed", samples.seed() ? Json(*samples.seed()) : Json(nullptr)},
          {"parameters", std::move(list)}};
}

std::string first_rows(const SweepReport& x) {
  constexpr std::size_t shown = 25;
  const RowStore& rows = x.rows;
  std::string out;
  for (const auto& name : x.points.names()) out += fmt::format(" {:>16}", name);
  for (const auto& m : x.measures.list()) out += fmt::format(" {:>{}}", m.name, rows.has_errors() ? 24 : 18);
  out += "\n";
  std::size_t lines = 0;
  for (std::size_t i = 0; i < rows.points() && lines < shown; ++i) {
    if (!rows.has(i)) continue;
    ++lines;
    const SweepRow row = rows.row(i);
    for (const auto& [name, value] : x.points.point(i)) out += fmt::format(" {:>16}", value);
    for (std::size_t k = 0; k < row.values.size(); ++k)
      out += row.errors.empty() ? fmt::format(" {:>18.10g}", row.values[k])
                                : fmt::format(" {:>24}", with_bar(row.values[k], row.errors[k]));
    if (row.status == SweepRow::Status::failed)
      out += "  failed: " + row.message.substr(0, row.message.find('\n'));
    out += "\n";
  }
  if (rows.count() > lines)
    out += fmt::format("… and {} more (-o FILE.csv writes all)\n", rows.count() - lines);
  return out;
}

}  // namespace

void SweepReport::print_json(std::ostream& stream) const {
  Json names = Json::array(), fixed = parameters_json(parameters);
  for (const auto& m : measures.list()) names.push_back({{"name", m.name}, {"formula", m.formula.text()}});
  for (const auto& name : points.names()) fixed.erase(name);  // they vary
  JsonStream out(stream);
  out.key("problem", options.target.target);
  out.key("parameters", fixed);
  out.key("over", axes_json(points));
  if (points.table)
    out.key(
        "over_file",
        {{"file", options.over_file}, {"names", points.table->names()}, {"points", points.table->size()}});
  if (points.samples) out.key("samples", samples_json(*points.samples));
  out.key("measures", names);
  out.key("status", missing() ? "interrupted" : rows.failed() ? "failed" : "finished");
  out.key("failed", rows.failed());
  out.key("missing", missing());
  if (summary) {
    out.key("by", summary->by_json());
    out.begin_list("reductions");
    for (std::size_t m = 0; m < measures.list().size(); ++m)
      out.element(summary->measure_json(m, measures.list()[m].name));
  } else {
    out.begin_list("rows");
    for (std::size_t i = 0; i < rows.points(); ++i)
      if (rows.has(i)) out.element(row_json(*this, i));
  }
  out.end_list();
  if (!written.files.empty()) out.key("files", written.files);
  if (!written.trouble.empty()) out.key("trouble", written.trouble);
  out.finish();
}

void SweepReport::print_text(std::ostream& stream) const {
  stream << fmt::format("{}: {} points\n", options.target.target, rows.points())
         << (summary ? summary->text(measures.list()) : first_rows(*this));
  for (const auto& f : written.files) stream << fmt::format("wrote {}\n", f);
}

void SweepReport::print_trouble(std::ostream& stream) const {
  for (std::size_t i = 0; i < rows.points() && rows.failed() > 0; ++i) {
    if (!rows.has(i)) continue;
    const SweepRow row = rows.row(i);
    if (row.status != SweepRow::Status::failed) continue;
    std::string place;
    for (const auto& [name, value] : points.point(i))
      place += fmt::format("{}{}={}", place.empty() ? "" : " ", name, value);
    stream << fmt::format("saltus: {} of {} points failed; the first, {}: {}\n", rows.failed(), rows.points(),
                          place, row.message);
    break;
  }
  if (missing() > 0)
    stream << fmt::format("saltus: interrupted, {} of {} points are missing{}\n", missing(), rows.points(),
                          options.output.empty() ? "" : "; the same command with --resume goes on");
}

}  // namespace saltus::cli
