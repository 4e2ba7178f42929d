// Only for sources that are compiled with SALTUS_WITH_HDF5: a dataset of a file that anyone may have made.
#pragma once
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/file/h5_chunk.hpp"

namespace saltus {

/// Numbers or texts in up to two dimensions. Type, rank, sizes, storage and filters are checked when it is
/// opened, each before it is used: the bytes that it declares fit in memory's numbers, are stored in this
/// file and not in another one, and are no more than deflate can make of the stored ones.
class H5Dataset {
 public:
  /// Throws Error naming file and path.
  H5Dataset(hid_t file, const std::string& file_name, const std::string& path);

  int rank() const { return rank_; }
  std::size_t rows() const { return size_[0]; }
  std::size_t columns() const { return size_[1]; }
  /// Rows before the first one that was never written: less than rows() when the writer was stopped.
  std::size_t rows_written() const { return written_; }

  /// Rows [first, first + count) as T, which are `count * columns()` elements.
  template <class T>
  void read(std::size_t first, std::size_t count, T* out) const {
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::uint8_t>);
    if constexpr (std::is_same_v<T, double>) read_as(H5T_NATIVE_DOUBLE, first, count, out);
    if constexpr (std::is_same_v<T, std::int64_t>) read_as(H5T_NATIVE_INT64, first, count, out);
    if constexpr (std::is_same_v<T, std::uint64_t>) read_as(H5T_NATIVE_UINT64, first, count, out);
    if constexpr (std::is_same_v<T, std::uint8_t>) read_as(H5T_NATIVE_UINT8, first, count, out);
  }
  /// Texts of fixed length: bytes of each, and whether it holds such.
  std::size_t text_length() const { return element_; }
  bool is_text() const { return kind_ == H5T_STRING; }
  /// Of a dataset in one dimension.
  std::vector<std::string> texts() const;

  /// [[noreturn]] "FILE: PATH …"
  template <class... Args>
  [[noreturn]] void wrong(fmt::format_string<Args...> text, Args&&... args) const {
    fail("{}: {} {}", file_, path_, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  void look_at_type();
  void look_at_size();
  void look_at_storage(hid_t file);
  void look_at_chunks(hid_t create_list, std::size_t stored);
  std::size_t chunk_bytes_there(std::size_t row, std::size_t column) const;
  void read_as(hid_t type, std::size_t first, std::size_t count, void* out) const;
  void read_bytes(std::size_t first, std::size_t count, unsigned char* out) const;
  void read_chunk(std::size_t row, std::size_t column, std::size_t first, std::size_t count,
                  unsigned char* out) const;

  std::string file_, path_;
  Handle set_, type_{-1, H5Tclose};
  H5T_class_t kind_ = H5T_NO_CLASS;
  int rank_ = 0;
  std::size_t element_ = 0, size_[2] = {1, 1}, written_ = 0;
  bool chunked_ = false;
  std::size_t chunk_[2] = {1, 1}, chunk_bytes_ = 0;
  std::vector<H5Filter> filters_;
};

}  // namespace saltus
