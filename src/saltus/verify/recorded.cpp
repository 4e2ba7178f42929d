#include "saltus/verify/recorded.hpp"

#include <algorithm>
#include <cmath>

namespace saltus {

void check_ends(const Trajectory& x, const Problem& problem, const Claims& claims, const Vec& moved,
                const Vec& size, const Vec& speed, double reach, Verification& out) {
  const int last = x.size() - 1;
  // drivers bring joints and closed contacts of the start to zero
  double off = 0;
  for (int k = 0; k < moved.size(); ++k) off = std::max(off, std::abs(moved[k]) / size[k]);
  for (int k = 0; k < x.nu(); ++k) off = std::max(off, std::abs(x.u(0)[k] - problem.u0[k]) / speed[k]);
  if (x.t(0) != problem.t0 || !(off <= reach))
    out.find("the trajectory does not begin in the state that the problem begins in");
  if (claims.status == "finished" && x.t(last) != claims.t_end)
    out.find(fmt::format("the recorded end of the run is t = {:.12g}; its last sample is at {:.12g}",
                         claims.t_end, x.t(last)));
  if (claims.status != "finished")
    out.find(fmt::format("the run did not finish: its status is {}", claims.status));
}

void check_energies(const Trajectory& x, const DynamicSystem& system, const Claims& claims,
                    Verification& out) {
  const auto work = system.make_workspace();
  double scale = 0;
  for (const double e : claims.energy) scale = std::max(scale, std::abs(e));
  for (const auto& [told, i, which] :
       {std::tuple{claims.energy_start, 0, "begin"}, {claims.energy_end, x.size() - 1, "end"}})
    if (const double e = energy_of(system, x.t(i), x.q(i), x.u(i));
        told && std::isfinite(e) && !(std::abs(*told - e) <= 1e-10 * std::max(scale, std::abs(e))))
      out.find(fmt::format("the run is recorded to {} with the energy {:.12g}; its state has {:.12g}", which,
                           *told, e));
  for (int i = 0; i < x.size(); ++i) {
    const double t = x.t(i);
    const Vec q = x.q(i), u = x.u(i);
    if (!q.allFinite() || !u.allFinite()) {
      out.find(fmt::format("sample {} at t = {:.12g} is not finite", i, t));
      continue;
    }
    const double e = system.energy(t, q, u, *work);
    if (i >= std::ssize(claims.energy) || !std::isfinite(e)) continue;
    const double kinetic = std::abs(e - system.energy(t, q, 0 * u, *work));
    if (!(std::abs(e - claims.energy[i]) <= 1e-10 * (scale + kinetic)))
      out.find(fmt::format("sample {} at t = {:.12g} has the recorded energy {:.12g}; its state has {:.12g}",
                           i, t, claims.energy[i], e));
  }
}

void check_ledger_sum(const Ledger& l, double scale, double begin, double end, Verification& out) {
  const double sum = l.energy_start + l.work - l.damping - l.friction - l.impacts + l.remainder;
  if (!(std::abs(sum - l.energy_end) <= 1e-12 * scale))
    out.find(fmt::format("the ledger does not add up: {:.9g} is not {:.9g}", sum, l.energy_end));
  // energies may hold what contacts store, at both ends
  if (const double stored = l.energy_start - begin;
      !(std::abs(l.energy_end - end) <= std::abs(stored) + 1e-10 * scale) && stored == 0)
    out.find(fmt::format("the ledger ends with the energy {:.12g}; the last state has {:.12g}", l.energy_end,
                         end));
}

}  // namespace saltus
