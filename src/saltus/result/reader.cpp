#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include "saltus/core/error.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/result/result.hpp"

#ifdef SALTUS_WITH_HDF5
#include "saltus/core/hdf5.hpp"
#include "saltus/result/h5_file.hpp"

namespace saltus {
namespace {

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, long>) return H5T_NATIVE_LONG;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
  return H5T_NATIVE_UINT8;
}

template <class T>
struct Table {
  std::vector<T> values;
  std::size_t rows = 0, width = 1;
  const T* row(std::size_t i) const { return values.data() + i * width; }
};

class File {
 public:
  explicit File(const std::string& name) : name_(name) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const auto open = [&](unsigned flags) {
      return Handle(H5Fopen(name.c_str(), flags, H5P_DEFAULT), H5Fclose);
    };
    file_ = open(H5F_ACC_RDONLY);
    if (file_.id < 0)
      file_ = open(H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);  // still written, or its writer was killed
    if (file_.id < 0 && H5Fis_hdf5(name.c_str()) > 0) {  // killed in the moment it was closed
      open_again(name);
      file_ = open(H5F_ACC_RDONLY);
    }
    if (file_.id < 0 && !std::ifstream(name)) fail("{}: no such file, or not allowed", name);
    if (file_.id < 0) fail("{}: cannot be opened as an HDF5 file: it is none, or it is cut", name);
  }
  bool has(const std::string& path) const {
    return H5Lexists(file_.id, path.substr(0, path.rfind('/')).c_str(), H5P_DEFAULT) > 0 &&
           H5Lexists(file_.id, path.c_str(), H5P_DEFAULT) > 0;
  }
  std::array<std::size_t, 2> size(const std::string& path) const {  // rows and columns
    const Handle set = dataset(path), space(H5Dget_space(set.id), H5Sclose);
    return sizes(space.id, path);
  }
  /// So many rows from the first one on, or as many as there are.
  template <class T>
  Table<T> table(const std::string& path, std::size_t first = 0, std::size_t most = ~std::size_t{0}) const {
    const Handle set = dataset(path), space(H5Dget_space(set.id), H5Sclose),
                 type(H5Dget_type(set.id), H5Tclose);
    const auto kind = H5Tget_class(type.id);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) fail("{}: {} holds no numbers", name_, path);
    const auto size = sizes(space.id, path);
    const hsize_t start[] = {std::min(first, size[0]), 0},
                  count[] = {std::min(most, size[0] - static_cast<std::size_t>(start[0])), size[1]};
    Table<T> out{std::vector<T>(count[0] * count[1]), count[0], count[1]};
    if (out.values.empty()) return out;
    const Handle memory(H5Screate_simple(H5Sget_simple_extent_ndims(space.id), count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space.id, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
        H5Dread(set.id, type_of<T>(), memory.id, space.id, H5P_DEFAULT, out.values.data()) < 0)
      fail("{}: {} cannot be read", name_, path);
    return out;
  }
  std::vector<std::string> texts(const std::string& path) const {
    const Handle set = dataset(path), space(H5Dget_space(set.id), H5Sclose),
                 type(H5Dget_type(set.id), H5Tclose);
    const std::size_t length = H5Tget_size(type.id), n = sizes(space.id, path)[0];
    if (H5Tget_class(type.id) != H5T_STRING || H5Tis_variable_str(type.id) > 0)
      fail("{}: {} holds no text of fixed length", name_, path);
    std::string all(length * n, '\0');
    if (n > 0 && H5Dread(set.id, type.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0)
      fail("{}: {} cannot be read", name_, path);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < n; ++i) out.emplace_back(all.substr(i * length, length).c_str());
    return out;
  }
  std::string text(const char* name) const {
    const Handle a = attribute(name), type(H5Aget_type(a.id), H5Tclose);
    if (H5Tget_class(type.id) != H5T_STRING || H5Tis_variable_str(type.id) > 0)
      fail("{}: attribute {} is no text of fixed length", name_, name);
    std::string out(H5Tget_size(type.id) + 1, '\0');
    if (H5Aread(a.id, type.id, out.data()) < 0) fail("{}: attribute {} cannot be read", name_, name);
    return out.c_str();
  }
  template <class T>
  T number(const char* name) const {
    const Handle a = attribute(name), space(H5Aget_space(a.id), H5Sclose);
    T out{};
    if (H5Sget_simple_extent_npoints(space.id) != 1 || H5Aread(a.id, type_of<T>(), &out) < 0)
      fail("{}: attribute {} is not a number", name_, name);
    return out;
  }
  const std::string& name() const { return name_; }

 private:
  Handle dataset(const std::string& path) const {
    if (!has(path))
      fail("{}: {} is missing: not a file of results, or one of an interrupted start", name_, path);
    Handle set(H5Dopen2(file_.id, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (set.id < 0) fail("{}: {} is not a dataset", name_, path);
    return set;
  }
  Handle attribute(const char* name) const {
    if (H5Aexists(file_.id, name) <= 0)
      fail("{}: attribute {} is missing: not a file of results", name_, name);
    return {H5Aopen(file_.id, name, H5P_DEFAULT), H5Aclose};
  }
  std::array<std::size_t, 2> sizes(hid_t space, const std::string& path) const {
    hsize_t size[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2) fail("{}: {} has {} dimensions, 1 or 2 are needed", name_, path, rank);
    H5Sget_simple_extent_dims(space, size, nullptr);
    return {size[0], size[1]};
  }
  std::string name_;
  Handle file_{-1, H5Fclose};
};

ResultInfo read_info(const File& f) {
  ResultInfo i;
  i.layout = static_cast<int>(f.number<long>("layout"));
  if (i.layout != layout::version)
    fail("{}: has layout {}; this saltus reads layout {}", f.name(), i.layout, layout::version);
  for (const auto& [name, field] : {std::pair{"version", &i.version},
                                    {"problem", &i.problem},
                                    {"settings", &i.settings},
                                    {"scheme", &i.scheme},
                                    {"stepping", &i.stepping},
                                    {"solver", &i.solver},
                                    {"scene", &i.scene},
                                    {"given", &i.given},
                                    {"changes", &i.changes},
                                    {"coordinates", &i.coordinates},
                                    {"status", &i.status},
                                    {"message", &i.message},
                                    {"state_hash", &i.state_hash}})
    *field = f.text(name);
  i.t0 = f.number<double>("t0"), i.t_end = f.number<double>("t_end"), i.every = f.number<long>("every");
  return i;
}

template <class... T>
std::size_t common_rows(const T&... tables) {  // of a file whose writer was killed: what all columns have
  return std::min({tables.rows...});
}

void check_width(const File& f, const char* path, std::size_t width) {
  if (width != layout::event_rows)
    fail("{}: {} has {} columns, {} are needed", f.name(), path, width, layout::event_rows);
}

std::vector<std::pair<std::size_t, Event>> read_events(const File& f) {
  const auto t = f.table<double>("/events/t"), before = f.table<double>("/events/t_before"),
             loss = f.table<double>("/events/energy_loss"), P = f.table<double>("/events/impulse"),
             minus = f.table<double>("/events/u_minus"), plus = f.table<double>("/events/u_plus");
  const auto sample = f.table<std::uint64_t>("/events/sample"),
             contact = f.table<std::uint64_t>("/events/contact");
  const auto kind = f.table<std::uint8_t>("/events/kind"), from = f.table<std::uint8_t>("/events/from"),
             to = f.table<std::uint8_t>("/events/to");
  check_width(f, "/events/impulse", P.width), check_width(f, "/events/u_minus", minus.width);
  check_width(f, "/events/u_plus", plus.width);
  const auto block = [](const double* x) {  // NaN where the contact has no such row
    int n = 0;
    while (n < layout::event_rows && !std::isnan(x[n])) ++n;
    return Block(Eigen::Map<const Vec>(x, n));
  };
  std::vector<std::pair<std::size_t, Event>> out;
  const std::size_t n = common_rows(t, before, loss, P, minus, plus, sample, contact, kind, from, to);
  for (std::size_t i = 0; i < n; ++i) {
    if (kind.values[i] > static_cast<int>(EventKind::accumulation) ||
        std::max(from.values[i], to.values[i]) > static_cast<int>(Mode::slip_back))
      fail("{}: event {} has an unknown kind or mode", f.name(), i);
    out.push_back({sample.values[i],
                   {t.values[i], before.values[i], contact.values[i], static_cast<EventKind>(kind.values[i]),
                    static_cast<Mode>(from.values[i]), static_cast<Mode>(to.values[i]), block(P.row(i)),
                    block(minus.row(i)), block(plus.row(i)), loss.values[i]}});
  }
  return out;
}

// Calls `take(sample, id, rows, mode, impulse)` for the records of contacts, in order.
template <class F>
void read_contacts(const File& f, F&& take) {
  const auto sample = f.table<std::uint64_t>("/contacts/sample"),
             id = f.table<std::uint64_t>("/contacts/contact");
  const auto mode = f.table<std::uint8_t>("/contacts/mode"), rows = f.table<std::uint8_t>("/contacts/rows");
  const auto P = f.table<double>("/contacts/impulse");
  check_width(f, "/contacts/impulse", P.width);
  const std::size_t n = common_rows(sample, id, mode, rows, P);
  for (std::size_t i = 0; i < n; ++i) {
    if (rows.values[i] > layout::event_rows || mode.values[i] > static_cast<int>(Mode::slip_back))
      fail("{}: record {} of /contacts has an unknown mode or too many rows", f.name(), i);
    take(sample.values[i], id.values[i], rows.values[i], static_cast<Mode>(mode.values[i]), P.row(i));
  }
}

}  // namespace

Result read_result(const std::string& name) {
  const File f(name);
  Result out;
  out.info = read_info(f);
  out.complete = out.info.status != "running";
  const auto t = f.table<double>("/samples/t"), q = f.table<double>("/samples/q");
  const auto u = f.has("/samples/u") ? f.table<double>("/samples/u") : Table<double>{{}, t.rows, 0};
  const auto grid = f.table<std::uint8_t>("/samples/grid");
  const auto psi = f.has("/samples/psi") ? f.table<double>("/samples/psi") : Table<double>{{}, t.rows, 0};
  const auto energy = f.table<double>("/samples/energy"),
             residual = f.table<double>("/samples/contact_residual"),
             gap = f.table<double>("/samples/min_gap");
  const std::size_t n = common_rows(t, q, u, grid, psi, energy, residual, gap);

  const auto events = read_events(f);
  std::vector<ContactMemory> contacts(n);
  read_contacts(f, [&](std::size_t at, std::uint64_t id, std::uint8_t rows, Mode mode, const double* P) {
    if (at >= n) return;  // of a sample that was not flushed any more
    ContactMemory& m = contacts[at];
    m.closed.push_back({id, static_cast<int>(m.impulse.size()), rows, true, false, mode});
    m.impulse.insert(m.impulse.end(), P, P + rows);
  });

  const auto vec = [](const Table<double>& x, std::size_t i) {
    return Vec(Eigen::Map<const Vec>(x.row(i), static_cast<Eigen::Index>(x.width)));
  };
  State begin, end;
  auto e = events.begin();
  std::vector<Event> of_step;
  for (std::size_t i = 0; i < n; ++i) {
    end.t = t.values[i], end.q = vec(q, i), end.u = vec(u, i), end.aux = vec(psi, i);
    end.contacts = std::move(contacts[i]);
    of_step.clear();
    for (; e != events.end() && e->first <= i; ++e) of_step.push_back(e->second);
    if (i == 0)
      out.trajectory.add(end.t, end.q, end.u, grid.values[0] != 0, end.aux);
    else if (end.t < begin.t)
      fail("{}: /samples/t decreases at row {}", name, i);
    else
      out.trajectory({begin, end, {}, of_step, grid.values[i] != 0, static_cast<int>(psi.width)});
    std::swap(begin, end);
  }
  const auto cut = [&](const Table<double>& x) {
    return std::vector(x.values.begin(), x.values.begin() + static_cast<long>(n));
  };
  out.energy = cut(energy), out.contact_residual = cut(residual), out.min_gap = cut(gap);
  const auto ids = f.table<std::uint64_t>("/names/contact");
  const auto names = f.texts("/names/name");
  for (std::size_t i = 0; i < std::min(ids.rows, names.size()); ++i) out.names[ids.values[i]] = names[i];
  return out;
}

ResultInfo read_result_info(const std::string& file) {
  return read_info(File(file));
}

ResultSummary read_result_summary(const std::string& name) {
  constexpr std::size_t chunk = 65536;
  const File f(name);
  ResultSummary out;
  out.info = read_info(f);
  out.complete = out.info.status != "running";
  out.samples = ~std::size_t{0};
  for (const char* column : {"t", "q", "u", "grid", "psi", "energy", "contact_residual", "min_gap"})
    if (const auto path = fmt::format("/samples/{}", column);
        f.has(path) || (path != "/samples/u" && path != "/samples/psi")) {
      const auto [rows, width] = f.size(path);
      out.samples = std::min(out.samples, rows);
      if (path == "/samples/q") out.nq = static_cast<int>(width);
      if (path == "/samples/u") out.nu = static_cast<int>(width);
      if (path == "/samples/psi") out.multipliers = static_cast<int>(width);
    }
  const auto value = [&](const char* path, std::size_t row) {
    const auto x = f.table<double>(path, row, 1);
    if (x.values.empty()) fail("{}: {} is empty", name, path);
    return x.values[0];
  };
  if (const std::size_t n = out.samples; n > 0) {
    out.t_first = value("/samples/t", 0), out.t_last = value("/samples/t", n - 1);
    out.energy_first = value("/samples/energy", 0), out.energy_last = value("/samples/energy", n - 1);
  }
  for (std::size_t i = 0; i < out.samples; i += chunk)
    for (const double r :
         f.table<double>("/samples/contact_residual", i, std::min(chunk, out.samples - i)).values)
      out.contact_residual = std::max(out.contact_residual, r);
  const std::size_t events = std::min(f.size("/events/kind")[0], f.size("/events/sample")[0]);
  for (std::size_t i = 0; i < events; i += chunk) {
    const auto kinds = f.table<std::uint8_t>("/events/kind", i, std::min(chunk, events - i));
    const auto samples = f.table<std::uint64_t>("/events/sample", i, std::min(chunk, events - i));
    for (std::size_t k = 0; k < std::min(kinds.values.size(), samples.values.size()); ++k) {
      if (samples.values[k] >= out.samples) continue;  // of a step that was not flushed any more
      const int kind = kinds.values[k];
      if (kind > static_cast<int>(EventKind::accumulation)) fail("{}: an event has an unknown kind", name);
      ++out.events[std::string(to_string(static_cast<EventKind>(kind)))];
    }
  }
  out.contacts = f.size("/names/contact")[0];
  return out;
}

}  // namespace saltus

#else

namespace saltus {
ResultInfo read_result_info(const std::string& file) {
  return read_result(file).info;
}
ResultSummary read_result_summary(const std::string& file) {
  return {read_result_info(file)};
}
Result read_result(const std::string& file) {
  fail("{}: this saltus was built without HDF5; install libhdf5-dev and build it anew", file);
}
}  // namespace saltus

#endif
