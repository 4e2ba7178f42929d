// What a checkpoint must be before any of its sizes and indices is used. Files may be damaged or made by
// hand, so nothing here is taken for granted.
#include "saltus/run/checkpoint.hpp"
#include "saltus/run/step_grid.hpp"
#include "saltus/system/checked.hpp"

#include <cmath>

namespace saltus {
namespace {

constexpr std::int64_t most_steps = 1'000'000'000'000'000;  // step_count() allows no more

bool is_finite(const Vec& x) {
  return x.array().isFinite().all();
}

void check_counts(const Checkpoint& c) {
  const RunStats& s = c.stats;
  for (std::int64_t n : {c.grid_steps, s.steps, s.rejected, s.force_evaluations, s.newton_iterations,
                         s.contact_iterations, s.calculated, s.base_steps, s.detections, s.switches,
                         s.above_tolerance, s.unsolved, static_cast<std::int64_t>(s.newton_max)})
    if (n < 0 || n > most_steps) fail("the checkpoint is damaged: {} is no count of steps or evaluations", n);
  if (!(s.cpu_seconds >= 0) || !std::isfinite(s.cpu_seconds))
    fail("the checkpoint is damaged: {} is no processor time", s.cpu_seconds);
  const RunResiduals& r = c.residuals;
  for (double x : {r.contact, r.gap, r.position, r.velocity, r.acceleration, r.contact_position,
                   r.contact_velocity, r.contact_acceleration})
    if (!(x >= 0)) fail("the checkpoint is damaged: {} is no residual", x);
  for (const Accumulation& a : c.accumulations)
    if (!std::isfinite(a.t) || !(a.bound >= 0) || a.impacts < 0)
      fail("the checkpoint is damaged: an accumulation of {} impacts at t = {}", a.impacts, a.t);
}

}  // namespace

bool is_sound(const ContactMemory& m) {
  for (std::size_t i = 0; i < m.closed.size(); ++i) {
    const ContactMemory::Record& r = m.closed[i];
    if (r.rows < 1 || r.rows > max_block_rows || r.offset < 0) return false;
    if (static_cast<std::size_t>(r.offset) + r.rows > m.impulse.size()) return false;
    if (i > 0 && r.id <= m.closed[i - 1].id) return false;
  }
  return true;
}

void check(const Checkpoint& c) {
  const State& x = c.state;
  if (!std::isfinite(x.t)) fail("the checkpoint is damaged: its time is {}", x.t);
  for (const auto& [name, values] : {std::pair{"q", &x.q}, {"u", &x.u}, {"aux", &x.aux}})
    if (!is_finite(*values)) fail("the checkpoint is damaged: {} has a number that is not finite", name);
  const Moved& m = x.moved;
  if (m.begin < 0 || m.end < m.begin || m.end > x.q.size())
    fail("the checkpoint is damaged: beads {} to {} moved, of {}", m.begin, m.end, x.q.size());
  if (!is_sound(x.contacts)) fail("the checkpoint is damaged: a contact lies outside of the impulses");
  for (double P : x.contacts.impulse)
    if (!std::isfinite(P)) fail("the checkpoint is damaged: an impulse is {}", P);
  for (double scale : {x.contacts.speed, x.contacts.step})
    if (!(scale >= 0) || !std::isfinite(scale))
      fail("the checkpoint is damaged: a scale of its contacts is {}", scale);
  check_counts(c);
}

void check(const Checkpoint& c, const Problem& p) {
  check(c);
  const State& x = c.state;
  if (x.q.size() != p.q0.size() || x.u.size() != p.u0.size())
    fail("the checkpoint has {} coordinates and {} velocities, the run {} and {}", x.q.size(), x.u.size(),
         p.q0.size(), p.u0.size());
  if (!(x.t >= p.t0 && x.t <= p.t_end))
    fail("the checkpoint stands at t = {:.9g}, the run goes from {:.9g} to {:.9g}", x.t, p.t0, p.t_end);
  const System* system = as_mechanical(p.system.get());
  if (!system) return;
  ContactSet set;
  CheckedSystem(*system).list(x.t, x.q, set);
  for (const Contact& contact : set.contacts)
    if (const auto* r = x.contacts.find(contact.id); r && r->rows != rows(system->laws()[contact.law]))
      fail("the checkpoint does not fit this run: contact {} has {} rows in it, its law has {}",
           system->contact_name(contact.id), r->rows, rows(system->laws()[contact.law]));
}

}  // namespace saltus
