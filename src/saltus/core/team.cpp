#include "saltus/core/team.hpp"

#include <atomic>

namespace saltus {
namespace {

std::atomic<Team*> of_process = nullptr;

}  // namespace

Team* team() {
  return of_process.load(std::memory_order_relaxed);
}

void set_team(Team* team) {
  of_process.store(team);
}

}  // namespace saltus
