// FCLIB's HDF5 layout:
//
//   /fclib_local   W, vectors/{q, mu}, spacedim, info
//   /fclib_global  M, H, [G,] vectors/{f, w, mu [, b]}, spacedim, info      M v = H r + G λ + f, u = Hᵀ v +
//   w, Gᵀ v + b = 0 /solution/r
//   /fclib_local_rolling, /fclib_global_rolling   the same with vectors/mu_r and 3 (plane) or 5 rows a
//   contact
//
// A matrix is a group {m, n, nzmax, nz, p, i, x}: nz = −1 compressed columns, −2 compressed rows, ≥ 0
// triplets. The triplets of files in circulation have rows in i and columns in p, though FCLIB's header says
// the reverse; where that does not fit the sizes, the reverse is tried.
#include <algorithm>
#include <climits>
#include <cmath>

#include "saltus/contact/file/formats.hpp"

#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/h5_input.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/linalg/decompositions.hpp"

namespace saltus::detail {
namespace {

using Sparse = FrictionProblem::Sparse;
constexpr std::size_t most_lines_per_entry = 1000;

/// Reads datasets of numbers; messages name file and field.
class In5 {
 public:
  explicit In5(const std::string& file) : in_(file) {}
  bool has(const std::string& path) const { return in_.has(path); }
  std::vector<double> reals(const std::string& path) const {
    auto out = all<double>(path);
    for (std::size_t k = 0; k < out.size(); ++k)
      if (!std::isfinite(out[k])) wrong(path, "entry {} is {}", k, out[k]);
    return out;
  }
  std::vector<int> integers(const std::string& path) const {
    std::vector<int> out;
    for (const std::int64_t x : all<std::int64_t>(path)) {
      if (x < INT_MIN || x > INT_MAX) wrong(path, "holds {}, which is no int of 32 bits", x);
      out.push_back(static_cast<int>(x));
    }
    return out;
  }
  int integer(const std::string& path) const {
    const auto values = integers(path);
    if (values.size() != 1) wrong(path, "has {} values, one is needed", values.size());
    return values[0];
  }
  Vec vector(const std::string& path, Eigen::Index size) const {
    const auto x = reals(path);
    if (static_cast<Eigen::Index>(x.size()) != size)
      wrong(path, "has {} values, {} are needed", x.size(), size);
    return Eigen::Map<const Vec>(x.data(), size);
  }
  Sparse matrix(const std::string& path) const;
  std::string title(const std::string& path) const;

 private:
  template <class T>
  std::vector<T> all(const std::string& path) const {
    const H5Dataset set = in_.dataset(path);
    if (set.rows_written() != set.rows()) set.wrong("was not written to its end");
    return in_.table<T>(path).values;
  }
  template <class... Args>
  [[noreturn]] void wrong(const std::string& path, fmt::format_string<Args...> text, Args&&... args) const {
    fail_in(in_.name(), path, text, std::forward<Args>(args)...);
  }
  H5Input in_;
};

Sparse In5::matrix(const std::string& path) const {
  const int m = integer(path + "/m"), n = integer(path + "/n"), nz = integer(path + "/nz");
  if (m < 0 || n < 0) wrong(path, "has {} rows and {} columns", m, n);
  const auto p = integers(path + "/p"), i = integers(path + "/i");
  const auto x = reals(path + "/x");
  // An empty row or column costs memory too: without entries there is no reason for many of them.
  if (static_cast<std::size_t>(std::max(m, n)) > most_lines_per_entry * (x.size() + p.size() + 1))
    wrong(path, "has {} rows and {} columns with {} entries", m, n, x.size());
  std::vector<Eigen::Triplet<double>> entries;
  const auto check = [&](int index, int size, const char* field) {
    if (index < 0 || index >= size) wrong(path + field, "has the index {} of {}", index, size);
  };
  if (nz >= 0) {
    const auto count = static_cast<std::size_t>(nz);
    if (x.size() < count || i.size() < count || p.size() < count)
      wrong(path, "has nz = {} but {} values in x, {} in i and {} in p", nz, x.size(), i.size(), p.size());
    const auto fits = [&](const std::vector<int>& indices, int size) {
      return std::all_of(indices.begin(), indices.begin() + nz, [&](int k) { return k >= 0 && k < size; });
    };
    const bool usual = fits(i, m) && fits(p, n);
    const auto &rows = usual ? i : p, &columns = usual ? p : i;
    for (std::size_t k = 0; k < count; ++k) {
      check(rows[k], m, usual ? "/i" : "/p");
      check(columns[k], n, usual ? "/p" : "/i");
      entries.emplace_back(rows[k], columns[k], x[k]);
    }
  } else if (nz == -1 || nz == -2) {
    const int outer = nz == -1 ? n : m, inner = nz == -1 ? m : n;
    if (p.size() < static_cast<std::size_t>(outer) + 1)
      wrong(path + "/p", "has {} values, {} are needed", p.size(), static_cast<std::size_t>(outer) + 1);
    const std::size_t limit = std::min(i.size(), x.size());
    for (int k = 0; k < outer; ++k) {
      if (p[k] < 0 || p[k + 1] < p[k] || static_cast<std::size_t>(p[k + 1]) > limit)
        wrong(path + "/p", "goes from {} to {} at {}, with {} entries in i and x", p[k], p[k + 1], k, limit);
      for (int at = p[k]; at < p[k + 1]; ++at) {
        check(i[at], inner, "/i");
        entries.emplace_back(nz == -1 ? i[at] : k, nz == -1 ? k : i[at], x[at]);
      }
    }
  } else {
    wrong(path + "/nz", "is {}; -1, -2 or a count of triplets is needed", nz);
  }
  Sparse A(m, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

// A title that is no text of fixed length is left out: it is no part of the problem.
std::string In5::title(const std::string& path) const {
  if (!in_.has(path) || !in_.dataset(path).is_text()) return {};
  const auto texts = in_.texts(path);
  return texts.empty() ? std::string() : texts.front();
}

/// Writes datasets into groups that are made on the way: in memory, so that the file appears whole or not at
/// all, and a full disk meets a plain write.
class Out5 {
 public:
  explicit Out5(const std::string& file)
      : name_(file), file_(create(file), H5Fclose), links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose) {
    if (file_.id < 0) fail("{}: cannot be written", file);
    H5Pset_create_intermediate_group(links_.id, 1);
  }
  void integer(const std::string& path, int value) { write(path, H5T_NATIVE_INT, 1, &value); }
  void array(const std::string& path, const int* x, std::size_t n) { write(path, H5T_NATIVE_INT, n, x); }
  void array(const std::string& path, const double* x, std::size_t n) {
    write(path, H5T_NATIVE_DOUBLE, n, x);
  }
  void vector(const std::string& path, const Vec& x) {
    array(path, x.data(), static_cast<std::size_t>(x.size()));
  }
  void matrix(const std::string& path, Sparse A) {
    A.makeCompressed();
    const int count = static_cast<int>(A.nonZeros());
    integer(path + "/m", static_cast<int>(A.rows()));
    integer(path + "/n", static_cast<int>(A.cols()));
    integer(path + "/nzmax", count);
    integer(path + "/nz", -1);
    array(path + "/p", A.outerIndexPtr(), static_cast<std::size_t>(A.cols()) + 1);
    array(path + "/i", A.innerIndexPtr(), static_cast<std::size_t>(count));
    array(path + "/x", A.valuePtr(), static_cast<std::size_t>(count));
  }
  void text(const std::string& path, const std::string& value) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id, value.size() + 1);
    write(path, type.id, 1, value.c_str());
  }
  void finish() {
    if (H5Fflush(file_.id, H5F_SCOPE_GLOBAL) < 0) fail("{}: cannot be made", name_);
    const auto size = H5Fget_file_image(file_.id, nullptr, 0);
    std::string image(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    if (image.empty() || H5Fget_file_image(file_.id, image.data(), image.size()) != size)
      fail("{}: cannot be made", name_);
    write_file(name_, image);
  }

 private:
  static hid_t create(const std::string& file) {
    start_hdf5();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.id, 1 << 20, false);  // memory only
    return H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id);
  }
  void write(const std::string& path, hid_t type, std::size_t n, const void* data) {
    const hsize_t size = n;
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Handle set(H5Dcreate2(file_.id, path.c_str(), type, space.id, links_.id, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    if (set.id < 0 || (n > 0 && H5Dwrite(set.id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
      fail_in(name_, path, "cannot be written");
  }
  std::string name_;
  Handle file_, links_;
};

void read_global(const In5& in, const std::string& file, const std::string& at, FrictionProblem& p) {
  auto& g = p.global.emplace();
  g.M = in.matrix(at + "/M");
  const auto n = g.M.rows();
  if (n < 1) fail_in(file, at + "/M", "is empty");
  if (g.M.cols() != n) fail_in(file, at + "/M", "is {} × {}, not square", n, g.M.cols());
  Sparse H = in.matrix(at + "/H");
  if (H.rows() != n || H.cols() != p.rows())
    fail_in(file, at + "/H", "is {} × {}, {} × {} is needed", H.rows(), H.cols(), n, p.rows());
  g.H = H.transpose();
  g.b = in.vector(at + "/vectors/w", p.rows());
  const Vec f = in.vector(at + "/vectors/f", n);
  SparseLu lu;
  if (!lu.factorize(g.M)) fail_in(file, at + "/M", "is singular");
  g.free = f;
  lu.solve(g.free);
  if (!g.free.allFinite()) fail_in(file, at + "/M", "is singular to working precision");
  g.J.resize(0, n);
  g.d.resize(0);
  if (in.has(at + "/G")) {
    const Sparse G = in.matrix(at + "/G");
    if (G.rows() != n) fail_in(file, at + "/G", "has {} rows, {} are needed", G.rows(), n);
    g.J = G.transpose();
    g.d = in.vector(at + "/vectors/b", G.cols());
  }
}

}  // namespace

FrictionProblem read_fclib(const std::string& file) {
  const In5 in(file);
  std::string at;
  for (const char* group : {"/fclib_local", "/fclib_global", "/fclib_local_rolling", "/fclib_global_rolling"})
    if (at.empty() && in.has(group)) at = group;
  if (at.empty())
    fail("{}: has neither the group /fclib_local nor /fclib_global, nor one of them with _rolling", file);
  const bool local = at.find("local") != std::string::npos, rolls = at.find("rolling") != std::string::npos;
  FrictionProblem p;
  p.dim = in.integer(at + "/spacedim");
  if (rolls ? p.dim != 3 && p.dim != 5 : p.dim != 2 && p.dim != 3)
    fail_in(file, at + "/spacedim", "is {}, not {}", p.dim, rolls ? "3 or 5" : "2 or 3");
  p.mu = in.reals(at + "/vectors/mu");
  if (p.mu.size() > static_cast<std::size_t>(INT_MAX / 5))
    fail_in(file, at + "/vectors/mu", "has too many contacts");
  if (p.mu.empty()) fail_in(file, at + "/vectors/mu", "is empty: there are no contacts");
  if (rolls) {
    p.rolling = in.reals(at + "/vectors/mu_r");
    if (p.rolling.size() != p.mu.size())
      fail_in(file, at + "/vectors/mu_r", "has {} values, {} are needed", p.rolling.size(), p.mu.size());
  }
  p.name = in.title(at + "/info/title");
  if (local) {
    auto& l = p.local.emplace();
    l.W = in.matrix(at + "/W");
    if (l.W.rows() != p.rows() || l.W.cols() != p.rows())
      fail_in(file, at + "/W", "is {} × {}; {} contacts of {} rows need {} × {}", l.W.rows(), l.W.cols(),
              p.contacts(), p.dim, p.rows(), p.rows());
    l.q = in.vector(at + "/vectors/q", p.rows());
  } else {
    read_global(in, file, at, p);
  }
  if (in.has("/solution/r")) p.solution = in.vector("/solution/r", p.rows());
  return p;
}

void write_fclib(const std::string& file, const FrictionProblem& p) {
  if (!p.local && !p.global) fail("{}: the problem has neither a local nor a global form", file);
  Out5 out(file);
  const std::string at =
      std::string(p.global ? "/fclib_global" : "/fclib_local") + (p.rolling.empty() ? "" : "_rolling");
  out.integer(at + "/spacedim", p.dim);
  out.array(at + "/vectors/mu", p.mu.data(), p.mu.size());
  if (!p.rolling.empty()) out.array(at + "/vectors/mu_r", p.rolling.data(), p.rolling.size());
  if (p.global) {
    const auto& g = *p.global;
    out.matrix(at + "/M", g.M);
    out.matrix(at + "/H", g.H.transpose());
    out.vector(at + "/vectors/f", g.M * g.free);
    out.vector(at + "/vectors/w", g.b);
    if (g.J.rows() > 0) {
      out.matrix(at + "/G", g.J.transpose());
      out.vector(at + "/vectors/b", g.d);
    }
  } else {
    out.matrix(at + "/W", p.local->W);
    out.vector(at + "/vectors/q", p.local->q);
  }
  out.text(at + "/info/title", p.name);
  out.text(at + "/info/description", "written by saltus");
  out.text(at + "/info/math_info", p.global ? "M v = H r + G l + f, u = H' v + w" : "u = W r + q");
  if (p.solution) out.vector("/solution/r", *p.solution);
  out.finish();
}

}  // namespace saltus::detail

#else

namespace saltus::detail {
namespace {

[[noreturn]] void without(const std::string& file) {
  fail(
      "{}: this saltus was built without HDF5; install libhdf5-dev and build it anew, or use the .fcp format",
      file);
}

}  // namespace

FrictionProblem read_fclib(const std::string& file) {
  without(file);
}
void write_fclib(const std::string& file, const FrictionProblem&) {
  without(file);
}

}  // namespace saltus::detail

#endif
