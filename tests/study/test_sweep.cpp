// Sweeps: the product in order, the same table on any number of threads, nothing lost by a bad point, an
// interrupt or a kill.
#include "saltus/study/sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>

#include "saltus/core/error.hpp"
#include "saltus/core/threads/thread_executor.hpp"
#include "saltus/figure/space_time.hpp"
#include "saltus/figure/sweep_figure.hpp"
#include "saltus/study/file/sweep_journal.hpp"

namespace saltus::test_sweep {
namespace {

std::vector<std::string> values(std::string_view text) {
  const SweepAxis axis = parse_axis(text);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < axis.size(); ++i) out.push_back(axis.value(i));
  return out;
}

struct BallSweep {
  SweepPoints points{{parse_axis("e=0.25:1.25:5"), parse_axis("h=log:0.001:0.1:3")}};
  Measures measures = make_measures();
  std::unique_ptr<RowStore> rows = std::make_unique<MemoryRows>(15, 3);

  static Measures make_measures() {
    std::vector<Measure> list;
    for (const char* m : {"loss = energy.initial - energy.final", "final.q[0]", "error.q_sup"})
      list.push_back(parse_measure(m));
    return {std::move(list), find_problem("bouncing-ball").parameters};
  }
  static MeasuredCase make(const Settings& point) {
    const Settings parameters = {point[0]};
    MeasuredCase c{
        make_problem("bouncing-ball", parameters), {}, find_problem("bouncing-ball").resolve(parameters)};
    c.method = c.problem.method;
    set_method_field(c.method, "stepping.h", point[1].second);
    return c;
  }
  void run(const SweepControl& control) { sweep(points, measures, make, *rows, control); }
  std::string csv() const { return sweep_csv(points, measures.list(), *rows); }
};

std::string temporary(const std::string& name) {
  return (std::filesystem::path(::testing::TempDir()) / name).string();
}

TEST(SweepAxis, Texts) {
  using List = std::vector<std::string>;
  EXPECT_EQ(values("e=0.1:0.9:5"), (List{"0.1", "0.3", "0.5", "0.7", "0.9"}));
  EXPECT_EQ(values("n=25:5:3"), (List{"25", "15", "5"}));
  EXPECT_EQ(values("h=log:1e-3:0.1:3"), (List{"0.001", "0.01", "0.1"}));
  EXPECT_EQ(values("mode=list:drum,stirrer"), (List{"drum", "stirrer"}));
  EXPECT_EQ(values("scheme=list:moreau-jean:theta=1,gamma=1;moreau-midpoint"),
            (List{"moreau-jean:theta=1,gamma=1", "moreau-midpoint"}));
  EXPECT_EQ(values("e=0.5"), (List{"0.5"}));
  EXPECT_EQ(values("e=2:2:1"), (List{"2"}));
  for (const char* bad :
       {"", "e", "=1:2:3", "e=", "e=1:2", "e=1:2:0", "e=1:2:x", "e=1:2:3:4", "e=log:0:1:3", "e=log:-1:1:3",
        "e=1:2:1", "e=nan:1:3", "e=0:inf:3", "e=list:1,,2", "e=list:", "e=1:2:99999999"})
    EXPECT_THROW(parse_axis(bad), Error) << bad;
}

TEST(SweepPoints, TheLastVariesFastest) {
  const SweepPoints points{{parse_axis("a=1:2:2"), parse_axis("b=list:x,y,z")}};
  EXPECT_EQ(points.count(), 6u);
  std::string all;
  for (std::size_t i = 0; i < 6; ++i) {
    const Settings p = points.point(i);
    all += p[0].second + p[1].second + " ";
  }
  EXPECT_EQ(all, "1x 1y 1z 2x 2y 2z ");
  EXPECT_THROW((SweepPoints{{points.axes[0], points.axes[0]}}.count()), Error);
  EXPECT_THROW((SweepPoints{{parse_axis("a=1:2:10000"), parse_axis("b=1:2:10000")}}.count()), Error);
  EXPECT_THROW(SweepPoints{}.count(), Error);
}

TEST(SweepPoints, AxesTableAndSamplesAreAProductWithSamplesFastest) {
  SweepPoints points{{parse_axis("a=list:1,2")}};
  points.table.emplace("b,c\n10,x\n20,y\n", "t.csv");
  points.samples.emplace(std::vector{parse_sample("d=uniform(0, 1)"), parse_sample("e=choice(u, v)")}, 3,
                         Samples::Kind::random, 7);
  ASSERT_EQ(points.count(), 12u);
  EXPECT_EQ(points.names(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  for (std::size_t i = 0; i < 12; ++i) {
    const Settings p = points.point(i);
    ASSERT_EQ(p.size(), 5u);
    EXPECT_EQ(p[0].second, i < 6 ? "1" : "2");
    EXPECT_EQ(p[1].second + p[2].second, i / 3 % 2 == 0 ? "10x" : "20y");
    EXPECT_EQ(p[3].second, points.samples->value(i % 3, 0));
    EXPECT_EQ(p[4].second, points.samples->value(i % 3, 1));
  }
  points.axes.push_back(parse_axis("c=1:2:2"));  // also a column
  EXPECT_THROW(points.count(), Error);
}

TEST(Sweep, TheTableIsTheSameOnAnyNumberOfThreadsAndABadPointKeepsItsMessage) {
  BallSweep one, four, serial;
  SweepControl control;
  serial.run(control);
  const ThreadExecutor one_thread(1), four_threads(4);
  control.executor = &one_thread;
  one.run(control);
  control.executor = &four_threads;
  std::size_t seen = 0;
  control.finished = [&] { EXPECT_EQ(four.rows->count(), ++seen); };
  four.run(control);
  EXPECT_EQ(seen, 15u);
  EXPECT_EQ(one.csv(), four.csv());
  EXPECT_EQ(one.csv(), serial.csv());
  for (std::size_t i = 0; i < 15; ++i) {
    const SweepRow row = one.rows->row(i);
    if (i >= 12) {  // e = 1.25
      EXPECT_EQ(row.status, SweepRow::Status::failed);
      EXPECT_NE(row.message.find("bouncing-ball.e = 1.25"), std::string::npos);
      continue;
    }
    EXPECT_EQ(row.status, SweepRow::Status::finished);
    RunResult result;
    EXPECT_EQ(row.values, one.measures.run(BallSweep::make(one.points.point(i)), {}, result)) << i;
  }
}

TEST(Sweep, AnInterruptLeavesTheRestMissingAndTheRestCanBeDoneLater) {
  BallSweep whole, parts;
  whole.run({});
  std::atomic<bool> interrupt{false};
  const ThreadExecutor threads(2);
  SweepControl control;
  control.executor = &threads;
  control.interrupt = &interrupt;
  int done = 0;
  control.finished = [&] { interrupt = ++done >= 4; };
  parts.run(control);
  const std::string partial = parts.csv();
  EXPECT_GE(done, 4);
  EXPECT_LT(done, 15);
  EXPECT_EQ(std::count(partial.begin(), partial.end(), '\n'), done + 1);
  interrupt = false, done = -100;
  parts.run(control);
  EXPECT_EQ(parts.csv(), whole.csv());
}

TEST(Sweep, AJournalCutAnywhereGivesTheSameTable) {
  const auto start = [](const std::string& file, SweepJournal::Start how) {
    return std::make_unique<SweepJournal>(file, "this sweep", 15, 3, how);
  };
  BallSweep whole;
  const std::string file = temporary("sweep.journal");
  std::filesystem::remove(file);
  whole.rows = start(file, SweepJournal::Start::fresh);
  const ThreadExecutor threads;
  SweepControl control;
  control.executor = &threads;
  whole.run(control);
  const std::string table = whole.csv();
  whole.rows.reset();
  BallSweep memory;
  memory.run({});
  EXPECT_EQ(memory.csv(), table);
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::size_t before = 0;
  for (std::size_t cut :
       {std::size_t(0), std::size_t(5), text.size() / 3, text.size() / 2, text.size() - 1, text.size()}) {
    std::ofstream(file, std::ios::binary) << text.substr(0, cut);
    BallSweep again;
    again.rows = start(file, SweepJournal::Start::resume);
    const std::size_t known = again.rows->count();
    EXPECT_GE(known, before) << cut;
    before = known;
    std::size_t ran = 0;
    SweepControl count;
    count.finished = [&] { ++ran; };
    again.run(count);
    EXPECT_EQ(ran, 15 - known) << cut;
    EXPECT_EQ(again.csv(), table) << cut;
  }
  EXPECT_EQ(before, 15u);
}

TEST(Sweep, WhatTheCallbackThrowsComesOut) {
  const ThreadExecutor threads(3);
  for (const Executor* executor :
       {static_cast<const Executor*>(nullptr), static_cast<const Executor*>(&threads)}) {
    BallSweep s;
    SweepControl control;
    control.executor = executor;
    control.finished = [] { fail("disk full"); };
    EXPECT_THROW(s.run(control), Error);
  }
}

TEST(Sweep, FieldsOfTheMethod) {
  Method m;
  EXPECT_TRUE(set_method_field(m, "scheme.theta", "0.75"));
  EXPECT_EQ(std::get<MoreauJean>(m.scheme).theta, 0.75);
  EXPECT_THROW(set_method_field(m, "stepping.atol", "1"), Error);
  EXPECT_THROW(set_method_field(m, "scheme.theta", "2"), Error);
  EXPECT_FALSE(set_method_field(m, "theta", "1"));
  EXPECT_FALSE(set_method_field(m, "body.mass", "1"));
}

TEST(Sweep, PanelsAreCurvesOrAMap) {
  BallSweep s;
  s.run({});
  const auto curves = sweep_panels(s.points, s.measures.list(), *s.rows, "title");
  ASSERT_EQ(curves.size(), 3u);
  ASSERT_EQ(curves[0].curves.size(), 3u);  // one per h, over e
  EXPECT_EQ(curves[0].curves[1].title, "h = 0.01");
  EXPECT_EQ(curves[0].curves[1].y[2], s.rows->row(2 * 3 + 1).values[0]);
  EXPECT_TRUE(std::isnan(curves[0].curves[1].y[4]));
  s.points.axes = {parse_axis("e=0:1:9"), parse_axis("h=log:0.01:0.1:10")};
  s.rows = std::make_unique<MemoryRows>(90, 3);
  s.run({});
  const auto maps = sweep_panels(s.points, s.measures.list(), *s.rows, "title");
  ASSERT_TRUE(maps[1].map);
  EXPECT_EQ(maps[1].map->z[3 * 9 + 7], s.rows->row(7 * 10 + 3).values[1]);
  s.points.axes.push_back(parse_axis("q0=1:2:2"));
  EXPECT_THROW(sweep_panels(s.points, s.measures.list(), *s.rows, ""), Error);
}

// The pulse of a chain of equal balls: each contact hands over the momentum m v0 once, in order.
TEST(SpaceTime, ForcesAddUpToTheImpulsesAndVelocitiesMoveAlong) {
  const CatalogProblem p = make_problem("collinear-chain", {{"n", "6"}});
  const auto& system = static_cast<const System&>(*p.problem.system);
  Trajectory x;
  ASSERT_EQ(run(p.problem, p.method, x.sink()).status, RunStatus::finished);
  const ColourMap force = *space_time_panel(x, &system, WaveQuantity::force, "").map;
  ASSERT_EQ(force.nx, 5);
  const double dt = (p.problem.t_end - p.problem.t0) / force.ny;
  for (int i = 0; i < 5; ++i) {
    double sum = 0;
    for (int row = 0; row < force.ny; ++row) sum += dt * force.z[static_cast<std::size_t>(row) * 5 + i];
    EXPECT_NEAR(sum, x.impulse(static_cast<std::uint64_t>(i), 0, 0, p.problem.t_end), 1e-12) << i;
    EXPECT_GT(sum, 0.9);
  }
  const ColourMap u = *space_time_panel(x, &system, WaveQuantity::u, "").map,
                  q = *space_time_panel(x, &system, WaveQuantity::q, "").map;
  for (int row = 0; row < u.ny; ++row) {
    const double t = u.y0 + (u.y1 - u.y0) * row / (u.ny - 1);
    const Vec expected = x.u(t), moved = x.q(t) - x.q(0.0);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(u.z[static_cast<std::size_t>(row) * 6 + i], expected[i], 1e-6);
      EXPECT_NEAR(q.z[static_cast<std::size_t>(row) * 6 + i], moved[i], 1e-6);
    }
  }
  EXPECT_THROW(space_time_panel(x, nullptr, WaveQuantity::force, ""), Error);
  EXPECT_THROW(space_time_panel(Trajectory{}, &system, WaveQuantity::u, ""), Error);
  EXPECT_THROW(parse_wave_quantity("v"), Error);
}

}  // namespace
}  // namespace saltus::test_sweep
