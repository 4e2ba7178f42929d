// Files of results: what is read back is what was run, also of thinned, of killed and of strange files.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "saltus/catalog/catalog.hpp"
#include "saltus/core/error.hpp"
#include "saltus/result/distance.hpp"
#include "saltus/result/result.hpp"
#include "saltus/run/choose_method.hpp"
#include "support/golden.hpp"

namespace saltus::test_result {
namespace {

class ResultFile : public ::testing::Test {
 protected:
  std::string file(const std::string& name = "run.h5") const { return (folder_ / name).string(); }
  ~ResultFile() override { std::filesystem::remove_all(folder_); }

 private:
  std::filesystem::path folder_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "saltus-XXXXXX").string();
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

ResultInfo info_of(const std::string& problem, long every = 1) {
  ResultInfo info;
  info.problem = problem;
  info.every = every;
  return info;
}

struct Both {
  Trajectory trajectory;
  RunResult result;
};
// One run into memory and into a file.
Both run_both(const std::string& problem, const std::string& file, long every = 1, double t_end = 0) {
  const CatalogProblem p =
      make_problem(problem, {}, t_end > 0 ? std::optional<double>(t_end) : std::optional<double>());
  Both out;
  ResultWriter writer(file, p.problem, info_of(problem, every));
  out.result = run(p.problem, p.method, [&](const Segment& s) { out.trajectory(s), writer(s); });
  writer.finish(out.result);
  return out;
}

void expect_same_bits(const Trajectory& a, const Trajectory& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  ASSERT_EQ(a.multipliers(), b.multipliers()) << what;
  for (int i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a.t(i), b.t(i)) << what;
    ASSERT_EQ(a.on_grid(i), b.on_grid(i)) << what;
    ASSERT_TRUE(a.q(i) == b.q(i) && a.u(i) == b.u(i) && a.psi(i) == b.psi(i)) << what << ", sample " << i;
  }
  ASSERT_EQ(a.events().size(), b.events().size()) << what;
  for (std::size_t i = 0; i < a.events().size(); ++i) {
    const Event &x = a.events()[i], &y = b.events()[i];
    ASSERT_TRUE(x.t == y.t && x.t_before == y.t_before && x.contact == y.contact && x.kind == y.kind &&
                x.from == y.from && x.to == y.to && x.energy_loss == y.energy_loss)
        << what << ", event " << i;
    ASSERT_TRUE(x.impulse.size() == y.impulse.size() && x.impulse == y.impulse && x.u_minus == y.u_minus &&
                x.u_plus == y.u_plus)
        << what << ", event " << i;
  }
  ASSERT_EQ(a.atoms().size(), b.atoms().size()) << what;
  for (std::size_t i = 0; i < a.atoms().size(); ++i) {
    const auto &x = a.atoms()[i], &y = b.atoms()[i];
    ASSERT_TRUE(x.t == y.t && x.contact == y.contact && x.rows == y.rows && x.mode == y.mode) << what;
    for (int r = 0; r < x.rows; ++r) ASSERT_EQ(a.impulse(x, r), b.impulse(y, r)) << what;
  }
}

// The summary, which reads no trajectory, says what the whole file says.
void expect_same(const ResultSummary& s, const Result& r, const std::string& what) {
  const Trajectory& x = r.trajectory;
  EXPECT_EQ(s.info.problem, r.info.problem);
  EXPECT_EQ(s.complete, r.complete) << what;
  ASSERT_EQ(s.samples, static_cast<std::size_t>(x.size())) << what;
  EXPECT_EQ(std::tuple(s.nq, s.nu, s.multipliers), std::tuple(x.nq(), x.nu(), x.multipliers())) << what;
  EXPECT_EQ(std::tuple(s.t_first, s.t_last), std::tuple(x.t(0), x.t(x.size() - 1))) << what;
  EXPECT_EQ(std::tuple(s.energy_first, s.energy_last), std::tuple(r.energy.front(), r.energy.back())) << what;
  EXPECT_EQ(s.contact_residual, *std::max_element(r.contact_residual.begin(), r.contact_residual.end()));
  std::map<std::string, long> events;
  for (const Event& e : x.events()) ++events[std::string(to_string(e.kind))];
  EXPECT_EQ(s.events, events) << what;
  EXPECT_EQ(s.contacts, r.names.size()) << what;
}

TEST_F(ResultFile, ReadsBackTheBitsOfEveryFamilyAndStepping) {
  for (const char* problem : {"bouncing-ball", "woodpecker", "sliding-block", "impact-oscillator",
                              "cubic-slide", "polar-bead", "newtons-cradle", "pendulum"}) {
    const Both ran = run_both(problem, file());
    const Result back = read_result(file());
    expect_same_bits(ran.trajectory, back.trajectory, problem);
    expect_same(read_result_summary(file()), back, problem);
    EXPECT_TRUE(back.complete);
    EXPECT_EQ(back.info.problem, problem);
    EXPECT_EQ(back.info.status, to_string(ran.result.status));
    EXPECT_EQ(back.info.state_hash, state_hash(ran.result.final));
    EXPECT_EQ(back.energy.front(), ran.result.energy_initial) << problem;
    EXPECT_EQ(back.energy.back(), ran.result.energy_final) << problem;
  }
}

// Newton's law, integrated: what the contacts gave is what the momentum changed by, less what the force did.
TEST(Impulses, AreAllThereWithEveryStepping) {
  struct Case {
    const char *problem, *scheme, *stepping;
  };
  const Case cases[] = {{"bouncing-ball", "moreau-jean", "fixed:h=0.01"},
                        {"bouncing-ball", "moreau-jean", "adaptive:atol=1e-4"},
                        {"bouncing-ball", "runge-kutta", "event-capturing:h=0.1"},
                        {"bouncing-ball", "moreau-midpoint", "switching:h_min=1e-4"},
                        {"bouncing-ball", "symplectic-euler", "event-location:h=0.05"},
                        {"sliding-block", "moreau-jean", "fixed:h=0.01"},
                        {"sliding-block", "runge-kutta", "event-capturing:h=0.1"}};
  for (const Case& c : cases) {
    const bool ball = std::string(c.problem) == "bouncing-ball";
    const CatalogProblem p = make_problem(c.problem, {}, ball ? 4.0 : 2.0);
    const Method method = choose_method(p.method, {c.scheme, c.stepping, "", ""});
    Trajectory trajectory;
    const RunResult r = run(p.problem, method, trajectory.sink());
    ASSERT_EQ(r.status, RunStatus::finished) << r.message;
    double given = 0;
    for (const auto& atom : trajectory.atoms()) given += trajectory.impulse(atom, 0);
    const double needed = ball ? r.final.u[0] + 2 * r.final.t : 9.81 * std::cos(0.3) * r.final.t;
    // event capturing: a closing contact is located, and its last rebounds are dropped, to a critical step
    const double exact = std::string(c.scheme) == "runge-kutta" && ball ? 1e-7 : 1e-9;
    EXPECT_NEAR(given, needed, exact) << c.problem << ", " << c.scheme << ", " << c.stepping;
  }
}

TEST_F(ResultFile, AThinnedFileKeepsBothSidesOfEventsAndTheWholeImpulse) {
  const Both ran = run_both("bouncing-ball", file(), 50);
  const Result back = read_result(file());
  const Trajectory &all = ran.trajectory, &thin = back.trajectory;
  ASSERT_FALSE(all.events().empty());
  EXPECT_LT(thin.size(), all.size() / 5);
  EXPECT_EQ(thin.t(thin.size() - 1), ran.result.final.t);
  ASSERT_EQ(thin.events().size(), all.events().size());
  for (const Event& e : thin.events())
    for (double t : {e.t_before, e.t}) {
      EXPECT_EQ(thin.u(t), all.u(t)) << "at t = " << t;
      EXPECT_EQ(thin.q(t), all.q(t)) << "at t = " << t;
    }
  const double whole = all.impulse(0, 0, -1, 1e9);
  EXPECT_GT(whole, 0);
  EXPECT_NEAR(thin.impulse(0, 0, -1, 1e9), whole, 1e-12 * whole);  // sums in another order
}

TEST_F(ResultFile, OfAKilledProcessOpensUpToItsLastFlush) {
  const CatalogProblem p = make_problem("bouncing-ball");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ResultWriter writer(file(), p.problem, info_of("bouncing-ball"));
    long k = 0;
    run(p.problem, p.method, [&](const Segment& s) {
      writer(s);
      if (++k == 1000) writer.flush();
      if (k == 1100) std::raise(SIGKILL);
    });
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the run was to be killed";
  const Result back = read_result(file());
  EXPECT_FALSE(back.complete);
  expect_same(read_result_summary(file()), back, "a killed run");
  EXPECT_EQ(back.info.status, "running");
  ASSERT_EQ(back.trajectory.size(), 1001);
  Trajectory all;
  run(p.problem, p.method, all.sink());
  for (int i = 0; i <= 1000; ++i) ASSERT_TRUE(back.trajectory.u(i) == all.u(i)) << i;
}

TEST_F(ResultFile, BadFilesAreRefusedByName) {
  const auto message = [](const std::string& name) {
    try {
      read_result(name);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message(file("none.h5")).find("none.h5"), std::string::npos);
  std::ofstream(file("text.h5")) << "not HDF5";
  EXPECT_NE(message(file("text.h5")).find("cannot be opened as an HDF5 file"), std::string::npos);
  EXPECT_NE(message(testing::test_data("pile2d-3-csc.hdf5")).find("not a file of results"),
            std::string::npos);
  EXPECT_THROW(run_both("bouncing-ball", file("no/such/folder.h5")), Error);
}

TEST(StateHash, ChangesWithOneBit) {
  State x;
  x.q = Vec::Constant(3, 1.0), x.u = Vec::Zero(3);
  State y = x;
  EXPECT_EQ(state_hash(x), state_hash(y));
  y.q[1] = std::nextafter(1.0, 2.0);
  EXPECT_NE(state_hash(x), state_hash(y));
}

// A ball that falls with velocity -1, is thrown back at `jump` and ends at t = 2.
Trajectory bounce(double jump) {
  Trajectory x;
  const auto add = [&](double t, double q, double u) { x.add(t, Vec::Constant(1, q), Vec::Constant(1, u)); };
  add(0, jump, -1), add(jump, 0, -1), add(jump, 0, 1), add(2, 2 - jump, 1);
  return x;
}

TEST(Distance, OfABounceThatIsLateIsItsDelayInTheGraphsAndTwiceTheDelayInL1) {
  const double late = 1e-3;
  const TrajectoryError e = distance(bounce(1), bounce(1 + late));
  EXPECT_NEAR(e.u_sup, 2, 1e-12);
  EXPECT_NEAR(e.u_hausdorff, late, 1e-9);
  EXPECT_NEAR(e.u_l1, 2 * late, 1e-12);
  EXPECT_NEAR(e.u_l2, std::sqrt(4 * late), 1e-12);
  EXPECT_NEAR(e.q_sup, late, 1e-12);
  EXPECT_NEAR(e.q_final, late, 1e-12);
  const TrajectoryError none = distance(bounce(1), bounce(1));
  EXPECT_EQ(none.u_sup + none.q_sup + none.u_l1 + none.u_hausdorff, 0);
}

TEST(Distance, IsOverTheTimeThatBothHave) {
  Trajectory early;
  early.add(0, Vec::Constant(1, 1.0), Vec::Constant(1, -1.0));
  early.add(0.5, Vec::Constant(1, 0.5), Vec::Constant(1, -1.0));
  EXPECT_NEAR(distance(early, bounce(1)).u_hausdorff, 0, 1e-12);
  Trajectory two;
  two.add(0, Vec::Zero(2), Vec::Zero(2)), two.add(1, Vec::Zero(2), Vec::Zero(2));
  EXPECT_THROW(distance(two, bounce(1)), Error);
}

}  // namespace
}  // namespace saltus::test_result
