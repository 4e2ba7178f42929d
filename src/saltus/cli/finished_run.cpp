#include "saltus/cli/finished_run.hpp"

namespace saltus::cli {

Sink SampleNotes::around(Sink sink, const Trajectory& trajectory) {
  return [this, &trajectory, next = std::move(sink), worst = 0.0, least = infinity](const Segment& s) mutable {
    next(s);
    if (residual.empty()) residual.push_back(0), gap.push_back(infinity);  // of the start
    worst = std::max(worst, s.report.contact_residual), least = std::min(least, s.report.min_gap);
    if (static_cast<std::size_t>(trajectory.size()) > residual.size()) {
      residual.push_back(worst), gap.push_back(least);
      worst = 0, least = infinity;
    }
    const Until now{trajectory.size() - 1, trajectory.events().size(), trajectory.atoms().size()};
    const Until last = until.empty() ? Until{} : until.back();
    if (now.events != last.events || now.atoms != last.atoms) until.push_back(now);
  };
}

}  // namespace saltus::cli
