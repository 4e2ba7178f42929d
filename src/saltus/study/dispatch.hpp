// Who of several workers runs which points of a sweep.
//
// Points are given out in their order, to each worker as many as keep it busy for a moment, so that points
// that take long do not wait behind each other and a worker that dies takes few with it. A worker that has
// not been heard of is lost: its points are given to others. A row that comes twice counts once.
#pragma once
#include <cstddef>
#include <vector>

#include "saltus/study/row_store.hpp"

namespace saltus {

class Dispatch {
 public:
  static constexpr double usual_patience = 10;
  /// Points without a row in the store are open. Times are seconds of any clock; `patience`: with a worker
  /// that says nothing.
  Dispatch(const RowStore& rows, std::size_t workers, double patience = usual_patience);

  /// The worker is there and runs so many points at a time.
  void join(std::size_t worker, std::size_t threads, double now);
  /// Points for the worker to have now; none when it has enough.
  std::vector<std::size_t> take(std::size_t worker, double now);
  /// A row of it. False when it is known already, or nobody was asked for it.
  bool done(std::size_t worker, std::size_t index, double now);
  void heard(std::size_t worker, double now) { workers_[worker].heard = now; }
  /// It goes: its points are open again.
  void leave(std::size_t worker);
  /// Workers that were lost since the last call; they have left.
  std::vector<std::size_t> lost(double now);

  bool there(std::size_t worker) const { return workers_[worker].threads > 0; }
  std::size_t waiting(std::size_t worker) const { return workers_[worker].points.size(); }
  /// Points that nobody has.
  std::size_t open() const { return open_; }
  std::size_t threads() const { return threads_; }  ///< of all workers that are there

 private:
  struct Worker {
    std::size_t threads = 0;               // 0: not there
    std::vector<std::size_t> points = {};  // given, without a row yet
    double heard = 0, since = 0;
    std::size_t done = 0;  // since then
    double speed = 0;      // points a second, in the last full second
  };
  std::size_t limit(const Worker& w, double now) const;
  bool next_open(std::size_t& index);

  const RowStore& rows_;
  double patience_;
  std::vector<Worker> workers_;
  std::vector<std::size_t> returned_;  // sorted, the smallest last
  std::size_t next_ = 0, open_, threads_ = 0;
};

}  // namespace saltus
