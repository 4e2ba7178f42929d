#include "mechanisms/consensus.hpp"

namespace saltus::mechanisms {

const std::optional<Consensus::Level>& Consensus::level(double factor) {
  const auto it = levels_.find(factor);
  if (it != levels_.end()) return it->second;
  std::optional<Level>& out = levels_[factor];
  std::vector<Vec> ends;
  for (double grid : {1.0, 1.13, 1.31}) {
    const Trace t =
        trace(case_, reference_method(case_.family(), case_.mechanism.h / (factor * grid)), 2 * factor);
    if (!t.finished() || t.states.empty() || !t.states.back().q.allFinite()) return out;
    ends.push_back(t.states.back().q);
  }
  Level level{ends[0], 0};
  for (std::size_t i = 1; i < ends.size(); ++i)
    level.spread = std::max(level.spread, (ends[i] - ends[0]).cwiseAbs().maxCoeff() / case_.mechanism.length);
  return out = level;
}

std::optional<double> Consensus::distance(const Trace& t, double factor) {
  const auto& l = level(factor);
  if (!l || t.states.empty() || t.states.back().q.size() != l->q.size()) return {};
  return (t.states.back().q - l->q).cwiseAbs().maxCoeff() / case_.mechanism.length;
}

}  // namespace saltus::mechanisms
