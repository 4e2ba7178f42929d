// The outcome of one point of a sweep, and its form in bytes: in memory, in journals, between processes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

struct SweepRow {
  enum class Status : std::uint8_t { missing, finished, failed };
  Status status = Status::missing;
  std::vector<double> values;  ///< one per measure; empty where the run could not start
  std::vector<double> errors;  ///< their bars, NaN without a digit; empty without an estimate
  std::string message;         ///< what went wrong, or what to know about a finished run
};
std::string_view to_string(SweepRow::Status status);

/// index (4 bytes), status (1), which parts there are (1), length of the message (2), values, errors,
/// message; numbers in little-endian order. Longer messages are cut.
std::string row_record(std::size_t index, const SweepRow& row);

struct RowRecord {
  std::size_t index = 0;
  SweepRow row;
  std::size_t size = 0;  ///< in bytes
};
/// Of the record at the beginning of `bytes`: size 0 when they end before it does. False for what cannot be a
/// record of a sweep with so many points and measures.
bool read_record(std::string_view bytes, std::size_t points, std::size_t measures, RowRecord& out);

inline constexpr std::size_t record_head = 8, longest_message = 10'000;
/// No record has more bytes.
constexpr std::size_t longest_record(std::size_t measures) {
  return record_head + 16 * measures + longest_message;
}

}  // namespace saltus
