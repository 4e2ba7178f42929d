// Checkpoints that were damaged, or made by hand: refused by name, never believed.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/checksum.hpp"
#include "saltus/result/checkpoint.hpp"
#include "saltus/run/choose_method.hpp"
#include "support/damage.hpp"
#include "support/errors.hpp"

namespace saltus::test_checkpoint_damage {
namespace {

namespace fs = std::filesystem;
using testing::message_of;

class CheckpointDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / (std::string("saltus-") + info->name() + std::to_string(::getpid()));
    fs::create_directory(folder_);
    file_ = (folder_ / "x.ckpt").string();
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  std::string text() const { return (std::stringstream() << std::ifstream(file_).rdbuf()).str(); }

  // A run that leaves its checkpoint in the file.
  void leave(const char* problem, const char* scheme, const char* stepping, double t_end, long every) {
    p_ = make_problem(problem, {}, t_end);
    method_ = choose_method(p_.method, {scheme, stepping, "", ""});
    Checkpoints points;
    points.every = every;
    bool done = false;
    points.save = [&](const Checkpoint& c) {
      if (std::exchange(done, true)) return;
      SavedRun s;
      s.problem = problem, s.scheme = scheme, s.stepping = stepping, s.solver = "automatic";
      s.t_end = t_end, s.every_steps = 1, s.at = c;
      save_checkpoint(file_, s);
    };
    run(p_.problem, method_, {}, {}, points);
    ASSERT_TRUE(done);
  }
  // With the line that begins so in place of the old one, and a checksum that fits.
  std::string crafted(const std::string& whole, const std::string& line) const {
    std::string out;
    bool found = false;
    for (const auto& old : testing::lines_of(whole)) {
      const bool same = old.substr(0, old.find(' ')) == line.substr(0, line.find(' '));
      if (old.starts_with("checksum ")) break;
      out += same ? line + "\n" : old;
      found = found || same;
    }
    EXPECT_TRUE(found) << line;
    return out + fmt::format("checksum {:016x}\n", checksum(out));
  }
  std::string resumed() {
    return message_of([&] {
      const SavedRun back = load_checkpoint(file_);
      Checkpoints points;
      points.resume = &back.at;
      run(p_.problem, method_, {}, {}, points);
    });
  }
  void expect_refused(const std::string& whole, const std::string& line) {
    write(crafted(whole, line));
    EXPECT_NE(resumed(), "accepted") << line;
  }

  fs::path folder_;
  std::string file_;
  CatalogProblem p_;
  Method method_;
};

TEST_F(CheckpointDamage, EveryKindOfDamageIsRefused) {
  leave("sliding-block", "moreau-jean", "fixed:h=0.01", 0.5, 20);
  const std::string whole = text();
  EXPECT_EQ(resumed(), "accepted");
  int seen = 0;
  testing::each_damage(whole, 300, [&](const std::string& bad, const std::string& what) {
    write(bad);
    EXPECT_NE(message_of([&] { load_checkpoint(file_); }), "accepted") << what;
    ++seen;
  });
  EXPECT_GT(seen, 1500);
  for (const char* more : {"\n", " ", "checksum 0123456789abcdef\n", "x"}) {
    write(whole + more);
    EXPECT_NE(message_of([&] { load_checkpoint(file_); }), "accepted") << more;
  }
}

TEST_F(CheckpointDamage, DamageIsNamedWithARemedy) {
  leave("sliding-block", "moreau-jean", "fixed:h=0.01", 0.5, 20);
  std::string whole = text(), flipped = whole;
  flipped[whole.size() / 2] ^= 1;
  write(flipped);
  EXPECT_NE(resumed().find("x.ckpt: is damaged, its checksum does not fit; take another"), std::string::npos);
  write(whole.substr(0, whole.size() / 2));
  EXPECT_NE(resumed().find("cut or was changed"), std::string::npos);
  write("saltus checkpoint 1\n" + whole.substr(whole.find('\n') + 1));
  EXPECT_NE(resumed().find("another version of saltus"), std::string::npos);
  write("saltus: 1\n");
  EXPECT_NE(resumed().find("not a checkpoint"), std::string::npos);
}

TEST_F(CheckpointDamage, AnEndlessOrHugeFileIsRefusedAtOnce) {
  EXPECT_NE(message_of([] { load_checkpoint("/dev/zero"); }).find("not a checkpoint"), std::string::npos);
  write("saltus checkpoint 2");  // and no end of the line
  fs::resize_file(file_, std::uintmax_t{5} << 30);
  EXPECT_NE(message_of([&] { load_checkpoint(file_); }).find("another version"), std::string::npos);
  write("saltus checkpoint 2\n");
  fs::resize_file(file_, std::uintmax_t{5} << 30);
  EXPECT_NE(message_of([&] { load_checkpoint(file_); }).find("at most"), std::string::npos);
}

TEST_F(CheckpointDamage, NumbersOutOfRangeAreRefusedEvenWithAGoodChecksum) {
  leave("sliding-block", "moreau-jean", "fixed:h=0.01", 0.5, 20);
  const std::string whole = text();
  write(crafted(whole, "no_error 1"));
  ASSERT_EQ(resumed(), "accepted");  // crafting as such is possible
  for (const char* line : {"q 99999999999999 0x1p+0",
                           "q 18446744073709551615 0x1p+0",
                           "q -1",
                           "q 1 nan",
                           "q 1 inf",
                           "q 0",
                           "q 3 0x1p+0",
                           "q 1 0x1p+0 0x1p+0",
                           "q 1000 0x1p+0",
                           "q 1  0x1p+0",
                           "u 1 0x1p+0",
                           "aux 1 0x1p+0",
                           "moved 1 0 1000000",
                           "moved 1 2 1",
                           "moved 1 -1 1",
                           "moved 1 4294967296 1",
                           "contacts 1 0 1000000 2 1 1 3",
                           "contacts 1 0 -1 2 1 1 3",
                           "contacts 1 0 0 200 1 1 3",
                           "contacts 1 0 0 6 1 1 3",
                           "contacts 1 0 0 0 1 1 3",
                           "contacts 1 0 0 1 1 1 3",
                           "contacts 1 0 0 2 1 1 9",
                           "contacts 1 0 0 2 7 1 3",
                           "contacts 99999999 0 0 2 1 1 3",
                           "contacts 2 0 0 2 1 1 3 0 0 2 1 1 3",
                           "contacts 1 0 2147483647 2 1 1 3",
                           "impulse 2 nan 0x0p+0",
                           "impulse 0",
                           "scales 0x0p+0 nan",
                           "scales -0x1p+0 0x0p+0",
                           "scales 0x0p+0",
                           "grid_steps -1",
                           "grid_steps 9999999999999999999",
                           "grid_steps 1000000000000000",
                           "grid_steps 3",
                           "t nan",
                           "t inf",
                           "t -0x1p+60",
                           "t 0x1p+60",
                           "t 0x1p-20",
                           "driver 1 5",
                           "driver 0",
                           "driver 3 18446744073709551615 0 0",
                           "stats -1 0 0 0 0 0 0 0 0 0 0x0p+0 0 0",
                           "stats 1 0 0 0 0 0 0 0 0 0 nan 0 0",
                           "stats 1 0 0 0 0 0 0 0 0 0 0x0p+0 0 4294967296",
                           "residuals nan 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 0x0p+0",
                           "accumulations 1 0 nan 0x0p+0 1",
                           "accumulations 9999999 0 0x0p+0 0x0p+0 1",
                           "observers 9999999",
                           "observers 2",
                           "every -5",
                           "output_every 0",
                           "output_every 4294967297",
                           "accept_penetration 2",
                           "settings 100000000",
                           "changes 1",
                           "t_end 1e",
                           "t_end +0x1p+0",
                           "t_end"})
    expect_refused(whole, line);
}

TEST_F(CheckpointDamage, WordsOfDriversAreCheckedBeforeTheyAreUsed) {
  struct Case {
    const char *problem, *scheme, *stepping;
    double t_end;
    long every;
  };
  const std::string most = "18446744073709551615", half = "9223372036854775808", one = "4607182418800017408";
  for (const Case& c : {Case{"rocking-bar", "runge-kutta", "event-capturing:h=0.01", 1, 70},
                        {"bouncing-ball", "runge-kutta", "event-capturing:h=0.05", 5, 60},
                        {"belt-block", "moreau-midpoint", "switching:h_min=1e-4", 10, 100},
                        {"bouncing-ball", "moreau-jean", "adaptive:atol=1e-3", 3, 40},
                        {"bouncing-ball", "symplectic-euler", "event-location:h=0.05", 3, 30},
                        {"trimer", "rk", "adaptive:atol=1e-8", 2, 20},
                        {"homogeneous-chain", "kk-irk", "fixed:h=0.05", 3, 20},
                        {"bouncing-pendulum", "generalized-alpha", "fixed:h=0.01", 1, 20}}) {
    SCOPED_TRACE(fmt::format("{}, {}, {}", c.problem, c.scheme, c.stepping));
    leave(c.problem, c.scheme, c.stepping, c.t_end, c.every);
    const std::string whole = text();
    ASSERT_EQ(resumed(), "accepted");
    std::istringstream line(whole.substr(whole.find("\ndriver ") + 8));
    std::vector<std::string> words;
    std::string end;
    std::getline(line, end);
    std::istringstream in(end);
    for (std::string w; in >> w;) words.push_back(w);
    words.erase(words.begin());
    const auto with = [](const std::vector<std::string>& list) {
      return fmt::format("driver {} {}", list.size(), fmt::join(list, " "));
    };
    auto more = words;
    more.push_back("0");
    expect_refused(whole, with(more));  // a word nobody asks for
    if (words.empty()) continue;
    auto fewer = words;
    fewer.pop_back();
    if (!fewer.empty()) expect_refused(whole, with(fewer));
    // any word may be anything: an answer is all that can be asked for
    for (std::size_t i = 0; i < words.size(); ++i)
      for (const auto& w : {most, half, one, std::string("0"), std::string("1"), std::string("1000000")}) {
        auto other = words;
        other[i] = w;
        write(crafted(whole, with(other)));
        resumed();
      }
  }
}

TEST_F(CheckpointDamage, AStepThatIsNoneIsRefused) {
  leave("trimer", "rk", "adaptive:atol=1e-8", 2, 20);
  const std::string whole = text();
  for (double h : {0.0, -1.0, 1e300, std::nan("")})
    expect_refused(whole, fmt::format("driver 1 {}", std::bit_cast<std::uint64_t>(h)));
}

TEST_F(CheckpointDamage, ACheckpointOfAnotherRunIsRefused) {
  leave("homogeneous-chain", "kk-irk", "fixed:h=0.05", 3, 20);
  const auto refused_for = [&](const char* problem, const Settings& settings, const char* scheme) {
    p_ = make_problem(problem, settings, 3);
    method_ = choose_method(p_.method, {scheme, "fixed:h=0.05", "", ""});
    EXPECT_NE(resumed(), "accepted") << problem << " " << scheme;
  };
  refused_for("newtons-cradle", {}, "kk-irk");
}

TEST_F(CheckpointDamage, BeadsThatDidNotMoveStandWhereTheyStarted) {
  leave("homogeneous-chain", "kk-irk", "fixed:h=0.05", 3, 20);
  const SavedRun back = load_checkpoint(file_);
  const Moved& m = back.at.state.moved;
  ASSERT_NE(m.start, 0u);
  ASSERT_GT(m.end, m.begin + 1);
  expect_refused(text(), fmt::format("moved {} {} {}", m.start, m.end - 1, m.end));
  expect_refused(text(), fmt::format("moved {} {} {}", m.start, m.begin, back.at.state.q.size() + 1));
}

TEST_F(CheckpointDamage, AFullDiskLeavesTheOldCheckpoint) {
  leave("sliding-block", "moreau-jean", "fixed:h=0.01", 0.5, 20);
  const std::string whole = text();
  SavedRun run = load_checkpoint(file_);
  run.at.driver.assign(100'000, 1);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 10'000;
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = message_of([&] { save_checkpoint(file_, run); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(said.find("x.ckpt"), std::string::npos) << said;
  EXPECT_NE(said, "accepted");
  EXPECT_EQ(text(), whole);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()),
            1);  // nothing beside it
}

TEST_F(CheckpointDamage, NobodysLinkIsFollowedWhenItIsWritten) {
  const std::string victim = (folder_ / "victim").string();
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, file_ + ".part");
  leave("sliding-block", "moreau-jean", "fixed:h=0.01", 0.5, 20);
  std::string kept;
  std::ifstream(victim) >> kept;
  EXPECT_EQ(kept, "precious");
}

}  // namespace
}  // namespace saltus::test_checkpoint_damage
