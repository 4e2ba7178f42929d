#include "saltus/core/threads/worker_team.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "saltus/core/threads/lanes.hpp"
#include "saltus/core/threads/pause.hpp"

namespace saltus {
namespace {

constexpr int looks = 4000;   // for a job before a worker sleeps: some 50 microseconds
constexpr int courtesy = 20;  // pauses before parts of others are taken: they may be just about to begin them
constexpr int patience = 1000;  // looks at what others still do before the caller gives way

// The parts of the present job that are left to one worker, in one number, so that a part is taken from the
// present job or not at all: number of the job, end of the worker's parts, and the next of them.
constexpr int part_bits = 22;
constexpr std::uint64_t part_mask = (std::uint64_t{1} << part_bits) - 1;
constexpr int next_of(std::uint64_t ticket) {
  return static_cast<int>(ticket & part_mask);
}
constexpr int end_of(std::uint64_t ticket) {
  return static_cast<int>((ticket >> part_bits) & part_mask);
}
constexpr std::uint64_t ticket_of(std::uint64_t job, int next, int end) {
  return job << (2 * part_bits) | static_cast<std::uint64_t>(end) << part_bits |
         static_cast<std::uint64_t>(next);
}
constexpr bool any_left(std::uint64_t ticket) {
  return next_of(ticket) < end_of(ticket);
}

}  // namespace

// Who waits looks at numbers that change once a job, not at those that a busy worker writes with every part:
// each look would take the memory away from it.
struct WorkerTeam::Desk {
  struct Tray {
    alignas(64) std::atomic<std::uint64_t> ticket{0};
    alignas(64) std::atomic<std::int64_t> done{
        0};  // parts of all jobs that this worker did, whoever's they were
  };
  explicit Desk(int size) : trays(size) {}

  std::vector<Tray> trays;                        // of each worker, the caller's first
  alignas(64) std::atomic<std::uint32_t> job{0};  // its number; workers wait for the next one
  std::atomic<int> asleep{0};
  std::atomic<bool> busy{false}, over{false};
  Part part = nullptr;
  void* context = nullptr;
  std::int64_t goal = 0;  // parts of all jobs so far
  std::vector<std::jthread> workers;

  // Does parts of the present job until none is left: its own, which are the same ones in every job of a
  // size, so that their memory is near; then those of the others. The job stays as it is while a part of it
  // is not done.
  void work(int own) {
    const int size = static_cast<int>(trays.size());
    for (int k = 0; k < size; ++k) {
      std::atomic<std::uint64_t>& ticket = trays[(own + k) % size].ticket;
      std::uint64_t seen = ticket.load(std::memory_order_acquire);
      if (k > 0 && any_left(seen)) {
        for (int wait = 0; wait < courtesy; ++wait) pause();
        seen = ticket.load(std::memory_order_acquire);
      }
      int count = 0;
      while (any_left(seen)) {
        if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
          continue;
        part(context, next_of(seen));
        ++count;
        seen = ticket.load(std::memory_order_acquire);
      }
      if (count > 0) trays[own].done.fetch_add(count, std::memory_order_release);
    }
  }
  std::int64_t parts_done() const {
    std::int64_t sum = 0;
    for (const Tray& t : trays) sum += t.done.load(std::memory_order_acquire);
    return sum;
  }

  void wait_for_jobs(int own) {
    std::uint32_t last = 0;
    while (!over.load(std::memory_order_relaxed)) {
      int k = 0;
      while (k < looks && job.load(std::memory_order_acquire) == last) ++k, pause();
      if (k == looks) {
        asleep.fetch_add(1);
        job.wait(last);
        asleep.fetch_sub(1);
      }
      last = job.load();
      work(own);
    }
  }
  void announce() {
    job.fetch_add(1);
    if (asleep.load() > 0) job.notify_all();
  }
};

WorkerTeam::WorkerTeam(int threads, int cores)
    : cores_(cores > 0 ? cores : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))) {
  if (threads <= 0) threads = cores_;
  desk_ = std::make_unique<Desk>(threads);
  for (int k = 1; k < threads; ++k)
    desk_->workers.emplace_back([desk = desk_.get(), k] { desk->wait_for_jobs(k); });
}

WorkerTeam::~WorkerTeam() {
  desk_->over = true;
  desk_->announce();
  desk_->workers.clear();
}

int WorkerTeam::size() const {
  return static_cast<int>(desk_->workers.size()) + 1;
}

void WorkerTeam::run(int count, Part part, void* context) {
  Desk& d = *desk_;
  if (count <= 1 || d.workers.empty() || count > static_cast<int>(part_mask) || d.busy.exchange(true)) {
    for (int k = 0; k < count; ++k) part(context, k);
    return;
  }
  d.part = part, d.context = context;
  d.goal += count;
  const std::int64_t size = this->size();
  for (std::int64_t k = 0; k < size; ++k)
    d.trays[k].ticket.store(ticket_of(d.job.load() + std::uint64_t{1}, static_cast<int>(count * k / size),
                                      static_cast<int>(count * (k + 1) / size)));
  d.announce();
  d.work(0);
  for (int k = 0; d.parts_done() < d.goal; ++k)
    if (k < patience)
      pause();
    else
      std::this_thread::yield();
  d.busy.store(false);
}

void WorkerTeam::alternate(int units, int rounds, Turn turn, void* context) {
  // more lanes than cores would wait for workers that have no core
  Lanes lanes(units, rounds, std::min(size(), cores_), {turn, context});
  run(
      lanes.count(), [](void* all, int lane) { static_cast<Lanes*>(all)->work(lane); }, &lanes);
}

TeamOfThread::TeamOfThread(int threads) {
  if (threads == 1) return;
  team_ = std::make_unique<WorkerTeam>(threads);
  set_team(team_.get());
}

TeamOfThread::~TeamOfThread() {
  if (team_) set_team(nullptr);
}

}  // namespace saltus
