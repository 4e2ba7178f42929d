// Only for sources that are compiled with SALTUS_WITH_HDF5: opening files of results for writing, and their
// attributes. All of it reports whether it succeeded.
#pragma once
#include <unistd.h>

#include <string>
#include <utility>

#include "saltus/core/file/disk_room.hpp"
#include "saltus/core/file/file_lock.hpp"
#include "saltus/core/file/hdf5.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/result/result.hpp"

namespace saltus {

inline bool set_attribute(hid_t file, const char* name, hid_t type, const void* value) {
  if (H5Aexists(file, name) > 0 && H5Adelete(file, name) < 0) return false;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle a(H5Acreate2(file, name, type, space.id, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return a.id >= 0 && H5Awrite(a.id, type, value) >= 0 && a.end();
}

inline bool set_text(hid_t file, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  return H5Tset_size(type.id, text.size() + 1) >= 0 && H5Tset_cset(type.id, H5T_CSET_UTF8) >= 0 &&
         set_attribute(file, name, type.id, text.c_str());
}
inline bool set_number(hid_t file, const char* name, double value) {
  return set_attribute(file, name, H5T_NATIVE_DOUBLE, &value);
}
inline bool set_number(hid_t file, const char* name, std::int64_t value) {
  return set_attribute(file, name, H5T_NATIVE_INT64, &value);
}

inline Handle latest_format() {
  start_hdf5();
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  // No chunks in memory: for rows that HDF5 holds back it is unknown whether the disk has room for them. For
  // all datasets of the file, since the mode for readers beside the writer opens them again with its own
  // settings.
  H5Pset_cache(access.id, 0, 1, 0, 1.0);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id, false, true);  // the writer has a lock of its own, which lasts longer
#endif
  return access;
}

/// In the place of an empty file that is there.
inline Handle create_file(const std::string& file) {
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, latest_format().id), H5Fclose};
}

/// A file that a run left, closed in order or not, for writing.
inline Handle open_again(const std::string& file) {
  const Handle access = latest_format();
  bool forget_the_writer = true;  // what h5clear -s does: a killed process leaves its mark
  H5Pset(access.id, "clear_status_flags", &forget_the_writer);
  return {H5Fopen(file.c_str(), H5F_ACC_RDWR, access.id), H5Fclose};
}

/// The names of an enum up to its last one.
template <class Enum>
std::string names_to(Enum last) {
  std::string out;
  for (int k = 0; k <= static_cast<int>(last); ++k)
    out += (k > 0 ? "," : "") + std::string(to_string(static_cast<Enum>(k)));
  return out;
}

/// What is known before the first row.
inline bool set_info(hid_t file, const ResultInfo& info) {
  bool ok = set_number(file, "layout", static_cast<std::int64_t>(layout::version));
  for (const auto& [name, text] : {std::pair{"version", info.version},
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
                                   {layout::checksum_name, layout::checksum_of(info)},
                                   {"kinds", names_to(EventKind::accumulation)},
                                   {"modes", names_to(last_mode)}})
    ok = ok && set_text(file, name, text);
  return ok && set_number(file, "t0", info.t0) && set_number(file, "t_end", info.t_end) &&
         set_number(file, "every", info.every) &&
         (info.dense_bytes == 0 || set_number(file, "dense_bytes", info.dense_bytes));
}

/// Where Moreau's scheme took over; a run that was resumed keeps the earliest.
inline bool set_takeover(hid_t file, const RunResult& r) {
  return r.stepped_from == infinity || H5Aexists(file, "stepped_from") > 0 ||
         set_number(file, "stepped_from", r.stepped_from);
}

inline bool set_stats(hid_t file, const RunResult& r) {
  bool ok = true;
  for (const auto& [name, value] : {std::pair{"steps", r.stats.steps},
                                    {"rejected", r.stats.rejected},
                                    {"force_evaluations", r.stats.force_evaluations},
                                    {"newton_iterations", r.stats.newton_iterations},
                                    {"contact_iterations", r.stats.contact_iterations}})
    ok = ok && set_number(file, name, value);
  for (const auto& [name, value] : {std::pair{"cpu_seconds", r.stats.cpu_seconds},
                                    {"energy_initial", r.energy_initial},
                                    {"energy_final", r.energy_final},
                                    {"residual_contact", r.residuals.contact},
                                    {"residual_gap", r.residuals.gap},
                                    {"residual_position", r.residuals.position},
                                    {"residual_velocity", r.residuals.velocity},
                                    {"ledger_energy_start", r.ledger.energy_start},
                                    {"ledger_energy_end", r.ledger.energy_end},
                                    {"ledger_work", r.ledger.work},
                                    {"ledger_damping", r.ledger.damping},
                                    {"ledger_friction", r.ledger.friction},
                                    {"ledger_impacts", r.ledger.impacts},
                                    {"ledger_remainder", r.ledger.remainder},
                                    {"ledger_penetration", r.ledger.penetration},
                                    {"ledger_drift", r.ledger.drift},
                                    {"ledger_motion", r.ledger.motion}})
    ok = ok && set_number(file, name, value);
  const Momentum& p = r.ledger.momentum;
  static constexpr const char *plane[] = {"x", "y", "a"}, *space[] = {"x", "y", "z", "ax", "ay", "az"};
  for (const auto& [name, value] : {std::pair{"start", &p.start},
                                    {"end", &p.end},
                                    {"loads", &p.loads},
                                    {"contacts", &p.contacts},
                                    {"remainder", &p.remainder}})
    for (int k = 0; k < p.size && p.known; ++k) {
      const std::string entry = p.size == 6 ? space[k] : plane[k];
      ok =
          ok && set_number(file, ("ledger_momentum_" + std::string(name) + "_" + entry).c_str(), (*value)[k]);
    }
  std::string warnings;
  for (const std::string& w : r.warnings) warnings += w + "\n";
  return ok && set_text(file, "warnings", warnings);
}

/// A file that is written, its lock and its place on the disk.
class Opened {
 public:
  Opened() = default;
  explicit Opened(int d) : room(d), descriptor_(d) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  Opened(Opened&& o) noexcept : room(o.room), descriptor_(std::exchange(o.descriptor_, -1)) {}
  Opened& operator=(Opened&& o) noexcept {
    std::swap(descriptor_, o.descriptor_), std::swap(room, o.room);
    return *this;
  }
  ~Opened() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool lock() const { return lock_descriptor(descriptor_); }
  bool there() const { return descriptor_ >= 0; }
  DiskRoom room;

 private:
  int descriptor_ = -1;
};

inline std::uint64_t text_bytes(const ResultInfo& i) {
  std::uint64_t n = 0;
  for (const std::string* text : {&i.problem, &i.settings, &i.scheme, &i.stepping, &i.solver, &i.scene,
                                  &i.given, &i.changes, &i.coordinates, &i.message})
    n += text->size();
  return n;
}

}  // namespace saltus
