// Event capturing: the functions whose signs tell events, and what of them is rounding.
#include <algorithm>
#include <cmath>

#include "saltus/run/contact_ids.hpp"
#include "saltus/run/event_capturing.hpp"

namespace saltus {
namespace {

// Numbers of kinks are not those of contacts, and follow them.
constexpr std::uint64_t kink_bit = std::uint64_t{1} << 63;

}  // namespace

// The functions whose signs indicate events, at the state the dynamics was evaluated last, s after the start
// of the sub-step.
void EventCapture::look(const Vec& q, const Vec& u, double s, std::vector<Watch>& out) {
  out.clear();
  const auto laws = system_.laws();
  auto f = closed_.begin();
  for (const Contact& c : flow_->dynamics().contacts().contacts) {
    const Law& law = laws[c.law];
    if (std::holds_alternative<Equality>(law)) continue;
    for (; f != closed_.end() && f->id < c.id; ++f) out.push_back({f->id, Tells::edge, -1});  // not listed
    if (f != closed_.end() && f->id == c.id)
      look_at_closed(c, *f++, u, s, out);
    else if (needs_closed_gap(law))
      look_at_open(c, q, u, out);
  }
  for (; f != closed_.end(); ++f) out.push_back({f->id, Tells::edge, -1});
  kinks_.clear();
  system_.kinks(x_.t + s, q, u, kinks_, checked_.workspace());
  const double rounding = 16 * std::numeric_limits<double>::epsilon() * largest(q);
  for (const Kink& k : kinks_) out.push_back({kink_bit | k.id, Tells::kink, k.gap, k.rate, rounding});
}

const Vec& EventCapture::sizes(const Vec& q) const {
  if (shape_.flat) return q;
  system_.sizes(q, size_);
  return size_;
}

// The rounding of a gap is that of its terms, and of what velocities and accelerations change it by in a
// step.
double EventCapture::gap_rounding(const ContactSet& set, int row, const Vec& q, const Vec& u) const {
  const double h = step_length();
  const Vec& along = sizes(q);
  double size = std::abs(set.gap[row]) + h * std::abs(set.drift[row]) + h * h * acceleration_scale_;
  for (const auto& e : set.Wt.row(row))
    size += std::abs(e.value) * (std::abs(along[e.column]) + h * std::abs(u[e.column]));
  return 4 * std::numeric_limits<double>::epsilon() * size;
}

// Of the normal velocity of a contact at x_: what an impact left at rest may approach with that.
double EventCapture::rate_rounding(std::uint64_t contact) const {
  const ContactSet& set = flow_->dynamics().contacts();
  for (const Contact& c : set.contacts) {
    if (c.id != contact) continue;
    double size = std::abs(set.drift[c.row]);
    for (const auto& e : set.Wt.row(c.row)) size += std::abs(e.value * x_.u[e.column]);
    return 4 * std::numeric_limits<double>::epsilon() * size;
  }
  return 0;
}

void EventCapture::look_at_open(const Contact& c, const Vec& q, const Vec& u, std::vector<Watch>& out) const {
  const ClosedDynamics& d = flow_->dynamics();
  out.push_back({c.id, Tells::gap, d.contacts().gap[c.row], d.gamma(c.row, u),
                 gap_rounding(d.contacts(), c.row, q, u)});
  out.back().surface = d.contacts().drift[c.row];
}

// The velocity along the slip of n rows from `first` on, of the contact set.
EventCapture::Watch EventCapture::slip_watch(const Contact& c, const FrozenContact& f, int first, int n,
                                             const Vec& u) const {
  const ClosedDynamics& d = flow_->dynamics();
  const Law& law = system_.laws()[c.law];
  const double* slip = f.slip.data() + (first - c.row - (needs_closed_gap(law) ? 1 : 0));
  const bool by_mode = n == 1 && !std::holds_alternative<RollingFriction>(law);
  double forward = 0, surface = 0, terms = step_length() * acceleration_scale_;  // whose rounding is no slip
  for (int r = 0; r < n; ++r) {
    const double along = by_mode ? (f.mode == Mode::slip_back ? -1 : 1) : slip[r];
    forward += along * d.gamma(first + r, u), surface += along * d.contacts().drift[first + r];
    terms += std::abs(d.contacts().drift[first + r]);
    for (const auto& e : d.contacts().Wt.row(first + r)) terms += std::abs(e.value * u[e.column]);
  }
  Watch out{c.id, Tells::slip, forward, 0, 8 * std::numeric_limits<double>::epsilon() * terms};
  out.surface = surface;
  return out;
}

// What sticks to a surface has its velocity, unless that jumped: friction does not follow at once.
void EventCapture::watch_hold(const Contact& c, int first, int n, int disc, const Vec& u,
                              std::vector<Watch>& out) const {
  constexpr double large = 0.01;
  constexpr double weights[max_block_rows] = {1, 0.7, 0.5,
                                              0.3};  // a number that tells jumps of any direction
  const ClosedDynamics& d = flow_->dynamics();
  Watch w{c.id, Tells::slip};
  w.disc = static_cast<std::uint8_t>(disc);
  double speed = 0, size = 0;
  bool moves = find(now_, w) != nullptr;
  for (int r = first; r < first + n; ++r) {
    speed = std::hypot(speed, d.gamma(r, u)), size += std::abs(d.contacts().drift[r]);
    moves = moves || d.contacts().drift[r] != 0;
    w.surface += weights[r - first] * d.contacts().drift[r];
    for (const auto& e : d.contacts().Wt.row(r)) size += std::abs(e.value * u[e.column]);
  }
  if (!moves) return;
  w.value = large * size + slip_rounding() - speed;
  out.push_back(w);
}

// Whether a slip did not come to zero, but jumped over it within the bracket, because the velocity of its
// surface did; or that of an open contact so that it closes. Velocities that are continuous hardly change
// there.
bool EventCapture::jumps(const Watch& w, const Watch* before) const {
  constexpr double part = 1e-3, share = 0.3;
  const double was = before ? before->surface : 0, jump = std::abs(was - w.surface);
  if (!(jump > part * (std::abs(was) + std::abs(w.surface))) || !(jump > slip_rounding())) return false;
  if (w.tells == Tells::gap) return before && was > w.surface;
  return w.tells == Tells::slip && jump > share * ((before ? before->value : 0) - w.value);
}

// A contact that was kept closed in a tie is not released by forces that make no more acceleration than that.
double EventCapture::tie_force(int row) const {
  if (tied_ == 0) return 0;
  const double mobility = flow_->dynamics().mobility(row);
  return mobility > 0 ? 2 * tied_ * acceleration_scale_ / mobility : 0;
}

void EventCapture::look_at_disc(const Contact& c, const FrozenContact& f, const FrictionDisc& disc, int index,
                                const Vec& u, std::vector<Watch>& out) const {
  const ClosedDynamics& d = flow_->dynamics();
  const Law& law = system_.laws()[c.law];
  if (holds_on(f, law, disc)) {
    watch_hold(c, c.row + disc.at, disc.rows, index, u, out);
    double size = 0;
    for (int r = 0; r < disc.rows; ++r) size = std::hypot(size, d.lambda(c.row + disc.at + r));
    out.push_back({c.id, Tells::cone, disc.bound * d.lambda(c.row) - size, 0,
                   disc.bound * tie_force(c.row) + tie_force(c.row + disc.at)});
  } else if (slides_on(f, law, disc)) {
    out.push_back(slip_watch(c, f, c.row + disc.at, disc.rows, u));
  } else {
    return;
  }
  out.back().disc = static_cast<std::uint8_t>(index);
}

// Normal velocity of a contact that is held is an error of the step, unless its direction jumped. Tableaus
// that hold it at the end of the step have none there; then the velocity from before the edge tells, beside
// what the surface had then. A curved surface turns it, too, by its curvature times the length of the step.
EventCapture::Watch EventCapture::edge_watch(const Contact& c, const Vec& u, double s) const {
  constexpr double small = 1e-3, large = 0.3;
  const ContactSet& set = flow_->dynamics().contacts();
  const auto speed_of = [&](const Vec& v) {
    double speed = std::abs(set.drift[c.row]);
    for (const auto& e : set.Wt.row(c.row)) speed += std::abs(e.value * v[e.column]);
    return speed + s * acceleration_scale_;
  };
  constexpr double turns = 2;
  Watch out{c.id, Tells::edge, 1, flow_->dynamics().gamma(c.row, u)};
  out.bend = std::abs(set.bias[c.row]);
  // where nothing moves, what rounding leaves of former velocities is no jump
  bool jumped = std::abs(out.rate) > std::max(small * speed_of(u), resting_velocity(set, c.row));
  if (const Watch* start = find(now_, out); start && s > 0 && !jumped) {
    const double before = set.Wt.dot(c.row, x_.u.data()) + start->surface;
    const double smooth = turns * s * std::max(out.bend, start->bend);
    jumped = std::abs(before) > std::max({large * speed_of(x_.u), smooth, resting_velocity(set, c.row)});
    if (jumped) out.rate = before;
  }
  jumped = jumped || is_absent(set.gap[c.row]);
  if (jumped) out.value = -1;
  out.off = jumped ? 0 : std::abs(set.gap[c.row]);
  out.surface = set.drift[c.row];
  return out;
}

void EventCapture::look_at_closed(const Contact& c, const FrozenContact& f, const Vec& u, double s,
                                  std::vector<Watch>& out) const {
  const ClosedDynamics& d = flow_->dynamics();
  const Law& law = system_.laws()[c.law];
  if (needs_closed_gap(law)) {
    out.push_back(edge_watch(c, u, s));
    out.push_back({c.id, Tells::force, d.lambda(c.row), 0, tie_force(c.row)});
    int index = 0;
    for (const FrictionDisc& disc : discs_of(law)) look_at_disc(c, f, disc, index++, u, out);
    return;
  }
  const int n = rows(law);
  double force[max_block_rows], inside[max_block_rows], size = 0, off = 0;
  for (int r = 0; r < n; ++r) size = std::hypot(size, force[r] = inside[r] = d.lambda(c.row + r));
  if (f.mode == Mode::stick) {
    if (!on_position_level(law)) watch_hold(c, c.row, n, 0, u, out);
    double room = 0;
    if (const auto limits = limits_of(law)) {
      room = std::min(limits->upper - force[0], force[0] - limits->lower);
    } else if (const auto* tresca = std::get_if<Tresca>(&law)) {
      room = tresca->limit - size;
    } else {  // a user's law: whether the force is in its set
      prox(law, 1, inside);
      for (int r = 0; r < n; ++r) off = std::hypot(off, inside[r] - force[r]);
      room = off <= 1e-12 * size ? 1 : -off;
    }
    out.push_back({c.id, Tells::cone, room});
  } else if (on_position_level(law)) {
    const double side = f.mode == Mode::slip_back ? -1 : 1;
    out.push_back({c.id, Tells::spring, side * d.contacts().gap[c.row], side * d.gamma(c.row, u)});
  } else {
    out.push_back(slip_watch(c, f, c.row, n, u));
  }
}

const EventCapture::Watch* EventCapture::find(const std::vector<Watch>& watches, const Watch& like) {
  const auto key = [](const Watch& w) { return std::tuple(w.contact, w.tells, w.disc); };
  for (auto w = std::lower_bound(watches.begin(), watches.end(), like.contact,
                                 [](const Watch&a, std::uint64_t id) { return a.contact < id; });
       w != watches.end() && w->contact == like.contact; ++w)
    if (key(*w) == key(like)) return &*w;
  return nullptr;
}

}  // namespace saltus
