#include "saltus/result/tries.hpp"

#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/result/result.hpp"
#ifdef SALTUS_WITH_HDF5
#include "saltus/result/memory_file.hpp"
#endif

namespace saltus {
namespace {

void write_text(const std::string& file, std::span<const Attempt> tries) {
  OutputFile out(file);
  std::string text = "t,h,order,outcome,taken,drops\n";
  for (const Attempt& a : tries) {
    out.write(text);
    text = fmt::format("{},{},{},{},{:d},{:d}\n", a.t, a.h, a.order, to_string(a.outcome), a.taken, a.drops);
  }
  out.write(text);
  out.commit();
}

#ifdef SALTUS_WITH_HDF5

class TriesGroup {
 public:
  TriesGroup(const std::string& file, std::span<const Attempt> tries) : file_(file, "tries"), tries_(tries) {
    if (!set_text(file_.group(), "outcomes", names_to(Outcome::resolved))) fail("{}: cannot be made", file);
  }
  template <class T, class F>
  void column(const char* path, hid_t type, F&& value) {
    std::vector<T> values;
    values.reserve(tries_.size());
    for (const Attempt& a : tries_) values.push_back(static_cast<T>(value(a)));
    file_.dataset(path, type, values.data(), values.size());
  }
  void write() { file_.write(); }

 private:
  MemoryFile file_;
  std::span<const Attempt> tries_;
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
