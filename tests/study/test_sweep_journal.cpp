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

constexpr std::size_t points = 40, measures = 2;

SweepRow row(std::size_t i) {
  SweepRow out;
  const double x = static_cast<double>(i);
  out.status = i % 5 == 4 ? SweepRow::Status::failed : SweepRow::Status::finished;
  if (i % 10 != 9) out.values = {x / 3, i % 7 == 0 ? std::nan("") : -x};
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
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  std::string text() const { return (std::stringstream() << std::ifstream(file_).rdbuf()).str(); }
  std::string written() const {
    SweepJournal journal(file_, "this sweep", {});
    for (std::size_t i = 0; i < 30; ++i) journal.add((i * 11) % points, row((i * 11) % points));
    return text();
  }
  // The rows that are there; each must be the one that was written.
  std::size_t read_back() const {
    const auto rows = read_journal(file_, "this sweep", points, measures);
    std::size_t n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status == SweepRow::Status::missing) continue;
      const SweepRow expected = row(i);
      EXPECT_EQ(rows[i].status, expected.status);
      EXPECT_EQ(fmt::format("{}", fmt::join(rows[i].values, " ")),
                fmt::format("{}", fmt::join(expected.values, " ")));
      ++n;
    }
    return n;
  }

  fs::path folder_;
  std::string file_;
};

TEST_F(Journal, CutAnywhereItKeepsTheLinesThatAreWhole) {
  const std::string whole = written();
  for (std::size_t keep = 0; keep <= whole.size(); keep += 3) {
    write(whole.substr(0, keep));
    const auto lines = std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(keep), '\n');
    EXPECT_EQ(read_back(), static_cast<std::size_t>(std::max<long>(lines - 1, 0))) << keep;
  }
}

TEST_F(Journal, DamageIsRefusedOrOnlyCostsTheEnd) {
  const std::string whole = written();
  int refused = 0, accepted = 0;
  testing::each_damage(whole, 300, [&](const std::string& bad, const std::string& what) {
    write(bad);
    const std::string said = message_of([&] { read_back(); });  // what is read is what was written
    ++(said == "accepted" ? accepted : refused);
    if (said != "accepted") return;
    // only what a kill leaves: whole lines as they were written, and perhaps a part of one
    const std::string kept = bad.substr(0, bad.rfind('\n') + 1);
    EXPECT_TRUE(whole.starts_with(kept)) << what;
  });
  EXPECT_GT(refused, 1500);
  EXPECT_LT(accepted, 60);
}

TEST_F(Journal, DamageIsNamedWithARemedy) {
  const std::string whole = written();
  std::string bad = whole;
  bad[whole.size() / 2] ^= 1;
  write(bad);
  const std::string said = message_of([&] { read_back(); });
  EXPECT_NE(said.find("of the journal '" + file_ + "' is damaged; to keep"), std::string::npos) << said;
  bad = whole;
  bad[20] ^= 1;
  write(bad);
  EXPECT_NE(message_of([&] { read_back(); }).find("line 1"), std::string::npos);
  write("saltus 0.1.0 sweep bouncing-ball\n0\tfinished\t1,2\t\n");  // as it was before checksums
  EXPECT_NE(message_of([&] { read_back(); }).find("not a journal of this version"), std::string::npos);
  write("my notes");
  EXPECT_NE(message_of([&] { read_back(); }).find("not a journal"), std::string::npos);
}

TEST_F(Journal, AnEndlessLineIsRefusedAtOnce) {
  EXPECT_NE(message_of([] { read_journal("/dev/zero", "this sweep", 1, 1); }).find("bytes"),
            std::string::npos);
  const std::string whole = written();
  fs::resize_file(file_, std::uintmax_t{5} << 30);
  EXPECT_NE(message_of([&] { read_back(); }).find("bytes"), std::string::npos);
}

TEST_F(Journal, LongMessagesAndArgumentsCanBeReadAgain) {
  const std::string identity(500'000, 'x');
  {
    SweepJournal journal(file_, identity, {});
    SweepRow r;
    r.status = SweepRow::Status::failed, r.message = std::string(5'000'000, 'm');
    journal.add(0, r);
  }
  EXPECT_EQ(read_journal(file_, identity, 1, 1)[0].status, SweepRow::Status::failed);
  EXPECT_NE(message_of([&] { SweepJournal(file_, std::string(2'000'000, 'x'), {}); }), "accepted");
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
    SweepJournal journal(file_, "this sweep", {});
    setrlimit(RLIMIT_FSIZE, &small);
    for (std::size_t i = 0; i < points && said == "accepted"; ++i) {
      said = message_of([&] { journal.add(i, row(i)); });
      taken += said == "accepted";
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(said.find("x.csv.journal' failed"), std::string::npos) << said;
    EXPECT_GT(taken, 3u);
    EXPECT_EQ(text().back(), '\n');  // no part of a line
    EXPECT_EQ(read_back(), taken);
    journal.add(taken, row(taken));  // there is room again
  }
  EXPECT_EQ(read_back(), taken + 1);
  // and one that cannot even be started leaves the old one
  const std::string kept = text();
  small.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &small);
  said = message_of([&] { SweepJournal(file_, "this sweep", {}); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(said, "accepted");
  EXPECT_EQ(text(), kept);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Journal, NobodysLinkIsFollowedWhenItIsWritten) {
  const std::string victim = (folder_ / "victim").string();
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, file_ + ".new");
  fs::create_symlink(victim, file_);
  written();
  std::string kept;
  std::ifstream(victim) >> kept;
  EXPECT_EQ(kept, "precious");
}

}  // namespace
}  // namespace saltus::test_sweep_journal
