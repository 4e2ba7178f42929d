// Numbers of the text that belong to no figure: (9) with three materials, the times of section 3.2, and the
// force that a dimer chain transmits (section 4.1).
#include <array>
#include <cmath>
#include <numbers>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/james_2020.hpp"

namespace saltus::james_2020 {
namespace {

// The largest force on the wall behind a dimer chain that is hit with velocity 1; scheme and step.
double transmitted(double eps, double gamma, int beads, const SchemeSpec& scheme, double h) {
  const CatalogProblem p = make_problem("dimer-chain",
                                        {{"n", text(beads)},
                                         {"eps", text(eps)},
                                         {"gamma", text(gamma)},
                                         {"right_wall", "true"},
                                         {"reference", "none"}},
                                        1.6 * beads);
  const Chain& chain = *as_chain(p.problem.system.get());
  double most = 0;
  const RunResult r = run(p.problem, {scheme, FixedSteps{h}, AutomaticSolver{}}, [&](const Segment& s) {
    most = std::max(most, chain.force(beads, s.end.q, s.end.u, chain.ends(s.end.t)));
  });
  if (r.status != RunStatus::finished) fail("eps = {}: {}", eps, r.message);
  return most;
}

// Where the samples have their least value in [a, b]: the top of the parabola through the three around it.
double lowest(std::span<const double> x, std::span<const double> y, double a, double b) {
  std::size_t best = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i)
    if (x[i] >= a && x[i] <= b && (best == 0 || y[i] < y[best])) best = i;
  if (best == 0) return infinity;
  const double left = y[best - 1] - y[best], right = y[best + 1] - y[best], step = x[best + 1] - x[best];
  return x[best] + (left + right > 0 ? 0.5 * step * (left - right) / (left + right) : 0);
}

}  // namespace

void equation_9(Findings& out) {
  struct Material {
    const char* name;
    double gamma;
  };
  constexpr Material materials[] = {{"glass", 0.01}, {"steel", 0.06}, {"cork with a lead core", 0.17}};
  const double small = 1e-5, limit = small / (1 - restitution_of(small));
  out.claim(
      "(9): gamma/(1 - e) tends to 0.578 for weak damping", std::abs(limit - 0.578) < 5e-4,
      fmt::format("{:.5f} at gamma = {}, {:.6f} in closed form", limit, small, 1 / restitution_slope()));
  Panel panel{"damping gamma (8) [1]", "restitution e [1]", "law (1) and its limit (9)", false, {}};
  Curve exact{"law (1)", "lines lw 2 lc rgb '#0072b2'", {}, {}},
      line{"(9)", "lines lw 1.5 dt 2 lc rgb '#d55e00'", {}, {}};
  for (int i = 0; i <= 50; ++i) {
    const double gamma = 0.005 * i;
    exact.x.push_back(gamma), exact.y.push_back(restitution_of(gamma));
    line.x.push_back(gamma), line.y.push_back(1 - gamma / 0.578);
  }
  std::vector<double> at, value;
  std::vector<std::string> rows, texts;
  double off[3];
  int k = 0;
  for (const Material& m : materials) {
    const double e = restitution_of(m.gamma), by_9 = 0.578 * (1 - e);
    off[k++] = std::abs(by_9 / m.gamma - 1);
    at.push_back(m.gamma), value.push_back(e);
    rows.push_back(fmt::format("{},{},{},{}", m.name, m.gamma, e, by_9));
    texts.push_back(fmt::format("{}: e = {:.4f}, (9) gives {:.4f}", m.name, e, by_9));
  }
  panel.curves = {exact, line, points("glass, steel, cork", at, value, 2)};
  out.csv("eq-9", "material,gamma,e,gamma_by_9", rows);
  out.figure("eq-9", std::array{panel});
  out.claim("the three materials: for glass and steel (9) is right to 10 % of gamma",
            off[0] < 0.1 && off[1] < 0.1, texts[0] + "; " + texts[1]);
  out.refuted("and for cork", off[2] < 0.1, fmt::format("{}, {:.0f} % too small", texts[2], 100 * off[2]));
  // 1 − e = C γ − (3/5) C² γ² + …, so that (9) is too small by 3/5 (1 − e)
  const double second = off[0] / (1 - value[0]);
  out.claim("(9) is too small by 3/5 (1 - e), the next term of the expansion", std::abs(second - 0.6) < 0.03,
            fmt::format("{:.3f} (1 - e) for glass", second));
}

void cradle_times(Findings& out) {
  constexpr double h = 0.5, K = 0.01, gamma = 0.3;
  const double osc = 2 * std::numbers::pi / std::sqrt(K);
  out.claim("in-phase oscillations of the cradle: T_osc ~ 125 h", std::abs(osc / (125 * h) - 1) < 0.01,
            fmt::format("{:.1f} h", osc / h));
  const auto duration = [&](double k) {
    return duration_of(gamma_tilde_of(gamma, k, 1, 1, 1)) * collision_time_unit(k, 1, 1, 1);
  };
  // the same by a run: two beads, until they are apart
  ChainData d;
  d.m = Vec::Ones(2), d.k = Vec{{0.0, 1.0, 0.0}}, d.gamma = Vec::Constant(3, gamma);
  const Problem pair{std::make_shared<Chain>(std::move(d)), 0, 6, Vec::Zero(2), Vec{{1.0, 0.0}}};
  double apart = 0;
  run(pair, {Gauss2{}, FixedSteps{1e-3}, AutomaticSolver{}}, [&](const Segment& s) {
    if (apart == 0 && s.end.q[0] <= s.end.q[1]) apart = s.end.t;
  });
  out.claim("two free beads of figure 5 (k = 1): T_col ~ 6 h, within a fifth",
            std::abs(duration(1) / (6 * h) - 1) < 0.2 && std::abs(apart - duration(1)) < 3e-3,
            fmt::format("{:.2f} h, by a run {:.2f} h", duration(1) / h, apart / h));
  out.refuted("and of figure 4 (k = 13.115)", std::abs(duration(13.115) / (6 * h) - 1) < 0.2,
              fmt::format("{:.2f} h", duration(13.115) / h));
}

void transmitted_force(Findings& out) {
  struct Line {
    const char* name;
    int beads;
    double gamma;
    SchemeSpec scheme;
    double h;
  };
  const Line lines[] = {{"60 beads, gamma = 0", 60, 0, Gauss2{}, 0.05},
                        {"25 beads, gamma = 0.06", 25, 0.06, Gauss2{}, 0.05},
                        {"25 beads, gamma = 0.06, IRK, h = 0.1", 25, 0.06, KkIrk{}, 0.1},
                        {"25 beads, gamma = 0.06, theta, h = 0.1", 25, 0.06, KkTheta{}, 0.1},
                        {"60 beads, gamma = 0.06", 60, 0.06, Gauss2{}, 0.05}};
  constexpr int count = std::size(lines);
  Panel panel{"mass ratio eps [1]", "largest force on the wall [N]", "the force that arrives", false, {}};
  std::vector<double> eps, force[count];
  std::vector<std::string> rows;
  for (int i = 0; i <= 32; ++i) {
    eps.push_back(0.2 + 0.025 * i);
    std::string row = fmt::format("{}", eps.back());
    for (int k = 0; k < count; ++k) {
      force[k].push_back(
          transmitted(eps.back(), lines[k].gamma, lines[k].beads, lines[k].scheme, lines[k].h));
      row += fmt::format(",{}", force[k].back());
    }
    rows.push_back(std::move(row));
  }
  for (int k = 0; k < count; ++k) panel.curves.push_back(points(lines[k].name, eps, force[k], k));
  out.csv("transmitted", "eps,hertz_60,kk_25,irk_25,theta_25,kk_60", rows);
  out.figure("transmitted", std::array{panel});
  const auto at = [&](int k) { return lowest(eps, force[k], 0.45, 0.75); };
  const auto ratio = [&](int k) {
    return *std::min_element(force[k].begin() + 10, force[k].begin() + 23) / force[k].back();
  };
  out.claim("without damping the transmitted force has its largest drop near eps = 0.59",
            std::abs(at(0) - 0.59) < 0.03,
            fmt::format("at {:.3f}, {:.0f} % of that of equal beads", at(0), 100 * ratio(0)));
  out.claim("it is largest for equal beads",
            *std::max_element(force[0].begin(), force[0].end()) == force[0].back(),
            fmt::format("{:.4f} N at eps = 1", force[0].back()));
  out.claim(
      "the law with damping and the schemes keep the drop",
      std::abs(at(1) - 0.59) < 0.05 && std::abs(at(2) - at(1)) < 0.01 && std::abs(at(3) - at(1)) < 0.02,
      fmt::format(
          "25 beads: at {:.3f}, IRK {:.3f}, theta {:.3f}, {:.0f} % of that of equal beads; 60 beads: at "
          "{:.3f}, {:.0f} %",
          at(1), at(2), at(3), 100 * ratio(1), at(4), 100 * ratio(4)));
}

}  // namespace saltus::james_2020
