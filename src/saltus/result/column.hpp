// Only for sources that are compiled with SALTUS_WITH_HDF5: a dataset that grows by rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/core/hdf5.hpp"

namespace saltus {

/// One extendible dataset, a row at a time: rows wait until a chunk is full.
class Column {
 public:
  /// Opens the dataset that is there, or creates it.
  Column(hid_t file, const std::string& path, hid_t type, std::size_t bytes, int width)
      : row_bytes_(bytes * static_cast<std::size_t>(std::max(width, 1))), type_(type), width_(width) {
    chunk_ = std::clamp<hsize_t>(65536 / row_bytes_, 16, 4096);
    waiting_.reserve(chunk_ * row_bytes_);
    set_ = Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (set_.id >= 0) return;
    const int rank = width > 0 ? 2 : 1;
    const auto w = static_cast<hsize_t>(std::max(width, 1));
    const hsize_t none[] = {0, w}, most[] = {H5S_UNLIMITED, w}, chunk[] = {chunk_, w};
    const Handle space(H5Screate_simple(rank, none, most), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id, 1);
    H5Pset_chunk(how.id, rank, chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_shuffle(how.id), H5Pset_deflate(how.id, 4);
    set_ = Handle(H5Dcreate2(file, path.c_str(), type, space.id, links.id, how.id, H5P_DEFAULT), H5Dclose);
  }
  /// Only these rows of the file are kept; false when there are fewer, or rows of another width.
  bool keep(std::uint64_t rows) {
    const Handle space(H5Dget_space(set_.id), H5Sclose);
    hsize_t now[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space.id) != (width_ > 0 ? 2 : 1)) return false;
    H5Sget_simple_extent_dims(space.id, now, nullptr);
    if (now[0] < rows || (width_ > 0 && now[1] != static_cast<hsize_t>(width_))) return false;
    now[0] = rows_ = rows;
    return H5Dset_extent(set_.id, now) >= 0;
  }
  bool push(const void* row) {
    const auto* p = static_cast<const char*>(row);
    waiting_.insert(waiting_.end(), p, p + row_bytes_);
    return waiting_.size() < chunk_ * row_bytes_ || write();
  }
  bool write() {
    const hsize_t n = waiting_.size() / row_bytes_, w = static_cast<hsize_t>(std::max(width_, 1));
    if (n == 0) return true;
    const int rank = width_ > 0 ? 2 : 1;
    const hsize_t size[] = {rows_ + n, w}, at[] = {rows_, 0}, count[] = {n, w};
    if (H5Dset_extent(set_.id, size) < 0) return false;
    const Handle space(H5Dget_space(set_.id), H5Sclose),
        memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
    H5Sselect_hyperslab(space.id, H5S_SELECT_SET, at, nullptr, count, nullptr);
    if (H5Dwrite(set_.id, type_, memory.id, space.id, H5P_DEFAULT, waiting_.data()) < 0) return false;
    rows_ += n;
    waiting_.clear();
    return true;
  }

 private:
  std::size_t row_bytes_;
  hid_t type_;
  int width_;
  hsize_t chunk_ = 0, rows_ = 0;
  Handle set_{-1, H5Dclose};
  std::vector<char> waiting_;
};

}  // namespace saltus
