// C. Studer, R. I. Leine, C. Glocker, Step size adjustment and extrapolation for time-stepping schemes in
// non-smooth dynamics, Int. J. Numer. Meth. Engng 76 (2008) 1747–1781, doi:10.1002/nme.2383.
//
// The paper's algorithm is stepping `switching` around scheme `moreau-midpoint`. Where Saltus goes beyond the
// paper (restitution at impacts only, a look at the gaps), the option that gives the paper's way is used for
// the figures that show it.
#pragma once
#include "saltus/catalog/catalog.hpp"
#include "saltus/reproduce/drawing.hpp"
#include "saltus/reproduce/reproduce.hpp"

namespace saltus::studer_2008 {

std::vector<Study> studies();

// studer_2008_tableau.cpp
void tableau(Findings& out);
void figure_5(Findings& out);
// studer_2008_search.cpp
void figure_3(Findings& out);
void figure_4(Findings& out);
void figure_8(Findings& out);
// studer_2008_disks.cpp
void figure_2(Findings& out);
// studer_2008_falling.cpp
void figure_9(Findings& out);
void figure_10(Findings& out);
// studer_2008_sliding.cpp
void figure_11(Findings& out);
// studer_2008_oscillator.cpp
void figure_12(Findings& out);
// studer_2008_woodpecker.cpp
void figure_13(Findings& out);
void table_7(Findings& out);
void figure_14(Findings& out);

/// A run with stepping switching: its path, the order of every accepted step, and every try.
struct SwitchingRun {
  RunResult result;
  Trajectory path;
  std::vector<int> order;
  std::vector<Attempt> attempts;

  /// Step lengths over the time at which they begin, as stairs.
  Curve step_sizes(std::string title) const;
  Curve orders(std::string title) const;
};
SwitchingRun run_switching(const Problem& problem, const SwitchingSteps& stepping);
SwitchingSteps switching(double h_min, double h_max, double atol, int order = 0);
/// (t, value(i)) for every sample i.
template <class Value>
Curve over_time(const Trajectory& path, std::string title, int colour, Value&& value) {
  Curve c{std::move(title), fmt::format("lines lw 1.5 lc rgb '{}'", colours[colour % 8]), {}, {}};
  for (int i = 0; i < path.size(); ++i) c.x.push_back(path.t(i)), c.y.push_back(value(i));
  return c;
}
/// "N2 closed", "T3 stick": an event in the words of Table VII, contacts counted from 1.
std::string words(const Event& e);

}  // namespace saltus::studer_2008
