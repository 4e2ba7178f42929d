#include "saltus/run/sample_notes.hpp"

namespace saltus {

Sink thinned(Trajectory& trajectory, int every) {
  if (every == 1) return trajectory.sink();
  return [&trajectory, every, k = std::int64_t{0}](const Segment& s) mutable {
    const int m = s.multipliers;
    if (trajectory.size() == 0) trajectory.add(s.begin.t, s.begin.q, s.begin.u, true, s.begin.aux.head(m));
    for (const Event& e : s.events) trajectory.add_event(e);
    trajectory.add_dense(s);
    if (++k % every == 0) trajectory.add(s.end.t, s.end.q, s.end.u, s.grid_point, s.end.aux.head(m));
  };
}

void SampleNotes::note(const Segment& s, const Trajectory& trajectory) {
  if (gap.empty()) gap.push_back(infinity);  // of the start
  worst_ = std::max(worst_, s.report.contact_residual), least_ = std::min(least_, s.report.min_gap);
  if (static_cast<std::size_t>(trajectory.size()) > gap.size()) {
    gap.push_back(least_);
    if (worst_ > 0) residual.push_back({trajectory.size() - 1, worst_});
    worst_ = 0, least_ = infinity;
  }
  if (s.events.empty() && s.end.t > s.begin.t) return;
  const std::size_t own = trajectory.keep_impulses ? s.end.contacts.closed.size() : 0;
  const Until now{trajectory.size() - 1, trajectory.events().size(), trajectory.atoms().size()};
  if (!(s.end.t > s.begin.t) && now.sample > 0)
    until.push_back({now.sample - 1, now.events - s.events.size(), now.atoms - std::min(own, now.atoms)});
  until.push_back(now);
}

// A step of a small system takes no longer than a few calls: one that has nothing to tell but its gap goes
// straight through. Where all steps are kept, each is one sample.
void SampleNotes::keep(const Segment& s, Trajectory& trajectory) {
  trajectory(s);
  if (s.events.empty() && s.end.t > s.begin.t && s.report.contact_residual == 0 && !gap.empty())
    return gap.push_back(s.report.min_gap);
  note(s, trajectory);
}

Sink SampleNotes::sink(Trajectory& trajectory, int every) {
  if (every == 1) return [this, &trajectory](const Segment& s) { keep(s, trajectory); };
  return [this, &trajectory, keep = thinned(trajectory, every)](const Segment& s) {
    keep(s);
    note(s, trajectory);
  };
}

}  // namespace saltus
