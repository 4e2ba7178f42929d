#include <algorithm>
#include <climits>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/result/result.hpp"

#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/h5_input.hpp"

namespace saltus {
namespace {

// One number per row.
template <class T>
H5Table<T> column(const H5Input& f, const std::string& path) {
  auto out = f.table<T>(path);
  if (out.width != 1) fail("{}: {} has {} columns, one is needed", f.name(), path, out.width);
  return out;
}

// Several per row: coordinates, velocities, multipliers.
H5Table<double> table(const H5Input& f, const std::string& path) {
  auto out = f.table<double>(path);
  if (out.width < 1 || out.width > INT_MAX)
    fail("{}: {} has {} columns, 1 to {} are allowed", f.name(), path, out.width, INT_MAX);
  return out;
}

ResultInfo read_info(const H5Input& f) {
  ResultInfo i;
  if (!f.has_attribute("layout")) fail("{}: attribute layout is missing: not a file of results", f.name());
  const auto version = f.integer("layout");
  if (version != layout::version)
    fail("{}: has layout {}; this saltus reads layout {}", f.name(), version, layout::version);
  i.layout = static_cast<int>(version);
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
  i.t0 = f.real("t0"), i.t_end = f.real("t_end"), i.every = f.integer("every");
  if (f.has_attribute("dense_bytes")) i.dense_bytes = f.integer("dense_bytes");
  if (f.has_attribute("stepped_from")) i.stepped_from = f.real("stepped_from");
  if (f.has_attribute(layout::checksum_name) && f.text(layout::checksum_name) != layout::checksum_of(i))
    fail("{}: its attributes are damaged: their checksum is another", f.name());
  return i;
}

// A file whose writer was stopped has the rows that all columns have. Of one that was closed they agree.
class Rows {
 public:
  Rows(const H5Input& f, const ResultInfo& info) : f_(f), closed_(info.status != "running") {}
  std::size_t common(std::initializer_list<const char*> paths) const {
    std::size_t least = ~std::size_t{0};
    const char* first = nullptr;
    for (const char* path : paths) {
      if (optional(path) && !f_.has(path)) continue;
      const H5Dataset set = f_.dataset(path);
      if (closed_ && set.rows_written() != set.rows())
        set.wrong("has {} rows and lost those from row {} on: the file is damaged", set.rows(),
                  set.rows_written());
      if (closed_ && first && least != set.rows())
        set.wrong("has {} rows, {} has {}: the file is damaged", set.rows(), first, least);
      first = path, least = std::min(least, set.rows_written());
    }
    if (least >= INT_MAX) fail("{}: {} has {} rows, too many", f_.name(), first, least);
    return least;
  }

 private:
  static bool optional(std::string_view path) {
    for (const char* other : {"/samples/u", "/samples/psi", "/samples/vdot", "/samples/a", "/contacts/lambda",
                              "/contacts/reaction", "/dense/u"})
      if (path == other) return true;
    return false;
  }
  const H5Input& f_;
  bool closed_;
};

constexpr std::initializer_list<const char*> sample_columns = {
    "/samples/t",      "/samples/q",      "/samples/u",
    "/samples/grid",   "/samples/psi",    "/samples/vdot",
    "/samples/a",      "/samples/energy", "/samples/contact_residual",
    "/samples/min_gap"};
constexpr std::initializer_list<const char*> event_columns = {
    "/events/t",       "/events/t_before", "/events/energy_loss", "/events/impulse",
    "/events/u_minus", "/events/u_plus",   "/events/sample",      "/events/contact",
    "/events/kind",    "/events/from",     "/events/to"};
constexpr std::initializer_list<const char*> contact_columns = {
    "/contacts/sample",  "/contacts/contact", "/contacts/mode",    "/contacts/rows",
    "/contacts/impulse", "/contacts/lambda",  "/contacts/reaction"};
constexpr std::initializer_list<const char*> dense_columns = {"/dense/t", "/dense/length", "/dense/end",
                                                              "/dense/q", "/dense/u"};
constexpr std::initializer_list<const char*> name_columns = {"/names/contact", "/names/name"};

H5Table<double> blocks(const H5Input& f, const char* path) {
  auto out = f.table<double>(path);
  if (out.width != layout::event_rows)
    fail("{}: {} has {} columns, {} are needed", f.name(), path, out.width, layout::event_rows);
  return out;
}

// Numbers of samples must not decrease.
void check_order(const H5Input& f, const char* path, const H5Table<std::uint64_t>& samples) {
  const auto fall = std::is_sorted_until(samples.values.begin(), samples.values.end());
  if (fall != samples.values.end())
    fail("{}: {} decreases at row {}", f.name(), path, fall - samples.values.begin());
}

std::vector<std::pair<std::size_t, Event>> read_events(const H5Input& f, const Rows& rows) {
  const std::size_t n = rows.common(event_columns);
  const auto t = column<double>(f, "/events/t"), before = column<double>(f, "/events/t_before"),
             loss = column<double>(f, "/events/energy_loss"), P = blocks(f, "/events/impulse"),
             minus = blocks(f, "/events/u_minus"), plus = blocks(f, "/events/u_plus");
  const auto sample = column<std::uint64_t>(f, "/events/sample"),
             contact = column<std::uint64_t>(f, "/events/contact");
  const auto kind = column<std::uint8_t>(f, "/events/kind"), from = column<std::uint8_t>(f, "/events/from"),
             to = column<std::uint8_t>(f, "/events/to");
  check_order(f, "/events/sample", sample);
  const auto block = [](const double* x) {  // NaN where the contact has no such row
    int known = 0;
    while (known < layout::event_rows && !std::isnan(x[known])) ++known;
    return Block(Eigen::Map<const Vec>(x, known));
  };
  std::vector<std::pair<std::size_t, Event>> out;
  for (std::size_t i = 0; i < n; ++i) {
    if (kind.values[i] > static_cast<int>(EventKind::accumulation) ||
        std::max(from.values[i], to.values[i]) > static_cast<int>(last_mode))
      fail("{}: event {} has an unknown kind or mode", f.name(), i);
    if (!std::isfinite(t.values[i]) || !std::isfinite(before.values[i]))
      fail("{}: event {} lies in ]{}, {}]", f.name(), i, before.values[i], t.values[i]);
    out.push_back({sample.values[i],
                   {t.values[i], before.values[i], contact.values[i], static_cast<EventKind>(kind.values[i]),
                    static_cast<Mode>(from.values[i]), static_cast<Mode>(to.values[i]), block(P.row(i)),
                    block(minus.row(i)), block(plus.row(i)), loss.values[i]}});
  }
  return out;
}

void read_dense(const H5Input& f, const Rows& rows, Trajectory& trajectory) {
  if (!f.has("/dense/t")) return;
  trajectory.dense_limit = ~std::size_t{0};  // the file has its own
  const std::size_t n = rows.common(dense_columns);
  const auto t = column<double>(f, "/dense/t"), length = column<double>(f, "/dense/length"),
             end = column<double>(f, "/dense/end");
  const auto q = table(f, "/dense/q");
  const auto u =
      f.has("/dense/u") ? table(f, "/dense/u") : H5Table<double>{{}, n, 0};  // none without velocities
  constexpr int terms = DensePiece::max_terms;
  const auto nq = static_cast<std::size_t>(trajectory.nq()), nu = static_cast<std::size_t>(trajectory.nu());
  if (q.width != terms * nq || u.width != terms * nu)
    fail("{}: /dense/q and u have {} and {} columns, {} and {} are needed", f.name(), q.width, u.width,
         terms * nq, terms * nu);
  DensePiece piece;
  piece.resize(trajectory.nq(), trajectory.nu(), terms);
  double before = -infinity;
  for (std::size_t i = 0; i < n; ++i) {
    piece.start = t.values[i], piece.length = length.values[i];
    const double to = end.values[i];
    if (!(piece.length > 0 && piece.length < infinity && piece.start >= before && to > piece.start &&
          to < infinity))
      fail("{}: row {} of /dense goes from {} to {} with a length of {}, after one to {}", f.name(), i,
           piece.start, to, piece.length, before);
    before = to;
    std::copy_n(q.row(i), q.width, piece.q.data());
    std::copy_n(u.row(i), u.width, piece.u.data());
    trajectory.add_dense(piece, to);
  }
}

// The energies of the ledger, where the file has them all.
std::optional<Ledger> read_ledger(const H5Input& f) {
  Ledger l;
  for (const auto& [name, value] : {std::pair{"ledger_energy_start", &l.energy_start},
                                    {"ledger_energy_end", &l.energy_end},
                                    {"ledger_work", &l.work},
                                    {"ledger_damping", &l.damping},
                                    {"ledger_friction", &l.friction},
                                    {"ledger_impacts", &l.impacts},
                                    {"ledger_remainder", &l.remainder}}) {
    if (!f.has_attribute(name)) return {};
    *value = f.real(name);
  }
  return l;
}

// The records of contacts, in the order of samples.
class ContactRecords {
 public:
  ContactRecords(const H5Input& f, const Rows& rows)
      : f_(f),
        n_(rows.common(contact_columns)),
        sample_(column<std::uint64_t>(f, "/contacts/sample")),
        id_(column<std::uint64_t>(f, "/contacts/contact")),
        mode_(column<std::uint8_t>(f, "/contacts/mode")),
        rows_(column<std::uint8_t>(f, "/contacts/rows")),
        P_(blocks(f, "/contacts/impulse")) {
    check_order(f, "/contacts/sample", sample_);
    if (f.has("/contacts/lambda")) lambda_ = blocks(f, "/contacts/lambda");
    if (f.has("/contacts/reaction")) reaction_ = blocks(f, "/contacts/reaction");
    if (n_ > INT_MAX / layout::event_rows) fail("{}: /contacts has {} records, too many", f.name(), n_);
  }
  bool with_levels() const { return !lambda_.values.empty() && !reaction_.values.empty(); }
  void of_sample(std::size_t sample, ContactMemory& m, AlphaLevels& levels) {
    m.closed.clear(), m.impulse.clear(), levels.contacts.clear();
    for (; next_ < n_ && sample_.values[next_] <= sample; ++next_) {
      const auto mode = mode_.values[next_], rows = rows_.values[next_];
      if (rows > layout::event_rows || mode > static_cast<int>(last_mode))
        fail("{}: record {} of /contacts has an unknown mode or too many rows", f_.name(), next_);
      m.closed.push_back({id_.values[next_], static_cast<int>(m.impulse.size()), rows, true, false,
                          static_cast<Mode>(mode)});
      const auto row = [&](const H5Table<double>& x) {
        return std::vector(x.row(next_), x.row(next_) + rows);
      };
      const auto P = row(P_);
      m.impulse.insert(m.impulse.end(), P.begin(), P.end());
      if (with_levels()) levels.contacts.push_back({id_.values[next_], row(lambda_), P, row(reaction_)});
    }
  }

 private:
  const H5Input& f_;
  std::size_t n_, next_ = 0;
  H5Table<std::uint64_t> sample_, id_;
  H5Table<std::uint8_t> mode_, rows_;
  H5Table<double> P_, lambda_, reaction_;
};

}  // namespace

Result read_result(const std::string& name) {
  const H5Input f(name);
  Result out;
  out.info = read_info(f);
  out.complete = out.info.status != "running";
  const Rows rows(f, out.info);
  const std::size_t n = rows.common(sample_columns);
  const auto if_any = [&](const char* path) {
    return f.has(path) ? table(f, path) : H5Table<double>{{}, n, 0};
  };
  const auto t = column<double>(f, "/samples/t"), q = table(f, "/samples/q");
  const auto u = if_any("/samples/u"), psi = if_any("/samples/psi");
  const auto vdot = if_any("/samples/vdot"), a = if_any("/samples/a");
  const bool levels = vdot.width > 0 && a.width > 0;
  if (levels && (vdot.width != u.width || a.width != u.width))
    fail("{}: /samples/vdot and a have {} and {} columns, u has {}", name, vdot.width, a.width, u.width);
  const auto grid = column<std::uint8_t>(f, "/samples/grid");
  const auto energy = column<double>(f, "/samples/energy"),
             residual = column<double>(f, "/samples/contact_residual"),
             gap = column<double>(f, "/samples/min_gap");
  const auto events = read_events(f, rows);
  ContactRecords contacts(f, rows);

  const auto vec = [](const H5Table<double>& x, std::size_t i) {
    return Vec(Eigen::Map<const Vec>(x.row(i), static_cast<Eigen::Index>(x.width)));
  };
  State begin, end;
  auto e = events.begin();
  std::vector<Event> of_step;
  for (std::size_t i = 0; i < n; ++i) {
    end.t = t.values[i], end.q = vec(q, i), end.u = vec(u, i), end.aux = vec(psi, i);
    if (!std::isfinite(end.t)) fail("{}: /samples/t is {} at row {}", name, end.t, i);
    AlphaLevels now;
    contacts.of_sample(i, end.contacts, now);
    if (levels) now.vdot = vec(vdot, i), now.a = vec(a, i), out.levels.push_back(std::move(now));
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
  const auto cut = [&](const H5Table<double>& x) {
    return std::vector(x.values.begin(), x.values.begin() + static_cast<std::ptrdiff_t>(n));
  };
  out.energy = cut(energy), out.contact_residual = cut(residual), out.min_gap = cut(gap);
  if (n > 0) read_dense(f, rows, out.trajectory);
  out.ledger = read_ledger(f);
  for (const auto& [of, value] :
       {std::pair{"energy_initial", &out.energy_initial}, {"energy_final", &out.energy_final}})
    if (f.has_attribute(of)) *value = f.real(of);
  if (f.has_attribute("warnings")) out.warnings = lines_of(f.text("warnings"));
  for (const auto& [of, value] : {std::pair{"steps", &out.stats.steps},
                                  {"rejected", &out.stats.rejected},
                                  {"force_evaluations", &out.stats.force_evaluations},
                                  {"newton_iterations", &out.stats.newton_iterations},
                                  {"contact_iterations", &out.stats.contact_iterations}})
    if (f.has_attribute(of)) *value = f.integer(of);
  if (f.has_attribute("cpu_seconds")) out.stats.cpu_seconds = f.real("cpu_seconds");
  const std::size_t named = rows.common(name_columns);
  const auto ids = column<std::uint64_t>(f, "/names/contact");
  const auto names = f.texts("/names/name");
  for (std::size_t i = 0; i < named; ++i) out.names[ids.values[i]] = names[i];
  return out;
}

ResultInfo read_result_info(const std::string& file) {
  return read_info(H5Input(file));
}

namespace {

// Calls `take(values)` for all rows of a column, so many at a time.
template <class T, class F>
void each_part(const H5Dataset& set, std::size_t rows, F&& take) {
  constexpr std::size_t part = 65536;
  if (set.columns() != 1) set.wrong("has {} columns, one is needed", set.columns());
  std::vector<T> values;
  for (std::size_t i = 0; i < rows; i += part) {
    values.resize(std::min(part, rows - i));
    set.read(i, values.size(), values.data());
    take(i, values);
  }
}

}  // namespace

ResultSummary read_result_summary(const std::string& name) {
  const H5Input f(name);
  ResultSummary out;
  out.info = read_info(f);
  out.complete = out.info.status != "running";
  const Rows rows(f, out.info);
  out.samples = rows.common(sample_columns);
  const auto width = [&](const char* path) {
    const std::size_t n = f.has(path) ? f.dataset(path).columns() : 0;
    if (n > INT_MAX) fail("{}: {} has {} columns, at most {} are allowed", name, path, n, INT_MAX);
    return static_cast<int>(n);
  };
  out.nq = width("/samples/q"), out.nu = width("/samples/u"), out.multipliers = width("/samples/psi");
  if (f.has("/dense/t")) out.pieces = rows.common(dense_columns);
  if (f.has_attribute("dense_until")) out.dense_until = f.real("dense_until");
  const auto ends = [&](const char* path, double& first, double& last) {
    const H5Dataset set = f.dataset(path);
    if (set.columns() != 1) set.wrong("has {} columns, one is needed", set.columns());
    set.read(0, 1, &first), set.read(out.samples - 1, 1, &last);
  };
  if (out.samples > 0) {
    ends("/samples/t", out.t_first, out.t_last);
    ends("/samples/energy", out.energy_first, out.energy_last);
  }
  each_part<double>(f.dataset("/samples/contact_residual"), out.samples,
                    [&](std::size_t, const std::vector<double>& part) {
                      for (const double r : part) out.contact_residual = std::max(out.contact_residual, r);
                    });
  const H5Dataset sample_of = f.dataset("/events/sample");
  if (sample_of.columns() != 1) sample_of.wrong("has {} columns, one is needed", sample_of.columns());
  std::vector<std::uint64_t> samples;
  each_part<std::uint8_t>(f.dataset("/events/kind"), rows.common(event_columns),
                          [&](std::size_t first, const std::vector<std::uint8_t>& kinds) {
                            samples.resize(kinds.size());
                            sample_of.read(first, samples.size(), samples.data());
                            for (std::size_t k = 0; k < kinds.size(); ++k) {
                              if (samples[k] >= out.samples) continue;  // its step was not flushed any more
                              if (kinds[k] > static_cast<int>(EventKind::accumulation))
                                fail("{}: an event has an unknown kind", name);
                              ++out.events[std::string(to_string(static_cast<EventKind>(kinds[k])))];
                            }
                          });
  out.contacts = rows.common(name_columns);
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
