// The rows of a sweep as they come, in a text file, so that a sweep that was interrupted (or killed) can go
// on. First line: what is swept. Then one line per row: index, status, values (and errors), message. Every
// line ends with a checksum of itself and all lines before it.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "saltus/study/sweep.hpp"

namespace saltus {

/// Rows of an earlier sweep with the same `identity`; a last line that was cut off is left out. Throws Error
/// when the file belongs to another sweep or is damaged.
std::vector<SweepRow> read_journal(const std::string& file, const std::string& identity, std::size_t points,
                                   std::size_t measures);

class SweepJournal {
 public:
  /// Starts the file with the rows that are known. Throws Error when it cannot be written; what was there
  /// stays then.
  SweepJournal(const std::string& file, const std::string& identity, std::span<const SweepRow> known);
  ~SweepJournal();
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;
  /// Appends and hands the line to the system at once. Throws Error when the disk is full; the file then has
  /// the lines before it.
  void add(std::size_t index, const SweepRow& row);

 private:
  bool append(std::string_view text);

  std::string name_;
  std::uint64_t sum_;  // of all lines so far
  off_t size_ = 0, written_ = 0;
  int descriptor_ = -1;
};

}  // namespace saltus
