// Overlap, force and energy of chosen contacts of a chain at chosen times. A sink of run(): between the ends
// of a step states lie on the cubic through positions and velocities, of the beads of these contacts only.
#pragma once
#include <span>
#include <vector>

#include "saltus/chain/chain.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// When something is recorded: at the ends of every `every`-th step, unless there are times.
struct RecordTimes {
  std::int64_t every = 1;
  std::vector<double> at;  ///< increasing
  double period = 0;       ///< since the start, beside them
};

class ContactRecord {
 public:
  struct Row {
    double overlap = 0, force = 0, energy = 0;
  };
  static constexpr double most_bytes = 4e9;

  /// Throws Error where the problem has no chain, or a contact is not there; no contacts: all there are.
  ContactRecord(const Problem& problem, std::vector<int> contacts, RecordTimes times);
  /// Throws Error when the record no longer fits into memory.
  void operator()(const Segment& segment);
  /// The last state, where it is not recorded yet and every step is asked for.
  void finish(const State& end);

  std::span<const int> contacts() const { return contacts_; }
  std::span<const double> times() const { return times_; }
  const Row& at(std::size_t time, std::size_t contact) const {
    return rows_[time * contacts_.size() + contact];
  }

 private:
  void take(double t, In q, In u);
  void take_within(const Segment& s, double t);
  void add(double t, const ChainEnds& ends, int contact, double before, double after, double rate_before,
           double rate_after);
  void begin_row(double t);

  const Chain& chain_;
  std::vector<int> contacts_;
  RecordTimes when_;
  double t0_;
  std::size_t next_at_ = 0;
  std::int64_t steps_ = 0, next_period_ = 0;
  bool started_ = false;
  std::vector<double> times_;
  std::vector<Row> rows_;
};

/// "1,5,12", "0:100:10" (from, to, by), "all"; negative numbers count from the right end. Throws Error naming
/// `option`.
std::vector<int> parse_contacts(std::string_view text, const Chain& chain, std::string_view option);

}  // namespace saltus
