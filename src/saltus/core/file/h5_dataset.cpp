#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/h5_dataset.hpp"

#include <algorithm>
#include <cstring>

namespace saltus {
namespace {

// a * b, or false when that has no place in a size.
bool multiply(std::size_t a, std::size_t b, std::size_t& out) {
  return !__builtin_mul_overflow(a, b, &out);
}

// Numbers with odd bits between their bytes are refused: no known program writes them, and converting them is
// a rarely used part of HDF5.
bool is_plain_number(hid_t type) {
  for (const hid_t plain : {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F32BE, H5T_STD_I8LE,
                            H5T_STD_I16LE,  H5T_STD_I32LE,  H5T_STD_I64LE,  H5T_STD_U8LE,   H5T_STD_U16LE,
                            H5T_STD_U32LE,  H5T_STD_U64LE,  H5T_STD_I8BE,   H5T_STD_I16BE,  H5T_STD_I32BE,
                            H5T_STD_I64BE,  H5T_STD_U8BE,   H5T_STD_U16BE,  H5T_STD_U32BE,  H5T_STD_U64BE})
    if (H5Tequal(type, plain) > 0) return true;
  return false;
}

}  // namespace

H5Dataset::H5Dataset(hid_t file, const std::string& file_name, const std::string& path)
    : file_(file_name), path_(path), set_(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose) {
  if (set_.id < 0) wrong("is not a dataset, or is damaged");
  look_at_type();
  look_at_size();
  look_at_storage(file);
}

void H5Dataset::look_at_type() {
  type_ = Handle(H5Dget_type(set_.id), H5Tclose);
  kind_ = H5Tget_class(type_.id);
  element_ = H5Tget_size(type_.id);
  const bool number = (kind_ == H5T_FLOAT || kind_ == H5T_INTEGER) && is_plain_number(type_.id);
  const bool text = kind_ == H5T_STRING && H5Tis_variable_str(type_.id) == 0;
  if (element_ == 0 || !(number || text)) wrong("holds neither numbers nor texts of fixed length");
}

void H5Dataset::look_at_size() {
  const Handle space(H5Dget_space(set_.id), H5Sclose);
  if (H5Sget_simple_extent_type(space.id) == H5S_NULL) wrong("is empty: it has no size");
  rank_ = H5Sget_simple_extent_ndims(space.id);
  if (rank_ < 0 || rank_ > 2) wrong("has {} dimensions, at most 2 are allowed", rank_);
  hsize_t size[2] = {1, 1};
  if (rank_ > 0 && H5Sget_simple_extent_dims(space.id, size, nullptr) < 0) wrong("has no size");
  size_[0] = size[0], size_[1] = size[1];
  std::size_t bytes = 0;
  if (!multiply(size_[0], size_[1], bytes) || !multiply(bytes, element_, bytes) || bytes > PTRDIFF_MAX)
    wrong("declares {} × {} entries of {} bytes, more than there can be", size_[0], size_[1], element_);
}

void H5Dataset::look_at_storage(hid_t file) {
  const Handle how(H5Dget_create_plist(set_.id), H5Pclose);
  hsize_t file_size = 0;
  const H5D_layout_t layout = H5Pget_layout(how.id);
  if (how.id < 0 || H5Fget_filesize(file, &file_size) < 0) wrong("is damaged");
  if (H5Pget_external_count(how.id) != 0 || layout == H5D_VIRTUAL)
    wrong("is stored in another file; only what is in the file itself is read");
  const hsize_t stored = H5Dget_storage_size(set_.id);
  if (stored > file_size)
    wrong("claims {} stored bytes in a file of {}: the file is damaged", stored, file_size);
  chunked_ = layout == H5D_CHUNKED;
  if (chunked_) return look_at_chunks(how.id, stored);
  if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) wrong("has an unknown layout");
  if (H5Pget_nfilters(how.id) != 0) wrong("has filters without chunks");
  const std::size_t bytes = size_[0] * size_[1] * element_;
  if (stored < bytes) wrong("declares {} bytes and stores {}: it was not written", bytes, stored);
  written_ = size_[0];
}

void H5Dataset::look_at_chunks(hid_t create_list, std::size_t stored) {
  hsize_t chunk[2] = {1, 1};
  unsigned options = 0;
  if (rank_ < 1 || H5Pget_chunk(create_list, rank_, chunk) != rank_ || chunk[0] == 0 || chunk[1] == 0)
    wrong("has chunks without size");
  if (H5Pget_chunk_opts(create_list, &options) < 0 || options != 0)
    wrong("has chunks at its edge without filters, which are not read here");
  chunk_[0] = chunk[0], chunk_[1] = chunk[1];
  if (!multiply(chunk_[0], chunk_[1], chunk_bytes_) || !multiply(chunk_bytes_, element_, chunk_bytes_) ||
      chunk_bytes_ > UINT32_MAX)
    wrong("has chunks of {} × {} entries, more than there can be", chunk_[0], chunk_[1]);
  std::string trouble;
  filters_ = filters_of(create_list, trouble);
  if (!trouble.empty()) wrong("{}", trouble);

  hsize_t there = 0;
  const std::size_t across = size_[1] == 0 ? 0 : (size_[1] - 1) / chunk_[1] + 1;
  const std::size_t down = size_[0] == 0 ? 0 : (size_[0] - 1) / chunk_[0] + 1;
  if (size_[0] == 0 || size_[1] == 0) {
    written_ = size_[0];
    return;
  }
  const Handle space(H5Dget_space(set_.id), H5Sclose);
  if (H5Dget_num_chunks(set_.id, space.id, &there) < 0) wrong("is damaged: its chunks cannot be found");
  std::size_t whole = down;
  if (there / across < down || there != down * across)
    for (whole = 0; there > 0 && whole < down; ++whole) {
      std::size_t column = 0;
      while (column < size_[1] && chunk_bytes_there(whole * chunk_[0], column) > 0) column += chunk_[1];
      if (column < size_[1]) break;
    }
  written_ = whole == down ? size_[0] : whole * chunk_[0];
  // in the end every chunk is measured by itself; this is before anything is reserved for all of them
  std::size_t inflated = 0;
  if (!multiply(whole, across, inflated) || !multiply(inflated, chunk_bytes_, inflated) ||
      inflated / most_inflation > stored)
    wrong("declares {} chunks of {} bytes and stores {} bytes: no compression does that", whole * across,
          chunk_bytes_, stored);
}

// 0 when it was never written.
std::size_t H5Dataset::chunk_bytes_there(std::size_t row, std::size_t column) const {
  const hsize_t at[] = {row, column};
  hsize_t bytes = 0;
  return H5Dget_chunk_storage_size(set_.id, at, &bytes) < 0 ? 0 : bytes;
}

void H5Dataset::read_as(hid_t type, std::size_t first, std::size_t count, void* out) const {
  if (kind_ == H5T_STRING) wrong("holds texts, numbers are needed");
  const std::size_t n = count * size_[1], to = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_INTEGER) {
    if (kind_ != H5T_INTEGER) wrong("holds real numbers, integers are needed");
    if (H5Tget_sign(type) == H5T_SGN_NONE && (H5Tget_sign(type_.id) != H5T_SGN_NONE || element_ > to))
      wrong("holds {} integers of {} bytes, unsigned ones of at most {} bytes are needed",
            H5Tget_sign(type_.id) == H5T_SGN_NONE ? "unsigned" : "signed", element_, to);
  }
  if (H5Tequal(type, type_.id) > 0) return read_bytes(first, count, static_cast<unsigned char*>(out));
  std::vector<unsigned char> raw(n * std::max(to, element_));
  read_bytes(first, count, raw.data());
  if (n > 0 && H5Tconvert(type_.id, type, n, raw.data(), nullptr, H5P_DEFAULT) < 0)
    wrong("cannot be converted to the numbers of this machine");
  if (n > 0) std::memcpy(out, raw.data(), n * to);
}

std::vector<std::string> H5Dataset::texts() const {
  if (kind_ != H5T_STRING) wrong("holds numbers, texts are needed");
  if (rank_ > 1) wrong("has {} dimensions, one is needed", rank_);
  std::vector<unsigned char> all(written_ * element_);
  read_bytes(0, written_, all.data());
  std::vector<std::string> out;
  for (std::size_t i = 0; i < written_; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * element_);
    const auto end = begin + static_cast<std::ptrdiff_t>(element_);
    out.emplace_back(begin, std::find(begin, end, '\0'));
  }
  return out;
}

void H5Dataset::read_bytes(std::size_t first, std::size_t count, unsigned char* out) const {
  if (first > written_ || count > written_ - first)
    wrong("has {} rows that were written, rows {} to {} are needed", written_, first, first + count);
  if (count == 0 || size_[1] == 0) return;
  if (chunked_) {
    for (std::size_t row = first - first % chunk_[0]; row < first + count; row += chunk_[0])
      for (std::size_t column = 0; column < size_[1]; column += chunk_[1])
        read_chunk(row, column, first, count, out);
    return;
  }
  const hsize_t start[] = {first, 0}, size[] = {count, size_[1]};
  const Handle space(H5Dget_space(set_.id), H5Sclose),
      memory(rank_ == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank_, size, nullptr), H5Sclose);
  if ((rank_ > 0 && H5Sselect_hyperslab(space.id, H5S_SELECT_SET, start, nullptr, size, nullptr) < 0) ||
      H5Dread(set_.id, type_.id, memory.id, space.id, H5P_DEFAULT, out) < 0)
    wrong("cannot be read: the file is damaged");
}

// The part of the chunk that begins at (row, column) in the wanted rows goes to its place.
void H5Dataset::read_chunk(std::size_t row, std::size_t column, std::size_t first, std::size_t count,
                           unsigned char* out) const {
  const hsize_t at[] = {row, column};
  const std::size_t stored = chunk_bytes_there(row, column);
  if (stored == 0) wrong("has no data from row {} on: the file is damaged", row);
  // incompressible data grow a little, checksums take four bytes
  if (stored > chunk_bytes_ + chunk_bytes_ / 100 + 1024)
    wrong("stores a chunk of {} bytes in {}: the file is damaged", chunk_bytes_, stored);
  std::vector<unsigned char> bytes(stored);
  std::uint32_t skipped = 0;
  if (H5Dread_chunk(set_.id, H5P_DEFAULT, at, &skipped, bytes.data()) < 0)
    wrong("cannot be read at row {}: the file is damaged", row);
  if (const auto trouble = undo_filters(filters_, skipped, chunk_bytes_, bytes); !trouble.empty())
    wrong("cannot be read: what is stored from row {} on {}", row, trouble);
  const std::size_t width = std::min(chunk_[1], size_[1] - column) * element_;
  const std::size_t begin = std::max(row, first), end = std::min(row + chunk_[0], first + count);
  for (std::size_t i = begin; i < end; ++i)
    std::memcpy(out + ((i - first) * size_[1] + column) * element_,
                bytes.data() + (i - row) * chunk_[1] * element_, width);
}

}  // namespace saltus

#endif
