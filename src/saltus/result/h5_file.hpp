// Only for sources that are compiled with SALTUS_WITH_HDF5: opening files of results, their attributes, and a
// lock so that one process at a time writes.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "saltus/core/hdf5.hpp"

namespace saltus {

inline void set_text(hid_t file, const char* name, const std::string& text) {
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.id, text.size() + 1);
  H5Tset_cset(type.id, H5T_CSET_UTF8);
  const Handle a(H5Acreate2(file, name, type.id, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(a.id, type.id, text.c_str());
}

template <class T>
void set_number(hid_t file, const char* name, T value) {
  const hid_t type = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_LONG;
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle a(H5Acreate2(file, name, type, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(a.id, type, &value);
}

inline Handle latest_format() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return access;
}

inline Handle create_file(const std::string& file) {
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, latest_format().id), H5Fclose};
}

/// A file that a run left, closed in order or not, for writing.
inline Handle open_again(const std::string& file) {
  const Handle access = latest_format();
  bool forget_the_writer = true;  // what h5clear -s does: a killed process leaves its mark
  H5Pset(access.id, "clear_status_flags", &forget_the_writer);
  return {H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id), H5Fclose};
}

/// Held while a run writes. HDF5's own locks end where its mode for readers beside a writer begins.
class WriteLock {
 public:
  WriteLock() = default;
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;
  ~WriteLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  /// False when another process has it.
  bool take(const std::string& file) {
    descriptor_ = ::open(file.c_str(), O_RDWR);
    if (descriptor_ < 0) return true;  // opening it will tell what is wrong
#ifdef F_OFD_SETLK
    struct flock all {};
    all.l_type = F_WRLCK, all.l_whence = SEEK_SET;
    return ::fcntl(descriptor_, F_OFD_SETLK, &all) == 0;
#else
    return true;
#endif
  }

 private:
  int descriptor_ = -1;
};

}  // namespace saltus
