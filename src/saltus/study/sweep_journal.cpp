#include "saltus/study/sweep_journal.hpp"

#include <filesystem>
#include <fstream>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return text;
}

// index TAB status TAB values, by commas TAB message
std::string line_of(std::size_t index, const SweepRow& row) {
  return fmt::format("{}\t{}\t{}\t{}\n", index, to_string(row.status), fmt::join(row.values, ","),
                     one_line(row.message));
}

bool parse_line(const std::string& line, std::size_t points, std::size_t measures,
                std::vector<SweepRow>& rows) {
  std::vector<std::string> parts(1);
  for (char c : line) {
    if (c == '\t' && parts.size() < 4)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != 4) return false;
  SweepRow row;
  row.status = parts[1] == "finished" ? SweepRow::Status::finished : SweepRow::Status::failed;
  row.message = parts[3];
  const std::string& list = parts[2];
  for (std::size_t a = 0; a < list.size();) {
    const std::size_t b = std::min(list.find(',', a), list.size());
    row.values.push_back(parse_number(std::string_view(list).substr(a, b - a), "value"));
    a = b + 1;
  }
  const long index = parse_integer(parts[0], "index");
  if (index < 0 || static_cast<std::size_t>(index) >= points) return false;
  if (!row.values.empty() && row.values.size() != measures) return false;
  rows[static_cast<std::size_t>(index)] = std::move(row);
  return true;
}

}  // namespace

std::vector<SweepRow> read_journal(const std::string& file, const std::string& identity, std::size_t points,
                                   std::size_t measures) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail("cannot read the journal '{}'", file);
  std::vector<SweepRow> rows(points);
  std::string line;
  std::getline(in, line);
  if (in.eof()) return rows;  // killed before the first line was out
  if (line != one_line(identity))
    fail("the journal '{}' belongs to another sweep ({}); repeat the same arguments, or remove it", file,
         line);
  for (int number = 2; std::getline(in, line) && !in.eof(); ++number) {
    bool good = false;
    try {
      good = parse_line(line, points, measures, rows);
    } catch (const Error&) {
    }
    if (!good) fail("line {} of the journal '{}' is damaged; remove the line, or the file", number, file);
  }
  return rows;
}

SweepJournal::SweepJournal(const std::string& file, const std::string& identity,
                           std::span<const SweepRow> known)
    : name_(file) {
  // written anew beside the old one: what is known is never at risk
  const std::string fresh = file + ".new";
  file_.reset(std::fopen(fresh.c_str(), "wb"));
  if (!file_) fail("cannot write '{}': no such folder, or not allowed", file);
  std::string text = one_line(identity) + "\n";
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].status != SweepRow::Status::missing) text += line_of(i, known[i]);
  const bool good =
      std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size() && std::fflush(file_.get()) == 0;
  std::error_code error;
  if (good) std::filesystem::rename(fresh, file, error);
  if (!good || error) fail("writing '{}' failed: is the disk full?", file);
}

void SweepJournal::add(std::size_t index, const SweepRow& row) {
  const std::string line = line_of(index, row);
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
    fail("writing the journal '{}' failed: is the disk full?", name_);
}

}  // namespace saltus
