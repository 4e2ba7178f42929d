// Figures 7, 8 and 9 and Table 1: impacts that travel.
#include <array>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/james_2020.hpp"

namespace saltus::james_2020 {
namespace {

void add_rows(std::vector<std::string>& rows, const char* method, const Trajectory& path,
              std::span<const int> beads) {
  for (int k = 0; k < path.size(); ++k) {
    std::string row = fmt::format("{},{}", method, path.t(k));
    for (int b : beads) row += fmt::format(",{}", path.u(k)[b - 1]);
    rows.push_back(std::move(row));
  }
}

// Velocities of some beads: exact as lines, a method as dashes
void add_velocities(Panel& panel, const Trajectory& exact,
                    std::span<const std::pair<const char*, const Trajectory*>> methods,
                    std::span<const int> beads) {
  for (int b : beads) {
    panel.curves.push_back(
        history(exact, b == beads[0] ? "exact" : "", "lines lw 1.5 lc rgb '#0072b2'", b - 1, true));
    int k = 1;
    for (const auto& [name, path] : methods) {
      panel.curves.push_back(history(*path, b == beads[0] ? name : "",
                                     fmt::format("lines lw 1.2 dt 2 lc rgb '{}'", colours[k]), b - 1, true));
      ++k;
    }
  }
}

CatalogProblem dimer(double eps, double t_end) {
  return make_problem("dimer-chain", {{"eps", text(eps)}}, t_end);
}
double ejection(double eps, const SchemeSpec& scheme, double h) {
  const RunResult r = run(dimer(eps, 30).problem, {scheme, FixedSteps{h}, AutomaticSolver{}});
  if (r.status != RunStatus::finished) fail("eps = {}: {}", eps, r.message);
  return r.final.u[24];
}
double exact_ejection(double eps) {
  Vec q, u;
  dimer(eps, 30).reference->state(30, Side::right, q, u);
  return u[24];
}
// The place of the least value in [a, b], by golden sections
template <class F>
double minimum(double a, double b, F&& f, double tolerance = 1e-4) {
  const double g = 0.5 * (std::sqrt(5.0) - 1);
  double c = b - g * (b - a), d = a + g * (b - a), fc = f(c), fd = f(d);
  while (b - a > tolerance)
    if (fc < fd)
      b = d, d = c, fd = fc, c = b - g * (b - a), fc = f(c);
    else
      a = c, c = d, fc = fd, d = a + g * (b - a), fd = f(d);
  return 0.5 * (a + b);
}

}  // namespace

void figure_7(Findings& out) {
  constexpr int beads[] = {10, 15, 20, 25};
  const Comparison fine("dimer-chain", {}, 30, 0.1), coarse("dimer-chain", {}, 30, 1);
  Trajectory irk, large, theta;
  const auto e = fine.errors("IRK", &irk), e1 = coarse.errors("IRK", &large),
             et = fine.errors("theta", &theta);
  Panel left{time_label, "velocity, beads 10, 15, 20, 25 [m/s]", "h = 0.1", false, {}}, right = left;
  right.title = "h = 1";
  using Pair = std::pair<const char*, const Trajectory*>;
  add_velocities(left, fine.exact(), std::array{Pair{"IRK", &irk}, Pair{"theta", &theta}}, beads);
  add_velocities(right, fine.exact(), std::array{Pair{"IRK", &large}}, beads);
  out.figure("fig-7", std::array{left, right});
  std::vector<std::string> rows;
  add_rows(rows, "exact", fine.exact(), beads), add_rows(rows, "IRK", irk, beads),
      add_rows(rows, "theta", theta, beads);
  add_rows(rows, "IRK h=1", large, beads);
  out.csv("fig-7", "method,t,v10,v15,v20,v25", rows);
  out.claim("IRK with h = 0.1 is very accurate", e.v < 1e-3,
            fmt::format("largest error of the velocities {:.2g}", e.v));
  out.claim(
      "with h = 1 there are discrepancies, but the waves are there: the fastest peak of each bead shown "
      "within 15 %",
      [&] {
        for (int b : beads) {
          double a = 0, c = 0;
          for (int k = 0; k < fine.exact().size(); ++k) a = std::max(a, fine.exact().u(k)[b - 1]);
          for (int k = 0; k < large.size(); ++k) c = std::max(c, large.u(k)[b - 1]);
          if (std::abs(c / a - 1) > 0.15) return false;
        }
        return true;
      }(),
      fmt::format("largest error of the velocities {:.2g}", e1.v));
  out.claim("theta with h = 0.1 is close as well", et.v < 0.02, fmt::format("{:.2g}", et.v));
}

void table_1(Findings& out) {
  struct Line {
    const char* method;
    double h, x, v, x_digits, v_digits, seconds;
  };
  constexpr Line lines[] = {{"IRK", 1, 0.0832, 0.0447, 5e-5, 5e-5, 0.18},
                            {"IRK", 0.1, 0.0033, 6.1127e-4, 5e-5, 5e-9, 1.8},
                            {"theta", 0.1, 0.0217, 0.0121, 5e-5, 5e-5, 0.53}};
  std::vector<std::string> rows;
  Panel panel{time_label, "error of the positions [m]", "Table 1", false, {}};
  panel.log_y = true;
  int colour = 0;
  for (const Line& line : lines) {
    const Comparison c("dimer-chain", {}, 30, line.h);
    Trajectory path;
    const auto e = c.errors(line.method, &path);
    const CatalogProblem p = make_problem("dimer-chain");
    double best = infinity;
    for (int k = 0; k < 20; ++k)
      best = std::min(best, run(p.problem, {named(line.method).scheme, FixedSteps{line.h}, AutomaticSolver{}})
                                .stats.cpu_seconds);
    rows.push_back(fmt::format("{},{},{},{},{}", line.method, line.h, e.x, e.v, best));
    Curve curve = history(path, fmt::format("{}, h = {}", line.method, line.h),
                          fmt::format("lines lc rgb '{}'", colours[colour++]), 0, false);
    for (int k = 0; k < path.size(); ++k)
      curve.y[static_cast<std::size_t>(k)] =
          std::max((path.q(k) - c.exact().q(k)).lpNorm<Eigen::Infinity>(), 1e-12);
    panel.curves.push_back(std::move(curve));
    out.claim(fmt::format("{}, h = {}: errors {} and {:.5g} (all digits printed)", line.method, line.h,
                          line.x, line.v),
              std::abs(e.x - line.x) <= line.x_digits && std::abs(e.v - line.v) <= line.v_digits,
              fmt::format("{:.6g} and {:.6g}", e.x, e.v));
    out.claim(fmt::format("it takes {} s in Scilab; here less than a hundredth of that", line.seconds),
              best < 0.01 * line.seconds, fmt::format("{:.2g} ms of CPU", 1e3 * best));
  }
  const Comparison c("dimer-chain", {}, 30, 0.1);
  out.claim("the sup norm of the exact displacements is about 2.27", std::abs(c.largest_x() - 2.27) < 0.005,
            fmt::format("{:.5f}", c.largest_x()));
  out.csv("table-1", "method,h,error_x,error_v,cpu_s", rows);
  out.figure("table-1", std::array{panel});
}

void figure_8(Findings& out) {
  std::vector<int> beads;
  for (int i = 0; i < 10; ++i) beads.push_back(1 + 5 * i);
  const Comparison c("homogeneous-chain", {}, 70, 0.1);
  Trajectory irk, theta;
  const auto ei = c.errors("IRK", &irk), et = c.errors("theta", &theta);
  Panel panel{
      time_label, "velocity, beads 1, 6, …, 46 [m/s]", "equal beads, gamma = 0.1, h = 0.1", false, {}};
  using Pair = std::pair<const char*, const Trajectory*>;
  add_velocities(panel, c.exact(), std::array{Pair{"theta", &theta}, Pair{"IRK", &irk}}, beads);
  out.figure("fig-8", std::array{panel});
  std::vector<std::string> rows;
  add_rows(rows, "exact", c.exact(), beads), add_rows(rows, "IRK", irk, beads),
      add_rows(rows, "theta", theta, beads);
  out.csv("fig-8", "method,t,v1,v6,v11,v16,v21,v26,v31,v36,v41,v46", rows);
  std::vector<double> peaks;
  for (int b = 6; b <= 46; b += 5) {
    double most = 0;
    for (int k = 0; k < irk.size(); ++k) most = std::max(most, irk.u(k)[b - 1]);
    peaks.push_back(most);
  }
  out.claim("IRK and theta capture the wave (velocities within 2 % of its amplitude 0.5)",
            ei.v < 0.01 && et.v < 0.01,
            fmt::format("largest errors of velocities {:.4f} and {:.4f}", ei.v, et.v));
  out.claim("its amplitude decays slowly by the damping",
            std::is_sorted(peaks.rbegin(), peaks.rend()) && peaks.back() > 0.1,
            fmt::format("peaks of beads 6, 11, …: {:.4f}", fmt::join(peaks, ", ")));
}

void figure_9(Findings& out) {
  struct Method {
    const char* name;
    SchemeSpec scheme;
    double h;
  };
  const Method methods[] = {
      {"theta, h = 0.1", KkTheta{}, 0.1}, {"IRK, h = 0.1", KkIrk{}, 0.1}, {"IRK, h = 1", KkIrk{}, 1}};
  Panel panel{"mass ratio eps [1]", "velocity of the last bead at t = 30 s [m/s]", "ejection", false, {}};
  Curve exact{"exact", "lines lw 2 lc rgb '#0072b2'", {}, {}};
  std::vector<Curve> curves;
  for (std::size_t m = 0; m < std::size(methods); ++m)
    curves.push_back({methods[m].name, fmt::format("lines lw 1.2 dt 2 lc rgb '{}'", colours[m + 1]), {}, {}});
  std::vector<std::string> rows;
  double irk_error = 0, theta_error = 0, large_error = 0;
  for (int i = 4; i <= 40; ++i) {
    const double eps = 0.025 * i, v = exact_ejection(eps);
    exact.x.push_back(eps), exact.y.push_back(v);
    std::string row = fmt::format("{},{}", eps, v);
    double got[3];
    for (std::size_t m = 0; m < 3; ++m) {
      got[m] = ejection(eps, methods[m].scheme, methods[m].h);
      curves[m].x.push_back(eps), curves[m].y.push_back(got[m]);
      row += fmt::format(",{}", got[m]);
    }
    theta_error = std::max(theta_error, std::abs(got[0] - v)),
    irk_error = std::max(irk_error, std::abs(got[1] - v)),
    large_error = std::max(large_error, std::abs(got[2] - v));
    rows.push_back(std::move(row));
  }
  panel.curves.push_back(exact);
  for (auto& c : curves) panel.curves.push_back(std::move(c));
  out.csv("fig-9", "eps,exact,theta,irk,irk_h1", rows);
  out.figure("fig-9", std::array{panel});
  out.claim("IRK with h = 0.1 almost coincides with the exact curve", irk_error < 5e-3,
            fmt::format("within {:.2g}", irk_error));
  out.claim("theta with h = 0.1 is very close, IRK with h = 1 has small discrepancies",
            theta_error < 0.02 && large_error < 0.1,
            fmt::format("within {:.2g} and {:.2g}", theta_error, large_error));
  const double at = minimum(0.5, 0.75, exact_ejection),
               irk = minimum(0.5, 0.75, [&](double e) { return ejection(e, KkIrk{}, 0.1); }),
               irk1 = minimum(0.45, 0.75, [&](double e) { return ejection(e, KkIrk{}, 1); });
  out.claim("a shallow local minimum close to eps = 0.6, which the schemes keep",
            std::abs(at - 0.6) < 0.02 && std::abs(irk - 0.6) < 0.02 && std::abs(irk1 - 0.6) < 0.03,
            fmt::format("{:.6f} at eps = {:.4f}; IRK at {:.4f}, with h = 1 at {:.4f}", exact_ejection(at), at,
                        irk, irk1));
  Vec q, u;
  dimer(1, 60).reference->state(30, Side::right, q, u);
  const double overlap = q[23] - q[24], before = u[24];
  dimer(1, 60).reference->state(60, Side::right, q, u);
  out.refuted("beyond t = 30 the last bead flies freely (for every eps shown)", !(overlap > 0),
              fmt::format("not above eps = 0.818: at eps = 1 the overlap at t = 30 is {:.3f}, and the "
                          "velocity grows from {:.4f} to {:.4f}",
                          overlap, before, u[24]));
}

}  // namespace saltus::james_2020
