// Any bytes as the journal of a sweep: read as they are, and once more with checksums that fit.
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "saltus/core/checksum.hpp"
#include "saltus/study/file/sweep_journal.hpp"

using namespace saltus;

namespace {

constexpr std::size_t points = 20, measures = 2;
constexpr const char* identity = "this sweep";

std::string sealed(std::string_view text) {
  std::string out;
  std::uint64_t sum = checksum_of_nothing;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    sum = checksum(line, sum);
    out += fmt::format("{}\t{:016x}\n", line, sum);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {std::string(bytes), sealed(bytes)})
    fuzz::answered([&] {
      const fuzz::MemoryFile file(text);
      const auto rows = read_journal(file.name(), identity, points, measures);
      if (rows.size() != points) throw std::logic_error("rows are missing");
      for (const SweepRow& r : rows)
        if (!r.values.empty() && r.values.size() != measures) throw std::logic_error("values are missing");
    });
  return 0;
}
