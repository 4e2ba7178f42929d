// Points listed in a table: CSV, one line per point, its first line the names of what varies.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

class PointTable {
 public:
  /// Cells may be in double quotes ("" for one of them); blanks around cells, empty lines and lines that
  /// begin with # do not count. `file` is named in messages: "points.csv:3: …". Throws Error.
  PointTable(std::string text, std::string_view file);

  const std::vector<std::string>& names() const { return names_; }
  std::size_t size() const { return rows_.size(); }
  std::string value(std::size_t row, std::size_t column) const { return row_at(row)[column]; }
  std::vector<std::string> row_at(std::size_t row) const;
  /// Of the text.
  std::uint64_t checksum() const;

 private:
  std::string_view line_at(std::size_t begin) const;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<std::size_t> rows_;  // where each begins
};

}  // namespace saltus
