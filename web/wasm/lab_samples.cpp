#include "lab_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "saltus/core/error.hpp"

namespace saltus::web {
namespace {

std::uint64_t id_of(double bits) {
  std::uint64_t out;
  std::memcpy(&out, &bits, sizeof out);
  return out;
}
Vec vector(const double* x, std::size_t n) {
  return Eigen::Map<const Vec>(x, static_cast<Eigen::Index>(n));
}
/// A whole number in [0, most].
int number(double x, int most, const char* what, std::size_t row) {
  if (!(x >= 0 && x <= most) || x != std::floor(x)) fail("{} {}: {} is none the page knows", what, row, x);
  return static_cast<int>(x);
}

Event event_of(const double* x, std::size_t row) {
  Event out;
  out.t = out.t_before = x[0];
  if (!std::isfinite(out.t)) fail("event {}: its time is {}", row, out.t);
  out.kind = static_cast<EventKind>(number(x[1], static_cast<int>(EventKind::accumulation), "event", row));
  if (std::isfinite(x[2])) out.energy_loss = x[2];
  out.contact = id_of(x[3]);
  int rows = 0;
  while (rows < 6 && std::isfinite(x[4 + rows])) ++rows;
  if (rows > 0) out.impulse = vector(x + 4, static_cast<std::size_t>(rows));
  return out;
}

// Those up to a sample.
void take_contacts(std::span<const double> all, std::size_t& next, std::size_t sample, ContactMemory& m) {
  constexpr std::size_t width = Samples::contact_width;
  m.clear();
  for (; next < all.size() && all[next] <= static_cast<double>(sample); next += width) {
    const double* x = all.data() + next;
    const std::size_t row = next / width;
    const auto mode =
        static_cast<Mode>(number(x[2], static_cast<int>(last_mode), "mode of contact record", row));
    const int rows = number(x[3], std::min(6, max_block_rows), "rows of contact record", row);
    m.closed.push_back({id_of(x[1]), static_cast<int>(m.impulse.size()), static_cast<std::uint8_t>(rows),
                        true, false, mode});
    m.impulse.insert(m.impulse.end(), x + 4, x + 4 + rows);
  }
}

void add_dense(const Problem& p, std::span<const double> dense, Trajectory& out) {
  const auto nq = static_cast<std::size_t>(p.q0.size()), nu = static_cast<std::size_t>(p.u0.size());
  constexpr std::size_t terms = DensePiece::max_terms;
  const std::size_t row = 3 + terms * (nq + nu);
  if (dense.size() % row != 0) fail("the dense output of the file does not fit its problem");
  for (std::size_t at = 0; at < dense.size(); at += row) {
    const double* x = dense.data() + at;
    if (!(x[1] > 0) || !(x[2] >= x[0]))
      fail("dense output from t = {}: its length or its end is wrong", x[0]);
    DensePiece piece;
    piece.start = x[0], piece.length = x[1];
    piece.resize(static_cast<int>(nq), static_cast<int>(nu), terms);
    piece.q = vector(x + 3, terms * nq), piece.u = vector(x + 3 + terms * nq, terms * nu);
    out.add_dense(piece, x[2]);
  }
}

}  // namespace

Trajectory trajectory_of(const Problem& p, const Samples& given) {
  const auto nq = static_cast<std::size_t>(p.q0.size()), nu = static_cast<std::size_t>(p.u0.size());
  const auto& [t, q, u, dense, events, contacts] = given;
  if (q.size() != t.size() * nq || u.size() != t.size() * nu)
    fail("the file has {} samples with {} numbers of q and {} of u; its problem needs {} and {} a sample",
         t.size(), q.size(), u.size(), nq, nu);
  if (events.size() % Samples::event_width != 0 || contacts.size() % Samples::contact_width != 0)
    fail("the events or the contacts of the file are not whole");
  Trajectory out;
  State begin, end;
  std::size_t next_contact = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i]) || (i > 0 && !(t[i] >= t[i - 1]))) fail("sample {}: times must not decrease", i);
    end.t = t[i], end.q = vector(q.data() + i * nq, nq), end.u = vector(u.data() + i * nu, nu);
    take_contacts(contacts, next_contact, i, end.contacts);
    if (i == 0)
      out.add(end.t, end.q, end.u);
    else
      out({begin, end, {}, {}});
    std::swap(begin, end);
  }
  for (std::size_t at = 0; at < events.size(); at += Samples::event_width)
    out.add_event(event_of(events.data() + at, at / Samples::event_width));
  add_dense(p, dense, out);
  return out;
}

}  // namespace saltus::web
