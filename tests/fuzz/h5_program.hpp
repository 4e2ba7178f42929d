// Bytes of a fuzzer as a program that makes an HDF5 file: nearly what a reader expects, with some types,
// ranks, sizes, filters, links and values changed. No fuzzer finds those by changing the bytes of a file,
// whose checksums then are wrong. A program that has ended changes nothing more.
#pragma once
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "saltus/core/file/hdf5.hpp"

namespace saltus::fuzz {

class H5Program {
 public:
  H5Program(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  unsigned byte() { return at_ < end_ ? *at_++ : 0; }
  bool ended() const { return at_ >= end_; }
  /// A size that may matter, or a small one.
  hsize_t size() {
    constexpr hsize_t sizes[] = {0,          1,          2,          3,          5,          6,
                                 7,          9,          96,         511,        512,        513,
                                 8000,       1 << 16,    1 << 20,    1u << 31,   1u << 29,   1ull << 32,
                                 1ull << 40, 1ull << 60, 1ull << 61, 1ull << 62, 1ull << 63, ~0ull};
    return sizes[byte() % std::size(sizes)];
  }
  hid_t type() {
    const hid_t types[] = {H5T_IEEE_F64LE,  H5T_IEEE_F32BE, H5T_STD_U64LE, H5T_STD_I64LE,
                           H5T_STD_U8LE,    H5T_STD_I32BE,  H5T_C_S1,      H5T_STD_B64LE,
                           H5T_STD_REF_OBJ, H5T_UNIX_D32LE, H5T_STD_U16BE};
    return types[byte() % std::size(types)];
  }
  std::vector<unsigned char> bytes(std::size_t n) {
    std::vector<unsigned char> out(n);
    for (auto& b : out) b = static_cast<unsigned char>(byte());
    return out;
  }

 private:
  const std::uint8_t *at_, *end_;
};

class H5Image {
 public:
  explicit H5Image(H5Program& program, bool latest) : program_(program), file_(create(latest), H5Fclose) {}

  /// A dataset as it should be, unless the program says otherwise.
  void dataset(const char* path, hid_t type, std::vector<hsize_t> size, const void* data) {
    const unsigned change = program_.byte();
    if (change == 1) return;
    if (change == 2) return link(path);
    const Handle own(change == 3 ? H5Tcopy(H5T_C_S1) : H5Tcopy(change == 4 ? program_.type() : type),
                     H5Tclose);
    if (change == 3) H5Tset_size(own.id, program_.byte() == 0 ? H5T_VARIABLE : 1 + program_.size() % 70000);
    if (change == 5 && !size.empty()) size[program_.byte() % size.size()] = program_.size();
    if (change == 6) size.push_back(program_.size());
    if (change == 7) size.clear();
    const bool same = change == 0 || change > 9;
    write(path, own.id, size, same ? data : nullptr, change == 8 || change == 9 || change == 5);
  }
  void attribute(const char* name, hid_t type, const void* data) {
    const unsigned change = program_.byte();
    if (change == 1) return;
    const Handle own(change == 2 ? H5Tcopy(program_.type()) : H5Tcopy(type), H5Tclose);
    if (change == 3) H5Tset_size(own.id, H5T_VARIABLE);
    if (change == 4 && H5Tget_class(own.id) == H5T_STRING) H5Tset_size(own.id, 1 + program_.size() % 5000);
    const hsize_t many = 1 + program_.size() * (change == 5) % 4000;
    const Handle space(change == 5   ? H5Screate_simple(1, &many, nullptr)
                       : change == 6 ? H5Screate(H5S_NULL)
                                     : H5Screate(H5S_SCALAR),
                       H5Sclose);
    const Handle a(H5Acreate2(file_.id, name, own.id, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (a.id < 0 || change == 3 || change == 6) return;
    const auto filling = program_.bytes(H5Tget_size(own.id) * (change == 5 ? many : 1));
    H5Awrite(a.id, own.id, change == 0 ? data : filling.data());
  }
  void text(const char* name, const std::string& value) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id, value.size() + 1);
    attribute(name, type.id, value.c_str());
  }
  /// All of it, with some bytes changed where the rest of the program says so.
  std::string bytes(bool edit) {
    H5Fflush(file_.id, H5F_SCOPE_GLOBAL);
    const auto size = H5Fget_file_image(file_.id, nullptr, 0);
    std::string out(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    if (!out.empty()) H5Fget_file_image(file_.id, out.data(), out.size());
    while (edit && !out.empty() && !program_.ended()) {
      const std::size_t at = program_.byte() << 8 | program_.byte();
      out[at % out.size()] = static_cast<char>(program_.byte());
    }
    return out;
  }

 private:
  static hid_t create(bool latest) {
    start_hdf5();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id, 1 << 16, false);
    if (latest) H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, access.id);
  }
  void link(const char* path) {
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id, 1);
    if (program_.byte() % 2 == 0)
      H5Lcreate_soft("/events", file_.id, path, links.id, H5P_DEFAULT);
    else
      H5Lcreate_external("/etc/passwd", "/x", file_.id, path, links.id, H5P_DEFAULT);
  }
  void write(const char* path, hid_t type, const std::vector<hsize_t>& size, const void* data, bool chunked) {
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id, 1);
    const int rank = static_cast<int>(size.size());
    // a list of chunks that may grow: one of fixed length would be written in full, and it may be endless
    std::vector<hsize_t> most(size);
    if (chunked && rank > 0) most[0] = H5S_UNLIMITED;
    const Handle space(rank > 0 ? H5Screate_simple(rank, size.data(), most.data()) : H5Screate(H5S_SCALAR),
                       H5Sclose);
    std::vector<hsize_t> chunk(size.size(), 1);
    if (chunked && rank > 0) {
      for (auto& c : chunk) c = 1 + program_.size() % 100000;
      H5Pset_chunk(how.id, rank, chunk.data());
      const unsigned filters = program_.byte();
      if (filters & 1) H5Pset_shuffle(how.id);
      if (filters & 2) H5Pset_deflate(how.id, 1);
      if (filters & 4) H5Pset_fletcher32(how.id);
      if (filters & 8) H5Pset_deflate(how.id, 9);
      if (filters & 16) H5Pset_scaleoffset(how.id, H5Z_SO_INT, 3);
    } else if (program_.byte() == 77) {
      H5Pset_external(how.id, "/etc/passwd", 0, H5F_UNLIMITED);
    }
    const Handle set(H5Dcreate2(file_.id, path, type, space.id, links.id, how.id, H5P_DEFAULT), H5Dclose);
    if (set.id < 0) return;
    if (data) {
      H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    } else if (chunked && rank > 0) {                           // stored bytes as they come, of any length
      if (H5Sget_simple_extent_npoints(space.id) <= 0) return;  // HDF5 itself falls over it
      const std::vector<hsize_t> first(size.size(), 0);
      const auto stored = program_.bytes(1 + program_.byte());
      H5Dwrite_chunk(set.id, H5P_DEFAULT, program_.byte() % 8, first.data(), stored.size(), stored.data());
    } else if (const auto n = H5Sget_simple_extent_npoints(space.id);
               n > 0 && n < 10000 && H5Tis_variable_str(type) <= 0 && H5Tget_size(type) < 70000 &&
               static_cast<std::size_t>(n) * H5Tget_size(type) < 1 << 20) {
      const auto filling = program_.bytes(static_cast<std::size_t>(n) * H5Tget_size(type));
      H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, filling.data());
    }
  }
  H5Program& program_;
  Handle file_;
};

/// Bytes under a name that can be opened.
class NamedBytes {
 public:
  explicit NamedBytes(const std::string& bytes) : id_(memfd_create("input", MFD_CLOEXEC)) {
    if (id_ < 0 || ::write(id_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~NamedBytes() { ::close(id_); }
  NamedBytes(const NamedBytes&) = delete;
  NamedBytes& operator=(const NamedBytes&) = delete;
  std::string name() const { return "/proc/self/fd/" + std::to_string(id_); }

 private:
  int id_;
};

}  // namespace saltus::fuzz
