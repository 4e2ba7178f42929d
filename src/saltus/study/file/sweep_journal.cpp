#include "saltus/study/file/sweep_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "saltus/core/checksum.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/input_file.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus {
namespace {

constexpr std::string_view head = "saltus journal 2 ";
constexpr std::size_t longest_line = 1 << 20, longest_message = 10'000;

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  return text;
}

// A line ends with the checksum of itself and of all before it: none can be changed, left out or repeated.
std::string sealed(std::string_view line, std::uint64_t& sum) {
  sum = checksum(line, sum);
  return fmt::format("{}\t{:016x}\n", line, sum);
}

std::string first_line(const std::string& identity) {
  std::string line = std::string(head) + one_line(identity);
  if (line.size() > longest_line - 100) fail("the arguments of the sweep have more than a million bytes");
  return line;
}

// index TAB status TAB values, then their errors if there are, by commas TAB message
std::string line_of(std::size_t index, const SweepRow& row) {
  std::vector<double> numbers = row.values;
  numbers.insert(numbers.end(), row.errors.begin(), row.errors.end());
  return fmt::format("{}\t{}\t{}\t{}", index, to_string(row.status), fmt::join(numbers, ","),
                     one_line(row.message.substr(0, longest_message)));
}

// What the seal is on, or false.
bool open_seal(std::string& line, std::uint64_t& sum) {
  const std::size_t tab = line.rfind('\t');
  if (tab == std::string::npos) return false;
  const std::string seal = line.substr(tab);
  line.resize(tab);
  sum = checksum(line, sum);
  return seal == fmt::format("\t{:016x}", sum);
}

bool parse_line(const std::string& line, std::size_t measures, std::vector<SweepRow>& rows) {
  std::vector<std::string> parts(1);
  for (char c : line) {
    if (c == '\t')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != 4) return false;
  SweepRow row;
  row.message = parts[3];
  for (const auto status : {SweepRow::Status::finished, SweepRow::Status::failed})
    if (parts[1] == to_string(status)) row.status = status;
  if (row.status == SweepRow::Status::missing) return false;
  const std::string& list = parts[2];
  for (std::size_t a = 0; a < list.size();) {
    const std::size_t b = std::min(list.find(',', a), list.size());
    row.values.push_back(parse_number(std::string_view(list).substr(a, b - a), "value"));
    a = b + 1;
  }
  const std::int64_t index = parse_integer(parts[0], "index");
  if (index < 0 || static_cast<std::size_t>(index) >= rows.size()) return false;
  if (row.values.size() == 2 * measures) {
    row.errors.assign(row.values.begin() + static_cast<std::ptrdiff_t>(measures), row.values.end());
    row.values.resize(measures);
  }
  if (!row.values.empty() && row.values.size() != measures) return false;
  SweepRow& place = rows[static_cast<std::size_t>(index)];
  if (place.status != SweepRow::Status::missing) return false;
  place = std::move(row);
  return true;
}

// Whether the journal is of this sweep, by its first line; false when that was cut off.
bool read_first_line(LineReader& in, const std::string& file, const std::string& expected,
                     std::uint64_t& sum) {
  std::string line;
  const auto found = in.next(line);
  if (found == LineReader::Found::end) return false;
  std::uint64_t other = sum;
  if (found == LineReader::Found::cut && sealed(expected, other).starts_with(line)) return false;
  if (!line.starts_with(head))
    fail(
        "'{}' is not a journal of this version of saltus: its first line does not begin with '{}'; remove "
        "it, "
        "or give -o another name",
        file, head);
  if (found == LineReader::Found::cut || !open_seal(line, sum))
    fail("line 1 of the journal '{}' is damaged; remove the file and start the sweep anew", file);
  if (line != expected)
    fail("the journal '{}' belongs to another sweep ({}); repeat the same arguments, or remove it", file,
         line.substr(head.size(), 2000));
  return true;
}

}  // namespace

std::vector<SweepRow> read_journal(const std::string& file, const std::string& identity, std::size_t points,
                                   std::size_t measures) {
  LineReader in(file, longest_line);
  std::vector<SweepRow> rows(points);
  std::uint64_t sum = checksum_of_nothing;
  if (!read_first_line(in, file, first_line(identity), sum)) return rows;
  for (std::string line; in.next(line) == LineReader::Found::line;) {
    bool good = false;
    try {
      good = open_seal(line, sum) && parse_line(line, measures, rows);
    } catch (const Error&) {
    }
    if (!good)
      fail(
          "line {} of the journal '{}' is damaged; to keep the rows before it remove this line and all after "
          "it, or "
          "remove the file",
          in.number(), file);
  }
  return rows;
}

SweepJournal::SweepJournal(const std::string& file, const std::string& identity,
                           std::span<const SweepRow> known)
    : name_(file), sum_(checksum_of_nothing) {
  std::string text = sealed(first_line(identity), sum_);
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i].status != SweepRow::Status::missing) text += sealed(line_of(i, known[i]), sum_);
  // written anew beside the old one: what is known is never at risk
  std::string fresh;
  descriptor_ = create_beside(file, ".new", fresh);
  const bool good =
      append(text) && ::fsync(descriptor_) == 0 && std::rename(fresh.c_str(), file.c_str()) == 0;
  if (good) return;
  const int error = errno;
  ::close(descriptor_);
  ::unlink(fresh.c_str());
  fail("writing the journal '{}' failed: {}", file, std::strerror(error));
}

SweepJournal::~SweepJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// All of it, or nothing: a part of a line would spoil the next one.
bool SweepJournal::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
    written_ += n;
  }
  if (text.empty()) {
    size_ = written_;
    return true;
  }
  const int error = errno;
  if (::ftruncate(descriptor_, size_) == 0 && ::lseek(descriptor_, size_, SEEK_SET) == size_)
    written_ = size_;
  errno = error;
  return false;
}

void SweepJournal::add(std::size_t index, const SweepRow& row) {
  std::uint64_t sum = sum_;
  if (!append(sealed(line_of(index, row), sum)))
    fail("writing the journal '{}' failed: {}; make room, then the same command with --resume goes on", name_,
         std::strerror(errno));
  sum_ = sum;
}

}  // namespace saltus
