// Journals of sweeps that were cut, damaged, or met a full disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "saltus/study/file/sweep_journal.hpp"
#include "support/damage.hpp"
#include "support/errors.hpp"

namespace saltus::test_sweep_journal {
namespace {

namespace fs = std::filesystem;
using testing::message_of;
using Start = SweepJournal::Start;

constexpr std::size_t points = 40, measures = 2;

SweepRow row(std::size_t i) {
  SweepRow out;
  const double x = static_cast<double>(i);
  out.status = i % 5 == 4 ? SweepRow::Status::failed : SweepRow::Status::finished;
  if (i % 10 != 9) out.values = {x / 3, i % 7 == 0 ? std::nan("") : -x};
  if (i % 3 == 0 && !out.values.empty()) out.errors = {1e-9 * x, std::nan("")};
  if (out.status == SweepRow::Status::failed) out.message = "step from t = 0:\nnot\tfinite";
  return out;
}

class Journal : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / (std::string("saltus-") + info->name() + std::to_string(::getpid()));
    fs::create_directory(folder_);
    file_ = (folder_ / "x.csv.journal").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }
  std::string text() const { return (std::stringstream() << std::ifstream(file_).rdbuf()).str(); }
  SweepJournal start(SweepJournal::Start how, const std::string& identity = "this sweep",
                     std::size_t count = points, std::size_t width = measures) const {
    return {file_, identity, count, width, how};
  }
  // The bytes of a journal of 30 rows, and where each of them ends.
  std::string written() {
    fs::remove(file_);
    auto journal = start(Start::fresh);
    ends_ = {text().size()};
    for (std::size_t i = 0; i < 30; ++i) {
      journal.add((i * 11) % points, row((i * 11) % points));
      ends_.push_back(fs::file_size(file_));
    }
    return text();
  }
  // The rows that are there; each must be the one that was written.
  std::size_t read_back() const {
    const auto journal = start(Start::resume);
    std::size_t n = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const SweepRow found = journal.row(i), expected = row(i);
      EXPECT_EQ(journal.has(i), found.status != SweepRow::Status::missing);
      if (!journal.has(i)) continue;
      EXPECT_EQ(found.status, expected.status);
      EXPECT_EQ(found.message, expected.message);
      for (const auto& [a, b] :
           {std::pair{&found.values, &expected.values}, {&found.errors, &expected.errors}})
        EXPECT_EQ(fmt::format("{}", fmt::join(*a, " ")), fmt::format("{}", fmt::join(*b, " ")));
      ++n;
    }
    EXPECT_EQ(n, journal.count());
    return n;
  }

  std::vector<std::uintmax_t> ends_;
  fs::path folder_;
  std::string file_;
};

TEST_F(Journal, CutAnywhereItKeepsTheRowsThatAreWhole) {
  const std::string whole = written();
  for (std::size_t keep = 0; keep <= whole.size(); keep += 3) {
    write(whole.substr(0, keep));
    std::size_t rows = 0;
    while (rows < 30 && ends_[rows + 1] <= keep) ++rows;
    EXPECT_EQ(read_back(), rows) << keep;
    EXPECT_EQ(fs::file_size(file_), ends_[rows]) << keep;  // the rest is cut off, the next row follows
  }
}

TEST_F(Journal, GoesOnWhereItWasCut) {
  const std::string whole = written();
  write(whole.substr(0, ends_[20] + 5));
  {
    auto journal = start(Start::resume);
    EXPECT_EQ(journal.count(), 20u);
    for (std::size_t i = 0; i < 30; ++i)
      if (!journal.has((i * 11) % points)) journal.add((i * 11) % points, row((i * 11) % points));
  }
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(read_back(), 30u);
}

TEST_F(Journal, DamageIsRefusedOrOnlyCostsTheEnd) {
  const std::string whole = written();
  int refused = 0, accepted = 0;
  testing::each_damage(whole, 300, [&](const std::string& bad, const std::string& what) {
    write(bad);
    std::size_t kept = 0;
    const std::string said = message_of([&] { kept = read_back(); });  // what is read is what was written
    ++(said == "accepted" ? accepted : refused);
    if (said != "accepted") {
      EXPECT_EQ(text(), bad) << what;  // left as it was
      return;
    }
    // only what a kill leaves: whole rows as they were written, and perhaps a part of one
    EXPECT_EQ(bad.substr(0, ends_[kept]), whole.substr(0, ends_[kept])) << what;
    EXPECT_LT(bad.size() - ends_[kept], longest_record(measures) + 8) << what;
  });
  EXPECT_GT(refused, 1000);
  EXPECT_LT(accepted, 300);
}

TEST_F(Journal, DamageIsNamedWithARemedyThatWorks) {
  const std::string whole = written();
  std::string bad = whole;
  bad[ends_[12] + 20] ^= 1;
  write(bad);
  const std::string said = message_of([&] { read_back(); });
  EXPECT_NE(said.find(fmt::format("row 13 of the journal '{}', at byte {}, is damaged; to keep the 12 rows",
                                  file_, ends_[12])),
            std::string::npos)
      << said;
  fs::resize_file(file_, ends_[12]);  // truncate -s
  EXPECT_EQ(read_back(), 12u);
  bad = whole;
  bad[20] ^= 1;
  write(bad);
  EXPECT_NE(message_of([&] { read_back(); }).find("line 1"), std::string::npos);
  write("saltus journal 2 this sweep\t0123456789abcdef\n0\tfinished\t1,2\t\n");  // as it was in text
  EXPECT_NE(message_of([&] { read_back(); }).find("of another version, which can finish"), std::string::npos);
  write("my notes");
  EXPECT_NE(message_of([&] { read_back(); }).find("not a journal"), std::string::npos);
}

TEST_F(Journal, AnotherSweepAndAnotherWriterAreRefused) {
  written();
  EXPECT_NE(
      message_of([&] { start(Start::resume, "that sweep"); }).find("belongs to another sweep (this sweep)"),
      std::string::npos);
  EXPECT_NE(message_of([&] { start(Start::resume, "this sweep", 14); }), "accepted");
  EXPECT_NE(message_of([&] { start(Start::resume, "this sweep", points, 3); }), "accepted");
  EXPECT_NE(message_of([&] { start(Start::fresh); }).find("--resume"), std::string::npos);
  const auto journal = start(Start::resume);
  EXPECT_NE(message_of([&] { start(Start::resume); }).find("another sweep is writing"), std::string::npos);
  EXPECT_THROW(SweepJournal("no/such/folder/journal", "", 1, 1, Start::fresh), Error);
  EXPECT_THROW(SweepJournal("no/such/folder/journal", "", 1, 1, Start::resume), Error);
}

TEST_F(Journal, FilesWithoutAnEndAreRefusedAtOnce) {
  EXPECT_NE(message_of([] { SweepJournal("/dev/zero", "this sweep", 1, 1, Start::resume); }).find("ordinary"),
            std::string::npos);
  const std::string whole = written();
  fs::resize_file(file_, std::uintmax_t{5} << 30);
  EXPECT_NE(message_of([&] { read_back(); }).find("row 31"), std::string::npos);
}

TEST_F(Journal, LongMessagesAndArgumentsCanBeReadAgain) {
  const std::string identity(500'000, 'x');
  {
    auto journal = start(Start::fresh, identity, 3, 1);
    SweepRow r;
    r.status = SweepRow::Status::failed, r.message = std::string(5'000'000, 'm');
    for (std::size_t i = 0; i < 3; ++i) journal.add(i, r);
  }
  const auto journal = start(Start::resume, identity, 3, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(journal.row(i).message, std::string(longest_message, 'm'));
  EXPECT_NE(message_of([&] { SweepJournal(file_ + "2", std::string(2'000'000, 'x'), 1, 1, Start::fresh); }),
            "accepted");
}

// What a point costs on the disk, and that rows are found again in any order.
TEST_F(Journal, ARowHasSixteenBytesAndEightForEveryNumber) {
  constexpr std::size_t many = 50'000;
  auto journal = start(Start::fresh, "many", many, 1);
  const std::uintmax_t head = fs::file_size(file_);
  SweepRow r;
  r.status = SweepRow::Status::finished;
  for (std::size_t i = 0; i < many; ++i) {
    r.values = {static_cast<double>((i * 7919) % many)};
    journal.add((i * 7919) % many, r);
  }
  EXPECT_EQ(fs::file_size(file_) - head, many * 24);
  const std::vector<double> column = measure_column(journal, 0);
  for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(column[i], static_cast<double>(i));
}

TEST_F(Journal, AFullDiskLosesNoRowThatWasTaken) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 700;
  std::size_t taken = 0;
  std::string said = "accepted";
  {
    auto journal = start(Start::fresh);
    setrlimit(RLIMIT_FSIZE, &small);
    for (std::size_t i = 0; i < points && said == "accepted"; ++i) {
      said = message_of([&] { journal.add(i, row(i)); });
      taken += said == "accepted";
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(said.find("x.csv.journal' failed"), std::string::npos) << said;
    EXPECT_GT(taken, 3u);
    EXPECT_EQ(journal.count(), taken);
    journal.add(taken, row(taken));  // there is room again
  }
  EXPECT_EQ(read_back(), taken + 1);
  // and one that cannot even be started leaves nothing
  fs::remove(file_);
  small.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &small);
  said = message_of([&] { start(Start::fresh); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(said, "accepted");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 0);
}

TEST_F(Journal, NobodysLinkIsFollowedWhenItIsWritten) {
  const std::string victim = (folder_ / "victim").string();
  std::ofstream(victim) << "";
  fs::create_symlink(victim, file_);
  EXPECT_NE(message_of([&] { start(Start::fresh); }), "accepted");
  EXPECT_NE(message_of([&] { start(Start::resume); }).find("symbolic link"), std::string::npos);
  EXPECT_EQ(fs::file_size(victim), 0u);
}

}  // namespace
}  // namespace saltus::test_sweep_journal
