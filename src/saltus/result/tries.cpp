#include "saltus/result/tries.hpp"

#include <iterator>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/result/result.hpp"
#ifdef SALTUS_WITH_HDF5
#include "saltus/result/h5_file.hpp"
#endif

namespace saltus {
namespace {

void write_text(const std::string& file, std::span<const Attempt> tries) {
  OutputFile out(file);
  std::string text = "t,h,order,outcome,taken,drops\n";
  for (const Attempt& a : tries) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:d},{:d}\n", a.t, a.h, a.order,
                   to_string(a.outcome), a.taken, a.drops);
    out.write(text);
    text.clear();
  }
  out.write(text);
  out.commit();
}

#ifdef SALTUS_WITH_HDF5

class TriesGroup {
 public:
  TriesGroup(const std::string& file, std::span<const Attempt> tries)
      : name_(file), tries_(tries), file_(create(file)), group_(make_group(file_.id)) {
    if (file_.id < 0 || group_.id < 0 || !set_text(group_.id, "outcomes", names_to(Outcome::resolved)))
      fail("{}: cannot be made", file);
  }
  template <class T, class F>
  void column(const char* path, hid_t type, F&& value) {
    std::vector<T> values;
    values.reserve(tries_.size());
    for (const Attempt& a : tries_) values.push_back(static_cast<T>(value(a)));
    const hsize_t n = values.size();
    const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose);
    const Handle set(H5Dcreate2(group_.id, path, type, space.id, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    if (set.id < 0 || (n > 0 && H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0))
      fail("{}: /tries/{} cannot be written", name_, path);
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
  static Handle make_group(hid_t file) {
    return {H5Gcreate2(file, "tries", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
  }
  std::string name_;
  std::span<const Attempt> tries_;
  Handle file_, group_;
};

void write_h5(const std::string& file, std::span<const Attempt> tries) {
  TriesGroup out(file, tries);
  out.column<double>("t", H5T_NATIVE_DOUBLE, [](const Attempt& a) { return a.t; });
  out.column<double>("h", H5T_NATIVE_DOUBLE, [](const Attempt& a) { return a.h; });
  out.column<std::int32_t>("order", H5T_NATIVE_INT32, [](const Attempt& a) { return a.order; });
  out.column<std::uint8_t>("outcome", H5T_NATIVE_UINT8, [](const Attempt& a) { return a.outcome; });
  out.column<std::uint8_t>("taken", H5T_NATIVE_UINT8, [](const Attempt& a) { return a.taken; });
  out.column<std::uint8_t>("drops", H5T_NATIVE_UINT8, [](const Attempt& a) { return a.drops; });
  out.write();
}

#else

void write_h5(const std::string& file, std::span<const Attempt>) {
  fail("{}: this saltus was built without HDF5; install libhdf5-dev and build it anew, or write .csv", file);
}

#endif

}  // namespace

void write_tries(const std::string& file, std::span<const Attempt> tries) {
  (is_result_name(file) ? write_h5 : write_text)(file, tries);
}

}  // namespace saltus
