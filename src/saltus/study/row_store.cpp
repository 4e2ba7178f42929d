#include "saltus/study/row_store.hpp"

#include <cmath>

#include "saltus/core/error.hpp"

namespace saltus {

RowStore::RowStore(std::size_t points, std::size_t measures)
    : places_(points, nowhere), measures_(measures) {}

bool RowStore::found(std::size_t index, const SweepRow& row, std::uint64_t place) {
  if (places_[index] != nowhere) return false;
  places_[index] = place;
  ++count_;
  failed_ += row.status == SweepRow::Status::failed;
  has_errors_ = has_errors_ || !row.errors.empty();
  return true;
}

void RowStore::add(std::size_t index, const SweepRow& row) {
  if (index >= points() || has(index) || row.status == SweepRow::Status::missing)
    fail("row {} of the sweep cannot be kept: it is missing, there already, or beyond {} points", index,
         points());
  found(index, row, append(row_record(index, row)));
}

SweepRow RowStore::row(std::size_t index) const {
  if (!has(index)) return {};
  RowRecord record;
  if (!read_record(at(places_[index]), points(), measures_, record) || record.size == 0 ||
      record.index != index)
    fail("row {} of the sweep cannot be read again", index);
  return std::move(record.row);
}

std::uint64_t MemoryRows::append(std::string_view record) {
  const std::uint64_t place = bytes_.size();
  bytes_ += record;
  return place;
}

std::string_view MemoryRows::at(std::uint64_t place) const {
  return std::string_view(bytes_).substr(place);
}

std::vector<double> measure_column(const RowStore& rows, std::size_t measure, bool known_only) {
  std::vector<double> out(rows.points(), std::nan(""));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!rows.has(i)) continue;
    const SweepRow row = rows.row(i);
    const bool known = !known_only || row.errors.empty() || !std::isnan(row.errors[measure]);
    if (known && row.status == SweepRow::Status::finished) out[i] = row.values[measure];
  }
  return out;
}

std::vector<double> error_column(const RowStore& rows, std::size_t measure) {
  std::vector<double> out(rows.points(), std::nan(""));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (rows.has(i))
      if (const SweepRow row = rows.row(i); !row.errors.empty()) out[i] = row.errors[measure];
  return out;
}

}  // namespace saltus
