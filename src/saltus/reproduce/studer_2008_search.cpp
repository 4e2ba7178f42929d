// Figures 3, 4 and 8: what indicates a switching point, and how it is located.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/reproduce/studer_2008.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus::studer_2008 {
namespace {

// Two masses on a floor, pulled up and down and to and fro: two contacts and, with friction of fixed size,
// four laws.
Problem four_laws() {
  LinearSystem::Data d;
  d.M = Matrix(4, {Pattern::diagonal, 0, nullptr});
  for (int i = 0; i < 4; ++i) d.M.set(i, i, 1);
  d.f = Vec{{-1.0, 0.0, -1.5, 0.0}};
  d.forcing = [](double t, double* h) {
    h[0] += 1.8 * std::sin(3 * t), h[1] += 1.6 * std::sin(5 * t), h[2] += 2.2 * std::sin(2 * t + 1),
        h[3] += 1.5 * std::cos(4 * t);
  };
  for (int i = 0; i < 4; ++i) {
    const bool contact = i % 2 == 0;
    d.contacts.push_back({fmt::format("law {}", i + 1),
                          contact ? Law(Unilateral{0.4}) : Law(Relay{-1, 1}),
                          {{{i, 1.0}}},
                          0,
                          0});
  }
  return {std::make_shared<LinearSystem>(std::move(d)), 0, 2, Vec{{0.0, 0.0, 0.05, 0.0}}, Vec::Zero(4)};
}

bool constraint(Mode m) {
  return m == Mode::closed || m == Mode::stick;
}

// The first impact of the falling mass, with every try.
SwitchingRun first_impact() {
  const CatalogProblem p = make_problem("falling-mass", {}, 0.25);
  return run_switching(p.problem, switching(1e-5, 0.05, 1e-8));
}
double impact_time() {
  return std::sqrt(2 * 0.07 / 9.81);
}

// The tries from the first detection on, until the step is resolved; two before for the picture.
std::pair<std::size_t, std::size_t> search_of(const std::vector<Attempt>& tries) {
  std::size_t first = 0;
  while (first < tries.size() && tries[first].outcome != Outcome::detected) ++first;
  std::size_t last = first;
  while (last < tries.size() && tries[last].outcome != Outcome::resolved) ++last;
  return {first < 3 ? 0 : first - 3, std::min(last + 1, tries.size())};
}

void write_search(Findings& out, const std::string& name, const std::vector<Attempt>& tries, std::size_t a,
                  std::size_t b) {
  std::vector<std::string> rows;
  for (std::size_t k = a; k < b; ++k)
    rows.push_back(fmt::format("{},{},{},{}", k, tries[k].t, tries[k].h, to_string(tries[k].outcome)));
  out.csv(name, "try,t,h,outcome", rows);
}

Curve bar(const Attempt& a, double y, const char* colour, double t0) {
  return {
      "", fmt::format("lines lw 4 lc rgb '{}'", colour), {(a.t - t0) * 1e3, (a.t + a.h - t0) * 1e3}, {y, y}};
}

}  // namespace

void figure_3(Findings& out) {
  const Problem p = four_laws();
  EventCapturing fine;
  fine.h = 0.005;
  Trajectory exact;
  const RunResult r = run(p, {runge_kutta("radau-iia-5"), fine, AutomaticSolver{}}, exact.sink());
  if (r.status != RunStatus::finished) fail("fig-3: {}", r.message);

  const double h = 0.01;
  Trajectory path;
  std::vector<std::vector<int>> sigma;  // per step, per law: 0 constraint, 1 impressed
  const RunResult stepped =
      run(p, {MoreauMidpoint{}, FixedSteps{h}, AutomaticSolver{}}, [&](const Segment& s) {
        path(s);
        std::vector<int> now(4, 1);
        for (const auto& c : s.end.contacts.closed) now[c.id] = constraint(c.mode) ? 0 : 1;
        sigma.push_back(now);
      });
  if (stepped.status != RunStatus::finished) fail("fig-3: {}", stepped.message);
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < sigma.size(); ++k)
    rows.push_back(
        fmt::format("{},{},{},{},{}", (k + 1) * h, sigma[k][0], sigma[k][1], sigma[k][2], sigma[k][3]));
  out.csv("fig-3", "t,sigma1,sigma2,sigma3,sigma4", rows);
  auto panels = mode_panels(path, static_cast<const System&>(*p.system));
  if (!panels.empty())
    panels[0].title = "four laws, Moreau steps of 0.01 s (bar: constraint, line: impressed)";
  out.figure("fig-3", panels);

  // every change between held and free that the exact motion makes shows in the states of the steps around it
  int seen = 0, events = 0;
  for (const Event& e : exact.events()) {
    if (e.kind != EventKind::stick && e.kind != EventKind::slip && e.kind != EventKind::close &&
        e.kind != EventKind::open && e.kind != EventKind::impact)
      continue;
    if (e.t <= 2 * h || e.t >= 2 - 3 * h) continue;
    ++events;
    const auto k = static_cast<std::size_t>(e.t / h);
    bool changed = false;
    for (std::size_t j = k - 1; j <= k + 2 && j < sigma.size(); ++j)
      changed = changed || sigma[j][e.contact] != sigma[j - 1][e.contact];
    seen += changed;
  }
  out.claim(
      "a change of the discrete state marks the step that contains a switching point, for every kind of law",
      events >= 8 && seen == events,
      fmt::format("{} of {} switching points seen within two steps", seen, events));
}

void figure_4(Findings& out) {
  const SwitchingRun r = first_impact();
  const auto [a, b] = search_of(r.attempts);
  write_search(out, "fig-4", r.attempts, a, b);
  Panel panel{
      "try (number)", "step size [s]", "the search of the first impact of the falling mass", false, {}};
  Curve c = points("h", std::vector<double>{}, std::vector<double>{}, 0);
  for (std::size_t k = a; k < b; ++k)
    c.x.push_back(static_cast<double>(k - a)), c.y.push_back(std::log10(r.attempts[k].h));
  panel.y_label = "log10 (step size / s)";
  panel.curves.push_back(c);
  out.figure("fig-4", std::array{panel});
  const Event& e = r.path.events().front();
  out.claim("the step is halved until the minimal step holds the switching point",
            e.t_before <= impact_time() + 1e-12 && e.t >= impact_time() - 1e-5 &&
                r.attempts[b - 1].h <= 1.0000001e-5,
            fmt::format("found in ]{:.8f}, {:.8f}], exact {:.8f}", e.t_before, e.t, impact_time()));
  out.claim("the uncertainty is one or two minimal steps", e.t - e.t_before <= 2.0001e-5,
            fmt::format("{:.1e}", e.t - e.t_before));
  const auto searched = static_cast<double>(b - a);
  out.claim("the search needs of the order of log2(h/h_min) tries", searched < 6 * std::log2(0.05 / 1e-5),
            fmt::format("{} tries, log2(h_max/h_min) = {:.1f}", b - a, std::log2(0.05 / 1e-5)));
}

void figure_8(Findings& out) {
  const SwitchingRun r = first_impact();
  const auto [a, b] = search_of(r.attempts);
  write_search(out, "fig-8", r.attempts, a, b);
  Panel panel{"t - t_S [ms]",
              "try (number)",
              "tries around the switching point at 0 (green: kept going, orange: detected, black: resolved)",
              false,
              {}};
  for (std::size_t k = a; k < b; ++k) {
    const Attempt& x = r.attempts[k];
    const char* colour = x.outcome == Outcome::detected   ? colours[1]
                         : x.outcome == Outcome::resolved ? colours[6]
                                                          : colours[2];
    panel.curves.push_back(bar(x, static_cast<double>(k - a), colour, impact_time()));
  }
  panel.curves.push_back({"", "lines lw 1 dt 2 lc rgb '#999999'", {0, 0}, {-1, static_cast<double>(b - a)}});
  out.figure("fig-8", std::array{panel});

  // after a detection the next try starts at or before the start of the one detected, with half the step or
  // less
  bool drops_back = true, no_growth = true;
  double no_increase = -infinity;
  int detections = 0;
  for (std::size_t k = a; k + 1 < b; ++k) {
    const Attempt &x = r.attempts[k], &next = r.attempts[k + 1];
    if (x.outcome == Outcome::detected) {
      ++detections;
      no_increase = x.t + x.h;
      drops_back = drops_back && next.t <= x.t && next.h <= x.h / 2 * (1 + 1e-9);
    } else if (x.t + x.h <= no_increase) {
      no_growth = no_growth && next.h <= x.h * (1 + 1e-9);
    }
  }
  out.claim("Table V: a detection rejects the actual and the previous step and halves",
            drops_back && detections > 3, fmt::format("{} detections", detections));
  out.claim("Table IV: no step grows before t_noInc (the text of 9.3 has the sign reversed)", no_growth,
            fmt::format("{} tries", b - a));
  // the previous step is dropped for a reason: a detection whose own step holds no impact lies behind the one
  // that does
  const SwitchingRun all =
      run_switching(make_problem("falling-mass", {}, 0.6).problem, switching(1e-5, 0.05, 1e-8));
  int late = 0, total = 0;
  for (const Attempt& x : all.attempts) {
    if (x.outcome != Outcome::detected) continue;
    ++total;
    double impact = impact_time();
    for (int k = 1; impact < x.t; ++k) impact += 2 * impact_time() * std::pow(0.7, k);
    late += impact > x.t + x.h;
  }
  out.claim("(36): a switching point may lie in the step before the one that shows it", late > 0,
            fmt::format("{} of {} detections lie wholly behind their impact", late, total));
}

}  // namespace saltus::studer_2008
