// Runs that can be cut: where a run stands between two steps, and how to go on from there.
#pragma once
#include <map>
#include <string>

#include "saltus/run/memory.hpp"
#include "saltus/run/outcome.hpp"
#include "saltus/run/problem.hpp"

namespace saltus {

/// A run that begins here makes the same steps, bit by bit, as the run that wrote it would have made.
struct Checkpoint {
  State state;
  std::int64_t grid_steps = 0;  ///< since the problem's t0, of drivers with a grid
  Memory::Words driver;         ///< what the driver keeps beside the state
  RunStats stats;
  RunResiduals residuals;
  std::vector<Accumulation> accumulations;
  std::map<std::string, Memory::Words> observers;  ///< what those who look at the run keep, by their names
};

/// Where to begin (null: at the start), and whom to give checkpoints: when at least `every` steps were taken
/// since the last one, and where the user stops the run.
struct Checkpoints {
  const Checkpoint* resume = nullptr;
  std::int64_t every = 0;
  std::function<void(const Checkpoint&)> save;

  /// The same for a run with one more observer, which writes and reads its own words. It must outlive them.
  template <class Observer>
  Checkpoints with(const std::string& name, Observer& observer) const {
    Checkpoints out = *this;
    if (resume)
      if (const auto known = resume->observers.find(name); known != resume->observers.end()) {
        Memory m(known->second);
        observer.memory(m);
        m.finish();
      }
    if (save)
      out.save = [next = save, name, &observer](const Checkpoint& c) {
        Checkpoint more = c;
        Memory m;
        observer.memory(m);
        more.observers[name] = m.words();
        next(more);
      };
    return out;
  }
};

/// Whether it can be a checkpoint of any run: contacts within their impulses, numbers that are finite, counts
/// that count. Throws Error naming what is wrong.
void check(const Checkpoint& checkpoint);
/// Whether it can be one of this run: sizes, the time, the rows of its contacts. Throws Error.
void check(const Checkpoint& checkpoint, const Problem& problem);

}  // namespace saltus
