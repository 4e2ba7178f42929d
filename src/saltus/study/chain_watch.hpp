// What measures ask of a chain, followed step by step: forces and overlaps of contacts, when the motion
// reaches a bead, how fast it goes on.
//
// A peak is that of the parabola through three steps where these resolve it, else the largest value at the
// end of a step. A bead is reached when its speed first exceeds a hundredth of the largest speed in the chain
// so far.
#pragma once
#include <limits>
#include <vector>

#include "saltus/chain/chain.hpp"
#include "saltus/run/memory.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

class ChainWatch {
 public:
  enum class Quantity : std::uint8_t { force, overlap };
  static constexpr int all = -1;  ///< contacts
  static constexpr double reached = 0.01;

  /// Looks at nothing where the problem has no chain.
  explicit ChainWatch(const Problem& problem);

  /// The largest or smallest value; returns a number for `extreme`.
  int follow(Quantity quantity, int contact, bool largest);
  int follow_arrival(int bead);  ///< returns a number for `arrival`
  void follow_front() { front_ = true; }

  void start();
  void operator()(const Segment& segment);
  void memory(Memory& m);

  struct Extreme {
    double value = std::numeric_limits<double>::quiet_NaN(), time = 0;
  };
  Extreme extreme(int number) const { return peaks_[static_cast<std::size_t>(number)].best; }
  double arrival(int number) const { return arrivals_[static_cast<std::size_t>(number)].time; }
  /// Between the middle and the last of the beads that the motion has reached, going to the right; in m/s
  /// where radii are known, else in beads per second. NaN before it has reached five beads.
  double front_speed() const;
  double value(Quantity quantity, int contact, const State& x) const;

 private:
  struct Peak {
    Quantity quantity;
    int contact;
    bool largest;
    Extreme best;
    double t[2] = {0, 0}, f[2] = {0, 0};  // of the last two steps
    int known = 0;                        // of them
  };
  struct Arrival {
    int bead;
    double time = std::numeric_limits<double>::quiet_NaN();
  };
  static void take(Peak& peak, double t, double f);
  void see(Peak& peak, const State& x, const ChainEnds& ends) const;
  void see_closing(Peak& peak, int contact, const Segment& s) const;
  double value(Quantity quantity, int contact, In q, In u, const ChainEnds& ends) const;
  double time_of(int bead, const Segment& s) const;
  bool moves(int bead, In u) const { return std::abs(u[bead]) >= reached * fastest_ && fastest_ > 0; }

  const Problem& problem_;
  const Chain* chain_;
  bool dashpots_ = false;  // contacts with beta = 1
  std::vector<Peak> peaks_;
  std::vector<Arrival> arrivals_;
  bool front_ = false;
  double fastest_ = 0;
  int first_ = 0;                    // of the beads that the front passed
  std::vector<double> front_times_;  // of them
};

}  // namespace saltus
