#include "saltus/run/trajectory_states.hpp"

namespace saltus {
namespace {

// The first of n items after those that began at t; `hint` is tried first, then the next one.
template <class Begun>
std::size_t first_not(std::size_t n, std::size_t hint, Begun&& begun) {
  const auto fits = [&](std::size_t i) {
    return i <= n && (i == 0 || begun(i - 1)) && (i == n || !begun(i));
  };
  if (fits(hint)) return hint;
  if (fits(hint + 1)) return hint + 1;
  std::size_t first = 0;
  for (std::size_t count = n; count > 0;) {
    const std::size_t half = count / 2;
    if (begun(first + half))
      first += half + 1, count -= half + 1;
    else
      count = half;
  }
  return first;
}

}  // namespace

void states_at(const Trajectory& tr, std::span<const double> times, Side side, double* q, double* u) {
  const int nq = tr.nq(), nu = tr.nu();
  const auto& pieces = tr.pieces();
  const auto n = static_cast<std::size_t>(tr.size());
  std::size_t at = 0;
  for (const double t : times) {
    const auto before = [&](double x) { return side == Side::right ? x <= t : x < t; };
    if (!pieces.empty()) {
      at = first_not(pieces.size(), at, [&](std::size_t i) { return before(pieces[i].start); });
      if (at > 0 && t <= pieces[at - 1].end) {
        const Trajectory::Piece& p = pieces[at - 1];
        const double part = (t - p.start) / p.length;
        dense_value(tr.q_terms(p), nq, p.terms, part, q);
        dense_value(tr.u_terms(p), nu, p.terms, part, u);
      } else {
        Eigen::Map<Vec>(q, nq) = tr.q(t, side);
        Eigen::Map<Vec>(u, nu) = tr.u(t, side);
      }
    } else if (n > 1) {  // joined linearly
      at = first_not(n, at, [&](std::size_t i) { return before(tr.t(static_cast<int>(i))); });
      const int i = std::clamp(static_cast<int>(at), 1, tr.size() - 1);
      const double t0 = tr.t(i - 1), h = tr.t(i) - t0;
      const double w = h > 0 ? std::clamp((t - t0) / h, 0.0, 1.0) : side == Side::right ? 1.0 : 0.0;
      const double *q0 = tr.q(i - 1).data(), *q1 = tr.q(i).data(), *u0 = tr.u(i - 1).data(),
                   *u1 = tr.u(i).data();
      for (int k = 0; k < nq; ++k) q[k] = (1 - w) * q0[k] + w * q1[k];
      for (int k = 0; k < nu; ++k) u[k] = (1 - w) * u0[k] + w * u1[k];
    } else {
      Eigen::Map<Vec>(q, nq) = tr.q(t, side);
      Eigen::Map<Vec>(u, nu) = tr.u(t, side);
    }
    q += nq, u += nu;
  }
}

int first_sample_from(const Trajectory& tr, double t) {
  return static_cast<int>(first_not(static_cast<std::size_t>(tr.size()), 0,
                                    [&](std::size_t i) { return tr.t(static_cast<int>(i)) < t; }));
}

}  // namespace saltus
