// Only for sources that are compiled with SALTUS_WITH_HDF5: an HDF5 file that anyone may have made, opened
// for reading. Nothing in it is believed before it is checked, and nothing is ever written to it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/core/file/h5_dataset.hpp"

namespace saltus {

template <class T>
struct H5Table {
  std::vector<T> values;
  std::size_t rows = 0, width = 1;
  const T* row(std::size_t i) const { return values.data() + i * width; }
};

class H5Input {
 public:
  /// Also a file that is still written, or whose writer was killed. Throws Error naming the file.
  explicit H5Input(const std::string& file);
  const std::string& name() const { return name_; }

  /// Whether there is such a group or dataset. Links that may lead out of the file are refused.
  bool has(const std::string& path) const;
  H5Dataset dataset(const std::string& path) const;
  /// All rows that were written. Throws Error also when they would not fit into this machine's memory along
  /// with all that was read before.
  template <class T>
  H5Table<T> table(const std::string& path) const {
    const H5Dataset set = dataset(path);
    take(path, set.rows_written(), set.columns() * sizeof(T));
    H5Table<T> out{std::vector<T>(set.rows_written() * set.columns()), set.rows_written(), set.columns()};
    set.read(0, out.rows, out.values.data());
    return out;
  }
  std::vector<std::string> texts(const std::string& path) const;

  /// Attributes of the root.
  bool has_attribute(const char* name) const;
  std::string text(const char* name) const;
  double real(const char* name) const;
  std::int64_t integer(const char* name) const;

 private:
  void take(const std::string& path, std::size_t rows, std::size_t row_bytes) const;
  void number(const char* name, hid_t type, void* out) const;
  Handle attribute(const char* name, H5T_class_t& kind, std::size_t& bytes) const;

  std::string name_;
  Handle file_;
  mutable std::size_t taken_ = 0;  // bytes of all tables
};

}  // namespace saltus
