#include "saltus/core/threads/worker_team.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace saltus {
namespace {

constexpr int looks = 4000;     // for a job before a worker sleeps: some 50 microseconds
constexpr int patience = 1000;  // looks at parts that others still do before the caller gives way

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The state of the job in one number, so that a part is taken from the present job or not at all:
// number of the job, parts, and the next part.
constexpr int next_bits = 22, count_bits = 22;
constexpr std::uint64_t next_mask = (std::uint64_t{1} << next_bits) - 1;
constexpr int next_of(std::uint64_t ticket) {
  return static_cast<int>(ticket & next_mask);
}
constexpr int count_of(std::uint64_t ticket) {
  return static_cast<int>((ticket >> next_bits) & next_mask);
}
constexpr bool any_left(std::uint64_t ticket) {
  return next_of(ticket) < count_of(ticket);
}
static_assert(next_bits == count_bits);

}  // namespace

struct WorkerTeam::Desk {
  alignas(64) std::atomic<std::uint64_t> ticket{0};
  alignas(64) std::atomic<int> done{0};
  alignas(64) std::atomic<int> asleep{0};
  std::atomic<std::uint32_t> call{0};  // what sleepers wait on
  std::atomic<bool> busy{false}, over{false};
  Part part = nullptr;
  void* context = nullptr;
  std::uint64_t jobs = 0;
  std::vector<std::jthread> workers;

  // Does parts of the present job until none is left. The job stays as it is while a part of it is not done.
  void work() {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    while (any_left(seen)) {
      if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      part(context, next_of(seen));
      done.fetch_add(1, std::memory_order_release);
      seen = ticket.load(std::memory_order_acquire);
    }
  }
  bool job_or_end() const { return any_left(ticket.load()) || over.load(); }

  void wait_for_jobs() {
    while (!over.load(std::memory_order_relaxed)) {
      int k = 0;
      while (k < looks && !job_or_end()) ++k, pause();
      if (k == looks) {
        asleep.fetch_add(1);
        const std::uint32_t before = call.load();
        if (!job_or_end()) call.wait(before);
        asleep.fetch_sub(1);
      }
      work();
    }
  }
  void wake() {
    call.fetch_add(1);
    call.notify_all();
  }
};

WorkerTeam::WorkerTeam(int threads) : desk_(std::make_unique<Desk>()) {
  if (threads <= 0) threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (int k = 1; k < threads; ++k)
    desk_->workers.emplace_back([desk = desk_.get()] { desk->wait_for_jobs(); });
}

WorkerTeam::~WorkerTeam() {
  desk_->over = true;
  desk_->wake();
  desk_->workers.clear();
}

int WorkerTeam::size() const {
  return static_cast<int>(desk_->workers.size()) + 1;
}

void WorkerTeam::run(int count, Part part, void* context) {
  Desk& d = *desk_;
  if (count <= 1 || d.workers.empty() || count > static_cast<int>(next_mask) || d.busy.exchange(true)) {
    for (int k = 0; k < count; ++k) part(context, k);
    return;
  }
  d.part = part, d.context = context;
  d.done.store(0, std::memory_order_relaxed);
  ++d.jobs;
  d.ticket.store(d.jobs << (next_bits + count_bits) | static_cast<std::uint64_t>(count) << next_bits);
  if (d.asleep.load() > 0) d.wake();
  d.work();
  for (int k = 0; d.done.load(std::memory_order_acquire) < count; ++k)
    if (k < patience)
      pause();
    else
      std::this_thread::yield();
  d.busy.store(false);
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
