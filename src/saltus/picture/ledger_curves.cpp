#include "saltus/picture/ledger_curves.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/run/family_rules.hpp"

namespace saltus {

void ContactEnergy::operator()(const Segment& s) {
  const double friction = s.report.friction_loss, walls = s.report.wall_work,
               impacts = s.report.contact_loss - friction - s.report.ideal_loss;
  if (sums_.empty()) sums_.push_back({s.begin.t, 0, 0, 0});
  if (impacts == 0 && friction == 0 && walls == 0) return;
  Sums last = sums_.back();
  const bool hit = std::any_of(s.events.begin(), s.events.end(),
                               [](const Event& e) { return e.kind == EventKind::impact; });
  last.t = hit ? s.end.t : s.begin.t;
  if (sums_.back().t < last.t) sums_.push_back(last);
  sums_.push_back({s.end.t, last.impacts + impacts, last.friction + friction, last.walls + walls});
}

ContactEnergy::Sums ContactEnergy::at(double t, bool left) const {
  const auto next = std::partition_point(sums_.begin(), sums_.end(),
                                         [&](const Sums& s) { return left ? s.t < t : s.t <= t; });
  if (next == sums_.begin()) return sums_.front();
  const Sums& a = *(next - 1);
  if (next == sums_.end()) return a;
  const double part = (t - a.t) / (next->t - a.t);
  const auto between = [&](double Sums::*x) { return a.*x + part * ((*next).*x - a.*x); };
  return {t, between(&Sums::impacts), between(&Sums::friction), between(&Sums::walls)};
}

std::vector<NamedCurve> ledger_curves(const Problem& problem, const Trajectory& samples,
                                      const std::vector<double>& energy, const ContactEnergy& contacts,
                                      const std::string& unit) {
  const System* system = as_mechanical(problem.system.get());
  if (!system || system->powers() == Powers::unknown || contacts.empty() || samples.size() == 0 ||
      !std::isfinite(energy.front()))
    return {};
  const bool metered = system->powers() == Powers::known;
  const auto rules = mechanical_rules(problem);
  const auto work = system->make_workspace();
  NamedCurve loads{"work of loads", unit, {}}, damping{"taken by damping", unit, {}},
      friction{"taken by friction", unit, {}}, impacts{"taken by impacts", unit, {}},
      balance{"energy balance", unit, {}};
  double done = 0, damped = 0, rubbed = 0;
  Power before;
  State x;
  for (int i = 0; i < samples.size(); ++i) {
    x.t = samples.t(i), x.q = samples.q(i), x.u = samples.u(i);
    const Power now = metered ? system->power(x.t, x.q, x.u, *work) : Power{};
    const double h = i > 0 ? x.t - samples.t(i - 1) : 0;
    done += 0.5 * h * (before.work + now.work), damped += 0.5 * h * (before.damping + now.damping);
    rubbed += 0.5 * h * (before.friction + now.friction);
    before = now;
    const auto taken = contacts.at(x.t, i + 1 < samples.size() && samples.t(i + 1) == x.t);
    loads.values.push_back(done + taken.walls), damping.values.push_back(damped);
    friction.values.push_back(rubbed + taken.friction), impacts.values.push_back(taken.impacts);
    balance.values.push_back(energy[static_cast<std::size_t>(i)] + rules->stored(x) - loads.values.back() +
                             damped + friction.values.back() + taken.impacts);
  }
  std::vector<NamedCurve> out;
  const auto acts = [](const NamedCurve& c) {
    return std::any_of(c.values.begin(), c.values.end(), [](double v) { return v != 0; });
  };
  for (NamedCurve* c : {&loads, &damping, &friction, &impacts})
    if (acts(*c)) out.push_back(std::move(*c));
  out.push_back(std::move(balance));
  return out;
}

}  // namespace saltus
