#include "saltus/study/sweep_row.hpp"

#include "saltus/core/port.hpp"
#include "saltus/study/sweep_axis.hpp"

namespace saltus {
namespace {

static_assert(largest_sweep < (1ull << 32) && longest_message < (1 << 16));
enum Part : unsigned { has_values = 1, has_errors = 2 };

void put(std::string& out, std::uint64_t x, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((x >> (8 * i)) & 0xff);
}
std::uint64_t get(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t x = 0;
  for (int i = count; i-- > 0;)
    x = x << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return x;
}

}  // namespace

std::string_view to_string(SweepRow::Status status) {
  constexpr std::string_view names[] = {"missing", "finished", "failed"};
  return names[static_cast<std::size_t>(status)];
}

std::string row_record(std::size_t index, const SweepRow& row) {
  const std::string_view message = std::string_view(row.message).substr(0, longest_message);
  std::string out;
  out.reserve(record_head + 8 * (row.values.size() + row.errors.size()) + message.size());
  put(out, index, 4);
  put(out, static_cast<std::uint64_t>(row.status), 1);
  put(out, (row.values.empty() ? 0u : has_values) | (row.errors.empty() ? 0u : has_errors), 1);
  put(out, message.size(), 2);
  for (const double x : row.values) put(out, port::bit_cast<std::uint64_t>(x), 8);
  for (const double x : row.errors) put(out, port::bit_cast<std::uint64_t>(x), 8);
  out += message;
  return out;
}

bool read_record(std::string_view bytes, std::size_t points, std::size_t measures, RowRecord& out) {
  out.size = 0;
  if (bytes.size() < record_head) return true;
  const std::uint64_t status = get(bytes, 4, 1), parts = get(bytes, 5, 1), length = get(bytes, 6, 2);
  out.index = get(bytes, 0, 4);
  if (out.index >= points || (status != 1 && status != 2) || parts > 3 || length > longest_message)
    return false;
  const std::size_t numbers = measures * ((parts & has_values ? 1 : 0) + (parts & has_errors ? 1 : 0));
  const std::size_t size = record_head + 8 * numbers + length;
  if (bytes.size() < size) return true;
  std::size_t at = record_head;
  const auto take = [&](bool there, std::vector<double>& list) {
    list.resize(there ? measures : 0);
    for (double& x : list) x = port::bit_cast<double>(get(bytes, at, 8)), at += 8;
  };
  out.row.status = static_cast<SweepRow::Status>(status);
  take(parts & has_values, out.row.values);
  take(parts & has_errors, out.row.errors);
  out.row.message = bytes.substr(at, length);
  out.size = size;
  return true;
}

}  // namespace saltus
