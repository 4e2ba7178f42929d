// The program with MPI (SALTUS_MPI): `mpirun -n 64 saltus sweep …`. Started without a launcher it is the same
// program as without MPI.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "saltus/cli/commands.hpp"
#include "saltus/cli/main.hpp"
#include "saltus/study/mpi/mpi_link.hpp"

namespace {

// What several processes must not do: all the same. Empty when they may.
std::string complaint(const saltus::MpiLink& link, int argc, char** argv) {
  bool sweep = argc < 2, words = argc < 2;  // without a command, with --help or --version it only prints
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    sweep = sweep || text == "sweep";
    words = words || text == "--help" || text == "-h" || text == "--version";
  }
  if (link.size() > 1 && !sweep && !words)
    return "only saltus sweep runs on several ranks; start other commands without mpirun";
  const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (link.size() == 1 && sweep && tasks && std::atoi(tasks) > 1)
    return "srun started programs that do not know of each other; use srun --mpi=pmix (srun --mpi=list shows "
           "what there is)";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (!saltus::MpiLink::launched()) return saltus::cli::main(argc, argv);
  saltus::MpiLink link(argc, argv);
  if (link.rank() > 0) {  // one rank prints results
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  }
  saltus::cli::ranks = &link;
  int code = saltus::cli::bad_input;
  if (const std::string bad = complaint(link, argc, argv); bad.empty())
    code = saltus::cli::main(argc, argv);
  else if (link.rank() == 0)
    std::cerr << "saltus: " << bad << "\n";
  link.finish(code);
  return code;
}
