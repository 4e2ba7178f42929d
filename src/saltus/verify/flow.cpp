#include "saltus/verify/flow.hpp"

#include <algorithm>
#include <cmath>

#include "saltus/verify/curve_defect.hpp"
#include "saltus/verify/recorded.hpp"

namespace saltus {
namespace {

// What hardly moves counts with that part of what others of its kind do.
constexpr double quiet_share = 1e-3;

template <class F>
Vec largest(int n, int samples, F&& value, const std::vector<int>& kind) {
  Vec out = Vec::Zero(n);
  for (int i = 0; i < samples; ++i)
    if (const Vec& x = value(i); x.allFinite()) out = out.cwiseMax(x.cwiseAbs());
  double most[2] = {std::numeric_limits<double>::min(), std::numeric_limits<double>::min()};
  for (int k = 0; k < n; ++k) most[kind[k]] = std::max(most[kind[k]], out[k]);
  for (int k = 0; k < n; ++k) out[k] = std::max(out[k], quiet_share * most[kind[k]]);
  return out;
}

/// Sums of powers over the run.
struct Powered {
  double work = 0, damping = 0, friction = 0, impacts = 0, moved = 0;
};

void compare_ledger(const StateFlow& flow, const Trajectory& x, const Claims& claims, const Powered& p,
                    Verification& out) {
  const DynamicSystem& system = flow.system();
  const int last = x.size() - 1;
  const double begin = energy_of(system, x.t(0), x.q(0), x.u(0)),
               end = energy_of(system, x.t(last), x.q(last), x.u(last));
  if (system.powers() == Powers::unknown || !std::isfinite(begin) || !std::isfinite(end)) return;
  const double scale = std::max({p.moved, std::abs(end - begin), std::abs(p.work), std::abs(p.damping),
                                 std::abs(p.friction), std::abs(p.impacts)});
  const double rest = end - begin - p.work + p.damping + p.friction + p.impacts;
  const double off = std::max(0.0, std::abs(rest) - 1e-13 * (std::abs(begin) + std::abs(end)));
  out.energy.take(off, off > 0 ? off / scale : 0, x.t(last));
  if (!claims.ledger || !std::isfinite(claims.ledger->work)) return;
  const Ledger& l = *claims.ledger;
  check_ledger_sum(l, std::max({scale, std::abs(begin), std::abs(end)}), begin, end, out);
  if (claims.rtol > 0)
    for (const auto& [name, told, found] :
         {std::tuple{"work", l.work, p.work},
          {"damping", l.damping, p.damping},
          {"losses at contacts", l.friction + l.impacts, p.friction + p.impacts}}) {
      const double part = told == found ? 0 : std::abs(told - found) / scale;
      out.ledger.take(std::abs(told - found), part, x.t(last), name);
    }
}

}  // namespace

void verify_flow(StateFlow& flow, const Trajectory& x, const Problem& problem, const Claims& claims,
                 double part, Verification& out) {
  const DynamicSystem& system = flow.system();
  const int n = flow.size();
  std::vector<int> kind(n), plain(std::max(x.nq(), x.nu()), 0);
  for (int k = 0; k < n; ++k) kind[k] = flow.is_velocity(k) ? 1 : 0;
  Vec a(n), b(n), q(x.nq()), u(x.nu());
  const Vec size = largest(
      n, x.size(), [&](int i) -> const Vec& { return flow.pack(x.t(i), x.q(i), x.u(i), a), a; }, kind);
  const auto shown = [&](bool velocity) {
    return largest(
        velocity ? x.nu() : x.nq(), x.size(), [&](int i) { return velocity ? Vec(x.u(i)) : Vec(x.q(i)); },
        plain);
  };
  check_ends(x, problem, claims, x.q(0) - problem.q0, shown(false), shown(true), 10 * part, out);
  check_energies(x, system, claims, out);
  const auto work = system.make_workspace();
  CurveDefect curve([&](double t, const Vec& at, Vec& f) { return flow.rates(t, at, f); }, size);
  Powered sums;
  for (int i = 0; i < x.size(); ++i) {
    flow.at_sample(x, i, out);
    if (i == 0) continue;
    const double t = x.t(i - 1), h = x.t(i) - t;
    if (!(h >= 0)) out.find(fmt::format("the sample at t = {:.12g} comes after one at {:.12g}", x.t(i), t));
    if (h == 0) {
      const double before = system.energy(t, x.q(i - 1), x.u(i - 1), *work);
      flow.jump(x, i, out);
      sums.impacts += before - system.energy(t, x.q(i), x.u(i), *work);
    }
    if (!(h > 0)) continue;
    flow.pack(t, x.q(i - 1), x.u(i - 1), a), flow.pack(x.t(i), x.q(i), x.u(i), b);
    if (!a.allFinite() || !b.allFinite()) continue;  // told
    if (!curve.measure(t, h, a, b, out.load.limit)) {
      out.find(fmt::format("the equations have no finite values at t = {:.9g}", t));
      continue;
    }
    ++out.pieces, out.points += CurveDefect::points;
    out.load.value = std::max(out.load.value, curve.value());
    out.load.take(out.load.value, curve.part(), t);
    for (int k = 0; k < CurveDefect::points && system.powers() == Powers::known; ++k) {
      const double at = t + CurveDefect::node(k) * h, w = CurveDefect::weight(k) * h;
      flow.unpack(at, curve.state(k), q, u);
      const Power p = system.power(at, q, u, *work);
      sums.work += w * p.work, sums.damping += w * p.damping, sums.friction += w * p.friction;
      const double kinetic = system.energy(at, q, u, *work) - system.energy(at, q, 0 * u, *work);
      sums.moved = std::max(sums.moved, std::abs(kinetic));
    }
  }
  compare_ledger(flow, x, claims, sums, out);
}

}  // namespace saltus
