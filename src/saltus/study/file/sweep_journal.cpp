#include "saltus/study/file/sweep_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "saltus/core/checksum.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/file/file_lock.hpp"
#include "saltus/core/file/output_file.hpp"

namespace saltus {
namespace {

constexpr std::string_view version = "saltus journal 3 ", any_version = "saltus journal ";
constexpr std::size_t longest_identity = 1'000'000, seal_size = 8, window_size = 1 << 16;

std::string seal_of(std::uint64_t sum) {
  std::string out;
  for (std::size_t i = 0; i < seal_size; ++i) out += static_cast<char>(sum >> (8 * i));
  return out;
}

// The line and its checksum, as text.
std::string head_of(std::string identity, std::uint64_t& sum) {
  for (char& c : identity)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  if (identity.size() > longest_identity) fail("the arguments of the sweep have more than a million bytes");
  const std::string line = std::string(version) + identity;
  std::string out = fmt::format("{}\t{:016x}\n", line, checksum(line));
  sum = checksum(out);
  return out;
}

}  // namespace

SweepJournal::SweepJournal(std::string file, const std::string& identity, std::size_t points,
                           std::size_t measures, Start start)
    : RowStore(points, measures), name_(std::move(file)), sum_(checksum_of_nothing) {
  const std::string head = head_of(identity, sum_);
  try {
    if (start == Start::fresh)
      begin(head);
    else
      resume(head);
  } catch (...) {
    if (descriptor_ >= 0) ::close(descriptor_);
    throw;
  }
}

SweepJournal::~SweepJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

// Made beside its place: a file of that name is whole from the first moment, and nobody else's is replaced.
void SweepJournal::begin(const std::string& head) {
  std::string fresh;
  descriptor_ = create_beside(name_, ".new", fresh);
  bool good = lock_descriptor(descriptor_) && write(head) && ::fsync(descriptor_) == 0;
  if (good && ::link(fresh.c_str(), name_.c_str()) != 0) {
    good = errno != EEXIST;
    if (good) good = std::rename(fresh.c_str(), name_.c_str()) == 0;  // a file system without links
  }
  const int error = errno;
  ::unlink(fresh.c_str());
  if (good) return;
  if (error == EEXIST)
    fail(
        "'{}' holds rows of a sweep that runs or was interrupted: --resume goes on with it; remove it to "
        "start afresh",
        name_);
  fail("writing the journal '{}' failed: {}", name_, system_reason(error));
}

void SweepJournal::resume(const std::string& head) {
  descriptor_ = ::open(name_.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0)
    fail("cannot go on with the journal '{}': {}", name_,
         errno == ELOOP ? "it is a symbolic link; remove it" : std::strerror(errno));
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode))
    fail("cannot go on with the journal '{}': it is no ordinary file", name_);
  if (!lock_descriptor(descriptor_))
    fail("another sweep is writing the journal '{}'; wait for its end", name_);
  if (!check_head(head)) {
    if (!write(head)) fail("writing the journal '{}' failed: {}", name_, system_reason(errno));
    return;
  }
  size_ = head.size();
  std::string bytes;  // from size_ on
  for (std::uint64_t place = size_; read(place, 4 * window_size, bytes) > 0; place = size_ + bytes.size())
    bytes.erase(0, read_records(bytes, size_));
  if (!bytes.empty() && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0)
    fail("writing the journal '{}' failed: {}", name_, system_reason(errno));
}

// Whether the journal is of this sweep, by its first line; false when that was cut off.
bool SweepJournal::check_head(const std::string& head) const {
  std::string found;
  read(0, std::max(head.size(), window_size), found);
  if (found.find('\n') == std::string::npos && found.size() >= window_size)
    read(found.size(), longest_identity, found);
  const std::size_t end = found.find('\n');
  if (found.size() < head.size() && head.starts_with(found)) return false;
  if (found.starts_with(head)) return true;
  if (!found.starts_with(version))
    fail(
        "'{}' is not a journal of this version of saltus: it does not begin with '{}'{}; remove it, or give "
        "-o another name",
        name_, version,
        found.starts_with(any_version) ? " but is of another version, which can finish that sweep" : "");
  const std::size_t tab = found.substr(0, end).rfind('\t');
  if (end == std::string::npos || tab == std::string::npos ||
      found.substr(tab, end - tab) != fmt::format("\t{:016x}", checksum(found.substr(0, tab))))
    fail("line 1 of the journal '{}' is damaged; remove the file and start the sweep anew", name_);
  fail("the journal '{}' belongs to another sweep ({}); repeat the same arguments, or remove it", name_,
       found.substr(version.size(), std::min<std::size_t>(tab - version.size(), 2000)));
}

// Takes the whole records at the beginning of `bytes`, which lie at `place`; how many bytes they have.
std::size_t SweepJournal::read_records(std::string_view bytes, std::uint64_t place) {
  std::size_t used = 0;
  for (RowRecord record;;) {
    const std::string_view rest = bytes.substr(used);
    if (!read_record(rest, points(), measures(), record)) damaged(place + used);
    if (record.size == 0 || rest.size() < record.size + seal_size) break;
    sum_ = checksum(rest.substr(0, record.size), sum_);
    const std::string seal = seal_of(sum_);
    if (rest.substr(record.size, seal_size) != seal || !found(record.index, record.row, place + used))
      damaged(place + used);
    sum_ = checksum(seal, sum_);
    used += record.size + seal_size;
  }
  size_ = place + used;
  return used;
}

void SweepJournal::damaged(std::uint64_t place) const {
  fail(
      "row {} of the journal '{}', at byte {}, is damaged; to keep the {} rows before it cut the file there "
      "(truncate -s {} FILE), or remove it",
      count() + 1, name_, place, count(), place);
}

// All of it, or nothing.
bool SweepJournal::write(std::string_view bytes) {
  std::uint64_t at = size_;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  if (bytes.empty()) {
    size_ = at;
    return true;
  }
  const int error = errno;
  static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0);  // else the next one covers it
  errno = error;
  return false;
}

// Appends up to `size` bytes from a place of the file to `out`; how many.
std::size_t SweepJournal::read(std::uint64_t place, std::size_t size, std::string& out) const {
  const std::size_t before = out.size();
  out.resize(before + size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n =
        ::pread(descriptor_, out.data() + before + got, size - got, static_cast<off_t>(place + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("reading the journal '{}' failed: {}", name_, std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  out.resize(before + got);
  return got;
}

std::uint64_t SweepJournal::append(std::string_view record) {
  const std::uint64_t place = size_;
  std::uint64_t sum = checksum(record, sum_);
  const std::string seal = seal_of(sum);
  if (!write(std::string(record) + seal))
    fail("writing the journal '{}' failed: {}; make room, then the same command with --resume goes on", name_,
         system_reason(errno));
  sum_ = checksum(seal, sum);
  return place;
}

std::string_view SweepJournal::at(std::uint64_t place) const {
  const std::uint64_t end = std::min<std::uint64_t>(place + longest_record(measures()), size_);
  const std::uint64_t seen = window_at_ + window_.size();
  if (place < window_at_ || end > seen) {
    const bool near =
        place >= window_at_ && place < seen + window_size;  // else rows are read in another order
    const std::size_t record = longest_record(measures());
    window_.clear();
    read(place, near ? std::max(window_size, 2 * record) : record, window_);
    window_at_ = place;
  }
  return std::string_view(window_).substr(place - window_at_);
}

}  // namespace saltus
