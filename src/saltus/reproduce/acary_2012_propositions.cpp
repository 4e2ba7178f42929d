// Propositions 1 to 3: the error of one step of Moreau's scheme from a point of the exact solution.
#include <cmath>

#include "saltus/catalog/bead_on_sphere.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/scheme/moreau/moreau_jean_stepper.hpp"
#include "saltus/study/convergence.hpp"
#include "saltus/system/model.hpp"

namespace saltus::acary_2012 {
namespace {

struct LocalSeries {
  std::string name;
  std::vector<double> h, q, v;
  double order_q = 0, order_v = 0;

  void add(double step, double eq, double ev) { h.push_back(step), q.push_back(eq), v.push_back(ev); }
  void fit() { order_q = fitted_order(h, q), order_v = fitted_order(h, v); }
};

State one_step(const System& system, const MoreauJean& scheme, double t, const Vec& q, const Vec& u, double h,
               bool forced) {
  MoreauJeanStepper stepper(system, scheme, AutomaticSolver{});
  const std::uint64_t all[] = {0};
  if (forced) stepper.force(all);
  const State x0 = stepper.start(t, q, u);
  State x1 = x0;
  stepper.step(x0, h, x1);
  return x1;
}

// Steps that start 0.4 h before the impact at t = `impact`.
LocalSeries over_impact(const std::string& name, const CatalogProblem& p, double impact,
                        const MoreauJean& scheme) {
  LocalSeries s{name, {}, {}, {}, 0, 0};
  Vec q, u;
  for (int j = 0; j < 9; ++j) {
    const double h = 0.05 * std::pow(2.0, -j), t = impact - 0.4 * h;
    p.reference->state(t, Side::right, q, u);
    const State x = one_step(static_cast<const System&>(*p.problem.system), scheme, t, q, u, h, false);
    p.reference->state(t + h, Side::right, q, u);
    s.add(h, (q - x.q).lpNorm<Eigen::Infinity>(), (u - x.u).lpNorm<Eigen::Infinity>());
  }
  s.fit();
  return s;
}

LocalSeries sliding_on_sphere(double theta) {
  const BeadOnSphere bead;
  const Problem p = bead.problem(0.8);
  LocalSeries s{fmt::format("bead on a sphere, theta {}", theta), {}, {}, {}, 0, 0};
  const Vec x0 = bead.sliding(0.3);
  for (int j = 3; j <= 9; ++j) {
    const double h = 0.2 * std::pow(2.0, -j);
    const State x =
        one_step(static_cast<const System&>(*p.system), {theta, 1}, 0.3, x0.head(2), x0.tail(2), h, true);
    const Vec exact = bead.sliding(0.3 + h);
    s.add(h, (exact.head(2) - x.q).lpNorm<Eigen::Infinity>(),
          (exact.tail(2) - x.u).lpNorm<Eigen::Infinity>());
  }
  s.fit();
  return s;
}

// A bead on a flat table, pulled by a spring along it: G is constant, x = cos t.
struct BeadOnTable {
  static constexpr int dof = 2;
  static constexpr bool constant_mass = true, linear_force = true, constant_directions = true;
  template <class S>
  using V = Eigen::Matrix<S, 2, 1>;
  template <class S>
  Eigen::Matrix<S, 2, 2> mass(const S&, const V<S>&) const {
    return Eigen::Matrix<S, 2, 2>::Identity();
  }
  template <class S>
  V<S> force(const S&, const V<S>& q, const V<S>&) const {
    return {S(-q[0]), S(-9.81 - q[0])};
  }
  template <class S>
  Eigen::Matrix<S, 1, 1> gaps(const S&, const V<S>& q) const {
    return Eigen::Matrix<S, 1, 1>(q[1]);
  }
  std::vector<Law> laws() const { return {Unilateral{0}}; }
};

LocalSeries sliding_on_table(double theta) {
  const auto system = make_system(BeadOnTable{});
  LocalSeries s{fmt::format("bead on a table, theta {}", theta), {}, {}, {}, 0, 0};
  const double t = 0.7;
  for (int j = 3; j <= 9; ++j) {
    const double h = 0.2 * std::pow(2.0, -j);
    const State x =
        one_step(*system, {theta, 1}, t, Vec{{std::cos(t), 0.0}}, Vec{{-std::sin(t), 0.0}}, h, true);
    s.add(h, std::max(std::abs(std::cos(t + h) - x.q[0]), std::abs(x.q[1])),
          std::max(std::abs(-std::sin(t + h) - x.u[0]), std::abs(x.u[1])));
  }
  s.fit();
  return s;
}

std::string orders_text(std::span<const LocalSeries> all) {
  std::string out;
  for (const auto& s : all)
    out +=
        fmt::format("{}e_q {:.2f}, e_v {:.2f} ({})", out.empty() ? "" : "; ", s.order_q, s.order_v, s.name);
  return out;
}

bool at_least(std::span<const LocalSeries> all, double q, double v) {
  for (const auto& s : all)
    if (!(s.order_q >= q - 0.12 && s.order_v >= v - 0.12)) return false;
  return true;
}

Panel panel_of(const std::string& title, std::initializer_list<std::span<const LocalSeries>> groups,
               bool velocities) {
  Panel panel{"h [s]", velocities ? "e_v [m/s, rad/s]" : "e_q [m, rad]", title, true, {}};
  int colour = 0;
  for (const auto& group : groups)
    for (const auto& s : group)
      panel.curves.push_back(points(fmt::format("{} ({:.2f})", s.name, velocities ? s.order_v : s.order_q),
                                    s.h, velocities ? s.v : s.q, colour++));
  return panel;
}

}  // namespace

void propositions(Findings& out) {
  const Example b = ball(), a = oscillator('a');
  const CatalogProblem bar =
      make_problem("rocking-bar");  // two contacts coupled through W; one of them hits first
  const double hit_a = a.problem.reference->breaks(0, 5).front(),
               hit_bar = bar.reference->breaks(0, 1.5).front();
  const LocalSeries detected[] = {over_impact("ball, detected", b.problem, 1, {1, 1}),
                                  over_impact("oscillator a, detected", a.problem, hit_a, {1, 1}),
                                  over_impact("rocking bar, detected", bar, hit_bar, {1, 1})};
  const LocalSeries missed[] = {over_impact("ball, missed", b.problem, 1, {1, 0}),
                                over_impact("oscillator a, missed", a.problem, hit_a, {1, 0}),
                                over_impact("rocking bar, missed", bar, hit_bar, {1, 0})};
  const LocalSeries implicit[] = {sliding_on_sphere(1)};
  const LocalSeries other[] = {sliding_on_sphere(0.5), sliding_on_sphere(0)};
  const LocalSeries flat[] = {sliding_on_table(1), sliding_on_table(0.5), sliding_on_table(0)};

  std::vector<std::string> rows;
  for (const std::span<const LocalSeries> group :
       {std::span<const LocalSeries>(detected), std::span<const LocalSeries>(missed),
        std::span<const LocalSeries>(implicit), std::span<const LocalSeries>(other),
        std::span<const LocalSeries>(flat)})
    for (const auto& s : group)
      for (std::size_t i = 0; i < s.h.size(); ++i)
        rows.push_back(fmt::format("\"{}\",{},{},{}", s.name, s.h[i], s.q[i], s.v[i]));
  out.csv("propositions", "case,h,e_q,e_v", rows);
  out.figure(
      "propositions",
      std::array{panel_of("one step over an impact: positions (local order)", {detected, missed}, false),
                 panel_of("one step over an impact: velocities", {detected, missed}, true),
                 panel_of("one step of sliding: velocities", {implicit, other, flat}, true)});

  out.claim("Prop. 1: e_q = O(h) whatever was forecast", at_least(detected, 1, -1) && at_least(missed, 1, -1),
            fmt::format("{}; {}", orders_text(detected), orders_text(missed)));
  out.claim("Prop. 3.1: e_v = O(h) when the impact is forecast, coupled contacts included",
            at_least(detected, 1, 1), orders_text(detected));
  bool constant = true;
  for (const auto& s : missed) constant = constant && std::abs(s.order_v) < 0.12;
  out.claim("Prop. 3.2: e_v = O(1) and no better when it is missed", constant, orders_text(missed));
  out.claim("Prop. 2 with theta = 1: e_q = O(h^2), e_v = O(h^2) in persistent contact",
            at_least(implicit, 2, 2), orders_text(implicit));
  out.claim("Prop. 2 with constant G: any theta", at_least(flat, 2, 2), orders_text(flat));
  out.refuted("Prop. 2 for every theta", at_least(other, 2, 2),
              orders_text(other) + "; e_v = O(h): (16c) takes G at q_(k+theta)");
}

}  // namespace saltus::acary_2012
