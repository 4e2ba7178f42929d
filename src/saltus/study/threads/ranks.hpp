// A sweep shared by the ranks of a link. The leader gives points to all ranks, itself included, as they
// become free, and keeps the rows; followers run what they get. The table depends on the points only, so it
// has the same bytes on any number of ranks. A rank that falls silent loses the points that it has, which
// others run again, and rows that the leader has kept are never lost.
#pragma once
#include "saltus/study/dispatch.hpp"
#include "saltus/study/sweep_points.hpp"
#include "saltus/study/threads/point_crew.hpp"

namespace saltus {

struct LeadControl {
  std::size_t threads = 1;                     ///< of the leader
  std::string identity = {};                   ///< of what all ranks must run
  double patience = Dispatch::usual_patience;  ///< with a rank that says nothing, in seconds
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void()> finished;                        ///< after each row
  std::function<void(const std::string& words)> remark;  ///< a rank was lost
};

/// The leader's side: fills the rows that are missing, then tells all to stop. After an interrupt those not
/// reached stay missing. True when every rank said goodbye. Throws what the store throws, and Error when a
/// rank cannot run the sweep (another scene file on its machine); the others must then be dismissed.
bool lead(RankLink& link, const SweepPoints& points, const RunPoint& run, RowStore& rows,
          const LeadControl& control);
/// Instead of lead(), or after it failed: tells all ranks to stop and waits for their goodbye, for a while.
void dismiss(RankLink& link);

/// The other side: runs points until the leader says stop, or `interrupt` is set. False when the leader was
/// not heard of for a minute.
bool follow(RankLink& link, const RankHello& hello, const RunPoint& run,
            const std::atomic<bool>* interrupt = nullptr);

}  // namespace saltus
