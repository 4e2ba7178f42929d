// A team of threads that stand ready. A part of a job may take a microsecond, so workers look for the next
// job for a while before they sleep; and who is late is not waited for: parts belong to whoever takes them
// first.
#pragma once
#include <memory>

#include "saltus/core/team.hpp"

namespace saltus {

class WorkerTeam final : public Team {
 public:
  /// 0 threads: as many as there are cores. The calling thread is one of them. Jobs whose parts wait for each
  /// other go to no more of them than there are cores (0: of this machine).
  explicit WorkerTeam(int threads = 0, int cores = 0);
  ~WorkerTeam() override;
  int size() const override;
  void run(int count, Part part, void* context) override;
  void alternate(int units, int rounds, Turn turn, void* context) override;

 private:
  struct Desk;
  std::unique_ptr<Desk> desk_;
  int cores_;
};

/// Makes a team that of the calling thread while it exists; with one thread nothing.
class TeamOfThread {
 public:
  explicit TeamOfThread(int threads);
  ~TeamOfThread();
  TeamOfThread(const TeamOfThread&) = delete;
  TeamOfThread& operator=(const TeamOfThread&) = delete;

 private:
  std::unique_ptr<WorkerTeam> team_;
};

}  // namespace saltus
