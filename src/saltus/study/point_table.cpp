#include "saltus/study/point_table.hpp"

#include <algorithm>

#include "saltus/core/checksum.hpp"
#include "saltus/core/error.hpp"
#include "saltus/study/sweep_axis.hpp"

namespace saltus {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The next cell of a line, which is shortened by it; false when its quotes do not end.
bool take_cell(std::string_view& line, std::string& cell) {
  line = trimmed(line);
  cell.clear();
  if (!line.starts_with('"')) {
    const std::size_t end = line.find(',');
    cell = trimmed(line.substr(0, end));
    line.remove_prefix(std::min(end, line.size()));
    return cell.find('"') == std::string::npos;
  }
  line.remove_prefix(1);
  for (;;) {
    const std::size_t end = line.find('"');
    if (end == std::string_view::npos) return false;
    cell += line.substr(0, end);
    line.remove_prefix(end + 1);
    if (!line.starts_with('"')) break;
    cell += '"';
    line.remove_prefix(1);
  }
  line = trimmed(line);
  return line.empty() || line.front() == ',';
}

bool cells_of(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  for (;;) {
    cells.emplace_back();
    if (!take_cell(line, cells.back())) return false;
    if (line.empty()) return true;
    line.remove_prefix(1);
  }
}

}  // namespace

std::string_view PointTable::line_at(std::size_t begin) const {
  return std::string_view(text_).substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
}

PointTable::PointTable(std::string text, std::string_view file) : text_(std::move(text)) {
  constexpr std::string_view mark = "\xef\xbb\xbf";  // of UTF-8, as some programs write it
  std::vector<std::string> cells;
  std::size_t number = 0;
  for (std::size_t at = text_.starts_with(mark) ? mark.size() : 0; at < text_.size();) {
    const std::string_view line = line_at(at);
    ++number;
    const std::size_t begin = at;
    at += line.size() + 1;
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    if (!cells_of(line, cells))
      fail("{}:{}: a quotation mark is not closed, or stands within a cell; write cells as \"a, b\"", file,
           number);
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (cells[k].empty())
        fail("{}:{}: cell {} is empty{}", file, number, k + 1,
             names_.empty() ? "; the first line names the columns"
                            : fmt::format(" (column '{}')", names_[std::min(k, names_.size() - 1)]));
    if (names_.empty()) {
      for (std::size_t k = 0; k < cells.size(); ++k)
        if (std::find(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(k), cells[k]) !=
            cells.begin() + static_cast<std::ptrdiff_t>(k))
          fail("{}:{}: there are two columns '{}'", file, number, cells[k]);
      names_ = cells;
      continue;
    }
    if (cells.size() != names_.size())
      fail("{}:{}: {} cells, but the table has {} columns ({})", file, number, cells.size(), names_.size(),
           fmt::join(names_, ", "));
    if (rows_.size() == largest_sweep) fail("{}:{}: more than {} points", file, number, largest_sweep);
    rows_.push_back(begin);
  }
  if (names_.empty())
    fail("{}: empty; the first line names the parameters, each further line is a point", file);
  if (rows_.empty()) fail("{}: only the names of columns; each further line is a point", file);
}

std::vector<std::string> PointTable::row_at(std::size_t row) const {
  std::vector<std::string> cells;
  cells_of(line_at(rows_[row]), cells);
  return cells;
}

std::uint64_t PointTable::checksum() const {
  return saltus::checksum(text_);
}

}  // namespace saltus
