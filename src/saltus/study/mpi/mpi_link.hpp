// The ranks of an MPI job. Only for programs that are built with SALTUS_MPI.
#pragma once
#include <memory>

#include "saltus/study/rank_link.hpp"

namespace saltus {

class MpiLink final : public RankLink {
 public:
  /// Whether a launcher of MPI programs (mpirun, srun) started this process.
  static bool launched();
  /// Starts MPI; once in a process, and all calls are from the same thread.
  MpiLink(int& argc, char**& argv);
  ~MpiLink() override;
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  void send(std::size_t to, RankTag tag, std::string bytes) override;
  bool receive(RankMessage& message) override;

  /// The end of MPI, when all messages have left. Where ranks may be dead, MPI can wait for them for ever:
  /// the process then ends with this code after half a minute.
  void finish(int code);

 private:
  struct Pending;
  void forget_what_has_left();

  std::size_t rank_ = 0, size_ = 1;
  std::vector<std::unique_ptr<Pending>> pending_;
};

}  // namespace saltus
