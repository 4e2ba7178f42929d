#include "saltus/study/threads/ranks.hpp"

#include <algorithm>
#include <chrono>

#include "saltus/core/error.hpp"

namespace saltus {
namespace {

// seconds
constexpr double look_every = 1e-3;  // at the link
constexpr double sign_every = 1;     // of life
constexpr double leader_lost_after = 60;
constexpr double stop_within = 20;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<NumberedPoint> numbered(const SweepPoints& points, const std::vector<std::size_t>& indexes) {
  std::vector<NumberedPoint> out;
  for (const std::size_t i : indexes) out.push_back({i, points.point(i)});
  return out;
}

void check_hello(const RankHello& hello, std::size_t rank, const std::string& identity) {
  if (!hello.trouble.empty()) fail("rank {} on {}: {}", rank, hello.host, hello.trouble);
  if (hello.identity != identity)
    fail(
        "rank {} on {} would run another sweep: its program or its scene file differs from that of rank 0; "
        "all ranks need the same files",
        rank, hello.host);
}

// The leader's work on one sweep.
class Lead {
 public:
  Lead(RankLink& link, const SweepPoints& points, RowStore& rows, const LeadControl& control)
      : link_(link),
        points_(points),
        rows_(rows),
        control_(control),
        dispatch_(rows, link.size(), control.patience),
        threads_(link.size()),
        gone_(link.size()),
        silent_(link.size()) {}

  void run(PointCrew& crew) {
    dispatch_.join(0, crew.threads(), seconds());
    double sign = seconds();
    const double every = std::min(sign_every, control_.patience / 4);
    while (rows_.count() < rows_.points() && !(control_.interrupt && *control_.interrupt)) {
      const double now = seconds();
      const bool busy = receive(now) + keep_own(crew, now) > 0;
      give(crew, now);
      if (now - sign > every) sign = now, give_signs(now);
      if (!busy) crew.wait(look_every);
    }
  }

  // What other ranks have finished comes before they say goodbye. True when all have.
  bool finish() {
    finishing_ = true;
    to_all(RankTag::stop);
    const auto waits = [&](std::size_t rank) { return !gone_[rank] && !silent_[rank]; };
    const auto any_waits = [&] {
      for (std::size_t rank = 1; rank < link_.size(); ++rank)
        if (waits(rank)) return true;
      return false;
    };
    PointCrew nobody(0, {});
    for (const double until = seconds() + stop_within; any_waits() && seconds() < until;)
      if (receive(seconds()) == 0) nobody.wait(look_every);
    return std::all_of(gone_.begin() + 1, gone_.end(), [](bool x) { return x; });
  }

 private:
  std::size_t receive(double now) {
    std::size_t count = 0;
    for (RankMessage m; link_.receive(m); ++count) {
      silent_[m.from] = false;
      if (m.tag == RankTag::hello) {
        if (finishing_) continue;  // it comes too late
        const RankHello hello = hello_from(m.bytes);
        check_hello(hello, m.from, control_.identity);
        threads_[m.from] = hello.threads;
        dispatch_.join(m.from, hello.threads, now);
      } else if (m.tag == RankTag::rows) {
        if (!dispatch_.there(m.from)) dispatch_.join(m.from, threads_[m.from], now);  // was lost, and is not
        dispatch_.heard(m.from, now);
        keep_rows(m, now);
      } else if (m.tag == RankTag::bye) {
        gone_[m.from] = true;
        if (!finishing_) remark("rank {} was stopped; others run its points", m.from);
        dispatch_.leave(m.from);
      }
    }
    return count;
  }

  void keep_rows(const RankMessage& m, double now) {
    RowRecord record;
    for (std::string_view rest = m.bytes; !rest.empty(); rest.remove_prefix(record.size)) {
      if (!read_record(rest, rows_.points(), rows_.measures(), record) || record.size == 0)
        fail("rank {} sent what is no row", m.from);
      keep(m.from, record.index, record.row, now);
    }
  }
  std::size_t keep_own(PointCrew& crew, double now) {
    const auto list = crew.collect();
    for (const auto& [index, row] : list) keep(0, index, row, now);
    return list.size();
  }
  void keep(std::size_t rank, std::size_t index, const SweepRow& row, double now) {
    if (!dispatch_.done(rank, index, now)) return;
    rows_.add(index, row);
    if (control_.finished) control_.finished();
  }

  void give(PointCrew& crew, double now) {
    for (std::size_t rank = 0; rank < link_.size(); ++rank) {
      const auto given = dispatch_.take(rank, now);
      if (given.empty()) continue;
      if (rank == 0)
        crew.give(numbered(points_, given));
      else
        link_.send(rank, RankTag::work, to_bytes(numbered(points_, given)));
    }
  }

  void give_signs(double now) {
    dispatch_.heard(0, now);
    for (const std::size_t rank : dispatch_.lost(now)) {
      silent_[rank] = true;
      remark("rank {} has not been heard of for {} s; others run its points", rank, control_.patience);
    }
    to_all(RankTag::alive);
  }
  void to_all(RankTag tag) {
    for (std::size_t rank = 1; rank < link_.size(); ++rank)
      if (!gone_[rank]) link_.send(rank, tag, {});
  }

  template <class... Args>
  void remark(fmt::format_string<Args...> text, Args&&... args) const {
    if (control_.remark) control_.remark(fmt::format(text, std::forward<Args>(args)...));
  }

  RankLink& link_;
  const SweepPoints& points_;
  RowStore& rows_;
  const LeadControl& control_;
  Dispatch dispatch_;
  std::vector<std::size_t> threads_;  // of each rank, by its own word
  std::vector<bool> gone_, silent_;   // said goodbye; were lost
  bool finishing_ = false;
};

}  // namespace

bool lead(RankLink& link, const SweepPoints& points, const RunPoint& run, RowStore& rows,
          const LeadControl& control) {
  Lead work(link, points, rows, control);
  {
    PointCrew crew(control.threads, run);
    work.run(crew);
  }
  return work.finish();
}

void dismiss(RankLink& link) {
  for (std::size_t rank = 1; rank < link.size(); ++rank) link.send(rank, RankTag::stop, {});
  std::size_t gone = 1;
  PointCrew nobody(0, {});
  for (const double until = seconds() + stop_within; gone < link.size() && seconds() < until;) {
    RankMessage m;
    if (!link.receive(m))
      nobody.wait(look_every);
    else
      gone += m.tag == RankTag::bye;
  }
}

bool follow(RankLink& link, const RankHello& hello, const RunPoint& run, const std::atomic<bool>* interrupt) {
  link.send(0, RankTag::hello, to_bytes(hello));
  PointCrew crew(hello.trouble.empty() ? hello.threads : 0, run);
  double heard = seconds(), sign = heard;
  const auto send_rows = [&](bool always) {
    std::string bytes;
    for (const auto& [index, row] : crew.collect()) bytes += row_record(index, row);
    if (bytes.empty() && !always) return false;
    link.send(0, RankTag::rows, std::move(bytes));
    sign = seconds();
    return true;
  };
  for (bool stop = false; !stop;) {
    bool busy = false;
    for (RankMessage m; !stop && link.receive(m); busy = true) {
      heard = seconds();
      if (m.tag == RankTag::work) crew.give(points_from(m.bytes));
      stop = m.tag == RankTag::stop;
    }
    const double now = seconds();
    if (now - heard > leader_lost_after) return false;
    stop = stop || (interrupt && *interrupt);
    busy = send_rows(now - sign > sign_every) || busy;
    if (!busy && !stop) crew.wait(look_every);
  }
  link.send(0, RankTag::bye, {});
  return true;
}

}  // namespace saltus
