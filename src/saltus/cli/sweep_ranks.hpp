// `saltus sweep` on several ranks (study/threads/ranks.hpp).
#pragma once
#include "saltus/cli/console.hpp"
#include "saltus/cli/sweep_options.hpp"

namespace saltus::cli {

/// Tells the other ranks to stop unless they were led: whatever rank 0 fails at, they do not wait for it.
class RankGuard {
 public:
  RankGuard() = default;
  ~RankGuard();
  RankGuard(const RankGuard&) = delete;
  RankGuard& operator=(const RankGuard&) = delete;
  void led() { led_ = true; }

 private:
  bool led_ = false;
};

/// On rank 0: runs what is missing, on all ranks.
void lead_ranks(const SweepOptions& o, const SweepPoints& points, const Measures& measures, RowStore& rows,
                const std::function<void()>& finished, RankGuard& guard, Console& io);
/// On the other ranks, until rank 0 says stop. The exit code.
int follow_rank(const SweepOptions& o, Console& io);

}  // namespace saltus::cli
