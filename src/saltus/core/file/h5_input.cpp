#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/h5_input.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "saltus/core/file/file_lock.hpp"

namespace saltus {
namespace {

constexpr std::size_t longest_text = 64 << 20;

enum class Way { closed, beside_a_writer, any_writer };

hid_t open_for_reading(const std::string& file, Way way) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id, true, true);  // not where the file system has no locks
#endif
  // Each attempt waits twice as long as the one before, from 1 ns on: 24 are 17 ms, HDF5's 100 never end.
  if (way == Way::beside_a_writer) H5Pset_metadata_read_attempts(access.id, 24);
  // A killed process leaves its mark in the file. It is overlooked here; h5clear would change the file.
  hbool_t overlook = way == Way::any_writer;
  if (overlook) H5Pset(access.id, "clear_status_flags", &overlook);
  const unsigned flags = way == Way::beside_a_writer ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY;
  return H5Fopen(file.c_str(), flags, access.id);
}

hid_t open_for_reading(const std::string& file) {
  using Clock = std::chrono::steady_clock;
  start_hdf5();
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) fail("{}: no such file, or not allowed", file);
  if (!S_ISREG(found.st_mode)) fail("{}: is no ordinary file", file);
  if (::access(file.c_str(), R_OK) != 0) fail("{}: cannot be read: {}", file, std::strerror(errno));
  for (const auto end = Clock::now() + std::chrono::seconds(2);;) {
    for (const Way way : {Way::closed, Way::beside_a_writer})
      if (const hid_t id = open_for_reading(file, way); id >= 0) return id;
    if (!is_locked(file)) break;  // else it is being closed in this moment
    if (Clock::now() > end) fail("{}: another process is writing it; wait for it", file);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const hid_t id = open_for_reading(file, Way::any_writer);  // killed in the moment it was closed
  if (id < 0) fail("{}: cannot be opened as an HDF5 file: it is none, or it is cut or damaged", file);
  return id;
}

std::size_t memory_of_this_machine() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size)
                               : std::size_t{4} << 30;
}

}  // namespace

H5Input::H5Input(const std::string& file) : name_(file), file_(open_for_reading(file), H5Fclose) {}

bool H5Input::has(const std::string& path) const {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (H5Lexists(file_.id, part.c_str(), H5P_DEFAULT) <= 0) return false;
    H5L_info_t link;
    if (H5Lget_info(file_.id, part.c_str(), &link, H5P_DEFAULT) < 0) fail("{}: {} is damaged", name_, part);
    if (link.type != H5L_TYPE_HARD)
      fail("{}: {} is a link to somewhere else; only what is in the file itself is read", name_, part);
    if (at == std::string::npos) return true;
  }
}

H5Dataset H5Input::dataset(const std::string& path) const {
  if (!has(path)) fail("{}: {} is missing", name_, path);
  return {file_.id, name_, path};
}

// Tables are copied once more into what is made of them.
void H5Input::take(const std::string& path, std::size_t rows, std::size_t row_bytes) const {
  const std::size_t most = memory_of_this_machine() / 5 * 2;
  if (row_bytes > 0 && rows > (most - taken_) / row_bytes)
    fail(
        "{}: {} has {} rows of {} bytes, {:.1f} GB; with all else that is more than the {:.1f} GB that a "
        "file "
        "may take of this machine's memory",
        name_, path, rows, row_bytes, static_cast<double>(rows) * static_cast<double>(row_bytes) / 1e9,
        static_cast<double>(most) / 1e9);
  taken_ += rows * row_bytes;
}

std::vector<std::string> H5Input::texts(const std::string& path) const {
  const H5Dataset set = dataset(path);
  take(path, set.rows_written(), 2 * set.text_length() + sizeof(std::string));
  return set.texts();
}

bool H5Input::has_attribute(const char* name) const {
  return H5Aexists(file_.id, name) > 0;
}

Handle H5Input::attribute(const char* name, H5T_class_t& kind, std::size_t& bytes) const {
  if (!has_attribute(name)) fail("{}: attribute {} is missing", name_, name);
  Handle a(H5Aopen(file_.id, name, H5P_DEFAULT), H5Aclose);
  if (a.id < 0) fail("{}: attribute {} cannot be read: the file is damaged", name_, name);
  const Handle space(H5Aget_space(a.id), H5Sclose), type(H5Aget_type(a.id), H5Tclose);
  const auto count = H5Sget_simple_extent_npoints(space.id);
  if (count != 1) fail("{}: attribute {} has {} values, one is needed", name_, name, count);
  kind = H5Tget_class(type.id), bytes = H5Tget_size(type.id);
  if (kind == H5T_STRING && H5Tis_variable_str(type.id) != 0) kind = H5T_VLEN;
  if (kind != H5T_VLEN && H5Aget_storage_size(a.id) != bytes)
    fail("{}: attribute {} stores {} bytes, {} are needed", name_, name, H5Aget_storage_size(a.id), bytes);
  return a;
}

std::string H5Input::text(const char* name) const {
  H5T_class_t kind{};
  std::size_t bytes = 0;
  const Handle a = attribute(name, kind, bytes), type(H5Aget_type(a.id), H5Tclose);
  if (kind != H5T_STRING) fail("{}: attribute {} is no text of fixed length", name_, name);
  if (bytes > longest_text)
    fail("{}: attribute {} has {} bytes, at most {} are read", name_, name, bytes, longest_text);
  std::string out(bytes, '\0');
  if (H5Aread(a.id, type.id, out.data()) < 0) fail("{}: attribute {} cannot be read", name_, name);
  return out.c_str();
}

void H5Input::number(const char* name, hid_t type, void* out) const {
  H5T_class_t kind{};
  std::size_t bytes = 0;
  const Handle a = attribute(name, kind, bytes);
  const bool integer = H5Tget_class(type) == H5T_INTEGER;
  if ((kind != H5T_INTEGER && (integer || kind != H5T_FLOAT)) || bytes > 8 || H5Aread(a.id, type, out) < 0)
    fail("{}: attribute {} is not {}", name_, name, integer ? "an integer" : "a number");
}

double H5Input::real(const char* name) const {
  double out = 0;
  number(name, H5T_NATIVE_DOUBLE, &out);
  return out;
}

std::int64_t H5Input::integer(const char* name) const {
  std::int64_t out = 0;
  number(name, H5T_NATIVE_INT64, &out);
  return out;
}

}  // namespace saltus

#endif
