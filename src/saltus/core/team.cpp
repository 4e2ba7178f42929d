#include "saltus/core/team.hpp"

namespace saltus {
namespace {

thread_local Team* of_thread = nullptr;

}  // namespace

Team* team() {
  return of_thread;
}

void set_team(Team* team) {
  of_thread = team;
}

}  // namespace saltus
