#include "saltus/picture/frame_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "saltus/run/trajectory_states.hpp"

namespace saltus {
namespace {

struct Acted {
  Mode mode = Mode::open;
  int rows = 0;
  std::array<double, max_block_rows> P = {};
};
using ActedInFrame = std::map<std::uint64_t, Acted>;

// What one step did: atoms with one time and increasing contacts.
struct StepAtoms {
  double t = 0;
  std::size_t begin = 0, end = 0;
};

class Spread {
 public:
  Spread(const Trajectory& run, const Trajectory& frames)
      : run_(run), acted_(static_cast<std::size_t>(frames.size())) {
    for (int i = 0; i < frames.size(); ++i) times_.push_back(frames.t(i));
  }

  std::vector<ActedInFrame> all() {
    const std::size_t n = run_.atoms().size();
    StepAtoms before, step = next(0);
    for (bool first = true; step.begin < n; before = step, step = next(step.end), first = false) {
      const bool again = !first && before.t == step.t;
      take(step, again);
    }
    return std::move(acted_);
  }

 private:
  StepAtoms next(std::size_t begin) const {
    const auto& atoms = run_.atoms();
    StepAtoms out{0, begin, begin};
    std::uint64_t last = 0;
    for (; out.end < atoms.size(); ++out.end) {
      const ImpulseAtom a = atoms[out.end];
      if (out.end > begin && (a.t != out.t || a.contact <= last)) break;
      out.t = a.t, last = a.contact;
    }
    return out;
  }
  // The impact is the last step that ends at its time; `again`: this one is not the first.
  void take(const StepAtoms& step, bool again) {
    const auto right = std::upper_bound(times_.begin(), times_.end(), step.t) - times_.begin();
    const bool both_limits = right >= 2 && times_[static_cast<std::size_t>(right) - 2] == step.t;
    const auto& atoms = run_.atoms();
    if (both_limits && (step.end == atoms.size() || atoms[step.end].t > step.t))
      return add(static_cast<std::size_t>(right) - 1, step, 1);
    const double from = again ? step.t : begin_of(step.t), length = step.t - from;
    if (!(length > 0))
      return add(
          static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), step.t) - times_.begin()),
          step, 1);
    for (auto j =
             static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), from) - times_.begin());
         j < times_.size(); ++j) {
      const double begin = j > 0 ? std::max(from, times_[j - 1]) : from, end = std::min(step.t, times_[j]);
      if (end > begin) add(j, step, (end - begin) / length);
      if (times_[j] >= step.t) break;
    }
  }
  double begin_of(double t) const {
    const int first = first_sample_from(run_, t);
    return first > 0 ? run_.t(first - 1) : t;
  }
  void add(std::size_t frame, const StepAtoms& step, double part) {
    if (frame >= acted_.size()) return;
    for (std::size_t i = step.begin; i < step.end; ++i) {
      const ImpulseAtom a = run_.atoms()[i];
      Acted& x = acted_[frame][a.contact];
      x.mode = a.mode, x.rows = a.rows;
      for (int r = 0; r < a.rows; ++r) x.P[static_cast<std::size_t>(r)] += part * run_.impulse(a, r);
    }
  }

  const Trajectory& run_;
  std::vector<double> times_;
  std::vector<ActedInFrame> acted_;
};

}  // namespace

Trajectory with_spread_contacts(const Trajectory& run, const Trajectory& frames) {
  Trajectory out;
  if (frames.size() == 0) return out;
  const auto acted = Spread(run, frames).all();
  out.add(frames.t(0), frames.q(0), frames.u(0));
  State begin, end;
  for (int i = 1; i < frames.size(); ++i) {
    const bool left = i + 1 < frames.size() && frames.t(i + 1) == frames.t(i);
    end.t = left ? std::nextafter(frames.t(i), -infinity) : frames.t(i);
    end.t = std::max(end.t, out.t(i - 1));
    end.q = frames.q(i), end.u = frames.u(i);
    end.contacts.clear();
    for (const auto& [id, x] : acted[static_cast<std::size_t>(i)]) {
      end.contacts.closed.push_back({id, static_cast<int>(end.contacts.impulse.size()),
                                     static_cast<std::uint8_t>(x.rows), true, false, x.mode});
      end.contacts.impulse.insert(end.contacts.impulse.end(), x.P.begin(), x.P.begin() + x.rows);
    }
    out({begin, end, {}, {}});
  }
  return out;
}

}  // namespace saltus
