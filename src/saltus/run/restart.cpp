#include "saltus/run/restart.hpp"

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// A detector is asked and told through its own rule. Lasting contacts are those that would open if all did:
std::vector<std::uint64_t> lasting_of(EventDetector copy, const State& now) {
  std::vector<std::uint64_t> out;
  State open = now;
  open.contacts.clear();
  for (const Event& e : copy.detect(now, open, {})) out.push_back(e.contact);
  return out;
}

// … and a contact lasts that closes without approaching.
void make_lasting(EventDetector& detector, const State& now, const std::vector<std::uint64_t>& ids) {
  State before = now, after = now;
  before.contacts.clear(), after.contacts.clear();
  StepReport report;
  int rows = 0;
  for (std::uint64_t id : ids)
    if (const auto* r = now.contacts.find(id)) {
      after.contacts.closed.push_back(*r);
      after.contacts.closed.back().offset = rows;
      rows += r->rows;
    }
  const std::vector<double> still(static_cast<std::size_t>(rows), 0.0);
  after.contacts.impulse = still;
  report.u_minus = report.u_plus = still;
  detector.detect(before, after, report);
}

}  // namespace

Restart::Restart(const Checkpoints& checkpoints, RunResult& result, State& now, EventDetector* detector)
    : points_(checkpoints), result_(result), detector_(detector) {
  if (!points_.resume) return;
  const Checkpoint& from = *points_.resume;
  const State& x = from.state;
  if (x.q.size() != now.q.size() || x.u.size() != now.u.size())
    fail("the checkpoint has {} coordinates and {} velocities, the run {} and {}", x.q.size(), x.u.size(),
         now.q.size(), now.u.size());
  // starts are numbered anew in every process: what did not move since then equals this start's
  const std::uint64_t start = now.moved.start;
  now = x;
  now.moved.start = x.moved.start ? start : 0;
  if (detector) make_lasting(*detector, now, from.lasting);
  result.stats = from.stats, result.residuals = from.residuals;
  skip_ = from.stats.steps;
}

void Restart::leave(const State& now) {
  if (!points_.save) return;
  points_.save({now, detector_ ? lasting_of(*detector_, now) : std::vector<std::uint64_t>{}, result_.stats,
                result_.residuals});
}

}  // namespace saltus
