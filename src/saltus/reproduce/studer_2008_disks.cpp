// Figure 2: disks mixed by Moreau's scheme. The paper shows a thousand without data; the mixer's definition
// is in docs/explanation/disks.md. A smaller bed runs here, long enough to turn; the thousand are measured by
// the benchmark.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/figure/snapshot.hpp"
#include "saltus/planar/disk_system.hpp"
#include "saltus/reproduce/studer_2008.hpp"

namespace saltus::studer_2008 {

void figure_2(Findings& out) {
  const CatalogProblem p = make_problem("disk-mixer", {{"n", "100"}}, 1.5);
  const auto& system = static_cast<const DiskSystem&>(*p.problem.system);
  const auto& disks = system.data().disks;
  const int n = static_cast<int>(disks.size());
  FixedSteps stepping = std::get<FixedSteps>(p.method.stepping);
  stepping.accept_unsolved = true;  // counted

  double kinetic = 0, overlap = 0, farthest = 0;
  std::vector<std::string> rows;
  Curve energy{"", fmt::format("lines lw 1 lc rgb '{}'", colours[0]), {}, {}}, centre = energy;
  const auto watch = [&](const Segment& s) {
    overlap = std::max(overlap, -s.report.min_gap);
    double now = 0, x = 0, y = 0;
    for (int i = 0; i < n; ++i) {
      const auto u = s.end.u.segment(3 * i, 3), q = s.end.q.segment(3 * i, 3);
      now += 0.5 * (disks[i].mass * (u[0] * u[0] + u[1] * u[1]) + disks[i].inertia * u[2] * u[2]);
      x += disks[i].mass * q[0], y += disks[i].mass * q[1];
      farthest = std::max(farthest, std::hypot(q[0], q[1]) + disks[i].radius);
    }
    kinetic = std::max(kinetic, now);
    const double angle = std::atan2(x, -y) * 180 / 3.141592653589793;
    energy.x.push_back(s.end.t), energy.y.push_back(1e3 * now);
    centre.x.push_back(s.end.t), centre.y.push_back(angle);
    rows.push_back(fmt::format("{},{},{}", s.end.t, now, angle));
  };
  const Method method{p.method.scheme, stepping, p.method.solver};
  const RunResult r = run(p.problem, method, watch), again = run(p.problem, method);
  out.csv("fig-2", "t,kinetic_energy,angle_of_the_centre", rows);
  out.figure(
      "fig-2",
      std::array{
          Panel{
              time_label, "kinetic energy [mJ]", "100 disks: settling, then a turning drum", false, {energy}},
          Panel{time_label, "angle of the centre of mass [deg]", "", false, {centre}}});
  Sketch sketch;
  if (!system.sketch(r.final.t, r.final.q, sketch)) fail("the mixer has no picture");
  out.picture("fig-2-disks", to_svg(sketch, fmt::format("{} disks after {} s", n, r.final.t)));
  out.claim(
      "every step is solved to its tolerance", r.status == RunStatus::finished && r.stats.unsolved == 0,
      fmt::format("{} of {} steps unsolved, residual {:.1e}, {:.0f} sweeps a step", r.stats.unsolved,
                  r.stats.steps, r.residuals.contact,
                  static_cast<double>(r.stats.contact_iterations) / static_cast<double>(r.stats.steps)));
  double drum = 0, weight = 0;
  for (const Disk& d : disks) drum += 3.141592653589793 * d.radius * d.radius, weight += d.mass * 9.81;
  drum = std::sqrt(drum / (0.82 * 0.4 * 3.141592653589793));
  out.claim(
      "no disk is lost, and the kinetic energy stays below what the fall sets free",
      farthest < drum * 1.02 && kinetic < weight * drum,
      fmt::format("farthest edge at {:.3f} of the drum's radius, energy up to {:.2g} of weight times radius",
                  farthest / drum, kinetic / (weight * drum)));
  out.claim("overlap stays small", overlap < 1e-3,
            fmt::format("{:.1f} % of a mean radius", 100 * overlap / 0.01));
  out.claim("the same bits on every run",
            (r.final.q - again.final.q).isZero(0) && (r.final.u - again.final.u).isZero(0),
            "two runs compared");
}

}  // namespace saltus::studer_2008
