// A file of results in which bytes were changed is refused, or reads as before.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/result/result.hpp"

#ifdef __SANITIZE_ADDRESS__
// HDF5 1.10 loses 424 bytes for every damaged object header that it refuses, also in a program of twenty
// lines that closes all it opened. Its own lists of free blocks hide the place, so the library is all that
// can be named.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}
#endif

namespace saltus::test_damaged_result {
namespace {

namespace fs = std::filesystem;

class DamagedResult : public ::testing::Test {
 protected:
  std::string file(const std::string& name = "run.h5") const { return (folder_ / name).string(); }
  ~DamagedResult() override { fs::remove_all(folder_); }

  // A short run with a scene's text of several kilobytes: HDF5 has no checksum for attributes of that size.
  std::string written() const {
    const CatalogProblem p = make_problem("bouncing-ball", {}, 1.5);
    ResultInfo info;
    info.problem = "bouncing-ball";
    for (int k = 0; k < 500; ++k) info.scene += "a line of a scene\n";
    ResultWriter writer(file(), p.problem, info);
    writer.finish(run(p.problem, p.method, [&](const Segment& s) { writer(s); }));
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& bytes) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  fs::path folder_ = [] {
    std::string name = (fs::temp_directory_path() / "saltus-XXXXXX").string();
    return fs::path(mkdtemp(name.data()));
  }();
};

// All that a reader is told, as text.
std::string told(const Result& r) {
  const auto& i = r.info;
  std::string out =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", i.version, i.problem, i.settings, i.scheme,
                  i.stepping, i.solver, i.scene, i.given, i.changes, i.status, i.message, i.state_hash);
  out += fmt::format("{} {} {}\n", i.t0, i.t_end, i.every);
  const Trajectory& x = r.trajectory;
  for (int k = 0; k < x.size(); ++k)
    out += fmt::format("{} {} {} {} {} {} {}\n", x.t(k), x.q(k)[0], x.u(k)[0], x.on_grid(k), r.energy[k],
                       r.contact_residual[k], r.min_gap[k]);
  for (const Event& e : x.events())
    out += fmt::format("{} {} {} {} {} {} {} {}\n", e.t, e.t_before, e.contact, to_string(e.kind),
                       static_cast<int>(e.from), static_cast<int>(e.to), e.impulse.sum(), e.energy_loss);
  for (const auto& a : x.atoms())
    out += fmt::format("{} {} {} {}\n", a.t, a.contact, a.rows, x.impulse(a, 0));
  for (const auto& [id, name] : r.names) out += fmt::format("{} {}\n", id, name);
  return out;
}

TEST_F(DamagedResult, IsRefusedOrReadsAsBefore) {
  const std::string good = written();
  const std::string before = told(read_result(file()));
  std::mt19937 random(3);
  int refused = 0;
  const int trials = 1500;
  for (int k = 0; k < trials; ++k) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    for (std::size_t n = k % 3 == 0 ? 1 + random() % 40 : 1; n > 0; --n)
      bad[(at + n) % bad.size()] ^= static_cast<char>(1 + random() % 255);
    write(bad);
    try {
      ASSERT_EQ(told(read_result(file())), before) << "byte " << at << " was changed and believed";
    } catch (const Error& e) {
      ++refused;
      ASSERT_NE(std::string(e.what()).find("run.h5"), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(refused, trials / 3);  // the rest lies in space that nothing uses
}

TEST_F(DamagedResult, IsNamedByItsDataset) {
  const std::string good = written();
  std::mt19937 random(4);
  int named = 0;
  for (int k = 0; k < 200; ++k) {
    std::string bad = good;
    bad[random() % bad.size()] ^= 0x10;
    write(bad);
    try {
      read_result(file());
    } catch (const Error& e) {
      const std::string said = e.what();
      named += said.find("/samples/") != std::string::npos || said.find("/contacts/") != std::string::npos ||
               said.find("/events/") != std::string::npos;
    }
  }
  EXPECT_GT(named, 20);
}

TEST_F(DamagedResult, OfALargeSceneIsFoundInItsText) {
  std::string bytes = written();
  const std::size_t at = bytes.find("a line of a scene\na line");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 30] = 'X';
  write(bytes);
  try {
    read_result_info(file());
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("attributes are damaged"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace saltus::test_damaged_result
