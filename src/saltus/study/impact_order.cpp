#include "saltus/study/impact_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "saltus/scheme/runge_kutta/closed_dynamics.hpp"

namespace saltus {
namespace {

struct Known {
  EventMark mark;
  double other;              // its time in the other run
  double flight = infinity;  // of its contact, the shorter of those before and after it
};

// Whether an impulse at one contact changes the velocity of the other: they share a coordinate, or
// coordinates that the mass couples.
class Coupling {
 public:
  Coupling(const System& system, double t, const Vec& q)
      : dynamics_(system, faults_), shape_(system.shape()) {
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
        if (i.value != 0 && j.value != 0 && (i.column == j.column || mass_(i.column, j.column) != 0))
          return true;
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

// Impacts that both runs have, in the order of the first one.
std::vector<Known> impacts_of(const EventMatch& events) {
  std::vector<Known> out;
  for (const auto& [a, b] : events.pairs)
    if (a.kind == EventKind::impact && b.kind == EventKind::impact) out.push_back({a, b.t});
  std::sort(out.begin(), out.end(), [](const Known& a, const Known& b) { return a.mark.t < b.mark.t; });
  std::map<std::uint64_t, Known*> last;
  for (Known& k : out) {
    const auto [before, first] = last.try_emplace(k.mark.contact, &k);
    if (first) continue;
    Known& earlier = *std::exchange(before->second, &k);
    k.flight = k.mark.t - earlier.mark.t;
    earlier.flight = std::min(earlier.flight, k.flight);
  }
  return out;
}

}  // namespace

double UncertainOrder::together() const {
  constexpr double farther = 16;
  return std::min(error, farther * apart());
}

std::optional<UncertainOrder> uncertain_order(const EventMatch& events, const System& system, double t,
                                              const Vec& q, double negligible) {
  constexpr double safety = 2, close = 1e-2;  // beside flights: impacts in turn have an order
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
  const std::vector<Known> impacts = impacts_of(events);
  // of all impacts until then: where clusters are matched with other parts of themselves, distances tell
  // nothing
  double late = impacts.empty() ? 0 : std::abs(impacts.front().mark.t - impacts.front().other);
  for (std::size_t i = 1; i < impacts.size(); ++i) {
    const Known &a = impacts[i - 1], &b = impacts[i];
    late = std::max(late, std::abs(b.mark.t - b.other));
    const double apart = b.mark.t - a.mark.t, error = safety * std::abs(apart - (b.other - a.other));
    const double most = std::min({error, safety * late, close * a.flight, close * b.flight});
    if (a.mark.contact != b.mark.contact && apart > 0 && apart <= most &&
        std::min(a.mark.jump, b.mark.jump) > negligible && act(a.mark.contact, b.mark.contact))
      return UncertainOrder{a.mark, b.mark, error, std::min(a.mark.t, a.other)};
  }
  return std::nullopt;
}

}  // namespace saltus
