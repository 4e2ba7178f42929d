#include "saltus/study/dispatch.hpp"

#include <algorithm>
#include <functional>

namespace saltus {
namespace {

constexpr double ahead = 0.2;            // seconds of work that a worker has at a time
constexpr std::size_t most_ahead = 500;  // points of one thread

}  // namespace

Dispatch::Dispatch(const RowStore& rows, std::size_t workers, double patience)
    : rows_(rows), patience_(patience), workers_(workers), open_(rows.points() - rows.count()) {}

void Dispatch::join(std::size_t worker, std::size_t threads, double now) {
  Worker& w = workers_[worker];
  threads_ += threads - w.threads;
  w = Worker{.threads = threads, .points = std::move(w.points), .heard = now, .since = now};
}

// How many points it may have at a time: those of a moment at its own speed, two for each thread at first;
// when few are left, one for each.
std::size_t Dispatch::limit(const Worker& w, double now) const {
  const double speed = w.speed > 0 ? w.speed : static_cast<double>(w.done) / std::max(now - w.since, 1e-3);
  const double each = std::max(2.0, ahead * speed / static_cast<double>(w.threads));
  const std::size_t share = open_ / (2 * threads_);
  return w.threads * std::clamp<std::size_t>(std::min(static_cast<std::size_t>(each), share), 1, most_ahead);
}

bool Dispatch::next_open(std::size_t& index) {
  if (!returned_.empty()) {
    index = returned_.back();
    returned_.pop_back();
    return true;
  }
  while (next_ < rows_.points() && rows_.has(next_)) ++next_;
  if (next_ == rows_.points()) return false;
  index = next_++;
  return true;
}

std::vector<std::size_t> Dispatch::take(std::size_t worker, double now) {
  Worker& w = workers_[worker];
  std::vector<std::size_t> out;
  if (w.threads == 0) return out;
  const std::size_t most = limit(w, now);
  if (w.points.size() > most / 2 && w.points.size() >= w.threads) return out;  // in few, larger portions
  for (std::size_t index = 0; w.points.size() < most && next_open(index);) {
    --open_;
    w.points.push_back(index);
    out.push_back(index);
  }
  return out;
}

bool Dispatch::done(std::size_t worker, std::size_t index, double now) {
  Worker& w = workers_[worker];
  heard(worker, now);
  if (const auto at = std::find(w.points.begin(), w.points.end(), index); at != w.points.end()) {
    w.points.erase(at);
    ++w.done;
    if (now - w.since > 1) w.speed = static_cast<double>(w.done) / (now - w.since), w.since = now, w.done = 0;
    return !rows_.has(index);
  }
  // of a worker that was lost and is not: the point may be open again, or with another one
  if (rows_.has(index)) return false;
  if (const auto back = std::find(returned_.begin(), returned_.end(), index); back != returned_.end()) {
    returned_.erase(back);
    --open_;
    return true;
  }
  return std::any_of(workers_.begin(), workers_.end(), [&](const Worker& other) {
    return std::find(other.points.begin(), other.points.end(), index) != other.points.end();
  });
}

void Dispatch::leave(std::size_t worker) {
  Worker& w = workers_[worker];
  threads_ -= w.threads;
  for (const std::size_t index : w.points)
    if (!rows_.has(index)) returned_.push_back(index), ++open_;
  std::sort(returned_.begin(), returned_.end(), std::greater<>());
  w = Worker{};
}

std::vector<std::size_t> Dispatch::lost(double now) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < workers_.size(); ++i)
    if (there(i) && now - workers_[i].heard > patience_) out.push_back(i), leave(i);
  return out;
}

}  // namespace saltus
