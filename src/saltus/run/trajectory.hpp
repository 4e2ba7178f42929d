// A trajectory of bounded variation: samples of q and u joined linearly, two samples at one time where the
// velocity jumps, the impulses as atoms, and the events. It is a sink of run(). Of methods with dense output
// (scheme/dense_piece.hpp) it keeps the polynomials of the steps, and q(t) and u(t) have the method's order.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "saltus/run/event.hpp"
#include "saltus/run/impulse_record.hpp"
#include "saltus/run/run.hpp"

namespace saltus {

enum class Side : std::uint8_t { left, right };

class Trajectory {
 public:
  using Atom = ImpulseAtom;

  /// A stretch of dense output: the polynomials from `start` hold up to `end`, which an event may have put
  /// before start + length. Between two pieces lies the short step over an impact; its jump is at its end.
  struct Piece {
    double start = 0, length = 0, end = 0;
    int terms = 0;
    std::size_t at = 0;  ///< of its coefficients
  };

  void operator()(const Segment& segment);
  /// A sample by hand; times must not decrease. Samples off the grid (at events) count in graphs, not in grid
  /// norms.
  void add(double t, In q, In u, bool grid_point = true, In psi = Vec());
  /// What a segment has of dense output; the samples and events of a segment are not added.
  void add_dense(const Segment& segment);
  void add_dense(const DensePiece& piece, double end);
  void add_event(const Event& event) { events_.push_back(event); }
  Sink sink() {
    return [this](const Segment& s) { (*this)(s); };
  }

  int size() const { return size_; }
  int nq() const { return nq_; }
  int nu() const { return nu_; }
  double t(int i) const { return *sample(i); }
  bool on_grid(int i) const { return !std::binary_search(off_grid_.begin(), off_grid_.end(), i); }
  Eigen::Map<const Vec> q(int i) const { return {sample(i) + 1, nq_}; }
  Eigen::Map<const Vec> u(int i) const { return {sample(i) + 1 + nq_, nu_}; }

  /// Multipliers of an ODAE, sample by sample; none for other systems.
  int multipliers() const { return nm_; }
  Eigen::Map<const Vec> psi(int i) const { return {sample(i) + 1 + nq_ + nu_, nm_}; }

  Vec q(double t, Side side = Side::right) const;
  Vec u(double t, Side side = Side::right) const;  ///< the limit from that side
  struct Point {
    Vec q, u;
  };
  /// The same motion with samples at these increasing times: both limits where there is an event and u
  /// jumps. Events and impulses are kept; multipliers and dense output are not.
  Trajectory sampled(std::span<const double> times) const;
  /// Both at once.
  Point operator()(double t, Side side) const { return {q(t, side), u(t, side)}; }

  const std::vector<Piece>& pieces() const { return pieces_; }
  const double* q_terms(const Piece& p) const { return terms_.data() + p.at; }
  const double* u_terms(const Piece& p) const { return q_terms(p) + p.terms * nq_; }
  std::size_t dense_limit = std::size_t{256} << 20;  ///< bytes of pieces that are kept; 0: none
  /// Up to where pieces were kept when the limit was reached; infinite when none was dropped.
  double dense_until() const { return dense_until_; }
  const std::vector<Event>& events() const { return events_; }
  const ImpulseRecord& atoms() const { return atoms_; }
  double impulse(const Atom& atom, int row) const { return atoms_.impulse(atom, row); }
  /// P(]t0, t1]) of one row of a contact.
  double impulse(std::uint64_t contact, int row, double t0, double t1) const;
  bool keep_impulses = true;  ///< set to false to save memory

 private:
  const double* sample(int i) const { return samples_.data() + static_cast<std::size_t>(i) * width_; }
  double* next_sample(double t, bool grid_point);
  void grow();
  void add_all(const Segment& segment);
  void add_events(const Segment& segment);
  int after(double t, Side side) const;  // the sample that ends the interval holding t
  bool on_piece(double t, Side side, bool velocity, Vec& y) const;

  int nq_ = 0, nu_ = 0, nm_ = 0, width_ = 1, size_ = 0;
  Vec samples_;                // t, q, u, ψ of one sample after the other, with room for more
  std::vector<int> off_grid_;  // the samples that are, increasing
  ImpulseRecord atoms_;
  std::vector<Event> events_;
  std::vector<Piece> pieces_;  // increasing starts
  std::vector<double> terms_;  // of q and u of one piece after the other
  double dense_until_ = infinity;
};

}  // namespace saltus
