#include "saltus/reproduce/studer_2008.hpp"

#include "saltus/core/error.hpp"

namespace saltus::studer_2008 {

std::vector<Study> studies() {
  const std::string paper = "studer-2008";
  return {{paper, "tableau", "Aitken-Neville's tableau, (42)-(47)", tableau},
          {paper, "fig-2", "disks mixed in a turning drum", figure_2},
          {paper, "fig-3", "discrete states of four laws tell which step holds a switching point", figure_3},
          {paper, "fig-4", "a switching point searched by halving", figure_4},
          {paper, "fig-5", "even substeps raise the velocity of a closed contact, odd ones do not", figure_5},
          {paper, "fig-8", "accepted, previous and actual steps around a switching point", figure_8},
          {paper, "fig-9", "the falling mass with substeps 1, 2, 3, ...: the step stays small", figure_9},
          {paper, "fig-10", "the falling mass with odd substeps: the step grows again", figure_10},
          {paper, "fig-11", "the sliding mass: turning, force off, slip to stick", figure_11},
          {paper, "fig-12", "the impact oscillator: error over step size and over work", figure_12},
          {paper, "fig-13", "the woodpecker and the states of its six laws", figure_13},
          {paper, "table-7", "the woodpecker's switching points", table_7},
          {paper, "fig-14", "the woodpecker: error over step size", figure_14}};
}

Curve SwitchingRun::step_sizes(std::string title) const {
  Curve c{std::move(title), fmt::format("steps lw 1.2 lc rgb '{}'", colours[0]), {}, {}};
  for (int i = 0; i + 1 < path.size(); ++i)
    c.x.push_back(path.t(i)), c.y.push_back(path.t(i + 1) - path.t(i));
  return c;
}

Curve SwitchingRun::orders(std::string title) const {
  Curve c{std::move(title), fmt::format("steps lw 1.2 lc rgb '{}'", colours[1]), {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i)
    c.x.push_back(path.t(static_cast<int>(i))), c.y.push_back(order[i]);
  return c;
}

SwitchingSteps switching(double h_min, double h_max, double atol, int order) {
  SwitchingSteps s;
  s.h_min = h_min, s.h = h_max, s.atol = atol, s.order = static_cast<SwitchingSteps::Order>(order);
  return s;
}

SwitchingRun run_switching(const Problem& problem, const SwitchingSteps& stepping) {
  SwitchingRun out;
  RunControl control;
  control.attempt = [&](const Attempt& a) { out.attempts.push_back(a); };
  out.result = run(
      problem, {MoreauMidpoint{}, stepping, AutomaticSolver{}},
      [&](const Segment& s) {
        out.path(s);
        out.order.push_back(s.report.order);
      },
      control);
  if (out.result.status != RunStatus::finished) fail("stepping switching: {}", out.result.message);
  return out;
}

std::string words(const Event& e) {
  const auto number = e.contact + 1;
  if (e.from == Mode::open) return fmt::format("N{} closed", number);
  if (e.to == Mode::open) return fmt::format("N{} open", number);
  return fmt::format("T{} {}", number, e.to == Mode::stick ? "stick" : "slip");
}

}  // namespace saltus::studer_2008
