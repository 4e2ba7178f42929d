// Only for sources that are compiled with SALTUS_WITH_HDF5: the stored bytes of one chunk of a dataset back
// to its elements. HDF5's own filters trust the sizes that a file declares; these do not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/core/file/hdf5.hpp"

namespace saltus {

struct H5Filter {
  H5Z_filter_t id;
  std::size_t element;  ///< bytes of an element, for the shuffle
};

/// Bytes after inflation per byte before it: 1032 is what deflate can do at best.
inline constexpr std::size_t most_inflation = 1100;

/// Filters of a dataset in the order of writing. Fails with the reason in `trouble` for one that is unknown,
/// or there twice.
std::vector<H5Filter> filters_of(hid_t create_list, std::string& trouble);

/// Undoes the filters; those with their bit in `skipped` were not applied. `bytes` must become exactly `size`
/// bytes. Returns what is wrong; empty when nothing is.
std::string undo_filters(const std::vector<H5Filter>& filters, std::uint32_t skipped, std::size_t size,
                         std::vector<unsigned char>& bytes);

}  // namespace saltus
