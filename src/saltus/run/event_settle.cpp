// Event capturing, which contacts stay closed: at an instant the velocities say which contacts fly, and the
// accelerations which of the others are pressed, stick or slip.
#include <algorithm>
#include <cmath>

#include "saltus/core/error.hpp"
#include "saltus/linalg/loops.hpp"
#include "saltus/run/contact_ids.hpp"
#include "saltus/run/event_capturing.hpp"
#include "saltus/run/remedy.hpp"

namespace saltus {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Accelerations of redundant contacts that are zero up to what the solvers leave, of those at play
constexpr double tie = 1e-9;

// Σ |W_rj x_j|
double size_of(const ContactSet& set, int row, const Vec& x) {
  double sum = 0;
  for (const auto& e : set.Wt.row(row)) sum += std::abs(e.value * x[e.column]);
  return sum;
}

}  // namespace

// Velocities of a row below this are rounding; after an impact what its solver left, too.
double EventCapture::velocity_rounding(int row, bool after_impact) const {
  const ContactSet& set = accelerations_.contacts();
  const double size = size_of(set, row, x_.u) + std::abs(set.drift[row]);
  if (!after_impact) return 64 * epsilon * size;
  return std::max(1e-11 * (size + size_of(set, row, before_.u)), 10 * report_.contact_violation);
}

bool EventCapture::turns(const Turning& turning, std::uint64_t contact, int disc) {
  return std::any_of(turning.begin(), turning.end(),
                     [&](const Turn& t) { return t.contact == contact && t.disc == disc; });
}

// Whether n rows of the contact set from `first` on do not move: less than the accelerations, those before
// this instant included, change in a critical step. Slip that turned in the last one may have any phase of
// it.
bool EventCapture::rests(int first, int n, bool turns, bool after_impact) const {
  const double time = (turns ? 2 : 0.5) * coarseness_ * options_.kappa * critical_step();
  double speed = 0, rest = 0;
  for (int r = first; r < first + n; ++r) {
    speed = std::hypot(speed, accelerations_.gamma(r));
    const double change = std::max(accelerations_.rate_scale(r), size_of(accelerations_.contacts(), r, a_));
    rest = std::max({rest, time * change, velocity_rounding(r, after_impact)});
  }
  return speed <= rest;
}

// A contact, or a law without a gap, with what its tangential velocity says: at rest, or where it slides.
AccelerationProblem::Candidate EventCapture::candidate(int i, const Turning& turning,
                                                       bool after_impact) const {
  const Contact& c = accelerations_.contacts().contacts[i];
  const Law& law = system_.laws()[c.law];
  const bool turns = EventCapture::turns(turning, c.id);
  if (std::holds_alternative<RollingFriction>(law)) return rolling(i, turning, after_impact);
  if (on_position_level(law)) return spring(i, turns, after_impact);
  const FrozenContact* f = frozen(c.id);
  const int first = needs_closed_gap(law) ? 1 : 0, n = rows(law) - first;
  AccelerationProblem::Candidate out{i, false, {c.id, n > 0 ? Mode::stick : Mode::closed, {}}};
  if (f && !after_impact && !turns) {  // nothing new: what slid slides on, what stuck is at rest
    out.how = *f;
    out.slides = !is_constraint(f->mode);
    if (n < 2) return out;
  } else if (n == 0 || (turns && n == 1) || rests(c.row + first, n, turns, after_impact)) {
    return out;  // at rest, and in a tie it sticks
  } else {
    out.slides = true;
  }
  if (!out.slides) return out;
  double length = 0;
  for (int k = 0; k < n; ++k) length = std::hypot(length, accelerations_.gamma(c.row + first + k));
  out.how.mode = n == 1 && accelerations_.gamma(c.row + first) < 0 ? Mode::slip_back : Mode::slip;
  const double rounding = std::max(velocity_rounding(c.row + first, false), slip_rounding());
  const bool as_before = f && !after_impact && (length <= rounding || contains(beginning_, c.id));
  if (n > 1 && !as_before)
    for (int k = 0; k < n; ++k) out.how.slip[k] = accelerations_.gamma(c.row + first + k) / length;
  return out;
}

// Rolling friction: each disc is at rest or slides by itself.
AccelerationProblem::Candidate EventCapture::rolling(int i, const Turning& turning, bool after_impact) const {
  const Contact& c = accelerations_.contacts().contacts[i];
  const Law& law = system_.laws()[c.law];
  const FrozenContact* f = frozen(c.id);
  AccelerationProblem::Candidate out{i, false, {c.id, Mode::stick, {}}};
  int index = 0;
  for (const FrictionDisc& d : discs_of(law)) {
    const bool turned = turns(turning, c.id, index++), goes_on = f && !after_impact && !turned;
    if (goes_on
            ? !slides_on(*f, law, d)
            : d.bound == 0 || (turned && d.rows == 1) || rests(c.row + d.at, d.rows, turned, after_impact))
      continue;
    double* slip = out.how.slip.data() + d.at - 1;
    double length = 0;
    for (int k = 0; k < d.rows; ++k) length = std::hypot(length, accelerations_.gamma(c.row + d.at + k));
    const double rounding = std::max(velocity_rounding(c.row + d.at, false), slip_rounding());
    const bool as_before = goes_on && (d.rows == 1 || length <= rounding);
    for (int k = 0; k < d.rows; ++k)
      slip[k] = as_before ? f->slip[d.at - 1 + k] : accelerations_.gamma(c.row + d.at + k) / length;
  }
  out.how.mode = mode_of_slips(std::get<RollingFriction>(law), out.how.slip);
  out.slides = out.how.mode != Mode::stick;
  return out;
}

// A pre-stressed spring holds g = 0, and yields to the side of g; at g = 0 to that of its velocity.
AccelerationProblem::Candidate EventCapture::spring(int i, bool turns, bool after_impact) const {
  const Contact& c = accelerations_.contacts().contacts[i];
  const ContactSet& set = accelerations_.contacts();
  const FrozenContact* f = frozen(c.id);
  AccelerationProblem::Candidate out{i, false, {c.id, f ? f->mode : Mode::stick, {}}};
  const double rounding = 64 * epsilon * (std::abs(set.gap[c.row]) + size_of(set, c.row, sizes(x_.q)));
  double side =
      turns || (f && is_constraint(f->mode)) || std::abs(set.gap[c.row]) <= rounding ? 0 : set.gap[c.row];
  if (side == 0 && (turns || !f || after_impact) && !rests(c.row, 1, turns, after_impact))
    side = accelerations_.gamma(c.row);
  out.slides = side != 0;
  if (out.slides) out.how.mode = side < 0 ? Mode::slip_back : Mode::slip;
  return out;
}

// Whether the next flight is shorter than the critical step, or lower than the rounding of the gap, where
// impacts would only bounce on noise. The acceleration is that with joints and the other closed contacts.
bool EventCapture::returns_soon(const Contact& c) {
  const ContactSet& set = accelerations_.contacts();
  const double up = accelerations_.gamma(c.row), pressing = -accelerations_.rate(c.row);
  if (!(pressing > tie * accelerations_.rate_scale(c.row))) return false;
  const double rounding = 2 * gap_rounding(set, c.row, x_.q, x_.u);
  constexpr double elastic = 0.9;
  const double e = normal_restitution(system_.laws()[c.law]).value_or(0);
  // falling from where rounding left it after each impact, a contact bounces for ever at this height
  const double height = bounces_on(c.id) ? rounding / (1 - std::min(e * e, elastic * elastic)) : rounding;
  double most = std::max(coarseness_ * options_.kappa * critical_step() * pressing / 2,
                         std::sqrt(2 * pressing * height));
  if (e > elastic) most = std::max(most, quiet_velocity(set, c.row));
  if (std::abs(up) > most) return false;
  landings_.push_back({c.id, std::max(0.0, up), pressing});
  return true;
}

// Impacts of several contacts in turn, which no force need press, may take all of the motion that counts.
// What rounding leaves of it would be handed from one to the other for ever: together they come to rest.
void EventCapture::end_collapse(std::vector<std::uint64_t>& touched) {
  find_last_hits();
  if (std::none_of(bounces_.begin(), bounces_.end(), [&](const Bounces& b) { return collapses(b); })) return;
  if (!accelerations_.evaluate(x_.t, x_.q, x_.u)) return;
  const ContactSet& set = accelerations_.contacts();
  std::vector<FrozenContact>& held = held_;
  held.assign(closed_.begin(), closed_.end());
  for (int i = 0; i < static_cast<int>(set.contacts.size()); ++i) {
    const Contact& c = set.contacts[i];
    const Bounces* b = bounces_of(c.id);
    if (!b || !collapses(*b) || frozen(c.id)) continue;
    // or what forces do from one impact to the next
    const double refilled = 2 * b->interval * accelerations_.rate_scale(c.row);
    if (std::abs(accelerations_.gamma(c.row)) > std::max(still_velocity(set, c.row), refilled)) continue;
    held.push_back(candidate(i, {}, true).how), insert(touched, c.id);
  }
  if (held.size() == closed_.size()) return;
  std::sort(held.begin(), held.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  flow_->freeze(held);
  if (accelerate(x_.t, x_.q, x_.u) == StepStatus::ok) flow_->dynamics().project_velocity(x_.u);
  flow_->freeze(closed_);
}

// A contact whose force went below zero is no tie, however little the others let it move: it would be kept
// closed and pull again, after ever so short a step.
bool EventCapture::let_go(std::vector<AccelerationProblem::Candidate>& candidates) {
  const auto& contacts = accelerations_.contacts().contacts;
  return tied_ > 0 && std::erase_if(candidates, [&](const AccelerationProblem::Candidate& k) {
                        const int row = contacts[k.contact].row;
                        if (!contains(pulled_, k.how.id) || !frozen(k.how.id) ||
                            accelerations_.force(row) > tie_force(row))
                          return false;
                        insert(released_, k.how.id);
                        return true;
                      }) > 0;
}

// The new set of closed contacts: those touched whose next flight is shorter than the critical step and that
// the accelerations press. `turning`: contacts whose slip just reached zero.
bool EventCapture::settle(const std::vector<std::uint64_t>& touched, const Turning& turning, double t_before,
                          bool after_impact) {
  if (!accelerations_.evaluate(x_.t, x_.q, x_.u))
    return fail("the mass matrix is singular or the force is not finite", StepStatus::not_finite);
  const auto& contacts = accelerations_.contacts().contacts;
  std::vector<AccelerationProblem::Candidate>& candidates = candidates_;
  std::vector<int>& flying = flying_;
  candidates.clear(), flying.clear(), landings_.clear();
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    const Contact& c = contacts[i];
    const Law& law = system_.laws()[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    if (needs_closed_gap(law)) {
      if (!contains(touched, c.id) || is_absent(accelerations_.contacts().gap[c.row])) continue;
      // An impact elsewhere may part a closed contact. Held closed it would lose that velocity to a
      // projection along the friction of its sliding, which can make energy.
      if ((after_impact || !frozen(c.id)) &&
          std::abs(accelerations_.gamma(c.row)) > velocity_rounding(c.row, after_impact)) {
        flying.push_back(i);
        continue;
      }
    }
    candidates.push_back(candidate(i, turning, after_impact));
  }
  std::vector<FrozenContact>& old = old_;
  old.assign(closed_.begin(), closed_.end());
  tied_ = flow_->dynamics().redundant() || after_impact || old.empty() ? tie : 0;
  for (bool more = true; more;) {
    if (!accelerations_.solve(candidates, tied_, closed_)) {
      // No accelerations obey the laws (Painlevé): velocities jump. After that, and at the start, what
      // touches is held, and those that pull are let go by the next step.
      closed_ = old;
      if (!after_impact && target_ > x_.t) return impact(std::min(jump_step(), target_ - x_.t));
      closed_.clear();
      loads_.clear();
      for (const auto& k : candidates) closed_.push_back(k.how);
      std::sort(closed_.begin(), closed_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
      break;
    }
    accelerations_.loads(loads_);
    const auto back =
        std::partition(flying.begin(), flying.end(), [&](int i) { return !returns_soon(contacts[i]); });
    more = let_go(candidates) || back != flying.end();
    for (auto i = back; i != flying.end(); ++i) candidates.push_back(candidate(*i, turning, after_impact));
    flying.erase(back, flying.end());
    std::sort(candidates.begin(), candidates.end(),
              [](const auto& a, const auto& b) { return a.contact < b.contact; });
  }
  for (const auto& k : candidates)  // what the accelerations part is no impact of the next moment
    if (!frozen(k.how.id)) insert(released_, k.how.id);
  acceleration_scale_ = accelerations_.scale();
  stop_slip(candidates);
  note_onsets(candidates, after_impact);
  tell_changes(old, t_before);
  shared_at_ = x_.t;
  share_loads();
  flow_->freeze(closed_);
  begin_substep(target_ - x_.t);
  StepStatus status = accelerate(x_.t, x_.q, x_.u);
  if (status == StepStatus::redundant_contacts) {  // of velocities that are about to be projected away?
    flow_->dynamics().project_velocity(x_.u);
    begin_substep(target_ - x_.t);
    status = accelerate(x_.t, x_.q, x_.u);
  }
  if (status != StepStatus::ok) return fail(std::string(to_string(status)) + contradiction(status), status);
  if (tied_ > 0 && (old.empty() || !flow_->dynamics().redundant())) forget_ties();
  flow_->dynamics().project_velocity(x_.u);
  return true;
}

// Where no force is as small as a tie, contacts part and slip as soon as forces change their sign.
void EventCapture::forget_ties() {
  if (!closed_.empty()) look(x_.q, x_.u, 0, probe_.watches);
  const auto ties = [](const Watch& w) {
    return (w.tells == Tells::force || w.tells == Tells::cone) && w.value <= w.rounding;
  };
  if (closed_.empty() || std::none_of(probe_.watches.begin(), probe_.watches.end(), ties)) tied_ = 0;
}

// What was at rest and begins to slip has no slip yet: a rest of it against the direction in which it begins
// would be a stop at once, again and again.
void EventCapture::stop_slip(std::span<const AccelerationProblem::Candidate> candidates) {
  std::vector<FrozenContact>& held = held_;
  held.assign(closed_.begin(), closed_.end());
  bool any = false;
  for (FrozenContact& f : held)
    for (const auto& k : candidates) {
      if (k.how.id != f.id || is_constraint(f.mode)) continue;
      const Law& law = law_of(f.id);
      if (const auto* rolls = std::get_if<RollingFriction>(&law)) {
        for (const FrictionDisc& d : discs_of(law))
          if (slides_on(f, law, d) && !slides_on(k.how, law, d))
            std::fill_n(f.slip.data() + d.at - 1, d.rows, 0.0), any = true;
        f.mode = mode_of_slips(*rolls, f.slip);
      } else if (!k.slides) {
        f.mode = Mode::stick, any = true;
      }
    }
  if (!any) return;
  flow_->freeze(held);
  if (flow_->dynamics().acceleration(x_.t, x_.q, x_.u, a_) == ClosedDynamics::Status::ok)
    flow_->dynamics().project_velocity(x_.u);
}

void EventCapture::tell_changes(const std::vector<FrozenContact>& old, double t_before) {
  const auto known = [&](std::uint64_t id) {
    return std::any_of(accelerations_.contacts().contacts.begin(), accelerations_.contacts().contacts.end(),
                       [&](const Contact& c) { return c.id == id; });
  };
  for (const auto& f : old)
    if (!frozen(f.id)) {
      note(EventKind::open, f.id, f.mode, Mode::open, t_before);
      if (known(f.id)) insert(released_, f.id);
    }
  for (const auto& f : closed_) {
    const auto was = std::find_if(old.begin(), old.end(), [&](const auto& o) { return o.id == f.id; });
    if (was == old.end()) {
      if (needs_closed_gap(law_of(f.id))) close(f, t_before);
    } else if (was->mode != f.mode) {
      note(f.mode == Mode::stick      ? EventKind::stick
           : was->mode == Mode::stick ? EventKind::slip
           : f.mode == Mode::roll     ? EventKind::stick
           : was->mode == Mode::roll  ? EventKind::slip
                                      : EventKind::reverse,
           f.id, was->mode, f.mode, t_before);
    }
  }
}

// Where closed contacts are redundant, multipliers are not unique, and their signs tell nothing. The set is
// still the right one while some admissible forces give its accelerations.
bool EventCapture::admissible(double t, const Vec& q, const Vec& u) {
  if (!accelerations_.evaluate(t, q, u)) return false;
  candidates_.clear();
  const auto& contacts = accelerations_.contacts().contacts;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i)
    if (const FrozenContact* f = frozen(contacts[i].id))
      candidates_.push_back({i, !is_constraint(f->mode), *f});
  return accelerations_.solve(candidates_, tie, held_) &&
         accelerations_.largest_rate_held() <= tie * accelerations_.scale();
}

}  // namespace saltus
