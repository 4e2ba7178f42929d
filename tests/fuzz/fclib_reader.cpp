// Any file of FCLIB that a program of h5_program.hpp can make: read and posed. A problem or an Error, nothing
// else. Input: the first byte says whether bytes of the file are changed too (1); the rest is the program.
// Bytes are changed in HDF5's newer format only, which has checksums: in the older one, which FCLIB uses, the
// HDF5 library reads its own structures without any check of ours in between.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "saltus/contact/file/formats.hpp"

#ifdef SALTUS_WITH_HDF5
#include "fuzz/h5_program.hpp"
#endif

using namespace saltus;

namespace {

#ifdef SALTUS_WITH_HDF5
constexpr int made_dim = 2, made_contacts = 2, made_dofs = 3;

void integer(fuzz::H5Image& out, const std::string& path, int value) {
  out.dataset(path.c_str(), H5T_NATIVE_INT, {1}, &value);
}

// A unit matrix, in one of three forms.
void matrix(fuzz::H5Image& out, const std::string& path, int m, int n, int form) {
  const std::array<int, 16> count = {0, 1, 2, 3, 4, 5, 6, 7, 8}, step = {0, 1, 2, 3, 3, 3, 3, 3};
  const std::array<double, 16> x = {1, 1, 1, 1, 1, 1, 1, 1};
  const int entries = std::min(m, n), lines = (form == -2 ? m : n) + 1;
  integer(out, path + "/m", m), integer(out, path + "/n", n),
      integer(out, path + "/nz", form < 0 ? form : entries);
  const auto size = static_cast<hsize_t>(entries);
  out.dataset((path + "/i").c_str(), H5T_NATIVE_INT, {size}, count.data());
  if (form < 0)
    out.dataset((path + "/p").c_str(), H5T_NATIVE_INT, {static_cast<hsize_t>(lines)},
                m == n ? count.data() : step.data());
  else
    out.dataset((path + "/p").c_str(), H5T_NATIVE_INT, {size}, count.data());
  out.dataset((path + "/x").c_str(), H5T_NATIVE_DOUBLE, {size}, x.data());
}

std::string made_problem(fuzz::H5Program& program, bool edit) {
  const unsigned how = program.byte();
  fuzz::H5Image out(program, edit || (how & 8) != 0);
  const bool local = how % 2 == 0;
  const int form = how / 2 % 3 == 0 ? -1 : how / 2 % 3 == 1 ? -2 : 0;
  const std::string at = local ? "/fclib_local" : "/fclib_global";
  const std::array<double, 16> x = {0.3, 0.5, -1, 0.1};
  const auto vector = [&](const std::string& path, hsize_t n) {
    out.dataset(path.c_str(), H5T_NATIVE_DOUBLE, {n}, x.data());
  };
  integer(out, at + "/spacedim", made_dim);
  vector(at + "/vectors/mu", made_contacts);
  if (local) {
    matrix(out, at + "/W", made_dim * made_contacts, made_dim * made_contacts, form);
    vector(at + "/vectors/q", made_dim * made_contacts);
  } else {
    matrix(out, at + "/M", made_dofs, made_dofs, form),
        matrix(out, at + "/H", made_dofs, made_dim * made_contacts, form);
    vector(at + "/vectors/f", made_dofs), vector(at + "/vectors/w", made_dim * made_contacts);
    if ((how & 16) != 0) matrix(out, at + "/G", made_dofs, 1, -1), vector(at + "/vectors/b", 1);
  }
  if ((how & 32) != 0) vector("/solution/r", made_dim * made_contacts);
  const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(text.id, 6);
  out.dataset((at + "/info/title").c_str(), text.id, {1}, "title");
  return out.bytes(edit);
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
#ifdef SALTUS_WITH_HDF5
  if (size == 0) return 0;
  fuzz::H5Program program(data + 1, size - 1);
  const fuzz::NamedBytes file(made_problem(program, data[0] == 1));
  try {
    const FrictionProblem p = detail::read_fclib(file.name());
    for (const double mu : p.mu)
      if (!(mu >= 0)) return 0;  // read_friction_problem refuses it
    if (p.rows() > 100 || (p.global && p.global->M.rows() > 100)) return 0;
    PosedFriction posed(p);
    Vec P = Vec::Zero(posed.problem.rows());
    posed.file_residual(P);
  } catch (const Error& e) {
    const std::string_view said = e.what();
    if (said.empty() || said.size() > 1'000'000) throw std::logic_error("a message that helps nobody");
  }
#else
  (void)data, (void)size;
#endif
  return 0;
}
