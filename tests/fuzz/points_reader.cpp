// Any bytes as what says where the points of a sweep are and what becomes of them: a table, distributions,
// axes, reductions; and as the messages between ranks.
#include "fuzz/memory_file.hpp"
#include "saltus/study/rank_link.hpp"
#include "saltus/study/sweep_groups.hpp"
#include "saltus/study/sweep_row.hpp"

using namespace saltus;

namespace {

void read_table(const std::string& text) {
  SweepPoints points;
  points.table.emplace(text, "points.csv");
  const std::size_t count = points.count();
  for (std::size_t k = 0; k < count; k += 1 + count / 100)
    if (points.point(k).size() != points.names().size()) throw std::logic_error("cells are missing");
  const std::vector<std::string> by = {points.names().front()};
  const SweepGroups groups(points, by);
  for (std::size_t k = 0; k < count; ++k)
    if (groups.of(k) >= groups.count()) throw std::logic_error("a group that is none");
}

void draw(const std::string& text) {
  const SampledParameter p = parse_sample(text);
  const auto [low, high] = p.distribution.bounds();
  for (const double u : {0x1p-54, 0.1, 0.5, 0.9, 1 - 0x1p-53}) {
    const double x = p.distribution.number(u);
    if (!(x >= low && x <= high) || p.distribution.value(u).empty())
      throw std::logic_error("a value out of bounds");
  }
}

void read_records(std::string_view bytes) {
  RowRecord record;
  while (read_record(bytes, 1000, 2, record) && record.size > 0) {
    if (row_record(record.index, record.row) != bytes.substr(0, record.size))
      throw std::logic_error("a record that is written in another way");
    bytes.remove_prefix(record.size);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::answered([&] { read_table(text); });
  fuzz::answered([&] { draw(text); });
  fuzz::answered([&] {
    const SweepAxis axis = parse_axis(text);
    for (std::size_t i = 0; i < axis.size(); i += 1 + axis.size() / 10) axis.value(i);
  });
  fuzz::answered([&] { parse_reduction(std::vector<std::string>{text}); });
  fuzz::answered([&] { hello_from(text); });
  fuzz::answered([&] { points_from(text); });
  read_records(text);
  return 0;
}
