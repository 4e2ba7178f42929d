// What a step of stepping switching shows at its end: gaps, contacts it passed over, laws that switched.
#include <cmath>

#include "saltus/linalg/loops.hpp"
#include "saltus/run/cubic.hpp"
#include "saltus/run/switching_driver.hpp"
#include "saltus/scheme/kit/gap_report.hpp"

namespace saltus {
namespace {
constexpr double hardly = 1e-6;  // of a tolerance
}

// Gaps that are rounding; the run's own tolerance says what a small length is.
double SwitchingDriver::touching(const State& x) const {
  return 1e-12 * largest(x.q) + hardly * options_.gap_tol;
}

// Gaps and their rates at the end of a step.
void SwitchingDriver::look(SwitchingStep& step) {
  const State& x = step.end;
  const auto laws = system_.laws();
  const std::int64_t count = faults_.begin();
  step.gaps.clear();
  step.report.min_gap = infinity;  // what the midpoint of a long substep shows says little
  step.report.joint_position = 0;
  system_.list(x.t, x.q, set_);
  if (!directions_known_) system_.directions(x.t, x.q, set_);
  directions_known_ = system_.shape().constant_directions;
  for (const Contact& c : set_.contacts)
    if (needs_closed_gap(laws[c.law]))
      step.gaps.push_back({c.id, set_.gap[c.row], set_.Wt.dot(c.row, x.u.data()) + set_.drift[c.row]});
  report_gaps(system_, set_, step.report);
  if (faults_.since(count)) step.report.status = StepStatus::not_finite, step.report.fault = faults_.first();
}

// Contacts that touch at the start and neither part nor approach are closed, whatever the rounding of the gap
// at the first midpoint.
void SwitchingDriver::remember_touching() {
  State& x = base_.end;
  const double touch = touching(x), slow = 1e-12 * largest(x.u) + hardly * speed_tolerance();
  const auto laws = system_.laws();
  for (const Contact& c : set_.contacts) {
    const Law& law = laws[c.law];
    if (!needs_closed_gap(law) || std::abs(set_.gap[c.row]) > touch) continue;
    if (std::abs(set_.Wt.dot(c.row, x.u.data()) + set_.drift[c.row]) > slow) continue;
    const int n = rows(law), at = static_cast<int>(x.contacts.impulse.size());
    x.contacts.closed.push_back(
        {c.id, at, static_cast<std::uint8_t>(n), true, true, n == 1 ? Mode::closed : Mode::slip});
    x.contacts.impulse.resize(at + n, 0.0);
  }
}

// Whether an open contact was closed at the end of the actual step, or in between.
bool SwitchingDriver::passed_over(const SwitchingStep& from) const {
  const double touch = touching(act_.end);
  auto before = from.gaps.begin();
  for (const GapSample& now : act_.gaps) {
    while (before != from.gaps.end() && before->id < now.id) ++before;
    const bool known = before != from.gaps.end() && before->id == now.id;
    if (act_.end.contacts.find(now.id)) continue;
    if (now.gap < -touch && (!known || before->gap > touch || now.rate < 0)) return true;
    if (known && before->rate < 0 && now.rate > 0 &&
        cubic_minimum(before->gap, before->rate, now.gap, now.rate, act_.h).first < -touch)
      return true;
  }
  return false;
}

void SwitchingDriver::note_switches(const SwitchingStep& from) {
  const ContactMemory &a = from.end.contacts, &b = act_.end.contacts;
  const double since = from.h > 0 && stepper_.is_minimal(from.h) ? from.begin : act_.begin;
  const auto note = [&](const ContactMemory::Record& r, Mode was, Mode is) {
    Event e;
    e.t = act_.end.t, e.t_before = since, e.contact = r.id, e.from = was, e.to = is;
    bool moving_in = false;
    if (is != Mode::open) {
      e.impulse = Eigen::Map<const Vec>(b.impulse.data() + r.offset, r.rows);
      e.u_minus = Eigen::Map<const Vec>(act_.report.u_minus.data() + r.offset, r.rows);
      e.u_plus = Eigen::Map<const Vec>(act_.report.u_plus.data() + r.offset, r.rows);
      e.energy_loss = -0.5 * e.impulse.dot(e.u_minus + e.u_plus);
      moving_in = r.has_gap && e.u_minus[0] < 0;
    }
    e.kind = kind_of_switch(was, is, moving_in);
    act_.events.push_back(std::move(e));
    ++result_.stats.switches;
  };
  auto x = a.closed.begin();
  auto y = b.closed.begin();
  const std::size_t first = act_.events.size();
  while (x != a.closed.end() || y != b.closed.end()) {
    if (y == b.closed.end() || (x != a.closed.end() && x->id < y->id)) {
      note(*x, x->mode, Mode::open);
      ++x;
    } else if (x == a.closed.end() || y->id < x->id) {
      note(*y, Mode::open, y->mode);
      ++y;
    } else {
      if (x->mode != y->mode || turned(a, *x, b, *y)) note(*y, x->mode, y->mode);
      ++x, ++y;
    }
  }
  share_loss(std::span(act_.events).subspan(first), act_.report.contact_loss);
}

}  // namespace saltus
