// Parts of a job: each is done once, whoever calls and however many workers there are.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "saltus/core/threads/worker_team.hpp"

namespace saltus::test_team {
namespace {

TEST(WorkerTeam, DoesEveryPartOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    WorkerTeam team(threads);
    EXPECT_EQ(team.size(), threads);
    for (int count = 0; count < 200; ++count) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      team.run(
          count, [](void* context, int k) { ++(*static_cast<std::vector<std::atomic<int>>*>(context))[k]; },
          &done);
      for (const auto& d : done) ASSERT_EQ(d.load(), 1) << threads << " threads, " << count << " parts";
    }
  }
}

TEST(WorkerTeam, PartsMayHavePartsAndOtherThreadsMayCall) {
  const TeamOfThread team(3);
  std::atomic<int> sum = 0;
  const auto work = [&] {
    for (int round = 0; round < 200; ++round) for_parts(7, [&](int) { for_parts(5, [&](int) { ++sum; }); });
  };
  {
    std::jthread other(work);
    work();
  }
  EXPECT_EQ(sum.load(), 2 * 200 * 35);
}

TEST(WorkerTeam, ATeamIsThatOfItsThreadOnly) {
  // Another thread, with a run of its own, must not work with a team that ends before it does.
  const TeamOfThread mine(3);
  Team* const before = team();
  std::jthread([before] {
    EXPECT_EQ(team(), nullptr);
    const TeamOfThread other(2);
    EXPECT_NE(team(), nullptr);
    EXPECT_NE(team(), before);
  }).join();
  EXPECT_EQ(team(), before);
}

TEST(WorkerTeam, PiecesDoNotDependOnTheTeam) {
  const auto pieces = [] {
    std::vector<std::pair<int, int>> out(most_pieces);
    const Pieces p(3, 100'003, 1000);
    for_parts(p.count, [&](int k) { out[k] = {p.first(k), p.last(k)}; });
    return out;
  };
  const auto alone = pieces();
  EXPECT_EQ(alone[0].first, 3);
  for (std::size_t k = 1; k < 100; ++k) EXPECT_EQ(alone[k].first, alone[k - 1].second);
  EXPECT_EQ(alone[99].second, 100'003);
  const TeamOfThread team(4);
  EXPECT_EQ(pieces(), alone);
  EXPECT_EQ(Pieces(0, 1999, 1000).count, 1);
  EXPECT_EQ(Pieces(0, 100'000'000, 1000).count, most_pieces);
}

// Each turn sees what its neighbours have done: the same as without a team.
TEST(WorkerTeam, UnitsThatAlternateSeeTheSameNeighbours) {
  const auto rounds_seen = [](int units, int rounds) {
    std::vector<std::atomic<int>> turns(static_cast<std::size_t>(units));
    std::atomic<int> wrong = 0;
    alternate(units, rounds, [&](int u, int r) {
      if (turns[u] != r) ++wrong;
      for (const int v : {u - 1, u + 1})
        if (v >= 0 && v < units && turns[v] != r + u % 2) ++wrong;
      ++turns[u];
    });
    for (const auto& t : turns)
      if (t != rounds) ++wrong;
    return wrong.load();
  };
  const auto all = [&] {
    for (const int units : {1, 2, 3, 4, 5, 7, 16, 17, 33, most_units, most_units + 1})
      for (const int rounds : {0, 1, 2, 5, 40})
        EXPECT_EQ(rounds_seen(units, rounds), 0) << units << " units, " << rounds << " rounds";
  };
  all();
  for (const int threads : {2, 3, 8, 40}) {
    WorkerTeam team(threads, threads);  // as many lanes, whatever the machine
    set_team(&team);
    all();
    std::atomic<int> wrong = 0;
    for_parts(5, [&](int) { wrong += rounds_seen(9, 3); });  // the team is at work
    EXPECT_EQ(wrong.load(), 0);
    set_team(nullptr);
  }
}

TEST(WorkerTeam, SumsAreMadeInTheOrderOfTheParts) {
  const auto sum = [] {
    return over_pieces<double>(
        0, 1'000'000, 1000,
        [](int a, int b) {
          double s = 0;
          for (int i = a; i < b; ++i) s += 1.0 / (1 + i);
          return s;
        },
        [](double& all, double part) { all += part; });
  };
  const double alone = sum();
  EXPECT_NEAR(alone, 14.392726722865, 1e-9);
  for (const int threads : {2, 3, 8}) {
    const TeamOfThread team(threads);
    EXPECT_EQ(sum(), alone);
  }
}

}  // namespace
}  // namespace saltus::test_team
