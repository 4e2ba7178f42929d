#include "mechanisms/trace.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"
#include "saltus/odae/odae_system.hpp"
#include "saltus/system/checked.hpp"
#include "saltus/system/first_order.hpp"

namespace saltus::mechanisms {

int Case::index(const std::string& coordinate) const {
  const auto it = std::find(coordinates.begin(), coordinates.end(), coordinate);
  if (coordinates.empty() && coordinate[0] == 'q')  // those of a ready system have no names
    return static_cast<int>(parse_integer(coordinate.substr(1), "coordinate"));
  if (it == coordinates.end())
    fail("mechanism {}: no coordinate '{}' among {}", mechanism.seed, coordinate,
         fmt::join(coordinates, ", "));
  return static_cast<int>(it - coordinates.begin());
}

double Case::energy(const State& x) const {
  return energy_of(system(), x.t, x.q, x.u);
}

Case make_case(const Mechanism& m, bool first_order) {
  std::vector<std::string> sets;
  if (first_order) sets.emplace_back("run.scheme=gauss-2");
  const auto scene = load_scene_text(m.yaml, fmt::format("mechanism-{}.yaml", m.seed), sets);
  return {m, scene->entry.make({}, {}).problem, scene->coordinates};
}

namespace {

class CpuLimit {  // of this thread, so that other work on the machine does not count
 public:
  explicit CpuLimit(double seconds) : limit_(seconds > 0 ? now() + seconds : infinity) {}
  bool exceeded() const { return limit_ < infinity && now() > limit_; }

 private:
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  double limit_;
};

}  // namespace

Trace trace(const Case& c, const Method& method, double factor) {
  Trace out;
  const long most_steps = 2000 + std::lround(4 * factor * c.problem.t_end / c.mechanism.h);
  std::atomic<bool> stop{false};
  long tried = 0;
  const CpuLimit clock(c.cpu_limit);
  const auto sink = [&](const Segment& s) {
    if (out.states.empty()) out.states.push_back(s.begin);
    out.states.push_back(s.end);
    if (++tried > most_steps || clock.exceeded()) stop = true;
  };
  RunControl control;
  control.interrupt = &stop;
  control.attempt = [&](const Attempt&) {  // an extrapolated one is many small steps
    if ((tried += 4) > most_steps || clock.exceeded()) stop = true;
  };
  try {
    const RunResult result = run(c.problem, method, sink, control);
    out.message = result.message, out.warned = !result.warnings.empty();
    out.end = result.status == RunStatus::finished      ? Trace::End::finished
              : result.status == RunStatus::interrupted ? Trace::End::slow
                                                        : Trace::End::failed;
  } catch (const Error& e) {
    out.message = e.what();
    out.end = Trace::End::refused;
  }
  return out;
}

Contacts::Contacts(const System& system, const State& x) {
  ContactSet set;
  const CheckedSystem at(system);
  at.list(x.t, x.q, set);
  at.directions(x.t, x.q, set);
  const auto laws = system.laws();
  for (const Contact& c : set.contacts) {
    Item item;
    item.id = c.id, item.law = &laws[static_cast<std::size_t>(c.law)];
    const int n = rows(*item.law);
    item.gap.resize(n), item.velocity.resize(n), item.impulse = Block::Zero(n);
    for (int r = 0; r < n; ++r) {
      item.gap[r] = set.gap[static_cast<std::size_t>(c.row + r)];
      item.velocity[r] = set.Wt.dot(c.row + r, x.u.data()) + set.drift[static_cast<std::size_t>(c.row + r)];
    }
    item.step = x.contacts.step;
    if (const auto* record = x.contacts.find(c.id); record && record->rows == n) {
      item.acts = true;
      for (int r = 0; r < n; ++r)
        item.impulse[r] = x.contacts.impulse[static_cast<std::size_t>(record->offset + r)];
    }
    items_.push_back(item);
  }
}

const std::vector<Contacts>& contacts_of(const Case& c, const Trace& t) {
  const System* system = c.mechanical();
  if (system && t.contacts.empty()) {
    t.contacts.reserve(t.states.size());
    for (const State& x : t.states) t.contacts.emplace_back(*system, x);
  }
  return t.contacts;
}

const Contacts::Item* Contacts::find(std::uint64_t id) const {
  const auto it = std::lower_bound(items_.begin(), items_.end(), id,
                                   [](const Item& i, std::uint64_t x) { return i.id < x; });
  return it != items_.end() && it->id == id ? &*it : nullptr;
}

}  // namespace saltus::mechanisms
