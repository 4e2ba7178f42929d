// Only for sources that are compiled with SALTUS_WITH_HDF5: a small HDF5 file that is made in memory and
// written completely or not at all.
#pragma once
#include <string>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/result/h5_file.hpp"

namespace saltus {

class MemoryFile {
 public:
  /// With one group for all datasets. Throws Error.
  MemoryFile(const std::string& file, const char* group)
      : name_(file), group_name_(group), file_(create(file)), group_(make_group(file_.id, group)) {
    if (file_.id < 0 || group_.id < 0) fail("{}: cannot be made", file);
  }
  hid_t group() const { return group_.id; }

  class Dataset {
   public:
    explicit Dataset(Handle set) : set_(std::move(set)) {}
    void unit(const std::string& text) const { set_text(set_.id, "unit", text); }

   private:
    Handle set_;
  };
  /// Of `rows` numbers, or rows of `columns` numbers.
  Dataset dataset(const char* path, hid_t type, const void* values, std::size_t rows,
                  std::size_t columns = 0) {
    const hsize_t sizes[] = {rows, columns};
    const Handle space(H5Screate_simple(columns > 0 ? 2 : 1, sizes, nullptr), H5Sclose);
    Handle set(H5Dcreate2(group_.id, path, type, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    if (set.id < 0 || (rows > 0 && H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
      fail("{}: /{}/{} cannot be written", name_, group_name_, path);
    return Dataset(std::move(set));
  }
  void write() {
    H5Fflush(file_.id, H5F_SCOPE_GLOBAL);
    const auto size = H5Fget_file_image(file_.id, nullptr, 0);
    std::string image(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    if (image.empty() || H5Fget_file_image(file_.id, image.data(), image.size()) != size)
      fail("{}: cannot be made", name_);
    write_file(name_, image);
  }

 private:
  static Handle create(const std::string& file) {
    start_hdf5();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id, 1 << 20, false);  // memory only
    return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id), H5Fclose};
  }
  static Handle make_group(hid_t file, const char* group) {
    return {H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
  }
  std::string name_, group_name_;
  Handle file_, group_;
};

}  // namespace saltus
