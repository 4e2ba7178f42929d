#include "saltus/study/impact_order.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"

namespace saltus {
namespace {

struct Known {
  EventMark mark;
  double error;
};

// Whether an impulse at one contact changes the velocity of the other: they share a coordinate, or coordinates
// that the mass couples.
class Coupling {
 public:
  Coupling(const System& system, double t, const Vec& q) : dynamics_(system, faults_), shape_(system.shape()) {
    dynamics_.place(t, q);
    mass_ = Matrix(shape_.nu, shape_.mass);
    CheckedSystem(system).mass(t, q, mass_);
  }
  bool operator()(std::uint64_t a, std::uint64_t b) const {
    const Contact *x = find(a), *y = find(b);
    if (!x || !y) return false;
    const SparseRows& W = dynamics_.contacts().Wt;
    for (const auto& i : W.row(x->row))
      for (const auto& j : W.row(y->row))
        if (i.value != 0 && j.value != 0 && (i.column == j.column || mass_(i.column, j.column) != 0)) return true;
    return false;
  }

 private:
  const Contact* find(std::uint64_t id) const {
    for (const Contact& c : dynamics_.contacts().contacts)
      if (c.id == id) return &c;
    return nullptr;
  }
  Faults faults_;
  ClosedDynamics dynamics_;
  Shape shape_;
  Matrix mass_;
};

}  // namespace

double UncertainOrder::together() const {
  constexpr double farther = 16;
  return std::min(error, farther * apart());
}

std::optional<UncertainOrder> uncertain_order(const EventMatch& events, const System& system, double t,
                                              const Vec& q, double negligible) {
  constexpr double safety = 2;
  std::vector<Known> impacts;
  for (const auto& [a, b] : events.pairs)
    if (a.kind == EventKind::impact && b.kind == EventKind::impact)
      impacts.push_back({a, safety * std::abs(a.t - b.t)});
  std::sort(impacts.begin(), impacts.end(), [](const Known& a, const Known& b) { return a.mark.t < b.mark.t; });
  const auto laws = system.laws();
  const bool any = system.shape().changing_contacts ||
                   std::any_of(laws.begin(), laws.end(),
                               [](const Law& law) { return std::holds_alternative<Equality>(law); });
  std::optional<Coupling> coupled;
  const auto act = [&](std::uint64_t a, std::uint64_t b) {
    if (any) return true;
    if (!coupled) coupled.emplace(system, t, q);
    return (*coupled)(a, b);
  };
  double error = impacts.empty() ? 0 : impacts.front().error;
  for (std::size_t i = 1; i < impacts.size(); ++i) {
    const EventMark &a = impacts[i - 1].mark, &b = impacts[i].mark;
    error = std::max(error, impacts[i].error);
    if (a.contact != b.contact && a.t != b.t && b.t - a.t <= error && std::min(a.jump, b.jump) > negligible &&
        act(a.contact, b.contact))
      return UncertainOrder{a, b, error};
  }
  return std::nullopt;
}

}  // namespace saltus
