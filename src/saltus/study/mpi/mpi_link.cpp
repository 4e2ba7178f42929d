#include "saltus/study/mpi/mpi_link.hpp"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace saltus {
namespace {

constexpr unsigned longest_end = 30;  // seconds

volatile std::sig_atomic_t code_at_end = 0;
extern "C" void end_at_once(int) {
  std::_Exit(code_at_end);
}

}  // namespace

struct MpiLink::Pending {
  std::string bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};

bool MpiLink::launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_NUM_TASKS"})
    if (std::getenv(name)) return true;
  return false;
}

MpiLink::MpiLink(int& argc, char**& argv) {
  int level = 0, rank = 0, size = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // a dead rank is no reason to end
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rank_ = static_cast<std::size_t>(rank), size_ = static_cast<std::size_t>(size);
}

MpiLink::~MpiLink() {
  finish(0);
}

void MpiLink::send(std::size_t to, RankTag tag, std::string bytes) {
  forget_what_has_left();
  auto p = std::make_unique<Pending>();
  p->bytes = std::move(bytes);
  const int sent = MPI_Isend(p->bytes.data(), static_cast<int>(p->bytes.size()), MPI_BYTE,
                             static_cast<int>(to), static_cast<int>(tag), MPI_COMM_WORLD, &p->request);
  if (sent == MPI_SUCCESS) pending_.push_back(std::move(p));
}

void MpiLink::forget_what_has_left() {
  std::erase_if(pending_, [](const std::unique_ptr<Pending>& p) {
    int left = 0;
    return MPI_Test(&p->request, &left, MPI_STATUS_IGNORE) != MPI_SUCCESS || left;
  });
}

bool MpiLink::receive(RankMessage& message) {
  int there = 0, size = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || !there)
    return false;
  MPI_Get_count(&status, MPI_BYTE, &size);
  message.from = static_cast<std::size_t>(status.MPI_SOURCE);
  message.tag = static_cast<RankTag>(status.MPI_TAG);
  message.bytes.resize(static_cast<std::size_t>(size));
  return MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void MpiLink::finish(int code) {
  int over = 0;
  MPI_Finalized(&over);
  if (over) return;
  code_at_end = code;
  if (rank_ == 0) {  // others wait for it, which may still write its files
    std::signal(SIGALRM, end_at_once);
    alarm(longest_end);
  }
  // a message to a dead rank may never leave
  for (int tries = 0; tries < 1000 && !pending_.empty(); ++tries) {
    forget_what_has_left();
    if (!pending_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& p : pending_) static_cast<void>(p.release());  // MPI may still read it
  pending_.clear();
  MPI_Finalize();
}

}  // namespace saltus
