// A sweep shared by ranks: the same rows on any number of them, none lost when ranks die, stop or come late.
// The ranks are threads here, with queues as their link.
#include "saltus/study/threads/ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "saltus/study/sweep.hpp"
#include "support/errors.hpp"

namespace saltus::test_ranks {
namespace {

using testing::message_of;

// ---- who gets what

TEST(Dispatch, EveryPointIsGivenOnceAndInOrder) {
  const MemoryRows rows(1000, 1);
  Dispatch d(rows, 3);
  for (std::size_t w = 0; w < 3; ++w) d.join(w, 1 + w, 0);
  EXPECT_EQ(d.threads(), 6u);
  std::vector<std::size_t> all;
  double now = 0;
  for (int round = 0; round < 10'000 && d.open() > 0; ++round)
    for (std::size_t w = 0; w < 3; ++w) {
      now += 0.001;
      for (const std::size_t i : d.take(w, now)) {
        all.push_back(i);
        d.done(w, i, now);
      }
    }
  ASSERT_EQ(all.size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(all[i], i);
}

TEST(Dispatch, WhatIsKnownIsNotGiven) {
  MemoryRows rows(100, 1);
  SweepRow row;
  row.status = SweepRow::Status::finished, row.values = {1};
  for (std::size_t i = 0; i < 100; i += 2) rows.add(i, row);
  Dispatch d(rows, 1);
  EXPECT_EQ(d.open(), 50u);
  d.join(0, 200, 0);
  const auto given = d.take(0, 0);
  EXPECT_EQ(given.size(), 50u);
  for (const std::size_t i : given) EXPECT_EQ(i % 2, 1u);
}

TEST(Dispatch, SlowPointsAreGivenOneByOneAndQuickOnesInPortions) {
  const MemoryRows rows(1'000'000, 1);
  for (const double cost : {1.0, 1e-3, 1e-5}) {
    Dispatch d(rows, 2);
    d.join(0, 1, 0), d.join(1, 1, 0);
    double now = 0;
    std::size_t most = 0;
    for (int round = 0; round < 200; ++round) {
      for (const std::size_t i : d.take(0, now)) {
        now += cost;
        d.done(0, i, now);
      }
      most = std::max(most, d.take(1, now).size());  // never answers
    }
    EXPECT_EQ(most, 2u) << cost;  // nothing is known of it
    const std::size_t portion = d.take(0, now).size();
    EXPECT_NEAR(static_cast<double>(portion), std::clamp(0.2 / cost, 2.0, 500.0),
                0.2 * static_cast<double>(portion));
  }
  // the last ones do not wait behind each other
  const MemoryRows few(8, 1);
  Dispatch d(few, 8);
  for (std::size_t w = 0; w < 8; ++w) d.join(w, 1, 0);
  for (std::size_t w = 0; w < 8; ++w) EXPECT_EQ(d.take(w, 0).size(), 1u);
}

TEST(Dispatch, PointsOfALostWorkerAreGivenToOthersAndARowCountsOnce) {
  MemoryRows rows(10, 1);
  SweepRow row;
  row.status = SweepRow::Status::finished, row.values = {1};
  Dispatch d(rows, 2, 5);
  d.join(0, 1, 0), d.join(1, 4, 0);
  const auto lost = d.take(1, 0);
  ASSERT_FALSE(lost.empty());
  EXPECT_TRUE(d.lost(4).empty());
  d.heard(0, 5.5);
  EXPECT_EQ(d.lost(6), std::vector<std::size_t>{1});
  EXPECT_TRUE(d.lost(7).empty());
  EXPECT_FALSE(d.there(1));
  std::set<std::size_t> seen;
  bool first = true;
  for (double now = 7; d.open() > 0; now += 0.1)
    for (const std::size_t i : d.take(0, now)) {
      if (first && i == lost[0]) {  // a row of the lost one comes after all, before that of the other
        EXPECT_TRUE(d.done(1, i, now));
        rows.add(i, row);
        EXPECT_FALSE(d.done(1, i, now));
        EXPECT_FALSE(d.done(0, i, now));
        first = false;
      } else {
        EXPECT_TRUE(d.done(0, i, now));
        rows.add(i, row);
      }
      EXPECT_TRUE(seen.insert(i).second);
    }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_FALSE(first);
}

// ---- ranks as threads

struct Post {
  std::mutex door;
  std::vector<std::deque<RankMessage>> boxes;
};

class MemoryLink final : public RankLink {
 public:
  MemoryLink(Post& post, std::size_t rank) : post_(post), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return post_.boxes.size(); }
  void send(std::size_t to, RankTag tag, std::string bytes) override {
    const std::lock_guard lock(post_.door);
    if (!dead) post_.boxes[to].push_back({rank_, tag, std::move(bytes)});
  }
  bool receive(RankMessage& message) override {
    const std::lock_guard lock(post_.door);
    auto& box = post_.boxes[rank_];
    if (dead || box.empty()) return false;
    message = std::move(box.front());
    box.pop_front();
    return true;
  }
  std::atomic<bool> dead{false};

 private:
  Post& post_;
  std::size_t rank_;
};

constexpr std::size_t count = 400;

SweepRow compute(const Settings& point, const std::atomic<bool>&) {
  SweepRow row;
  const double x = parse_number(point[0].second, "x");
  row.status = SweepRow::Status::finished;
  if (x < 3) row.status = SweepRow::Status::failed, row.message = "too small\nfor a value";
  row.values = {std::sin(x), std::exp(-x)};
  if (x > 5) row.errors = {1e-9, std::nan("")};
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  return row;
}

struct Sweep {
  SweepPoints points{{parse_axis("x=1:9:400")}};
  MemoryRows rows{count, 2};
  Post post;
  std::vector<std::unique_ptr<MemoryLink>> links;
  std::vector<std::string> remarks;
  std::atomic<bool> interrupt{false};

  explicit Sweep(std::size_t size) {
    post.boxes.resize(size);
    for (std::size_t r = 0; r < size; ++r) links.push_back(std::make_unique<MemoryLink>(post, r));
  }
  LeadControl control() {
    LeadControl out;
    out.identity = "this";
    out.interrupt = &interrupt;
    out.patience = 0.3;
    out.remark = [&](const std::string& words) { remarks.push_back(words); };
    return out;
  }
  std::string table() const {
    std::vector<Measure> measures;
    for (const char* name : {"a = steps", "b = steps"}) measures.push_back(parse_measure(name));
    return sweep_csv(points, measures, rows);
  }
};

std::string expected() {
  Sweep one(1);
  EXPECT_TRUE(lead(*one.links[0], one.points, compute, one.rows, one.control()));
  EXPECT_EQ(one.rows.count(), count);
  return one.table();
}

TEST(Ranks, TheTableIsTheSameOnAnyNumberOfThem) {
  const std::string table = expected();
  for (const std::size_t size : {2u, 4u, 7u}) {
    Sweep s(size);
    std::vector<std::jthread> others;
    std::atomic<int> good = 0;
    for (std::size_t r = 1; r < size; ++r)
      others.emplace_back([&, r] { good += follow(*s.links[r], {r, "here", "this", ""}, compute); });
    EXPECT_TRUE(lead(*s.links[0], s.points, compute, s.rows, s.control()));
    others.clear();
    EXPECT_EQ(good, static_cast<int>(size) - 1);
    EXPECT_EQ(s.table(), table) << size;
    EXPECT_TRUE(s.remarks.empty());
  }
}

TEST(Ranks, OnesThatDieLoseNothing) {
  const std::string table = expected();
  Sweep s(4);
  std::atomic<bool> end{false};
  std::vector<std::jthread> others;
  for (std::size_t r = 1; r < 4; ++r)
    others.emplace_back([&, r] {
      std::atomic<int> done{0};
      const RunPoint run = [&](const Settings& point, const std::atomic<bool>& interrupt) {
        if (r < 3 && ++done == 5 * static_cast<int>(r))
          s.links[r]->dead = true;  // 1 and 2, with points in hand
        return compute(point, interrupt);
      };
      follow(*s.links[r], {1, "here", "this", ""}, run, &end);
    });
  EXPECT_FALSE(lead(*s.links[0], s.points, compute, s.rows, s.control()));
  end = true;
  others.clear();
  EXPECT_EQ(s.rows.count(), count);
  EXPECT_EQ(s.table(), table);
  std::string remarks;  // on a busy machine rank 3 may be late, too: then its points are run twice
  for (const std::string& remark : s.remarks) remarks += remark;
  for (const char* rank : {"rank 1 has not been heard of", "rank 2 has not been heard of"})
    EXPECT_NE(remarks.find(rank), std::string::npos);
}

TEST(Ranks, OneThatIsStoppedSaysGoodbye) {
  const std::string table = expected();
  Sweep s(3);
  std::atomic<bool> end{false};
  std::vector<std::jthread> others;
  for (std::size_t r = 1; r < 3; ++r)
    others.emplace_back([&, r] {
      follow(*s.links[r], {1, "here", "this", ""}, compute, r == 1 ? &end : nullptr);
    });
  LeadControl control = s.control();
  control.finished = [&] { end = s.rows.count() > 50; };
  EXPECT_TRUE(lead(*s.links[0], s.points, compute, s.rows, control));
  others.clear();
  EXPECT_EQ(s.table(), table);
  ASSERT_EQ(s.remarks.size(), 1u);
  EXPECT_EQ(s.remarks[0], "rank 1 was stopped; others run its points");
}

TEST(Ranks, AnInterruptKeepsWhatIsThereAndTheRestCanBeDoneLater) {
  const std::string table = expected();
  Sweep s(3);
  std::vector<std::jthread> others;
  const auto start = [&] {
    for (std::size_t r = 1; r < 3; ++r)
      others.emplace_back([&, r] { follow(*s.links[r], {1, "here", "this", ""}, compute); });
  };
  start();
  LeadControl control = s.control();
  control.finished = [&] { s.interrupt = s.rows.count() >= 100; };
  EXPECT_TRUE(lead(*s.links[0], s.points, compute, s.rows, control));
  others.clear();
  EXPECT_GE(s.rows.count(), 100u);
  EXPECT_LT(s.rows.count(), count);
  s.interrupt = false, control.finished = {};
  start();
  EXPECT_TRUE(lead(*s.links[0], s.points, compute, s.rows, control));
  others.clear();
  EXPECT_EQ(s.table(), table);
}

TEST(Ranks, OneThatWouldRunSomethingElseIsNamedAndAllStop) {
  for (const auto& [identity, trouble, words] :
       {std::tuple{"that", "", "rank 2 on there would run another sweep"},
        {"this", "cannot read 'scene.yaml'", "rank 2 on there: cannot read 'scene.yaml'"}}) {
    Sweep s(3);
    std::vector<std::jthread> others;
    others.emplace_back([&] { EXPECT_TRUE(follow(*s.links[1], {1, "here", "this", ""}, compute)); });
    const RankHello there{1, "there", identity, trouble};
    others.emplace_back([&] { EXPECT_TRUE(follow(*s.links[2], there, compute)); });
    const std::string said = message_of([&] { lead(*s.links[0], s.points, compute, s.rows, s.control()); });
    EXPECT_NE(said.find(words), std::string::npos) << said;
    dismiss(*s.links[0]);
    others.clear();
  }
}

TEST(Ranks, WhatTheStoreThrowsComesOutAndAllStop) {
  Sweep s(3);
  std::vector<std::jthread> others;
  for (std::size_t r = 1; r < 3; ++r)
    others.emplace_back([&, r] { EXPECT_TRUE(follow(*s.links[r], {1, "here", "this", ""}, compute)); });
  LeadControl control = s.control();
  control.finished = [&] {
    if (s.rows.count() == 30) fail("the disk is full");
  };
  EXPECT_EQ(message_of([&] { lead(*s.links[0], s.points, compute, s.rows, control); }), "the disk is full");
  dismiss(*s.links[0]);
  others.clear();
  EXPECT_EQ(s.rows.count(), 30u);
}

TEST(Ranks, MoreOfThemThanPointsIsNoHarm) {
  Sweep s(6);
  s.points.axes = {parse_axis("x=list:1,2,3")};
  MemoryRows rows(3, 2);
  std::vector<std::jthread> others;
  for (std::size_t r = 1; r < 6; ++r)
    others.emplace_back([&, r] { EXPECT_TRUE(follow(*s.links[r], {2, "here", "this", ""}, compute)); });
  EXPECT_TRUE(lead(*s.links[0], s.points, compute, rows, s.control()));
  others.clear();
  EXPECT_EQ(rows.count(), 3u);
}

TEST(Ranks, MessagesAreReadAsTheyWereWritten) {
  const RankHello hello{3, "host", std::string("a\0b", 3), ""};
  const RankHello back = hello_from(to_bytes(hello));
  EXPECT_EQ(std::tie(back.threads, back.host, back.identity, back.trouble),
            std::tie(hello.threads, hello.host, hello.identity, hello.trouble));
  const std::vector<NumberedPoint> points = {{7, {{"e", "0.5"}, {"mode", "drum"}}}, {8, {}}};
  const auto again = points_from(to_bytes(points));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].index, 7u);
  EXPECT_EQ(again[0].values, points[0].values);
  const std::string bytes = to_bytes(points);
  const std::size_t first = to_bytes(std::vector{points[0]}).size();  // a whole message
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    const std::string said = message_of([&] { points_from(bytes.substr(0, cut)); });
    EXPECT_EQ(said == "accepted", cut == first) << cut;
  }
}

}  // namespace
}  // namespace saltus::test_ranks
