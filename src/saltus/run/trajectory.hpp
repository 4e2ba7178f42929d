// A trajectory of bounded variation: samples of q and u joined linearly, two samples at one time where the
// velocity jumps, the impulses as atoms, and the events. It is a sink of run().
#pragma once
#include <vector>

#include "saltus/run/event.hpp"
#include "saltus/run/run.hpp"

namespace saltus {

enum class Side : std::uint8_t { left, right };

class Trajectory {
 public:
  struct Atom {
    double t = 0;  ///< the impulse of the step that ends at t
    std::uint64_t contact = 0;
    int offset = 0, rows = 0;
    Mode mode = Mode::open;  ///< of the contact in that step: the atoms are the history of the modes
  };

  void operator()(const Segment& segment);
  /// A sample by hand; times must not decrease. Samples off the grid (at events) count in graphs, not in grid
  /// norms.
  void add(double t, In q, In u, bool grid_point = true, In psi = Vec());
  void add_event(const Event& event) { events_.push_back(event); }
  Sink sink() {
    return [this](const Segment& s) { (*this)(s); };
  }

  int size() const { return static_cast<int>(t_.size()); }
  int nq() const { return nq_; }
  int nu() const { return nu_; }
  double t(int i) const { return t_[i]; }
  bool on_grid(int i) const { return grid_[i] != 0; }
  Eigen::Map<const Vec> q(int i) const { return {q_.data() + static_cast<std::size_t>(i) * nq_, nq_}; }
  Eigen::Map<const Vec> u(int i) const { return {u_.data() + static_cast<std::size_t>(i) * nu_, nu_}; }

  /// Multipliers of an ODAE, sample by sample; none for other systems.
  int multipliers() const { return nm_; }
  Eigen::Map<const Vec> psi(int i) const { return {psi_.data() + static_cast<std::size_t>(i) * nm_, nm_}; }

  Vec q(double t) const;
  Vec u(double t, Side side = Side::right) const;  ///< the limit from that side
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  double impulse(const Atom& atom, int row) const { return impulses_[atom.offset + row]; }
  /// P(]t0, t1]) of one row of a contact.
  double impulse(std::uint64_t contact, int row, double t0, double t1) const;
  bool keep_impulses = true;  ///< set to false to save memory

 private:
  void add_impulses(const Segment& segment);
  int after(double t, Side side) const;  // the sample that ends the interval holding t

  int nq_ = 0, nu_ = 0, nm_ = 0;
  std::vector<double> t_, q_, u_, psi_, impulses_;
  std::vector<char> grid_;
  std::vector<Atom> atoms_;
  std::vector<Event> events_;
};

}  // namespace saltus
