// SWMR, HDF5's mode for one writer and many readers, keeps the file on the disk consistent at every moment:
// a killed process leaves a file that opens. Its price: all datasets and attributes exist before the first
// row, so the last attributes are written after the rows, in a file that is opened once more.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "saltus/core/error.hpp"
#include "saltus/odae/mechanical_odae.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/result/result.hpp"
#include "saltus/system/first_order.hpp"

#ifdef SALTUS_WITH_HDF5
#include "saltus/core/hdf5.hpp"
#include "saltus/result/columns.hpp"

namespace saltus {
namespace {

using EnergyOf = std::function<double(double, const Vec&, const Vec&)>;

EnergyOf energy_of(const std::shared_ptr<const DynamicSystem>& system) {
  if (const System* m = as_mechanical(system.get()))
    return [m](double t, const Vec& q, const Vec& u) { return m->energy(t, q, u); };
  if (const auto* f = dynamic_cast<const FirstOrderSystem*>(system.get()))
    return [f](double t, const Vec& q, const Vec& u) { return f->energy(t, q, u); };
  return [o = as_odae(*system)](double t, const Vec& q, const Vec& u) { return o->energy(t, q, u); };
}

void set_text(hid_t file, const char* name, const std::string& text) {
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type.id, text.size() + 1);
  H5Tset_cset(type.id, H5T_CSET_UTF8);
  const Handle a(H5Acreate2(file, name, type.id, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(a.id, type.id, text.c_str());
}

template <class T>
void set_number(hid_t file, const char* name, T value) {
  const hid_t type = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_LONG;
  if (H5Aexists(file, name) > 0) H5Adelete(file, name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle a(H5Acreate2(file, name, type, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(a.id, type, &value);
}

void set_stats(hid_t file, const RunResult& r) {
  set_number(file, "steps", r.stats.steps);
  set_number(file, "rejected", r.stats.rejected);
  set_number(file, "force_evaluations", r.stats.force_evaluations);
  set_number(file, "newton_iterations", r.stats.newton_iterations);
  set_number(file, "contact_iterations", r.stats.contact_iterations);
  set_number(file, "cpu_seconds", r.stats.cpu_seconds);
  set_number(file, "energy_initial", r.energy_initial);
  set_number(file, "energy_final", r.energy_final);
  set_number(file, "residual_contact", r.residuals.contact);
  set_number(file, "residual_gap", r.residuals.gap);
  set_number(file, "residual_position", r.residuals.position);
  set_number(file, "residual_velocity", r.residuals.velocity);
}

hid_t create(const std::string& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id);
}

// A file that a run left, closed in order or not.
hid_t open_again(const std::string& file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  bool forget_the_writer = true;  // what h5clear -s does: a killed process leaves its mark
  H5Pset(access.id, "clear_status_flags", &forget_the_writer);
  return H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id);
}

}  // namespace

struct ResultWriter::Impl {
  // what happened since the last sample
  struct Sum {
    std::uint64_t id;
    std::uint8_t rows;
    Mode mode;
    Block impulse;
    void memory(Memory& m) { m(id, rows, mode, impulse); }
  };
  Impl(const std::string& name, const Problem& problem, const ResultInfo& i, bool append)
      : file_name(name),
        info(i),
        system(problem.system),
        energy(energy_of(problem.system)),
        file(append ? open_again(name) : create(name), H5Fclose),
        name_type(H5Tcopy(H5T_C_S1), H5Tclose) {
    if (file.id < 0 && append)
      fail("'{}', which the run wrote, cannot be opened; give -o another name for the rest", name);
    if (file.id < 0) fail("cannot write '{}': no such folder, or not allowed", name);
    if (i.every < 1) fail("every = {} is not allowed: at least 1", i.every);
    H5Tset_size(name_type.id, layout::name_length);
    H5Tset_cset(name_type.id, H5T_CSET_UTF8);
  }

  void begin(const State& x, int m) {
    multipliers = m;
    set_number(file.id, "layout", static_cast<long>(layout::version));
    for (const auto& [name, text] :
         {std::pair{"version", std::string(SALTUS_VERSION)},
          {"problem", info.problem},
          {"settings", info.settings},
          {"scheme", info.scheme},
          {"stepping", info.stepping},
          {"solver", info.solver},
          {"scene", info.scene},
          {"given", info.given},
          {"changes", info.changes},
          {"coordinates", info.coordinates},
          {"status", info.status},
          {"message", info.message},
          {"state_hash", info.state_hash},
          {"kinds", std::string("impact,close,open,stick,slip,reverse,accumulation")},
          {"modes", std::string("open,closed,stick,slip,slip_back")}})
      set_text(file.id, name, text);
    set_number(file.id, "t0", info.t0);
    set_number(file.id, "t_end", info.t_end);
    set_number(file.id, "every", info.every);
    open_columns(static_cast<int>(x.q.size()), static_cast<int>(x.u.size()));
    check(H5Fstart_swmr_write(file.id) >= 0);
    put(x, true);
    flush();
  }

  void open_columns(int nq, int nu) {
    columns = std::make_unique<Columns>(file.id, name_type.id, nq, nu);
    if (multipliers > 0) columns->psi.push_back(Columns::real(file.id, "/samples/psi", multipliers));
  }

  // Rows that the file has beyond the checkpoint are cut off.
  void memory(Memory& m, const Problem& problem) {
    std::vector<std::uint64_t> names(named.begin(), named.end());
    bool begun = columns != nullptr;
    m(begun, multipliers, samples, events, records, names, steps, at_step, last_t, residual, min_gap, sums);
    if (!m.reading() || !begun) return;
    named = {names.begin(), names.end()};
    open_columns(static_cast<int>(problem.q0.size()), static_cast<int>(problem.u0.size()));
    const std::uint64_t rows[] = {samples, events, records, names.size()};
    columns->each([&](Column& c, int table) {
      if (!c.keep(rows[table]))
        fail("'{}' is not the file that the run wrote: it has fewer rows, or others", file_name);
    });
    set_text(file.id, "status", info.status);
    check(H5Fstart_swmr_write(file.id) >= 0);
    flush();
  }

  void check(bool ok) const {
    if (!ok) fail("writing '{}' failed: is the disk full?", file_name);
  }
  template <class T>
  void push(Column& c, const T& value) {
    check(c.push(&value));
  }

  void put(const State& x, bool grid) {
    Columns& c = *columns;
    push(c.t, x.t), push(c.grid, static_cast<std::uint8_t>(grid));
    check(c.q.push(x.q.data()) && c.u.push(x.u.data()));
    push(c.energy, energy(x.t, x.q, x.u)), push(c.residual, residual), push(c.gap, min_gap);
    if (!c.psi.empty()) check(c.psi[0].push(x.aux.data()));
    for (const Sum& s : sums) {
      double P[layout::event_rows] = {};
      std::copy_n(s.impulse.data(), s.rows, P);
      push(c.c_sample, samples), push(c.c_contact, s.id), push(c.c_mode, s.mode), push(c.c_rows, s.rows);
      check(c.c_impulse.push(P));
      ++records;
      name(s.id);
    }
    sums.clear();
    residual = 0, min_gap = infinity;
    ++samples;
    last_t = x.t, at_step = steps;
  }

  void name(std::uint64_t id) {
    if (!named.insert(id).second) return;
    char text[layout::name_length] = {};
    const std::string full = system->contact_name(id);
    full.copy(text, layout::name_length - 1);
    push(columns->n_contact, id);
    check(columns->n_name.push(text));
  }

  void put(const Event& e) {
    Columns& c = *columns;
    const auto row = [](const Block& b, double* out) { std::copy_n(b.data(), b.size(), out); };
    double P[layout::event_rows], minus[layout::event_rows], plus[layout::event_rows];
    for (double* x : {P, minus, plus}) std::fill_n(x, layout::event_rows, std::nan(""));
    row(e.impulse, P), row(e.u_minus, minus), row(e.u_plus, plus);
    push(c.e_t, e.t), push(c.e_before, e.t_before), push(c.e_sample, samples), push(c.e_contact, e.contact);
    push(c.e_kind, e.kind), push(c.e_from, e.from), push(c.e_to, e.to);
    check(c.e_impulse.push(P) && c.e_minus.push(minus) && c.e_plus.push(plus));
    push(c.e_loss, e.energy_loss);
    ++events;
    name(e.contact);
  }

  void add(const ContactMemory& memory) {
    for (const auto& r : memory.closed) {
      auto it =
          std::lower_bound(sums.begin(), sums.end(), r.id, [](const Sum& s, auto id) { return s.id < id; });
      const Eigen::Map<const Vec> P(memory.impulse.data() + r.offset, r.rows);
      if (it != sums.end() && it->id == r.id && it->rows == r.rows)
        it->impulse += P, it->mode = r.mode;
      else
        sums.insert(it, {r.id, r.rows, r.mode, P});
    }
  }

  void flush() {
    columns->each([&](Column& c, int) { check(c.write()); });
    check(H5Fflush(file.id, H5F_SCOPE_LOCAL) >= 0);
    flushed = std::chrono::steady_clock::now();
  }

  std::string file_name;
  ResultInfo info;
  std::shared_ptr<const DynamicSystem> system;
  EnergyOf energy;
  Handle file, name_type;
  std::unique_ptr<Columns> columns;
  int multipliers = 0;
  std::uint64_t samples = 0, events = 0, records = 0;
  long steps = 0, at_step = 0;
  double last_t = 0, residual = 0, min_gap = infinity;
  std::vector<Sum> sums;
  std::set<std::uint64_t> named;
  std::chrono::steady_clock::time_point flushed;
};

ResultWriter::ResultWriter(const std::string& file, const Problem& problem, const ResultInfo& info,
                           Opening opening)
    : append_(opening == Opening::append),
      problem_(problem),
      impl_(std::make_unique<Impl>(file, problem, info, append_)) {}
ResultWriter::~ResultWriter() = default;

void ResultWriter::memory(Memory& m) {
  if (m.reading() && !append_) return;  // the rest goes to a file of its own
  flush();
  impl_->memory(m, problem_);
}

void ResultWriter::operator()(const Segment& s) {
  Impl& w = *impl_;
  if (!w.columns) w.begin(s.begin, s.multipliers);
  const bool event = !s.events.empty();
  if (event && w.at_step != w.steps) w.put(s.begin, true);  // the side before it
  w.residual = std::max(w.residual, s.report.contact_residual);
  w.min_gap = std::min(w.min_gap, s.report.min_gap);
  w.add(s.end.contacts);
  ++w.steps;
  for (const Event& e : s.events) w.put(e);
  if (event || w.steps % w.info.every == 0) w.put(s.end, s.grid_point);
  if ((w.steps & 63) == 0) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - w.flushed;
    if (since.count() > flush_seconds) w.flush();
  }
}

void ResultWriter::flush() {
  if (impl_->columns) impl_->flush();
}

void ResultWriter::finish(const RunResult& result) {
  Impl& w = *impl_;
  const State& x = result.final;
  if (!w.columns) w.begin(x, 0);
  if (w.at_step != w.steps) w.put(x, true);
  w.flush();
  w.columns.reset();
  w.file = Handle(-1, H5Fclose);  // closes it
  const Handle file(H5Fopen(w.file_name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
  w.check(file.id >= 0);
  set_text(file.id, "status", std::string(to_string(result.status)));
  set_text(file.id, "message", result.message);
  set_text(file.id, "state_hash", state_hash(x));
  set_stats(file.id, result);
}

}  // namespace saltus

#else

namespace saltus {

struct ResultWriter::Impl {};
ResultWriter::ResultWriter(const std::string& file, const Problem& problem, const ResultInfo&, Opening)
    : problem_(problem) {
  fail("{}: this saltus was built without HDF5; install libhdf5-dev and build it anew, or write .csv", file);
}
ResultWriter::~ResultWriter() = default;
void ResultWriter::operator()(const Segment&) {}
void ResultWriter::flush() {}
void ResultWriter::memory(Memory&) {}
void ResultWriter::finish(const RunResult&) {}

}  // namespace saltus

#endif
