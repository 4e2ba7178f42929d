// The balance of energy, computed anew from the pieces, and the ledger that was recorded.
#include <cmath>

#include "saltus/verify/recorded.hpp"
#include "saltus/verify/verifier.hpp"

namespace saltus {

void Verifier::energy() {
  if (system_.powers() == Powers::unknown) return;
  const int last = x_.size() - 1;
  const double begin = system_.energy(x_.t(0), x_.q(0), x_.u(0), *work_),
               end = system_.energy(x_.t(last), x_.q(last), x_.u(last), *work_);
  if (!std::isfinite(begin) || !std::isfinite(end)) return;
  kinetic_ = std::max(kinetic_, 0.5 * scales_.velocity * scales_.velocity);  // where all is at rest
  const double scale = std::max({kinetic_, std::abs(end - begin), std::abs(work_done_), std::abs(damped_),
                                 std::abs(rubbed_), std::abs(impacts_)});
  const double rest = end - begin - work_done_ + damped_ + rubbed_ + impacts_;
  const double rounding = 1e-13 * (std::abs(begin) + std::abs(end));
  // many impacts may leave much open, in the worst case that none of them has; flights of rounding height are
  // open at any tolerance
  constexpr double most = 10, rounding_flights = 1e-7;
  const double unsure =
      std::min(unsure_energy_, std::max(most * out_.energy.limit, rounding_flights) * scale);
  const double off = beyond(std::abs(rest), rounding + unsure);
  (out_.stepped_from < infinity ? steps_ : out_).energy.take(off, off > 0 ? off / scale : 0, x_.t(last));
  if (claims_.ledger) ledger(*claims_.ledger, scale, begin, end);
}

// `moved`: the largest energy that moved.
void Verifier::ledger(const Ledger& l, double moved, double begin, double end) {
  if (!std::isfinite(l.work)) return;
  check_ledger_sum(l, std::max({moved, std::abs(begin), std::abs(end)}), begin, end, out_);
  if (!out_.dense || out_.stepped_from < infinity) return;  // of steps the sums are the scheme's own
  const double rounding = 1e-13 * (std::abs(begin) + std::abs(end));
  for (const auto& [name, told, found] :
       {std::tuple{"work", l.work, work_done_},
        {"damping", l.damping, damped_},
        {"losses at contacts", l.friction + l.impacts, rubbed_ + impacts_}}) {
    const double off = beyond(std::abs(told - found), rounding);
    out_.ledger.take(std::abs(told - found), off > 0 ? off / moved : off, x_.t(x_.size() - 1), name);
  }
}

}  // namespace saltus
