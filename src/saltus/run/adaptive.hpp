// Adaptive steps for Moreau's schemes by the heuristic of Acary 2012, (58)–(61): one step of length h against
// two of h/2, compared in the positions alone (velocities may differ by O(1) around an impact),
//
//     error = max_k |q_½,k − q_1,k| / (atol + rtol max(|q_0,k|, |q_½,k|))
//     h_new = h min(α_max, max(α_min, α error^{−1/(p+1)})),   accept iff error ≤ 1, and keep the two half
//     steps.
//
// p = 0; with `events` p = 1 in steps where no contact changes. A step that fails counts as error = ∞.
#pragma once
#include "saltus/run/checkpoint.hpp"

namespace saltus {

void run_adaptive(const AdaptiveSteps& stepping, const Problem& problem, const Method& method,
                  const System& system, const Sink& sink, const RunControl& control,
                  const Checkpoints& points, RunResult& result);

}  // namespace saltus
