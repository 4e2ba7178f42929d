// Only for sources that are compiled with SALTUS_WITH_HDF5: an HDF5 identifier, closed at the end.
#pragma once
#include <hdf5.h>

#include <utility>

namespace saltus {

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
};

}  // namespace saltus
