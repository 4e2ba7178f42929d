#include "saltus/cli/sweep_ranks.hpp"

#include <sched.h>
#include <unistd.h>

#include <ostream>

#include "saltus/cli/commands.hpp"
#include "saltus/core/error.hpp"
#include "saltus/study/threads/ranks.hpp"

namespace saltus::cli {
namespace {

std::size_t threads_of(const SweepOptions& o) {
  return o.threads > 0 ? static_cast<std::size_t>(o.threads) : 1;
}

std::string host_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "an unknown host";
}

// Cores that this process may run on.
std::size_t own_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<std::size_t>(CPU_COUNT(&set)) : 1024;
}

RunPoint runner(const SweepOptions& o, const Measures& measures) {
  const bool with_parameters = measures.use_parameters(), estimate = o.estimates();
  return
      [&o, &measures, with_parameters, estimate](const Settings& point, const std::atomic<bool>& interrupt) {
        RunControl control;
        control.interrupt = &interrupt;
        const auto make = [&](const Settings& p) { return o.make_case(p, with_parameters); };
        return run_point(point, measures, make, control, estimate);
      };
}

void say(const std::string& words, Console& io) {
  io.err << "saltus: " << words << "\n";
}

}  // namespace

RankGuard::~RankGuard() {
  if (!led_ && ranks) dismiss(*ranks);
}

void lead_ranks(const SweepOptions& o, const SweepPoints& points, const Measures& measures, RowStore& rows,
                const std::function<void()>& finished, RankGuard& guard, Console& io) {
  const std::size_t open = rows.points() - rows.count(), threads = threads_of(o);
  if (open > 0 && open < ranks->size())
    say(fmt::format("{} ranks for {} points: {} have nothing to do", ranks->size(), open,
                    ranks->size() - open),
        io);
  if (const std::size_t cores = own_cores(); threads > cores)
    say(
        fmt::format("rank 0 may use {} cores for {} threads; mpirun binds ranks to cores unless it is told "
                    "otherwise, as by "
                    "--bind-to none",
                    cores, threads),
        io);
  LeadControl control;
  control.threads = threads;
  control.identity = o.run_identity();
  control.interrupt = &io.interrupted;
  control.finished = finished;
  control.remark = [&io](const std::string& words) { say(words, io); };
  lead(*ranks, points, runner(o, measures), rows, control);
  guard.led();
}

int follow_rank(const SweepOptions& o, Console& io) {
  RankHello hello{threads_of(o), host_name(), {}, {}};
  std::optional<Measures> measures;
  try {
    measures.emplace(o.make_measures(o.target.entry().resolve(o.target.settings())));
    hello.identity = o.run_identity();
  } catch (const std::exception& e) {
    hello.trouble = e.what();
  }
  const RunPoint run = measures ? runner(o, *measures) : RunPoint();
  if (follow(*ranks, hello, run, &io.interrupted)) return success;
  say(fmt::format("rank {} on {}: nothing was heard of rank 0 for a minute; the journal has what it kept",
                  ranks->rank(), hello.host),
      io);
  return unfinished;
}

}  // namespace saltus::cli
