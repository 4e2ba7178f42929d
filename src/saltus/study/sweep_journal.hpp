// The rows of a sweep as they come, in a text file, so that a sweep that was interrupted (or killed) can go
// on. First line: what is swept. Then one line per row: index, status, values, message.
#pragma once
#include <cstdio>
#include <memory>
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
  /// Starts the file with the rows that are known. Throws Error when it cannot be written.
  SweepJournal(const std::string& file, const std::string& identity, std::span<const SweepRow> known);
  /// Appends and hands the line to the system at once. Throws Error when the disk is full.
  void add(std::size_t index, const SweepRow& row);

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace saltus
