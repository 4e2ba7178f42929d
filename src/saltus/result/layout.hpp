// Numbers of the layout, shared by writer and reader.
#pragma once
#include <string>

#include "saltus/core/checksum.hpp"
#include "saltus/core/port.hpp"
#include "saltus/core/types.hpp"
#include "saltus/result/result.hpp"

namespace saltus::layout {

constexpr int version = 1, event_rows = max_block_rows, name_length = 96;
constexpr const char* checksum_name = "attributes_checksum";

/// Of what a file says about its run from the first row on. HDF5 has checksums of its own for all but large
/// attributes, and the text of a scene is one.
inline std::string checksum_of(const ResultInfo& i) {
  std::uint64_t sum = checksum_of_nothing;
  for (const std::string* text : {&i.version, &i.problem, &i.settings, &i.scheme, &i.stepping, &i.solver,
                                  &i.scene, &i.given, &i.changes, &i.coordinates})
    sum = checksum(fmt::format("{}\n", text->c_str()), sum);
  for (const std::uint64_t bits :
       {port::bit_cast<std::uint64_t>(i.t0), port::bit_cast<std::uint64_t>(i.t_end),
        static_cast<std::uint64_t>(i.every)})
    sum = checksum(fmt::format("{:x} ", bits), sum);
  return fmt::format("{:016x}", sum);
}

}  // namespace saltus::layout
