// Figure 11: the sliding mass turns, loses its force, and sticks.
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/studer_2008.hpp"

namespace saltus::studer_2008 {

void figure_11(Findings& out) {
  const CatalogProblem p = make_problem("sliding-mass");
  const SwitchingRun r = run_switching(p.problem, switching(1e-5, 0.1, 1e-8));
  const Trajectory& path = r.path;
  std::vector<std::string> rows;
  Curve force_x{"x", fmt::format("steps lw 1.5 lc rgb '{}'", colours[0]), {}, {}},
      force_y{"y", fmt::format("steps lw 1.5 lc rgb '{}'", colours[1]), {}, {}};
  double off_cone = 0;
  for (int i = 0; i + 1 < path.size(); ++i) {
    const double t0 = path.t(i), t1 = path.t(i + 1), h = t1 - t0;
    const double fx = path.impulse(0, 0, t0, t1) / h, fy = path.impulse(0, 1, t0, t1) / h;
    for (auto [c, f] : {std::pair{&force_x, fx}, {&force_y, fy}}) c->x.push_back(t0), c->y.push_back(f);
    rows.push_back(fmt::format("{},{},{},{},{},{},{},{},{}", t0, h, r.order[i], path.q(i)[0], path.q(i)[1],
                               path.u(i)[0], path.u(i)[1], fx, fy));
  }
  // on the cone: one Moreau step from each state while it slides
  const auto stepper = make_stepper(MoreauMidpoint{}, *p.problem.system, AutomaticSolver{});
  for (int i = 1; i < path.size() && path.t(i) < 3.66; ++i) {
    const double h = 1e-4;
    const State x0 = stepper->start(path.t(i), path.q(i), path.u(i));
    State x1 = x0;
    stepper->step(x0, h, x1);
    off_cone = std::max(off_cone,
                        std::abs(std::hypot(x1.contacts.impulse[0], x1.contacts.impulse[1]) / (2 * h) - 1));
  }
  out.csv("fig-11", "t,h,order,x,y,ux,uy,fx,fy", rows);
  Curve track{"", fmt::format("linespoints pt 7 ps 0.3 lc rgb '{}'", colours[0]), {}, {}};
  for (int i = 0; i < path.size(); ++i) track.x.push_back(path.q(i)[0]), track.y.push_back(path.q(i)[1]);
  out.figure("fig-11",
             std::array{Panel{"x [m]", "y [m]", "the path", false, {track}},
                        Panel{time_label, "order [1]", "rows of the tableau", false, {r.orders("")}},
                        Panel{time_label, "h [s]", "step size", false, {r.step_sizes("")}},
                        Panel{time_label, "friction force [N]", "", false, {force_x, force_y}},
                        Panel{time_label, "speed [m/s]", "", false, {over_time(path, "", 2, [&](int i) {
                                return path.u(i).norm();
                              })}}});

  // closed form: u_x = 0 at 0.4596769772, force off at 3, stick at 3.6656500438 and the place where it sticks
  double turn = 0;
  for (int i = 1; i < path.size() && turn == 0; ++i)
    if (path.u(i)[0] < 0) {
      // the reference tells how exact the state here is; the time of the sign change by its slope
      const double w = path.u(i - 1)[0] / (path.u(i - 1)[0] - path.u(i)[0]);
      double a = path.t(i - 1), b = path.t(i);
      Problem part = p.problem;
      part.t0 = a, part.q0 = path.q(i - 1), part.u0 = path.u(i - 1), part.t_end = a + w * (b - a);
      for (int k = 0; k < 40; ++k) {  // bisection on runs from the last state before
        part.t_end = 0.5 * (a + b);
        SwitchingSteps fine = switching(1e-9, 1e-2, 1e-10);
        (run_switching(part, fine).result.final.u[0] > 0 ? a : b) = part.t_end;
        if (b - a < 1e-9) break;
      }
      turn = 0.5 * (a + b);
    }
  const Event* stick = nullptr;
  int switches = 0;
  for (const Event& e : path.events()) {
    ++switches;
    if (e.kind == EventKind::stick) stick = &e;
  }
  out.claim("t_A: it turns round (u_x = 0)", std::abs(turn - 0.45967697724579804) < 1e-6,
            fmt::format("{:.9f}, exact 0.459676977", turn));
  out.claim("t_C: slip to stick, the only switching point",
            stick && switches == 1 && std::abs(stick->t - 3.6656500437508606) < 2e-5,
            stick ? fmt::format("{:.6f} with h_min = 1e-5, exact 3.665650", stick->t) : "none");
  const SwitchingRun finer = run_switching(p.problem, switching(1e-7, 0.1, 1e-10));
  double stick_fine = 0;
  for (const Event& e : finer.path.events())
    if (e.kind == EventKind::stick) stick_fine = e.t;
  out.claim("t_C to 1e-6 with h_min = 1e-7", std::abs(stick_fine - 3.6656500437508606) < 1e-6,
            fmt::format("{:.9f}, exact 3.665650044", stick_fine));
  Vec q, u;
  p.reference->state(4.5, Side::right, q, u);
  const double end = (r.result.final.q - q).lpNorm<Eigen::Infinity>();
  out.claim("the place where it stops is that of the closed form to 1e-6", end < 1e-6,
            fmt::format("off by {:.1e}", end));
  out.claim("the friction force stays 2 N while it slides", off_cone < 1e-10,
            fmt::format("off the circle by {:.1e} of it", off_cone));
  int highest = 0;
  double smallest = infinity;
  for (std::size_t i = 0; i < r.order.size(); ++i) {
    const double t = path.t(static_cast<int>(i)), h = path.t(static_cast<int>(i) + 1) - t;
    if (t > 0.3 && t < 0.65) highest = std::max(highest, r.order[i]), smallest = std::min(smallest, h);
  }
  out.claim("around the turn: small steps and a high order", highest >= 4 && smallest < 0.03,
            fmt::format("order up to {}, steps down to {:.1e}", highest, smallest));
  Problem blind = p.problem;
  blind.breakpoints.clear();
  const double missed =
      (run_switching(blind, switching(1e-5, 0.1, 1e-8)).result.final.q - q).lpNorm<Eigen::Infinity>();
  out.refuted("the jump of the force at t = 3 needs no care (the paper gives none)", missed < 1e-6,
              fmt::format("without a breakpoint there the end is off by {:.1e}", missed));
}

}  // namespace saltus::studer_2008
