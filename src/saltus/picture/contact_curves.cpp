#include "saltus/picture/contact_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "saltus/chain/chain.hpp"
#include "saltus/run/row_forces.hpp"
#include "saltus/run/trajectory_states.hpp"

namespace saltus {
namespace {

bool before_jump(const Trajectory& x, int i) {
  return i + 1 < x.size() && x.t(i + 1) == x.t(i);
}

/// How the rows of a law are shown: a force alone, or a normal force and friction in so many directions.
struct Rows {
  bool contact = false;
  int force = 1, tangents = 0;
};
Rows rows_of(const Law& law) {
  if (is_frictional(law)) return {true, 1, discs_of(law).begin()->rows};
  return {needs_closed_gap(law), rows(law), 0};
}
double length(const double* x, int n) {
  if (n == 1) return *x;  // with its sign
  double sum = 0;
  for (int k = 0; k < n; ++k) sum = std::hypot(sum, x[k]);
  return sum;
}

// The steps of a run in the order of time, each with what its contacts did.
class Steps {
 public:
  Steps(const Trajectory& run, double smooth_until) : run_(run), smooth_until_(smooth_until) {
    for (const Event& e : run.events())
      if (e.kind == EventKind::impact) impacts_.push_back(e.t);
    std::sort(impacts_.begin(), impacts_.end());
    for (int k = 1; k < run.size(); ++k)
      if (run.t(k) > run.t(k - 1) && !is_impact(k)) ends_.push_back(k);
  }
  bool empty() const { return ends_.empty(); }
  double begin(std::size_t step) const { return run_.t(ends_[step] - 1); }
  double end(std::size_t step) const { return run_.t(ends_[step]); }
  bool smooth(std::size_t step) const { return end(step) <= smooth_until_; }
  /// The one that holds t; `behind`: that after it.
  std::size_t at(double t, bool behind) const {
    const auto found = std::partition_point(ends_.begin(), ends_.end(),
                                            [&](int k) { return behind ? run_.t(k) <= t : run_.t(k) < t; });
    return std::min(static_cast<std::size_t>(found - ends_.begin()), ends_.size() - 1);
  }
  const ContactMemory& memory(std::size_t step) {
    if (known_ == step) return memory_;
    known_ = step;
    memory_.clear();
    memory_.step = end(step) - begin(step);
    const auto& atoms = run_.atoms();
    const double t = end(step);
    for (auto a = std::lower_bound(atoms.begin(), atoms.end(), t,
                                   [](const ImpulseAtom&x, double at) { return x.t < at; });
         a != atoms.end() && (*a).t == t; ++a) {
      const ImpulseAtom atom = *a;
      if (!memory_.closed.empty() && memory_.closed.back().id >= atom.contact) break;  // an impact after it
      memory_.closed.push_back({atom.contact, static_cast<int>(memory_.impulse.size()),
                                static_cast<std::uint8_t>(atom.rows), true, false, atom.mode});
      for (int r = 0; r < atom.rows; ++r) memory_.impulse.push_back(run_.impulse(atom, r));
    }
    return memory_;
  }

 private:
  // The short step over an impact, which is the last one at its time.
  bool is_impact(int k) const {
    const double t = run_.t(k);
    return t <= smooth_until_ && (k + 1 == run_.size() || run_.t(k + 1) > t) &&
           std::binary_search(impacts_.begin(), impacts_.end(), t);
  }
  const Trajectory& run_;
  double smooth_until_;
  std::vector<double> impacts_;
  std::vector<int> ends_;
  std::size_t known_ = static_cast<std::size_t>(-1);
  ContactMemory memory_;
};

struct Shown {
  std::uint64_t id = 0;
  Rows rows;
  Vec force, friction, impulse;
  std::vector<signed char>
      known;  ///< of the samples; 0: open, 1: known, -1: not known yet, 2: joined to others
};

class Forces {
 public:
  Forces(const System& system, const Trajectory& run, const Trajectory& samples, double smooth_until)
      : system_(system),
        work_(system.make_workspace()),
        run_(run),
        samples_(samples),
        steps_(run, smooth_until) {}

  ForceCurves find(const std::string& unit, std::size_t most) {
    ForceCurves out;
    if (steps_.empty() || samples_.size() == 0) return out;
    choose(most, out.left_out);
    if (shown_.empty()) return out;
    RowForces smooth(system_, true);
    const int stride = every();
    for (int i = 0; i < samples_.size(); ++i) {
      const bool right = i > 0 && samples_.t(i - 1) == samples_.t(i);
      const std::size_t step = steps_.at(samples_.t(i), right);
      if (!steps_.smooth(step) || (!right && samples_.t(i) == steps_.end(step))) over_step(i, step);
      if (steps_.smooth(step)) at_state(i, step, i % stride == 0, smooth);
    }
    for (Shown& s : shown_) fill(s);
    for (Shown& s : shown_) add_up(s);
    const std::string of_time = unit.empty() ? "" : unit + " s";
    const auto add = [&](const char* what, const Shown& s, const std::string& in, const Vec& x) {
      out.curves.push_back({fmt::format("{} of {}", what, system_.contact_name(s.id)), in,
                            std::vector<double>(x.data(), x.data() + x.size())});
    };
    for (const Shown& s : shown_) {
      add("force", s, unit, s.force);
      if (s.rows.tangents > 0) add("friction", s, unit, s.friction);
      if (s.rows.contact) add("impulse", s, of_time, s.impulse);
    }
    return out;
  }

 private:
  // Joints, and the contacts with the largest sums of impulses.
  void choose(std::size_t most, int& left_out) {
    struct Acted {
      double sum = 0;
      double t = 0;
      int rows = 0;
    };
    std::map<std::uint64_t, Acted> acted;
    for (const ImpulseAtom a : run_.atoms()) {
      Acted& x = acted[a.contact];
      double size = 0;
      for (int r = 0; r < a.rows; ++r) size = std::hypot(size, run_.impulse(a, r));
      if (x.rows == 0) x.t = a.t, x.rows = a.rows;
      x.sum += size;
    }
    std::map<std::uint64_t, Rows> known;
    ContactSet set;
    const auto look = [&](int sample) {
      system_.list(run_.t(sample), run_.q(sample), set, *work_);
      for (const Contact& c : set.contacts) {
        const Law& law = system_.laws()[c.law];
        known.try_emplace(c.id, rows_of(law));
        if (std::holds_alternative<Equality>(law)) acted.try_emplace(c.id, Acted{infinity, 0, rows(law)});
      }
    };
    look(0);
    std::vector<std::pair<double, std::uint64_t>> order;
    for (const auto& [id, x] : acted)
      if (x.sum > 0) order.emplace_back(-x.sum, id);
    std::sort(order.begin(), order.end());
    left_out = static_cast<int>(std::max(order.size(), most) - most);
    order.resize(std::min(order.size(), most));
    for (const auto& [sum, id] : order) {
      const Acted& x = acted[id];
      if (!known.contains(id)) look(sample_at(x.t));
      // one that is not near any more is a contact
      const auto found = known.find(id);
      shown_.push_back({id, found != known.end() ? found->second : Rows{true, 1, std::min(x.rows - 1, 1)},
                        Vec::Zero(samples_.size()), Vec::Zero(samples_.size()), Vec::Zero(samples_.size()),
                        std::vector<signed char>(static_cast<std::size_t>(samples_.size()), 0)});
    }
  }
  int sample_at(double t) const { return std::min(first_sample_from(run_, t), run_.size() - 1); }
  // Multipliers are found anew for so many samples: all of a small system, which costs less than its steps;
  // of a large one, whose steps are short, the forces at their ends are known.
  int every() const {
    const double n = static_cast<double>(1 + system_.shape().nu), most = 4e5 / (n * n);
    return static_cast<int>(std::clamp(samples_.size() / most, 1.0, 1e9));
  }
  static void put(Shown& s, int i, const double* rows, double scale) {
    s.known[static_cast<std::size_t>(i)] = 1;
    s.force[i] = scale * length(rows, s.rows.force);
    if (s.rows.tangents > 0) s.friction[i] = scale * length(rows + 1, s.rows.tangents);
  }
  // Forces at the end of a step of a Runge–Kutta method; means of other methods.
  void over_step(int i, std::size_t step) {
    const ContactMemory& m = steps_.memory(step);
    for (Shown& s : shown_)
      if (const auto* r = m.find(s.id)) put(s, i, m.impulse.data() + r->offset, 1 / m.step);
  }
  void at_state(int i, std::size_t step, bool ask, RowForces& forces) {
    const ContactMemory& m = steps_.memory(step);
    bool acts = false;
    for (Shown& s : shown_) {
      if (s.known[static_cast<std::size_t>(i)] != 0 || (s.rows.contact && !m.find(s.id))) continue;
      acts = true;
      s.known[static_cast<std::size_t>(i)] = -1;
    }
    if (!acts || !ask || !forces.find(samples_.t(i), samples_.q(i), samples_.u(i), m)) return;
    for (const Contact& c : forces.contacts().contacts)
      for (Shown& s : shown_) {
        if (s.id != c.id || s.known[static_cast<std::size_t>(i)] >= 0) continue;
        double rows[max_block_rows];
        for (int r = 0; r < saltus::rows(system_.laws()[c.law]); ++r) rows[r] = forces.lambda(c.row + r);
        put(s, i, rows, 1);
      }
  }
  // Samples that nobody was asked about: joined linearly to those that are known, of the same contact without
  // a jump between; not a number where there are none.
  void fill(Shown& s) const {
    const int n = samples_.size();
    const auto t = [&](int i) { return samples_.t(i); };
    const auto state = [&](int i) -> signed char& { return s.known[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < n; ++i) {
      if (state(i) >= 0) continue;
      int end = i;  // the first that is known, or the last before a jump
      while (end + 1 < n && state(end) < 0 && t(end + 1) > t(end)) ++end;
      const bool from = i > 0 && t(i - 1) < t(i) && state(i - 1) == 1, to = state(end) == 1;
      const int before = i - 1, last = state(end) < 0 ? end : end - 1;
      for (Vec* x : {&s.force, &s.friction})
        for (int k = i; k <= last; ++k) {
          const double w = from && to ? (t(k) - t(before)) / (t(end) - t(before)) : to ? 1 : 0;
          (*x)[k] =
              !from && !to ? std::nan("") : (from ? (1 - w) * (*x)[before] : 0) + (to ? w * (*x)[end] : 0);
        }
      for (int k = i; k <= last; ++k) state(k) = 2;
      i = last;
    }
  }
  // ∫ force dt: exact for means over steps, whose ends are samples; the trapezoidal rule for smooth forces.
  void add_up(Shown& s) const {
    if (!s.rows.contact) return;
    std::vector<std::pair<double, double>> hits;
    for (const Event& e : run_.events())
      if (e.kind == EventKind::impact && e.contact == s.id && e.impulse.size() > 0 &&
          steps_.smooth(steps_.at(e.t, false)))
        hits.emplace_back(e.t, e.impulse[0]);
    double sum = 0;
    std::size_t next = 0;
    for (int i = 0; i < samples_.size(); ++i) {
      const double t = samples_.t(i), h = i > 0 ? t - samples_.t(i - 1) : 0;
      const bool smooth = steps_.smooth(steps_.at(t, false));
      if (h > 0) sum += h * (smooth ? 0.5 * (s.force[i - 1] + s.force[i]) : s.force[i]);
      for (; next < hits.size() &&
             (hits[next].first < t || (hits[next].first == t && !before_jump(samples_, i)));
           ++next)
        sum += hits[next].second;
      s.impulse[i] = sum;
    }
  }

  const System& system_;
  std::unique_ptr<Workspace> work_;
  const Trajectory &run_, &samples_;
  Steps steps_;
  std::vector<Shown> shown_;
};

// Contacts of a chain at equal distances where there are too many.
ForceCurves forces_of(const Chain& chain, const Trajectory& samples, const std::string& unit,
                      std::size_t most) {
  ForceCurves out;
  std::vector<int> all;
  for (int n = 0; n <= chain.beads(); ++n)
    if (chain.data().k[n] > 0) all.push_back(n);
  const std::size_t stride = std::max<std::size_t>(1, (all.size() + most - 1) / most);
  for (std::size_t k = 0; k < all.size(); k += stride) {
    const int n = all[k];
    NamedCurve c{fmt::format("force of {}", chain.contact_name(static_cast<std::uint64_t>(n))), unit, {}};
    for (int i = 0; i < samples.size(); ++i) {
      const ChainEnds ends = chain.ends(samples.t(i));
      const ContactForce f = chain.contact(n, chain.overlap(n, samples.q(i).data(), ends));
      c.values.push_back(f.phi + f.dsigma * chain.rate(n, samples.u(i).data(), ends));
    }
    out.curves.push_back(std::move(c));
  }
  out.left_out = static_cast<int>(all.size() - out.curves.size());
  return out;
}

// Those of the step that holds the sample.
ForceCurves multipliers_of(const Trajectory& run, const Trajectory& samples) {
  ForceCurves out;
  for (int k = 0; k < run.multipliers(); ++k) {
    NamedCurve c{fmt::format("psi{}", k), "", {}};
    int at = 0;
    for (int i = 0; i < samples.size(); ++i) {
      while (at + 1 < run.size() && run.t(at) < samples.t(i)) ++at;
      c.values.push_back(run.psi(at)[k]);
    }
    out.curves.push_back(std::move(c));
  }
  return out;
}

}  // namespace

ForceCurves force_curves(const Problem& problem, const Trajectory& run, const Trajectory& samples,
                         double smooth_until, const std::string& unit, std::size_t most) {
  if (const Chain* chain = as_chain(problem.system.get())) return forces_of(*chain, samples, unit, most);
  if (run.multipliers() > 0) return multipliers_of(run, samples);
  if (const System* system = as_mechanical(problem.system.get()))
    return Forces(*system, run, samples, smooth_until).find(unit, most);
  return {};
}

}  // namespace saltus
