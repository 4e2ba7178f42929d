// What is recorded fits together: begin and end, samples on the pieces, events where something changes, modes
// of contacts.
#include <algorithm>
#include <cmath>

#include "saltus/verify/recorded.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {

void Verifier::find(std::string text) {
  out_.find(std::move(text));
}

double Verifier::start_misfit() {
  double out = 0;
  if (!now_.evaluate(problem_.t0, problem_.q0, problem_.u0)) return 0;
  const ContactSet& set = now_.contacts();
  for (const Contact& c : set.contacts)
    for (int r = 0; r < rows(now_.law(c)); ++r) {
      if (!row_has_gap(now_.law(c), r) || on_position_level(now_.law(c))) continue;
      const double g = set.gap[c.row + r], off = needs_closed_gap(now_.law(c)) ? -g : std::abs(g);
      if (off > 0 && now_.gap_scale(c.row + r) > 0) out = std::max(out, off / now_.gap_scale(c.row + r));
    }
  return out;
}

void Verifier::records() {
  ends();
  samples();
  if (out_.dense) event_times();
}

void Verifier::ends() {
  const int last = x_.size() - 1;
  check_ends(x_, problem_, claims_, places_.difference(problem_.q0, x_.q(0)), scales_.size, scales_.speed,
             10 * part_, out_);
  if (!out_.dense) return;
  const auto no_dense = [&](double from, double to) {
    out_.missing.push_back(fmt::format("there is no dense output from t = {:.12g} to {:.12g}{}", from, to,
                                       x_.dense_until() < infinity ? ", it was not kept (--dense)" : ""));
  };
  const double hole = longest_hole();
  double end = x_.t(0);
  for (const Piece& p : x_.pieces()) {
    if (p.start - end > hole) no_dense(end, p.start);
    if (p.end > p.start + p.length * (1 + 1e-9))
      find(fmt::format("the piece from t = {:.12g} is used beyond its end", p.start));
    end = p.end;
  }
  if (const double to = std::min(x_.t(last), out_.stepped_from); to - end > hole) no_dense(end, to);
}

// Between pieces: the step over an impact.
double Verifier::longest_hole() const {
  return 10 * part_ * (x_.t(x_.size() - 1) - x_.t(0));
}

// Samples lie on the pieces, at their limit from either side; energies are those of the states.
void Verifier::samples() {
  check_energies(x_, system_, claims_, out_);
  if (!out_.dense) return;
  const double reach = 10 * part_;
  for (int i = 0; i < x_.size(); ++i) {
    const double t = x_.t(i);
    const Vec q = x_.q(i), u = x_.u(i);
    if (!q.allFinite() || !u.allFinite()) continue;  // told
    double nearest = infinity;
    for (const Side side : {Side::left, Side::right}) {
      const auto x = x_(t, side);
      const Vec moved = places_.difference(q, x.q);
      double off = 0;
      for (int k = 0; k < x_.nu(); ++k)
        if (const double d = std::abs(moved[k]); !(d == 0)) off = std::max(off, d / scales_.size[k]);
      for (int k = 0; k < x_.nu(); ++k)
        if (const double d = std::abs(x.u[k] - u[k]); !(d == 0)) off = std::max(off, d / scales_.speed[k]);
      nearest = std::min(nearest, off == off ? off : infinity);
    }
    if (nearest > reach)
      find(fmt::format("sample {} at t = {:.12g} is off the dense output by {:.3g} of the motion", i, t,
                       nearest));
  }
}

// Whether a piece begins (ends) at t, or a sample lies there outside of all pieces.
bool Verifier::is_boundary(double t, bool begins) const {
  const auto& pieces = x_.pieces();
  const auto next =
      std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.start < t; });
  if (begins && next != pieces.end() && next->start == t) return true;
  if (!begins && next != pieces.begin() && (next - 1)->end == t) return true;
  if (next != pieces.begin() && (next - 1)->end >= t) return false;
  const auto here = samples_within(std::nextafter(t, -infinity), std::nextafter(t, infinity));
  return !here.empty() && x_.t(here.front()) == t;
}

// Something can change only where a piece begins, impacts only between two pieces.
void Verifier::event_times() {
  const double last = x_.t(x_.size() - 1);
  double before = -infinity;
  for (const Event& e : x_.events()) {
    if (e.t >= out_.stepped_from) break;
    if (e.t < before) find(fmt::format("the event at t = {:.12g} comes after one at {:.12g}", e.t, before));
    before = e.t;
    const bool begins =
        e.t == last || e.t == problem_.t0 || is_boundary(e.t, true) || is_boundary(e.t, false);
    const bool ends =
        e.kind != EventKind::impact || e.t_before == problem_.t0 || is_boundary(e.t_before, false);
    if (!begins || !ends)
      find(fmt::format("the {} of {} at t = {:.12g} is where nothing changes in the dense output",
                       to_string(e.kind), system_.contact_name(e.contact), e.t));
  }
}

void Verifier::modes() {
  double known = -infinity;  // the time of the state that was evaluated last
  for (const Trajectory::Atom& atom : x_.atoms())
    if (atom.t <= out_.stepped_from) mode(atom, known);
}

// A contact that acted in the step that ends at atom.t. The mode after an impact is that of its impulses: it
// is not open.
void Verifier::mode(const Trajectory::Atom& atom, double& known) {
  if (atom.mode == Mode::open && x_.impulse(atom, 0) > 0)
    return find(fmt::format("{} is recorded as open at t = {:.12g}, but has an impulse there",
                            system_.contact_name(atom.contact), atom.t));
  const auto& pieces = x_.pieces();
  const auto next =
      std::partition_point(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.start < atom.t; });
  if (next == pieces.begin() || (next - 1)->end < atom.t) return;
  // where loads or surfaces jump, the mode is that before: a step that ends with an event ends behind the
  // jump
  std::string told;
  for (const double t : {atom.t, before_event(atom)}) {
    if (t != known) {
      at(*(next - 1), t, point_);
      if (!now_.evaluate(t, point_.q, point_.u)) return;
      known = t;
    }
    told = mode_misfit(atom);
    if (told.empty()) return;
  }
  find(std::move(told));
}

// Where the bracket begins in which that contact changes at the end of its step; else that end.
double Verifier::before_event(const Trajectory::Atom& atom) const {
  const auto& events = x_.events();
  auto e = std::lower_bound(events.begin(), events.end(), atom.t,
                            [](const Event& x, double t) { return x.t < t; });
  for (; e != events.end() && e->t == atom.t; ++e)
    if (e->contact == atom.contact && e->kind != EventKind::impact && e->t - e->t_before < longest_hole())
      return e->t_before;
  return atom.t;
}

// What is wrong with the mode of a contact at the state that was evaluated; empty: nothing.
std::string Verifier::mode_misfit(const Trajectory::Atom& atom) const {
  const ContactSet& set = now_.contacts();
  const std::string name = system_.contact_name(atom.contact);
  const auto c = std::find_if(set.contacts.begin(), set.contacts.end(),
                              [&](const Contact& other) { return other.id == atom.contact; });
  if (c == set.contacts.end() || rows(now_.law(*c)) != atom.rows)
    return fmt::format("{} acts at t = {:.12g}, and is not there", name, atom.t);
  const Law& law = now_.law(*c);
  const double reach = 10 * part_;
  bool fits = true;
  if (needs_closed_gap(law)) {
    fits = std::abs(set.gap[c->row]) <= reach * now_.gap_scale(c->row) && atom.mode != Mode::open &&
           (is_frictional(law) || atom.mode == Mode::closed);
    for (int r = 0; r < atom.rows; ++r) {
      const double P = x_.impulse(atom, r);
      if (r == 0 && P < 0) fits = false;
    }
  }
  const int first = needs_closed_gap(law) ? 1 : 0, n = atom.rows - first;
  const auto slip = [&](int r) { return now_.gamma(c->row + r); };
  if (is_frictional(law) && n >= 1 && fits) {
    const FrictionDisc disc = *discs_of(law).begin();
    double speed = 0, scale = 0;
    for (int r = disc.at; r < disc.at + disc.rows; ++r)
      speed = std::hypot(speed, slip(r)), scale = std::max(scale, now_.rate_scale(c->row + r));
    if (atom.mode == Mode::closed) fits = false;
    if (atom.mode == Mode::stick || atom.mode == Mode::roll) fits = speed <= reach * scale;
    if (disc.rows == 1 && atom.mode == Mode::slip) fits = slip(disc.at) >= -reach * scale;
    if (disc.rows == 1 && atom.mode == Mode::slip_back) fits = slip(disc.at) <= reach * scale;
  }
  if (fits) return {};
  return fmt::format("{} at t = {:.12g} is recorded in mode {}; its gap is {:.3g}{}", name, atom.t,
                     to_string(atom.mode), set.gap[c->row],
                     n > 0 ? fmt::format(", its slip {:.3g}", slip(first)) : "");
}

}  // namespace saltus
