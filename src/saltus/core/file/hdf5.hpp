// Only for sources that are compiled with SALTUS_WITH_HDF5: an HDF5 identifier, closed at the end.
#pragma once
#include <hdf5.h>

#include <utility>

namespace saltus {

/// Before anything else of HDF5. Its own messages stay silent, ours name file and field. It does nothing at
/// the exit of the process: a file that cannot be written would be closed again and again there.
inline void start_hdf5() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

struct Handle {
  hid_t id;
  herr_t (*close)(hid_t);
  Handle(hid_t i, herr_t (*c)(hid_t)) : id(i), close(c) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& o) noexcept : id(std::exchange(o.id, hid_t{-1})), close(o.close) {}
  Handle& operator=(Handle&& o) noexcept {
    std::swap(id, o.id), std::swap(close, o.close);
    return *this;
  }
  ~Handle() {
    if (id >= 0) close(id);
  }
  /// Closes it now; false when that failed, which for a file means that not all of it was written.
  bool end() { return id < 0 || close(std::exchange(id, hid_t{-1})) >= 0; }
};

}  // namespace saltus
