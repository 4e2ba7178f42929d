// Any bytes as the journal of a sweep: as they are, and after a first line and with checksums that fit.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz/memory_file.hpp"
#include "saltus/core/checksum.hpp"
#include "saltus/study/file/sweep_journal.hpp"

using namespace saltus;

namespace {

constexpr std::size_t point_count = 20, measure_count = 2;
const std::string sweep_identity = "this sweep";

// A journal is opened for writing by its own name only, so it needs a file.
class JournalFile {
 public:
  explicit JournalFile(std::string_view bytes)
      : name_((std::filesystem::temp_directory_path() / fmt::format("saltus-journal-{}", ::getpid()))
                  .string()) {
    std::ofstream(name_, std::ios::binary) << bytes;
  }
  ~JournalFile() { std::filesystem::remove(name_); }
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// The bytes in pieces, by the length that stands before each, as records with their checksums.
std::string sealed_journal(std::string_view bytes) {
  const std::string line = "saltus journal 3 " + sweep_identity;
  std::string out = fmt::format("{}\t{:016x}\n", line, checksum(line));
  std::uint64_t sum = checksum(out);
  while (!bytes.empty()) {
    const std::size_t size = static_cast<unsigned char>(bytes.front());
    const std::string_view piece = bytes.substr(1, size);
    bytes.remove_prefix(1 + piece.size());
    sum = checksum(piece, sum);
    std::string seal;
    for (int i = 0; i < 8; ++i) seal += static_cast<char>(sum >> (8 * i));
    sum = checksum(seal, sum);
    out += piece;
    out += seal;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {std::string(bytes), sealed_journal(bytes)})
    fuzz::answered([&] {
      const JournalFile file(text);
      const SweepJournal rows(file.name(), sweep_identity, point_count, measure_count,
                              SweepJournal::Start::resume);
      std::size_t there = 0;
      for (std::size_t i = 0; i < point_count; ++i) {
        const SweepRow row = rows.row(i);
        there += row.status != SweepRow::Status::missing;
        if (!row.values.empty() && row.values.size() != measure_count)
          throw std::logic_error("values are missing");
        if (!row.errors.empty() && row.errors.size() != measure_count)
          throw std::logic_error("bars are missing");
      }
      if (there != rows.count()) throw std::logic_error("rows are missing");
    });
  return 0;
}
