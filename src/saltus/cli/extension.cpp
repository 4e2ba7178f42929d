#include "saltus/cli/extension.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/run/step_grid.hpp"

namespace saltus::cli {
namespace {

bool has_grid(const Stepping& s) {
  return std::holds_alternative<FixedSteps>(s) || std::holds_alternative<EventCapturing>(s) ||
         std::holds_alternative<EventLocation>(s);
}

// Whether equal steps to the new end are, bit by bit, those to the old one, and end there too.
bool same_steps(const Problem& p, const Stepping& stepping, double old_end, double new_end) {
  if (!has_grid(stepping) || !p.breakpoints.empty()) return false;
  const StepGrid before(p.t0, old_end, step_of(stepping)), now(p.t0, new_end, step_of(stepping));
  return before.h == now.h && now.time(before.n) == old_end;
}

}  // namespace

void extend(RunOptions& o, const std::string& t_end) {
  SavedRun& r = *o.from;
  const double end = parse_time(t_end, "--t-end");
  if (!std::isfinite(end) || !(end > r.t_end))
    fail("--t-end {}: the run ends at t = {:.9g}; resume can only extend it", t_end, r.t_end);
  const auto stepping = parse_spec<Stepping>(r.stepping, "stepping");
  o.extended = Extension{r.t_end, end, same_steps(o.target.problem().problem, stepping, r.t_end, end)};
  if (!o.extended->same_bits) r.ends.push_back(r.t_end);
  r.t_end = end;
  o.target.breakpoints = r.ends;
}

}  // namespace saltus::cli
