// What the paper proves or derives: Theorem 1, the modified equation (40) as a prediction of numerical
// damping, and its two dampings tuned apart.
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "saltus/catalog/bead_collision.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/james_2020.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::james_2020 {
namespace {

// N equal beads, free ends, m = k = 1.
ChainData equal_beads(int n, double gamma) {
  ChainData d;
  d.m = Vec::Ones(n);
  d.k = Vec::Ones(n + 1), d.k[0] = d.k[n] = 0;
  d.gamma = Vec::Constant(n + 1, gamma);
  return d;
}
Problem problem_of(ChainData data, double t_end, Vec u0) {
  const auto n = data.m.size();
  return {std::make_shared<Chain>(std::move(data)), 0, t_end, Vec::Zero(n), std::move(u0)};
}
/// States after every `every`-th step of equal length.
struct Path {
  std::vector<Vec> q, u;
};
Path path_of(const Problem& problem, const SchemeSpec& scheme, double h, int every) {
  Path out;
  int k = 0;
  const RunResult r = run(problem, {scheme, FixedSteps{h}, AutomaticSolver{}}, [&](const Segment& s) {
    if (++k % every == 0) out.q.push_back(s.end.q), out.u.push_back(s.end.u);
  });
  if (r.status != RunStatus::finished || r.stats.rejected > 0) fail("h = {}: {}", h, r.message);
  return out;
}
// The law itself, by Gauss' method with steps that are smaller by this factor.
constexpr int finer = 10;
Path exact_path(const Problem& problem, double h) {
  return path_of(problem, Gauss2{}, h / finer, finer);
}
struct Distance {
  double x = 0, v = 0;
};
Distance distance(const Path& a, const Path& b) {
  Distance out;
  for (std::size_t k = 0; k < a.q.size(); ++k)
    out.x = std::max(out.x, (a.q[k] - b.q[k]).norm()), out.v = std::max(out.v, (a.u[k] - b.u[k]).norm());
  return out;
}

// The restitution of two beads by a scheme on the law without damping: the smallest and the largest over the
// place of the impact in a step.
std::pair<double, double> restitution_by(const SchemeSpec& scheme, double h) {
  constexpr int places = 8;
  double least = infinity, most = -infinity;
  for (int i = 0; i < places; ++i) {
    ChainData d = equal_beads(2, 0);
    d.a = Vec{{0.0, -h * i / places, 0.0}};
    const RunResult r =
        run(problem_of(std::move(d), 12, Vec{{1.0, 0.0}}), {scheme, FixedSteps{h}, AutomaticSolver{}});
    if (r.status != RunStatus::finished) fail("h = {}: {}", h, r.message);
    const double e = r.final.u[1] - r.final.u[0];
    least = std::min(least, e), most = std::max(most, e);
  }
  return {least, most};
}

}  // namespace

// The chain is long enough for its ends not to move: an infinite one. H(0) = 1/2.
void theorem_1(Findings& out) {
  constexpr int n = 41;
  constexpr double t_end = 8, most_overlap = 2.1867;  // 2 (5 H₀/2)^{2/5}
  Vec u0 = Vec::Zero(n);
  u0[n / 2] = 1;
  const double bound = 2 * std::pow(2.5 * 0.5, 0.4);
  Panel panel{"step h [s]", "largest distance over time, beads together [m, m/s]", "Theorem 1", true, {}};
  std::vector<std::string> rows;
  double deepest = 0, ends = 0;
  int colour = 0;
  for (const double theta : {0.5, 0.75, 1.0, 2.0}) {
    std::vector<double> steps, x, v;
    // the theorem is for small steps: from a weak damping on
    const double largest = theta > 0.5 ? std::min(0.1, 0.025 / (2 * theta - 1)) : 0.1;
    for (int k = 0; k <= 5; ++k) {
      const double h = largest / (1 << k), gamma = (2 * theta - 1) * h;
      KkTheta scheme;
      scheme.gamma = gamma;
      const Path path = path_of(problem_of(equal_beads(n, 0), t_end, u0), scheme, h, 1);
      const Distance d = distance(path, exact_path(problem_of(equal_beads(n, gamma), t_end, u0), h));
      for (const Vec& q : path.q) {
        deepest = std::max(deepest, (q.head(n - 1) - q.tail(n - 1)).maxCoeff());
        ends = std::max({ends, std::abs(q[0]), std::abs(q[n - 1])});
      }
      steps.push_back(h), x.push_back(d.x), v.push_back(d.v);
      rows.push_back(fmt::format("{},{},{},{}", theta, h, d.x, d.v));
    }
    panel.curves.push_back(points(fmt::format("x, theta = {}", theta), steps, x, colour));
    panel.curves.push_back(points(fmt::format("v, theta = {}", theta), steps, v, colour));
    ++colour;
    // M h^{3/2}: the constant found at the largest step is one for all smaller ones
    bool bounded = true;
    for (std::size_t k = 1; k < steps.size(); ++k) {
      const double power = std::pow(steps[k] / steps[0], 1.5);
      bounded = bounded && x[k] <= x[0] * power && v[k] <= v[0] * power;
    }
    out.claim(
        fmt::format("theta = {}: errors are below M h^1.5 (80), (81), M that of the largest step", theta),
        bounded,
        fmt::format("orders {:.2f} (x) and {:.2f} (v)", fitted_order(steps, x), fitted_order(steps, v)));
  }
  panel.curves.push_back(slope_line(3e-4, 0.1, 0.1, 5e-4, 2));
  out.csv("theorem-1", "theta,h,x,v", rows);
  out.figure("theorem-1", std::array{panel});
  out.claim("overlaps stay below 2 (5 H/2)^(2/5)", deepest <= bound && std::abs(bound - most_overlap) < 1e-3,
            fmt::format("{:.4f}, bound {:.4f}", deepest, bound));
  out.claim("the chain is as good as infinite: its ends do not move", ends == 0,
            fmt::format("{:.1g} m", ends));
}

void modified_equation(Findings& out) {
  struct Line {
    const char* name;
    bool irk;
    double share;  // γ/h
  };
  constexpr Line lines[] = {
      {"theta", false, 0.25}, {"theta", false, 1}, {"IRK", true, 0.25}, {"IRK", true, 1}};
  Panel panel{"step h [s]",
              "error of the predicted loss 1 - e [1]",
              "one collision, gamma in proportion to h",
              true,
              {}};
  std::vector<std::string> rows;
  int colour = 0;
  for (const Line& line : lines) {
    std::vector<double> steps, error;
    for (int k = 0; k <= 6; ++k) {
      const double h = 0.4 / (1 << k), gamma = line.share * h;
      SchemeSpec scheme = KkTheta{};
      if (line.irk) {
        KkIrk irk;
        irk.gamma = gamma;
        scheme = irk;
      } else {
        std::get<KkTheta>(scheme).gamma = gamma;
      }
      const double loss = 1 - restitution_of(gamma_tilde_of(gamma, 1, 1, 1, 1));
      const auto [least, most] = restitution_by(scheme, h);
      steps.push_back(h);
      error.push_back(std::max(std::abs(1 - least - loss), std::abs(1 - most - loss)) / loss);
      rows.push_back(fmt::format("{},{},{},{},{},{}", line.name, h, gamma, loss, 1 - most, 1 - least));
    }
    // between 0.1 and 0.00625: (40) is an expansion for small steps
    const std::span small(steps.data() + 2, steps.size() - 2), rest(error.data() + 2, error.size() - 2);
    const double order = fitted_order(small, rest), asked = line.irk ? 1.5 : 1;
    panel.curves.push_back(
        points(fmt::format("{}, gamma = {} h", line.name, line.share), steps, error, colour++));
    out.claim(
        fmt::format("{}, gamma = {} h: the loss of a collision without damping is that of the law with gamma "
                    "(40), up to h^{} of it",
                    line.name, line.share, asked),
        order > asked - 0.15 && error.back() < 0.02,
        fmt::format("order {:.2f}; {:.2g} at h = {}, {:.2g} at h = {}", order, error.front(), steps.front(),
                    error.back(), steps.back()));
  }
  // a bead on a spring: local damping h (θ − μ) K
  std::vector<double> steps, error;
  for (int k = 0; k <= 4; ++k) {
    const double t_end = 12 * std::numbers::pi, h = t_end / (192 << k);  // six periods
    ChainData d = equal_beads(1, 0);
    d.k = Vec::Zero(2), d.K = Vec::Ones(1);
    AdditiveTheta scheme;
    scheme.theta = 0.75, scheme.mu = 0.5;
    const RunResult r =
        run(problem_of(std::move(d), t_end, Vec::Ones(1)), {scheme, FixedSteps{h}, AutomaticSolver{}});
    const double rate = -std::log(std::hypot(r.final.q[0], r.final.u[0])) / t_end,
                 asked = 0.5 * h * (0.75 - 0.5);
    steps.push_back(h), error.push_back(std::abs(rate / asked - 1));
    rows.push_back(fmt::format("spring,{},,{},{},{}", h, asked, rate, rate));
  }
  out.claim("a bead on a spring loses its amplitude at the rate h (theta - mu) K/(2 m) of (40)",
            fitted_order(steps, error) > 0.8 && error.back() < 0.02,
            fmt::format("{:.2g} at h = {:.3g}, {:.2g} at h = {:.3g}", error.front(), steps.front(),
                        error.back(), steps.back()));
  out.csv("modified-equation", "method,h,gamma,loss_predicted,loss_least,loss_most", rows);
  out.figure("modified-equation", std::array{panel});
}

// A cradle with contact damping γ and dashpots c at its beads, and the same from the scheme on the cradle
// without either: θ = 1/2 + γ/(2h), θ − μ = c/(h K).
void tuning(Findings& out) {
  constexpr int n = 5;
  constexpr double K = 0.1, t_end = 40;
  struct Case {
    const char* name;
    double gamma, c;  // at the largest step; both in proportion to h
  };
  constexpr Case cases[] = {{"contacts only", 0.1, 0},
                            {"local only", 0, 0.01},
                            {"both", 0.1, 0.01},
                            {"both, other values", 0.05, 0.02}};
  Vec u0 = Vec::Zero(n);
  u0[0] = 1;
  const auto cradle = [&](double gamma, double c) {
    ChainData d = equal_beads(n, gamma);
    d.K = Vec::Constant(n, K), d.C = Vec::Constant(n, c);
    return problem_of(std::move(d), t_end, u0);
  };
  Panel panel{"step h [s]",
              "largest error of positions and velocities [m, m/s]",
              "two dampings tuned apart (40)",
              true,
              {}};
  std::vector<std::string> rows;
  int colour = 0;
  for (const Case& a : cases) {
    std::vector<double> steps, error;
    double without = infinity;  // the distance to the motion without one of the dampings
    for (int k = 0; k <= 4; ++k) {
      const double part = 1.0 / (1 << k), h = 0.1 * part, gamma = a.gamma * part, c = a.c * part;
      KkTheta scheme;
      scheme.gamma = gamma, scheme.lambda = c / (h * K);
      const Path path = path_of(cradle(0, 0), scheme, h, 1);
      const auto off = [&](double g, double l) {
        const Distance d = distance(path, exact_path(cradle(g, l), h));
        return std::max(d.x, d.v);
      };
      steps.push_back(h), error.push_back(off(gamma, c));
      rows.push_back(fmt::format("{},{},{},{},{}", a.name, h, gamma, c, error.back()));
      if (k < 4) continue;
      if (gamma > 0) without = std::min(without, off(0, c));
      if (c > 0) without = std::min(without, off(gamma, 0));
    }
    panel.curves.push_back(points(a.name, steps, error, colour++));
    const double order = fitted_order(steps, error);
    out.claim(fmt::format("{}: gamma = {} and c = {} at h = 0.1, in proportion to h, up to h^2", a.name,
                          a.gamma, a.c),
              order > 1.6 && error.back() * 10 < without,
              fmt::format("order {:.2f}; {:.2g} at h = {}, {:.2g} from the motion without one of them", order,
                          error.back(), steps.back(), without));
  }
  out.csv("tuning", "case,h,gamma,c,error", rows);
  out.figure("tuning", std::array{panel});
}

}  // namespace saltus::james_2020
