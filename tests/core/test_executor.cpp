// Every job once, whoever runs them; what a job throws comes out.
#include "saltus/core/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "saltus/core/error.hpp"
#include "saltus/core/threads/thread_executor.hpp"

namespace saltus::test_executor {
namespace {

TEST(Executor, TheSerialOneKeepsTheOrder) {
  std::vector<std::size_t> seen;
  SerialExecutor().run(5, [&](std::size_t k) { seen.push_back(k); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(Executor, EveryJobRunsOnce) {
  const SerialExecutor serial;
  const ThreadExecutor one(1), four(4), all;
  for (const Executor* e : {static_cast<const Executor*>(&serial), static_cast<const Executor*>(&one),
                            static_cast<const Executor*>(&four), static_cast<const Executor*>(&all)}) {
    for (const std::size_t count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> times(count);
      e->run(count, [&](std::size_t k) { ++times[k]; });
      for (const auto& n : times) EXPECT_EQ(n, 1);
    }
  }
}

TEST(Executor, WhatAJobThrowsComesOutAndNoMoreBegin) {
  const SerialExecutor serial;
  const ThreadExecutor three(3);
  for (const Executor* e : {static_cast<const Executor*>(&serial), static_cast<const Executor*>(&three)}) {
    std::atomic<std::size_t> begun{0};
    EXPECT_THROW(e->run(100000,
                        [&](std::size_t) {
                          ++begun;
                          fail("disk full");
                        }),
                 Error);
    EXPECT_LE(begun, 3u);
  }
}

}  // namespace
}  // namespace saltus::test_executor
