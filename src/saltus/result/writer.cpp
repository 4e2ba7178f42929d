// SWMR, HDF5's mode for one writer and many readers, keeps the file on the disk consistent: a killed process
// leaves a file that opens. Its price: all datasets and attributes exist before the first row, so the file is
// made under another name, and the last attributes are written after the rows, in a file that is opened
// again.
//
// HDF5 does not survive a write that fails, so none may: space for the next rows, and for closing the file,
// is reserved before they are handed over. When it cannot be had, the file is closed with the rows it has.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/result/result.hpp"
#include "saltus/result/same_run.hpp"
#include "saltus/scheme/symplectic/body_euler_stepper.hpp"
#include "saltus/system/first_order.hpp"

#ifdef SALTUS_WITH_HDF5
#include "saltus/core/file/disk_room.hpp"
#include "saltus/core/file/file_lock.hpp"
#include "saltus/core/file/hdf5.hpp"
#include "saltus/core/file/output_file.hpp"
#include "saltus/result/columns.hpp"
#include "saltus/result/flush_clock.hpp"
#include "saltus/result/h5_file.hpp"
#include "saltus/result/pending_piece.hpp"

namespace saltus {

struct ResultWriter::Impl {
  // what happened since the last sample
  struct Sum {
    std::uint64_t id;
    std::uint8_t rows;
    Mode mode;
    Block impulse;
    void memory(Memory& m) {
      m(id, rows, mode, impulse);
      m.require(rows == impulse.size() && rows <= layout::event_rows);
    }
  };
  Impl(const std::string& name, const Problem& problem, const ResultInfo& i)
      : file_name(name),
        info(i),
        system(problem.system),
        name_lock(std::make_unique<NameLock>(name)),
        name_type((start_hdf5(), H5Tcopy(H5T_C_S1)), H5Tclose) {
    if (is_locked(name)) fail("another process is writing '{}'; wait for it, or end it", name);
    if (std::filesystem::is_directory(name)) fail("cannot write '{}': it is a folder; name a file", name);
    info.levels = info.levels && mechanical;
    if (i.every < 1) fail("every = {} is not allowed: at least 1", i.every);
    info.version = SALTUS_VERSION;
    H5Tset_size(name_type.id, layout::name_length);
    H5Tset_cset(name_type.id, H5T_CSET_UTF8);
  }

  ~Impl() {
    if (!part.empty()) ::unlink(part.c_str());
  }

  void begin(const State& x, int m) {
    multipliers = m;
    opened = Opened(create_beside(file_name, ".part", part));
    if (!opened.lock()) fail("another process is writing '{}'", file_name);
    need(2 * text_bytes(info) + (std::uint64_t{1} << 19));
    file = create_file(part);
    check(file.id >= 0);
    check(set_info(file.id, info));
    open_columns(static_cast<int>(x.q.size()), static_cast<int>(x.u.size()));
    check(H5Fstart_swmr_write(file.id) >= 0);
    make_room(0);
    put(x, true);
    flush();
    if (std::rename(part.c_str(), file_name.c_str()) != 0)
      fail("cannot write '{}': {}", file_name, std::strerror(errno));
    part.clear();
    name_lock.reset();  // the file itself is locked
  }

  // Space for so many bytes beyond the present end of the file. What stands against it is an Error, and no
  // row is taken any more.
  void need(std::uint64_t bytes) {
    hsize_t size = 0;
    if (file.id >= 0) check(H5Fget_filesize(file.id, &size) >= 0);
    const std::string trouble = opened.room.reserve(size + bytes);
    if (trouble.empty()) return;
    stopped = true;
    fail("writing '{}' failed: {}; it has the rows up to t = {}", file_name, trouble, last_t);
  }
  // Before rows of so many bytes: for them, for what waits, and for closing the file.
  void make_room(std::uint64_t bytes) {
    if (!wrote && bytes < spare) {
      spare -= bytes;
      return;
    }
    constexpr std::uint64_t least_spare = 1 << 16;
    std::uint64_t closing = std::uint64_t{1} << 17;
    columns->each([&](Column& c) { closing += c.room(); });
    need(closing + 2 * (bytes + least_spare));
    wrote = false, spare = least_spare;
  }
  std::uint64_t bytes_of(const Segment& s) const {
    const Columns& c = *columns;
    const std::uint64_t levels = info.levels ? 2 : 0;
    const std::uint64_t sample = 64 + c.q.row_bytes() + (1 + levels) * c.u.row_bytes() +
                                 8 * static_cast<std::uint64_t>(multipliers),
                        contact = 64 + 8 * (1 + levels) * layout::event_rows + layout::name_length,
                        event = 128 + 24 * layout::event_rows + layout::name_length;
    const std::uint64_t piece = c.dense ? 64 + c.dense->q.row_bytes() + c.dense->u.row_bytes() : 0;
    return 2 * sample + piece + contact * (sums.size() + s.end.contacts.closed.size()) +
           event * s.events.size();
  }

  void open_columns(int nq, int nu) {
    columns = std::make_unique<Columns>(file.id, name_type.id, nq, nu);
    if (multipliers > 0) columns->psi.push_back(Columns::real(file.id, "/samples/psi", multipliers));
    if (info.levels) columns->add_levels(file.id, nu);
    if (info.dense_bytes > 0) columns->add_dense(file.id, nq, nu);
  }

  // The file of the run that is resumed; rows that it has beyond the checkpoint are cut off.
  void memory(Memory& m, const Problem& problem) {
    std::vector<std::uint64_t> names(named.begin(), named.end());
    bool begun = columns != nullptr;
    m(begun, multipliers, samples, names, steps, at_step, residual, min_gap, sums, grid);
    if (!begun && m.reading() && std::filesystem::exists(file_name))
      fail(
          "'{}' is there, and the run that is resumed had not written it yet; move it away, or give -o "
          "another name",
          file_name);
    if (!begun) return;
    if (m.reading()) m.require(multipliers == 0 || multipliers == multipliers_of(*system));
    if (m.reading()) info.dense_bytes = check_same_run(file_name, info).dense_bytes;
    if (info.dense_bytes > 0) m(pending);
    m.require(pending.fits(problem.q0.size(), problem.u0.size()));
    if (!m.reading() && file.id >= 0) {
      check(H5Fflush(file.id, H5F_SCOPE_LOCAL) >= 0);
      return columns->each([&](Column& c) { m(c); });
    }
    named = {names.begin(), names.end()};
    opened = Opened(::open(file_name.c_str(), O_RDWR | O_CLOEXEC));
    if (!opened.there()) fail("cannot write '{}': {}", file_name, std::strerror(errno));
    if (!opened.lock()) fail("another process is writing '{}'; wait for it, or end it", file_name);
    name_lock.reset();
    need(2 * text_bytes(info) + (std::uint64_t{1} << 19));
    file = open_again(file_name);
    if (file.id < 0)
      fail("'{}', which the run wrote, cannot be opened; give -o another name for the rest", file_name);
    resumed = true;
    open_columns(static_cast<int>(problem.q0.size()), static_cast<int>(problem.u0.size()));
    columns->each([&](Column& c) {
      m(c);
      if (!c.fits())
        fail(
            "'{}' is not the file that the run wrote: it has fewer rows, or others; give -o another name for "
            "the "
            "rest",
            file_name);
    });
    columns->each([&](Column& c) { check(c.cut()); });
    check(set_text(file.id, "status", info.status));
    if (!std::isnan(info.extends))
      check(set_number(file.id, "t_end", info.t_end) &&
            set_text(file.id, layout::checksum_name, layout::checksum_of(info)));
    check(H5Fstart_swmr_write(file.id) >= 0);
    clock.flushed();
  }

  void close(Handle& which) {
    const bool ok = which.end();
    if (!ok) opened.room.keep();
    check(ok);
  }

  void check(bool ok) {
    if (ok) return;
    stopped = true;
    if (columns) columns->each([](Column& c) { c.abandon(); });
    columns.reset();
    file.id = -1;
    if (resumed)  // it may be damaged by the failure that ended the run before
      fail(
          "'{}' cannot be continued: writing it failed; if there is room on the disk, give -o another name "
          "for "
          "the rest",
          file_name);
    fail("writing '{}' failed: the disk is full, or gone; it has what was flushed before", file_name);
  }
  void push_row(Column& c, const void* row) {
    wrote = wrote || c.will_write();
    check(c.push(row));
  }
  template <class T>
  void push(Column& c, const T& value) {
    push_row(c, &value);
  }

  void put(const State& x, bool on_grid) {
    Columns& c = *columns;
    push(c.t, x.t), push(c.grid, static_cast<std::uint8_t>(on_grid));
    push_row(c.q, x.q.data()), push_row(c.u, x.u.data());
    push(c.energy, system->energy(x.t, x.q, x.u, *work)), push(c.residual, residual), push(c.gap, min_gap);
    if (!c.psi.empty()) {
      if (x.aux.size() < multipliers) fail("'{}' has multipliers, the run has none", file_name);
      push_row(c.psi[0], x.aux.data());
    }
    if (c.levels) put_levels(x);
    for (const Sum& s : sums) {
      double P[layout::event_rows] = {};
      std::copy_n(s.impulse.data(), s.rows, P);
      push(c.c_sample, samples), push(c.c_contact, s.id), push(c.c_mode, s.mode), push(c.c_rows, s.rows);
      push_row(c.c_impulse, P);
      name(s.id);
    }
    sums.clear();
    residual = 0, min_gap = infinity;
    ++samples;
    at_step = steps, last_t = x.t;
  }

  void put(const DensePiece& piece, double end) {
    DenseColumns& c = *columns->dense;
    push(c.t, piece.start), push(c.length, piece.length), push(c.end, end);
    for (const auto& [column, terms] : {std::pair{&c.q, &piece.q}, {&c.u, &piece.u}}) {
      coefficients.assign(column->row_bytes() / sizeof(double), 0.0);
      std::copy(terms->begin(), terms->end(), coefficients.begin());
      push_row(*column, coefficients.data());
    }
  }

  // The same rows as those of the sums: λ and the reaction are zero where the last step had none.
  void put_levels(const State& x) {
    LevelColumns& c = *columns->levels;
    const auto now = alpha_levels(x, *mechanical);
    if (!now) fail("'{}' has levels of generalized-alpha, the run has none", file_name);
    push_row(c.vdot, now->vdot.data()), push_row(c.a, now->a.data());
    for (const Sum& s : sums) {
      double lambda[layout::event_rows] = {}, reaction[layout::event_rows] = {};
      for (const auto& of : now->contacts) {
        if (of.id != s.id) continue;
        std::copy(of.lambda.begin(), of.lambda.end(), lambda);
        std::copy(of.reaction.begin(), of.reaction.end(), reaction);
      }
      push_row(c.lambda, lambda), push_row(c.reaction, reaction);
    }
  }

  void name(std::uint64_t id) {
    if (!named.insert(id).second) return;
    char text[layout::name_length] = {};
    const std::string full = system->contact_name(id);
    std::size_t length = std::min<std::size_t>(full.size(), layout::name_length - 1);
    while (length < full.size() && length > 0 && (full[length] & 0xC0) == 0x80) --length;  // whole characters
    full.copy(text, length);
    push(columns->n_contact, id);
    push_row(columns->n_name, text);
  }

  void put(const Event& e) {
    Columns& c = *columns;
    const auto row = [](const Block& b, double* out) { std::copy_n(b.data(), b.size(), out); };
    double P[layout::event_rows], minus[layout::event_rows], plus[layout::event_rows];
    for (double* x : {P, minus, plus}) std::fill_n(x, layout::event_rows, std::nan(""));
    row(e.impulse, P), row(e.u_minus, minus), row(e.u_plus, plus);
    push(c.e_t, e.t), push(c.e_before, e.t_before), push(c.e_sample, samples), push(c.e_contact, e.contact);
    push(c.e_kind, e.kind), push(c.e_from, e.from), push(c.e_to, e.to);
    push_row(c.e_impulse, P), push_row(c.e_minus, minus), push_row(c.e_plus, plus);
    push(c.e_loss, e.energy_loss);
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
    columns->each([&](Column& c) { check(c.write()); });
    check(H5Fflush(file.id, H5F_SCOPE_LOCAL) >= 0);
    opened.room.forget(), wrote = true;
    clock.flushed();
  }

  std::string file_name;
  ResultInfo info;
  std::shared_ptr<const DynamicSystem> system;
  const System* mechanical = as_mechanical(system.get());      // null for other families
  std::unique_ptr<Workspace> work = system->make_workspace();  // of its energy
  std::unique_ptr<NameLock> name_lock;                         // until the file itself is there and locked
  Opened opened;
  std::string part;  // the name of the file until it is whole enough to be seen
  Handle file{-1, H5Fclose}, name_type;
  std::unique_ptr<Columns> columns;
  int multipliers = 0;
  std::uint64_t samples = 0, spare = 0;
  std::int64_t steps = 0, at_step = 0;
  double residual = 0, min_gap = infinity;
  bool grid = true;      // of the last step's end
  bool stopped = false;  // no space: no more rows
  bool resumed = false;  // the file is that of a run that is resumed
  bool wrote = true;     // since space was reserved
  double last_t = 0;
  std::vector<Sum> sums;
  std::vector<double> coefficients;  // of a row of dense output
  std::set<std::uint64_t> named;
  FlushClock clock;
  PendingPiece pending{info.dense_bytes};
};

ResultWriter::ResultWriter(const std::string& file, const Problem& problem, const ResultInfo& info,
                           Opening opening)
    : append_(opening == Opening::append),
      problem_(problem),
      impl_(std::make_unique<Impl>(file, problem, info)) {}
ResultWriter::~ResultWriter() = default;

void ResultWriter::memory(Memory& m) {
  if (m.reading() && !append_) return m.skip();  // the rest goes to a file of its own
  impl_->memory(m, problem_);
}

void ResultWriter::operator()(const Segment& s) {
  Impl& w = *impl_;
  if (w.stopped) return;
  if (!w.columns) w.begin(s.begin, s.multipliers);
  w.make_room(w.bytes_of(s));
  const bool event = !s.events.empty();
  if (event && w.at_step != w.steps) w.put(s.begin, w.grid);  // the side before it
  w.residual = std::max(w.residual, s.report.contact_residual);
  w.min_gap = std::min(w.min_gap, s.report.min_gap);
  w.add(s.end.contacts);
  if (w.columns->dense) w.pending.take(s, [&](const DensePiece& p, double end) { w.put(p, end); });
  ++w.steps;
  w.grid = s.grid_point;
  for (const Event& e : s.events) w.put(e);
  if (event || w.steps % w.info.every == 0) w.put(s.end, s.grid_point);
  if (w.clock.due(flush_seconds)) w.flush();
}

void ResultWriter::flush() {
  if (impl_->columns && !impl_->stopped) impl_->flush();
}

void ResultWriter::finish(const RunResult& result) {
  Impl& w = *impl_;
  const State& x = result.final;
  if (!w.columns && w.stopped) return;  // there is no file, or none that can still be written
  if (!w.columns) w.begin(x, 0);
  if (!w.stopped) {
    w.make_room(w.bytes_of({x, x, {}, {}, true, w.multipliers}));
    if (w.at_step != w.steps) w.put(x, w.grid);
    if (w.columns->dense) w.pending.finish([&](const DensePiece& p, double end) { w.put(p, end); });
  }
  w.flush();
  w.columns.reset();
  w.close(w.file);
  Handle file = open_again(w.file_name);
  w.check(file.id >= 0);
  // without its last rows the file does not end in that state
  const bool ok = set_text(file.id, "status", std::string(to_string(result.status))) &&
                  set_text(file.id, "message", result.message) &&
                  set_text(file.id, "state_hash", w.stopped ? std::string() : state_hash(x)) &&
                  set_stats(file.id, result) && set_takeover(file.id, result) &&
                  set_number(file.id, "dense_until", w.pending.until());
  w.close(file);
  w.check(ok);
  w.opened.room.give_back();
}

}  // namespace saltus

#endif
