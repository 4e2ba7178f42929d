// What a point of a sweep costs beside its run: finding it, keeping its row, writing the table, reducing, and
// the leader's share where ranks run it. Times are those of one point.
#include <benchmark/benchmark.h>

#include <cmath>
#include <filesystem>

#include "saltus/study/dispatch.hpp"
#include "saltus/study/file/sweep_journal.hpp"
#include "saltus/study/rank_link.hpp"
#include "saltus/study/sweep.hpp"
#include "saltus/study/sweep_reduction.hpp"

namespace {

using namespace saltus;

constexpr std::size_t many = 1'000'000;

SweepPoints grid() {
  return {{parse_axis("e=0:1:1000"), parse_axis("h=log:1e-4:1e-1:1000")}};
}
SweepPoints samples(std::size_t parameters, Samples::Kind kind) {
  std::vector<SampledParameter> list;
  for (std::size_t j = 0; j < parameters; ++j)
    list.push_back(parse_sample("p" + std::to_string(j) + "=normal(1, 0.1)"));
  SweepPoints out;
  out.samples.emplace(std::move(list), many, kind, 7);
  return out;
}
SweepRow row_of(std::size_t i) {
  SweepRow row;
  row.status = SweepRow::Status::finished;
  row.values = {std::sin(static_cast<double>(i)), 1.0 / static_cast<double>(i + 1)};
  row.errors = {1e-9, 1e-10};
  return row;
}
std::vector<Measure> measures() {
  std::vector<Measure> out;
  for (const char* text : {"a = steps", "b = steps"}) out.push_back(parse_measure(text));
  return out;
}
class Journal {
 public:
  Journal() : name_((std::filesystem::temp_directory_path() / "saltus-bench.journal").string()) {
    std::filesystem::remove(name_);
    rows = std::make_unique<SweepJournal>(name_, "bench", many, 2, SweepJournal::Start::fresh);
  }
  ~Journal() { std::filesystem::remove(name_); }
  std::unique_ptr<SweepJournal> rows;

 private:
  std::string name_;
};
Journal& full() {
  static Journal journal;
  for (std::size_t i = journal.rows->count(); i < many; ++i) journal.rows->add(i, row_of(i));
  return journal;
}

void point(benchmark::State& state, const SweepPoints& points) {
  std::size_t k = 0;
  for (auto _ : state) benchmark::DoNotOptimize(points.point(k++ % many));
}
BENCHMARK_CAPTURE(point, grid, grid());
BENCHMARK_CAPTURE(point, random_2, samples(2, Samples::Kind::random));
BENCHMARK_CAPTURE(point, sobol_2, samples(2, Samples::Kind::sobol));
BENCHMARK_CAPTURE(point, sobol_32, samples(32, Samples::Kind::sobol));

void journal_add(benchmark::State& state) {
  Journal journal;
  for (auto _ : state) journal.rows->add(journal.rows->count(), row_of(journal.rows->count()));
}
BENCHMARK(journal_add)->Iterations(many);

void journal_read(benchmark::State& state) {
  const SweepJournal& rows = *full().rows;
  std::size_t k = 0;
  for (auto _ : state) benchmark::DoNotOptimize(rows.row(k++ % many));
}
BENCHMARK(journal_read)->Iterations(many);

// Times of the following are of a million points: 1 s is 1 µs a point.
void table(benchmark::State& state) {
  const SweepJournal& rows = *full().rows;
  const SweepPoints points = grid();
  std::size_t size = 0;
  for (auto _ : state)
    write_sweep_csv(points, measures(), rows, [&](std::string_view text) { size += text.size(); });
  state.counters["bytes/point"] = static_cast<double>(size) / many;
}
BENCHMARK(table)->Iterations(1)->Unit(benchmark::kMillisecond);

void reduction(benchmark::State& state, const std::vector<std::string>& by) {
  const SweepJournal& rows = *full().rows;
  const SweepPoints points = grid();
  const Reduction asked = parse_reduction(std::vector<std::string>{"summary,histogram=50"});
  for (auto _ : state) benchmark::DoNotOptimize(reduce(points, rows, asked, by));
}
BENCHMARK_CAPTURE(reduction, of_all, {})->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reduction, by_e, {"e"})->Iterations(1)->Unit(benchmark::kMillisecond);

// The leader's part of a point that another rank runs: given out, its message written; the row's message
// read, the row kept. Without the transport itself.
void leader(benchmark::State& state) {
  Journal journal;
  const SweepPoints points = grid();
  SweepJournal& rows = *journal.rows;
  const std::size_t workers = static_cast<std::size_t>(state.range(0));
  Dispatch dispatch(rows, workers);
  for (std::size_t w = 0; w < workers; ++w) dispatch.join(w, 1, 0);
  double now = 0;
  std::size_t done = 0, next = 0;
  for (auto _ : state) {
    now += 1e-6;
    while (done == next) {  // a worker gets a portion and answers it in one message
      std::vector<NumberedPoint> given;
      const std::size_t worker = done % workers;
      for (const std::size_t i : dispatch.take(worker, now)) given.push_back({i, points.point(i)});
      benchmark::DoNotOptimize(to_bytes(given));
      next += given.size();
      std::string answer;
      for (const auto& p : given) answer += row_record(p.index, row_of(p.index));
      RowRecord record;
      for (std::string_view rest = answer; !rest.empty(); rest.remove_prefix(record.size)) {
        read_record(rest, rows.points(), 2, record);
        if (dispatch.done(worker, record.index, now)) rows.add(record.index, record.row);
      }
      now += 1e-6 * static_cast<double>(given.size());
    }
    ++done;
  }
}
BENCHMARK(leader)->Arg(2)->Arg(1000)->Iterations(500'000);

}  // namespace
