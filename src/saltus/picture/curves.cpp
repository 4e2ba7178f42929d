#include "saltus/picture/curves.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {
namespace {

std::vector<double> times_of(const Trajectory& tr, std::size_t least, std::size_t room,
                             std::int64_t& left_out) {
  std::vector<double> out;
  const auto n = static_cast<std::size_t>(tr.size());
  const double a = tr.t(0), b = tr.t(tr.size() - 1);
  const std::size_t stride = std::max<std::size_t>(1, (n + room - 1) / room);
  for (std::size_t i = 0; i < n; i += stride) out.push_back(tr.t(static_cast<int>(i)));
  left_out = static_cast<std::int64_t>(n - out.size());
  // without dense output states between samples are nobody's: across an impact not even their energy makes
  // sense
  if (out.size() < least && b > a && !tr.pieces().empty())
    for (std::size_t k = 0; k < least; ++k)
      out.push_back(a + (b - a) * static_cast<double>(k) / static_cast<double>(least - 1));
  std::size_t events = 0;
  for (const Event& e : tr.events())
    if (e.t >= a && e.t <= b && ++events <= room) out.push_back(e.t);
  out.push_back(b);
  for (double& t : out) t = std::clamp(t, a, b);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<double> taken_by_impacts(const Trajectory& samples, const std::vector<Event>& events) {
  std::vector<double> out;
  double sum = 0;
  std::size_t next = 0;
  for (int i = 0; i < samples.size(); ++i) {
    const double t = samples.t(i);
    const bool left = i + 1 < samples.size() && samples.t(i + 1) == t;
    for (; next < events.size() && (events[next].t < t || (events[next].t == t && !left)); ++next)
      if (events[next].kind == EventKind::impact && std::isfinite(events[next].energy_loss))
        sum += events[next].energy_loss;
    out.push_back(sum);
  }
  return out;
}

}  // namespace

Curves curves_of(const Problem& problem, const Trajectory& tr, int least, std::size_t most) {
  Curves out;
  if (tr.size() == 0) return out;
  const auto width = 3 + static_cast<std::size_t>(tr.nq()) + static_cast<std::size_t>(tr.nu());
  const std::size_t room = std::max<std::size_t>(most / width, 16);
  out.samples = tr.sampled(
      times_of(tr, std::min<std::size_t>(static_cast<std::size_t>(least), room), room, out.left_out));
  const auto work = problem.system->make_workspace();
  for (int i = 0; i < out.samples.size(); ++i)
    out.energy.push_back(problem.system->energy(out.samples.t(i), out.samples.q(i), out.samples.u(i), *work));
  out.taken = taken_by_impacts(out.samples, tr.events());
  return out;
}

}  // namespace saltus
