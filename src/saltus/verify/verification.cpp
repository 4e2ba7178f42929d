#include "saltus/verify/verification.hpp"

#include <algorithm>

namespace saltus {

std::vector<Misfits::Named> Misfits::all() const {
  return {{"load", "force that is missing between events", &load},
          {"held", "forces recorded of closed contacts", &held},
          {"rate", "rates of positions against velocities", &rate},
          {"jump", "jumps of positions", &jump},
          {"impulse", "impulse that is missing", &impulse},
          {"restitution", "restitution at impacts", &restitution},
          {"closing", "velocities left at closing contacts", &closing},
          {"penetration", "gaps below zero", &penetration},
          {"joint", "gaps of joints", &joint},
          {"energy", "balance of energy", &energy},
          {"ledger", "sums of the recorded ledger", &ledger}};
}

namespace {

// The recorded sums of a ledger are of coarser rules than those here: 2.6e-6 off in the problem shaker at
// 1e-9.
double ledger_limit(double rtol) {
  return std::max(1e3 * rtol, 1e-5);
}

}  // namespace

// So many tolerances. What is missing between events counts as the change of velocity that it makes in a
// step; steps end at kinks of forces and at edges of bodies later than there. At an impact the recorded
// numbers belong together to rounding, but for what its location leaves open, which is not counted
// (impacts.cpp).
void Misfits::limit_by_tolerance(double rtol) {
  constexpr double least = 1e-11;  // below that everything is rounding
  const auto set = [&](Misfit& m, double share) { m.limit = std::max(share * rtol, least); };
  set(load, 1e3), set(held, 1e3), set(rate, 1e2), set(jump, 10), set(impulse, 10);
  set(restitution, 10), set(closing, 10), set(penetration, 1e3), set(joint, 10), set(energy, 1e2);
  ledger.limit = ledger_limit(rtol);
}

void Misfits::limit_all(double limit) {
  for (Misfit* m :
       {&load, &held, &rate, &jump, &impulse, &restitution, &closing, &penetration, &joint, &energy, &ledger})
    m->limit = limit;
}

void Misfits::limit_states(double rtol) {
  constexpr double share = 100;  // the curve through two states is chosen so that it misses least
  limit_all(share * rtol);
  ledger.limit = ledger_limit(rtol);
}

void Misfits::limit_at_least(double limit) {
  for (Misfit* m :
       {&load, &held, &rate, &jump, &impulse, &restitution, &closing, &penetration, &joint, &energy, &ledger})
    m->limit = std::max(m->limit, limit);
}

void Verification::find(std::string text) {
  constexpr std::size_t most = 20;
  if (findings.size() < most) findings.push_back(std::move(text));
}

double Verification::step_misfit() const {
  if (stepped_from == infinity) return 0;
  const Misfits& m = dense ? steps : *this;
  return std::max({m.load.part, m.jump.part, m.restitution.part, m.closing.part});
}

bool Verification::within_limits() const {
  const auto list = all();
  return findings.empty() && step_misfit() <= step_limit &&
         std::all_of(list.begin(), list.end(),
                     [&](const Named& n) { return n.misfit->part <= n.misfit->limit; });
}

bool Verification::accepted() const {
  return missing.empty() && within_limits();
}

std::string Verification::sentence() const {
  if (missing.empty() || !findings.empty()) return verdict();
  return fmt::format("cannot be checked throughout: {}; elsewhere it {}", missing.front(), verdict());
}

std::string Verification::verdict() const {
  if (!findings.empty()) return "is not a solution: " + findings.front();
  const Misfits& stepped = dense ? steps : *this;
  const std::string moreau = fmt::format(
      "solves the equations of Moreau's steps with loads that differ by at most {:.1e} N and laws of contact "
      "that differ by "
      "{:.1e}; how far steps are from the motion they do not tell",
      stepped.load.value, std::max(stepped.restitution.part, stepped.closing.part));
  if (step_misfit() > step_limit)
    return fmt::format(
        "is not of Moreau's scheme: its steps miss their own equations by {:.1e} (limit {:.1e})",
        step_misfit(), step_limit);
  std::string what =
      fmt::format("a problem whose {} differ by at most {:.1e}{} and whose restitution differs by {:.1e}",
                  defect, load.value, unit, restitution.value);
  if (stepped_from < infinity && dense)
    what += fmt::format("; from t = {:.6g} on it {}", stepped_from, moreau);
  if (within_limits()) return !dense && stepped_from < infinity ? moreau : "solves exactly " + what;
  std::string worst;
  for (const Named& n : all())
    if (n.misfit->part > n.misfit->limit)
      worst += fmt::format("{}{} ({:.1e} of its scale at t = {:.6g}, limit {:.1e})",
                           worst.empty() ? "" : ", ", n.what, n.misfit->part, n.misfit->t, n.misfit->limit);
  return "misses the limit in " + worst + "; it solves " + what;
}

}  // namespace saltus
