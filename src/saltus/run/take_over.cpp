#include "saltus/run/take_over.hpp"

#include <algorithm>

#include "saltus/core/error.hpp"
#include "saltus/run/driver.hpp"
#include "saltus/run/fixed.hpp"
#include "saltus/run/refine.hpp"

namespace saltus {

void take_over(const TakeOver& wanted, const State& now, const std::string& why, const RunContext& context) {
  constexpr double work_of_trials = 1.5e6;  // a few seconds
  Problem rest = context.problem;
  RunResult& result = context.result;
  result.status = RunStatus::finished, result.message.clear();
  rest.t0 = now.t, rest.q0 = now.q, rest.u0 = now.u, rest.penetration = Penetration::under_way;
  Method method{MoreauJean{}, FixedSteps{}, context.method.solver};
  const double left = rest.t_end - rest.t0, first = std::clamp(wanted.period / 64, left / 2048, left / 16);
  const Refined refined = refine(rest, method, {wanted.rtol, wanted.atol, first, work_of_trials}, context);
  const double h =
      refined.error > 1 ? refined.h / 4 : refined.h;  // what the trials could not tell still helps
  // nor does it follow from the tolerance then: a companion has another step
  method.stepping = with_step(method.stepping, wanted.pace * h);
  const RunContext inner{rest, method, context.rules, context.sink, context.control, {}, result};
  run_fixed(std::get<FixedSteps>(method.stepping), inner);
  result.stepped_from = now.t;
  result.warnings.push_back(
      fmt::format("Moreau's scheme took over from t = {:.6g} on, with equal steps of {:.2g}: {}; {}", now.t,
                  h, why, digits_text(refined, wanted.rtol)));
}

}  // namespace saltus
