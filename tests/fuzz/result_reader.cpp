// Any file of results that a program of h5_program.hpp can make: described, read, measured, drawn and
// exported. An answer or an Error, nothing else. Input: the first byte says whether bytes of the file are
// changed too (1), or the input is the file itself (2); the rest is the program.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "fuzz/memory_file.hpp"
#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/result_figure.hpp"
#include "saltus/result/distance.hpp"
#include "saltus/result/result.hpp"
#include "saltus/result/vtu.hpp"

#ifdef SALTUS_WITH_HDF5
#include "fuzz/h5_program.hpp"
#endif

using namespace saltus;

namespace {

const std::string& folder() {
  static const std::string name = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto where = std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    std::string made = (where / "saltus-fuzz-XXXXXX").string();
    if (!mkdtemp(made.data())) std::abort();
    return made;
  }();
  return name;
}

void use(const std::string& file) {
  fuzz::answered([&] { read_result_summary(file); });
  fuzz::answered([&] {
    const Result r = read_result(file);
    static const CatalogProblem ball = make_problem("bouncing-ball"), block = make_problem("sliding-block");
    fuzz::answered([&] { distance(r.trajectory, r.trajectory); });
    fuzz::answered([&] { result_panels(r, "history,phase,energy", {}); });
    fuzz::answered([&] { result_panels(r, "events,modes", {}); });
    for (const CatalogProblem* p : {&ball, &block})
      fuzz::answered([&] {
        write_vtu(folder() + "/x", r, *p->problem.system, {std::max(1L, r.trajectory.size() / 2L), 2});
      });
  });
}

#ifdef SALTUS_WITH_HDF5
std::string made_result(fuzz::H5Program& program, bool edit) {
  constexpr hsize_t n = 5, k = 2, c = 3;
  fuzz::H5Image out(program, true);
  const long layout = 1, every = 1;
  const double t0 = 0, t_end = 1;
  out.attribute("layout", H5T_NATIVE_LONG, &layout);
  for (const char* name : {"version", "problem", "settings", "scheme", "stepping", "solver", "scene", "given",
                           "changes", "coordinates", "message", "state_hash"})
    out.text(name, "some\ntext");
  out.text("status", program.byte() % 2 == 0 ? "finished" : "running");
  out.attribute("t0", H5T_NATIVE_DOUBLE, &t0), out.attribute("t_end", H5T_NATIVE_DOUBLE, &t_end);
  out.attribute("every", H5T_NATIVE_LONG, &every);
  const std::array<double, 8> t = {0, 0.1, 0.2, 0.2, 0.3, 0.4, 0.5, 0.6};
  const std::array<double, 64> x{};
  const std::array<std::uint8_t, 8> bytes = {1, 1, 1, 1, 1, 1, 1, 1};
  const std::array<std::uint64_t, 8> sample = {1, 2, 3, 3, 4, 4, 4, 4}, id{};
  const hid_t real = H5T_NATIVE_DOUBLE, number = H5T_NATIVE_UINT64, byte = H5T_NATIVE_UINT8;
  const hsize_t wide = program.byte() % 4 == 1 ? 2 : 1;
  out.dataset("/samples/t", real, {n}, t.data());
  out.dataset("/samples/q", real, {n, wide}, x.data());
  out.dataset("/samples/u", real, {n, wide}, x.data());
  if (program.byte() % 2 == 1) out.dataset("/samples/psi", real, {n, 2}, x.data());
  out.dataset("/samples/grid", byte, {n}, bytes.data());
  for (const char* path : {"/samples/energy", "/samples/contact_residual", "/samples/min_gap"})
    out.dataset(path, real, {n}, x.data());
  for (const char* path : {"/events/t", "/events/t_before", "/events/energy_loss"})
    out.dataset(path, real, {k}, t.data());
  out.dataset("/events/sample", number, {k}, sample.data()),
      out.dataset("/events/contact", number, {k}, id.data());
  for (const char* path : {"/events/kind", "/events/from", "/events/to"})
    out.dataset(path, byte, {k}, bytes.data());
  for (const char* path : {"/events/impulse", "/events/u_minus", "/events/u_plus"})
    out.dataset(path, real, {k, 6}, x.data());
  out.dataset("/contacts/sample", number, {c}, sample.data()),
      out.dataset("/contacts/contact", number, {c}, id.data());
  out.dataset("/contacts/mode", byte, {c}, bytes.data()),
      out.dataset("/contacts/rows", byte, {c}, bytes.data());
  out.dataset("/contacts/impulse", real, {c, 6}, x.data());
  const Handle name(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(name.id, 96);
  out.dataset("/names/contact", number, {1}, id.data());
  out.dataset("/names/name", name.id, {1}, std::array<char, 96>{"floor"}.data());
  return out.bytes(edit);
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
#ifdef SALTUS_WITH_HDF5
  if (size == 0) return 0;
  fuzz::H5Program program(data + 1, size - 1);
  const std::string image =
      data[0] == 2 ? std::string(data + 1, data + size) : made_result(program, data[0] == 1);
  const fuzz::NamedBytes file(image);
  use(file.name());
#else
  (void)data, (void)size;
#endif
  return 0;
}
