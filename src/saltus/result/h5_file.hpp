// Only for sources that are compiled with SALTUS_WITH_HDF5: opening files of results for writing, and their
// attributes. All of it tells whether it worked.
#pragma once
#include <string>

#include "saltus/core/hdf5.hpp"

namespace saltus {

inline bool set_attribute(hid_t file, const char* name, hid_t type, const void* value) {
  if (H5Aexists(file, name) > 0 && H5Adelete(file, name) < 0) return false;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle a(H5Acreate2(file, name, type, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return a.id >= 0 && H5Awrite(a.id, type, value) >= 0 && a.end();
}

inline bool set_text(hid_t file, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  return H5Tset_size(type.id, text.size() + 1) >= 0 && H5Tset_cset(type.id, H5T_CSET_UTF8) >= 0 &&
         set_attribute(file, name, type.id, text.c_str());
}
inline bool set_number(hid_t file, const char* name, double value) {
  return set_attribute(file, name, H5T_NATIVE_DOUBLE, &value);
}
inline bool set_number(hid_t file, const char* name, long value) {
  return set_attribute(file, name, H5T_NATIVE_LONG, &value);
}

inline Handle latest_format() {
  start_hdf5();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  // No chunks in memory: of rows that HDF5 keeps back nobody knows whether the disk will take them. For all
  // datasets of the file, since the mode for readers beside the writer opens them again with its own settings.
  H5Pset_cache(access.id, 0, 1, 0, 1.0);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id, false, true);  // the writer has a lock of its own, which lasts longer
#endif
  return access;
}

/// In the place of an empty file that is there.
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

}  // namespace saltus
