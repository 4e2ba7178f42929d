// Only for sources that are compiled with SALTUS_WITH_HDF5: the datasets of a file of results, which grow by
// rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "saltus/core/file/hdf5.hpp"
#include "saltus/result/layout.hpp"
#include "saltus/run/memory.hpp"

namespace saltus {

/// One extendible dataset, a row at a time: rows wait until a chunk is full.
class Column {
 public:
  static constexpr int scalar = -1;  ///< width of a dataset of rank one
  /// Opens the dataset that is there, or creates it; rows of width 0 (no velocities) need none.
  Column(hid_t file, const std::string& path, hid_t type, std::size_t bytes, int width)
      : row_bytes_(bytes * static_cast<std::size_t>(std::abs(width))), type_(type), width_(width) {
    if (width == 0) return;
    chunk_ = std::clamp<hsize_t>(16384 / row_bytes_, 1, 512);
    waiting_.reserve(chunk_ * row_bytes_);
    if (H5Lexists(file, path.substr(0, path.rfind('/')).c_str(), H5P_DEFAULT) > 0 &&
        H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0) {
      set_ = Handle(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
      if (set_.id < 0) fail("{} cannot be opened in the file: it is damaged", path);
      return;
    }
    const auto w = static_cast<hsize_t>(std::abs(width));
    const hsize_t none[] = {0, w}, most[] = {H5S_UNLIMITED, w}, chunk[] = {chunk_, w};
    const Handle space(H5Screate_simple(rank(), none, most), H5Sclose);
    const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id, 1);
    H5Pset_chunk(how.id, rank(), chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_shuffle(how.id), H5Pset_deflate(how.id, 4);
    H5Pset_fletcher32(how.id);  // damage is found before anything is inflated
    set_ = Handle(H5Dcreate2(file, path.c_str(), type, space.id, links.id, how.id, H5P_DEFAULT), H5Dclose);
    if (set_.id < 0) fail("{} cannot be made in the file: is the disk full?", path);
  }
  bool push(const void* row) {
    const auto* p = static_cast<const char*>(row);
    if (row_bytes_ > 0) waiting_.insert(waiting_.end(), p, p + row_bytes_);
    return !is_full() || write();
  }
  /// Whether the next row goes to the file, with all that wait.
  bool will_write() const { return width_ != 0 && waiting_.size() + row_bytes_ >= missing(); }
  bool write() {
    if (waiting_.empty()) return true;
    const hsize_t n = waiting_.size() / row_bytes_, w = static_cast<hsize_t>(std::abs(width_));
    const hsize_t size[] = {rows_ + n, w}, at[] = {rows_, 0}, count[] = {n, w};
    if (H5Dset_extent(set_.id, size) < 0) return false;
    const Handle space(H5Dget_space(set_.id), H5Sclose),
        memory(H5Screate_simple(rank(), count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(space.id, H5S_SELECT_SET, at, nullptr, count, nullptr) < 0) return false;
    if (H5Dwrite(set_.id, type_, memory.id, space.id, H5P_DEFAULT, waiting_.data()) < 0) return false;
    rows_ += n;
    waiting_.clear();
    return true;
  }

  /// Bytes that the file may grow by when what waits, and then a row, is written: data, and the list of
  /// chunks, which grows by blocks of about the root of its length.
  std::uint64_t room() const {
    if (width_ == 0) return 0;
    const auto chunks = static_cast<double>(rows_) / static_cast<double>(chunk_);
    const std::uint64_t chunk_bytes = chunk_ * row_bytes_;
    return 2 * (chunk_bytes + chunk_bytes / 64) + 2048 +
           static_cast<std::uint64_t>(256 * std::sqrt(chunks + 16));
  }
  std::size_t row_bytes() const { return row_bytes_; }
  /// After HDF5 failed to write: to close it would fail again, or worse.
  void abandon() { set_.id = -1; }

  /// Rows in the file, and those that wait: a checkpoint that wrote them would leave a hole in the file each
  /// time, since the last chunk, compressed anew, no longer fits where it was.
  void memory(Memory& m) {
    m(rows_);
    std::vector<std::uint64_t> words((waiting_.size() + 7) / 8);
    auto bytes = waiting_.size();
    if (bytes > 0) std::memcpy(words.data(), waiting_.data(), bytes);
    m(bytes, words);
    if (!m.reading()) return;
    m.require(bytes <= 8 * words.size() && bytes < std::max<std::size_t>(chunk_ * row_bytes_, 1));
    m.require(bytes == 0 || bytes % row_bytes_ == 0);
    waiting_.resize(bytes);
    if (bytes > 0) std::memcpy(waiting_.data(), words.data(), bytes);
  }
  /// Whether the file has those rows.
  bool fits() const {
    if (width_ == 0) return true;
    const Handle space(H5Dget_space(set_.id), H5Sclose);
    hsize_t now[2] = {0, 0};
    if (H5Sget_simple_extent_ndims(space.id) != rank()) return false;
    H5Sget_simple_extent_dims(space.id, now, nullptr);
    return now[0] >= rows_ && (rank() == 1 || now[1] == static_cast<hsize_t>(width_));
  }
  /// Cuts off what the file has beyond them.
  bool cut() {
    const hsize_t size[] = {rows_, static_cast<hsize_t>(std::abs(width_))};
    return width_ == 0 || H5Dset_extent(set_.id, size) >= 0;
  }

 private:
  // Bytes up to the end of the chunk that was begun: after a flush amid a chunk they are fewer, so that later
  // writes are of whole chunks again.
  std::size_t missing() const { return (chunk_ - rows_ % chunk_) * row_bytes_; }
  bool is_full() const { return width_ != 0 && waiting_.size() >= missing(); }
  int rank() const { return width_ == scalar ? 1 : 2; }

  std::size_t row_bytes_;
  hid_t type_;
  int width_;
  hsize_t chunk_ = 0, rows_ = 0;
  Handle set_{-1, H5Dclose};
  std::vector<char> waiting_;
};

/// What generalized-α has beside q and u.
struct LevelColumns {
  Column vdot, a, lambda, reaction;
};

/// Dense output, a row for each piece: coefficients of DensePiece::max_terms terms, zeros at their end.
struct DenseColumns {
  Column t, length, end, q, u;
};

/// All of them.
struct Columns {
  Column t, grid, q, u, energy, residual, gap;
  std::vector<Column> psi;  // one, or none
  std::optional<LevelColumns> levels;
  std::optional<DenseColumns> dense;
  Column e_t, e_before, e_sample, e_contact, e_kind, e_from, e_to, e_impulse, e_minus, e_plus, e_loss;
  Column c_sample, c_contact, c_mode, c_rows, c_impulse, n_contact, n_name;
  Columns(hid_t f, hid_t name_type, int nq, int nu)
      : t(real(f, "/samples/t")),
        grid(byte(f, "/samples/grid")),
        q(real(f, "/samples/q", nq)),
        u(real(f, "/samples/u", nu)),
        energy(real(f, "/samples/energy")),
        residual(real(f, "/samples/contact_residual")),
        gap(real(f, "/samples/min_gap")),
        e_t(real(f, "/events/t")),
        e_before(real(f, "/events/t_before")),
        e_sample(id(f, "/events/sample")),
        e_contact(id(f, "/events/contact")),
        e_kind(byte(f, "/events/kind")),
        e_from(byte(f, "/events/from")),
        e_to(byte(f, "/events/to")),
        e_impulse(real(f, "/events/impulse", layout::event_rows)),
        e_minus(real(f, "/events/u_minus", layout::event_rows)),
        e_plus(real(f, "/events/u_plus", layout::event_rows)),
        e_loss(real(f, "/events/energy_loss")),
        c_sample(id(f, "/contacts/sample")),
        c_contact(id(f, "/contacts/contact")),
        c_mode(byte(f, "/contacts/mode")),
        c_rows(byte(f, "/contacts/rows")),
        c_impulse(real(f, "/contacts/impulse", layout::event_rows)),
        n_contact(id(f, "/names/contact")),
        n_name(f, "/names/name", name_type, layout::name_length, Column::scalar) {}
  void add_levels(hid_t f, int nu) {
    levels.emplace(LevelColumns{real(f, "/samples/vdot", nu), real(f, "/samples/a", nu),
                                real(f, "/contacts/lambda", layout::event_rows),
                                real(f, "/contacts/reaction", layout::event_rows)});
  }
  void add_dense(hid_t f, int nq, int nu) {
    constexpr int terms = DensePiece::max_terms;
    dense.emplace(DenseColumns{real(f, "/dense/t"), real(f, "/dense/length"), real(f, "/dense/end"),
                               real(f, "/dense/q", terms * nq), real(f, "/dense/u", terms * nu)});
  }
  static Column real(hid_t f, const char* path, int width = Column::scalar) {
    return {f, path, H5T_NATIVE_DOUBLE, 8, width};
  }
  static Column id(hid_t f, const char* path) { return {f, path, H5T_NATIVE_UINT64, 8, Column::scalar}; }
  static Column byte(hid_t f, const char* path) { return {f, path, H5T_NATIVE_UINT8, 1, Column::scalar}; }
  template <class F>
  void each(F&& f) {
    for (Column* c : {&t, &grid, &q, &u, &energy, &residual, &gap}) f(*c);
    for (Column& c : psi) f(c);
    if (levels)
      for (Column* c : {&levels->vdot, &levels->a, &levels->lambda, &levels->reaction}) f(*c);
    if (dense)
      for (Column* c : {&dense->t, &dense->length, &dense->end, &dense->q, &dense->u}) f(*c);
    for (Column* c : {&e_t, &e_before, &e_sample, &e_contact, &e_kind, &e_from, &e_to, &e_impulse, &e_minus,
                      &e_plus, &e_loss})
      f(*c);
    for (Column* c : {&c_sample, &c_contact, &c_mode, &c_rows, &c_impulse}) f(*c);
    for (Column* c : {&n_contact, &n_name}) f(*c);
  }
};

}  // namespace saltus
