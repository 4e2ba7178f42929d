// Frictional contact problems in files: both formats give back what was written, malformed files are refused
// with the name of what is wrong, and laws find their way into the formats and out again.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "saltus/contact/file/friction_problem.hpp"
#include "saltus/contact/solver.hpp"
#include "support/errors.hpp"
#include "support/friction_piles.hpp"
#include "support/golden.hpp"

namespace saltus::test_friction_files {
namespace {

namespace fs = std::filesystem;

class FrictionFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::temp_directory_path() / (std::string("saltus-") + info->name() + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string written(const std::string& text) const {
    std::ofstream(path("bad.fcp")) << text;
    return path("bad.fcp");
  }
  fs::path folder_;
};

const std::string data = testing::test_data({});

template <class F>
void expect_error(F&& f, std::initializer_list<const char*> words) {
  const std::string message = testing::message_of(f);
  for (const char* word : words)
    EXPECT_NE(message.find(word), std::string::npos) << "no '" << word << "' in: " << message;
}

bool without_hdf5() {
  return testing::message_of([] { read_friction_problem("none.hdf5"); }).find("without HDF5") !=
         std::string::npos;
}
#define SKIP_WITHOUT_HDF5() \
  if (without_hdf5()) GTEST_SKIP() << "built without HDF5"

void expect_equal(const FrictionProblem& a, const FrictionProblem& b) {
  EXPECT_EQ(a.dim, b.dim);
  EXPECT_EQ(a.mu, b.mu);
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.local.has_value(), b.local.has_value());
  if (a.local) {
    EXPECT_EQ((a.local->W - b.local->W).norm(), 0);
    EXPECT_EQ(a.local->q, b.local->q);
  }
  ASSERT_EQ(a.global.has_value(), b.global.has_value());
  if (a.global) {
    EXPECT_EQ((a.global->M - b.global->M).norm(), 0);
    EXPECT_EQ((a.global->H - b.global->H).norm(), 0);
    EXPECT_LE((a.global->free - b.global->free).norm(), 1e-15 * a.global->free.norm());
    EXPECT_EQ(a.global->b, b.global->b);
  }
}

TEST_F(FrictionFiles, FcpGivesBackWhatWasWritten) {
  for (const auto& [family, n] : {std::pair{"pile2d", 3}, {"pile3d", 2}, {"wall3d", 2}}) {
    const FrictionProblem p = testing::FrictionPile::make(family, n, 0.3);
    write_friction_problem(path("a.fcp"), p);
    expect_equal(read_friction_problem(path("a.fcp")), p);
  }
}

TEST_F(FrictionFiles, FclibGivesBackWhatWasWritten) {
  SKIP_WITHOUT_HDF5();
  FrictionProblem p = testing::FrictionPile::make("pile3d", 2, 0.3);
  p.solution = Vec::LinSpaced(p.rows(), 0, 1);
  FrictionProblem local = p, global = p;
  local.global.reset();
  global.local.reset();
  for (const FrictionProblem& part : {local, global}) {
    write_friction_problem(path("a.hdf5"), part);
    const FrictionProblem back = read_friction_problem(path("a.hdf5"));
    expect_equal(back, part);
    EXPECT_EQ(back.solution.value(), p.solution.value());
  }
}

TEST_F(FrictionFiles, SamplesAreTheProblemsTheGeneratorMakes) {
  const FrictionProblem sample = read_friction_problem(data + "/pile2d-3.fcp");
  const FrictionProblem made = testing::FrictionPile::make("pile2d", 3, 0.3);
  EXPECT_EQ(sample.mu, made.mu);
  EXPECT_LE((sample.local->W - made.local->W).norm(), 1e-14 * made.local->W.norm());
  EXPECT_LE((sample.local->q - made.local->q).norm(), 1e-14 * made.local->q.norm());
  EXPECT_LE((sample.global->H - made.global->H).norm(), 1e-14 * made.global->H.norm());
}

// One matrix in compressed columns, compressed rows and both readings of triplets.
TEST_F(FrictionFiles, FclibMatricesComeInThreeStorages) {
  SKIP_WITHOUT_HDF5();
  const FrictionProblem p = read_friction_problem(data + "/pile2d-3.fcp");
  for (const char* storage : {"csc", "csr", "triplets", "triplets-swapped"}) {
    const FrictionProblem q = read_friction_problem(data + "/pile2d-3-" + storage + ".hdf5");
    ASSERT_TRUE(q.global.has_value()) << storage;
    EXPECT_LE((q.global->H - p.global->H).norm(), 1e-14 * p.global->H.norm()) << storage;
    EXPECT_LE((q.global->M - p.global->M).norm(), 1e-14 * p.global->M.norm()) << storage;
    EXPECT_LE((q.global->free - p.global->free).norm(), 1e-14 * p.global->free.norm()) << storage;
  }
}

// Both forms of one problem, and both formats, have the same solution up to the tolerance.
TEST_F(FrictionFiles, FormsAndFormatsAgree) {
  const FrictionProblem p = read_friction_problem(data + "/pile3d-2.fcp");
  FrictionProblem local = p;
  local.global.reset();
  const PosedFriction a(p), b(local);
  Vec r = Vec::LinSpaced(p.rows(), -1, 1), y(p.rows()), z(p.rows());
  a.problem.G.apply(r.data(), y.data());
  b.problem.G.apply(r.data(), z.data());
  EXPECT_LE((y - z).norm(), 1e-14 * y.norm());
  EXPECT_NEAR(a.file_residual(r), b.file_residual(r), 1e-14);
}

TEST_F(FrictionFiles, TheResidualIsThatOfTheFormat) {
  FrictionProblem p;  // one contact, W = 1: u = r + q
  p.dim = 3;
  p.mu = {0.5};
  p.local.emplace();
  p.local->W.resize(3, 3);
  p.local->W.setIdentity();
  p.local->q = Vec{{-2, 0, 0}};
  const PosedFriction posed(p);
  EXPECT_EQ(posed.file_residual(Vec{{2, 0, 0}}), 0);
  EXPECT_DOUBLE_EQ(posed.file_residual(Vec{{0, 0, 0}}), 1);  // r = 0: |P_K(−q)| / |q|
  // r = (2, 1, 0), u = (0, 1, 0), ũ = (0.5, 1, 0): r − ũ = (1.5, 0, 0) is in the cone
  EXPECT_DOUBLE_EQ(posed.file_residual(Vec{{2, 1, 0}}), std::sqrt(1.25) / std::sqrt(5));
}

TEST_F(FrictionFiles, ContactsWithoutFrictionBecomeUnilateral) {
  FrictionProblem p = testing::FrictionPile::make("pile2d", 3, 0.3);
  p.mu[1] = 0;
  for (const bool with_bodies : {true, false}) {
    if (!with_bodies) p.global.reset();
    const PosedFriction posed(p);
    EXPECT_EQ(posed.problem.rows(), p.rows() - 1);
    EXPECT_TRUE(std::holds_alternative<Unilateral>(*posed.problem.laws[1]));
    Vec P = Vec::Ones(posed.problem.rows());
    const Vec r = posed.on_file_rows(P);
    EXPECT_EQ(r.size(), p.rows());
    EXPECT_EQ(r[3], 0);
    EXPECT_EQ(r.sum(), p.rows() - 1);
  }
}

TEST_F(FrictionFiles, AProblemOfAStepComesBackTheSame) {
  const FrictionProblem p = testing::FrictionPile::make("pile3d", 2, 0.3);
  PosedFriction posed(p);
  const FrictionProblem again = to_friction_problem(posed.problem, "again");
  ASSERT_TRUE(again.global.has_value());  // its mass is diagonal
  PosedFriction back(again);
  EXPECT_EQ(back.problem.c, posed.problem.c);
  Vec r = Vec::LinSpaced(p.rows(), -1, 1), y(p.rows()), z(p.rows());
  posed.problem.G.apply(r.data(), y.data());
  back.problem.G.apply(r.data(), z.data());
  EXPECT_LE((y - z).norm(), 1e-14 * y.norm());
}

TEST_F(FrictionFiles, JointsGoThroughFclibAndNotThroughFcp) {
  SKIP_WITHOUT_HDF5();
  FrictionProblem p = testing::FrictionPile::make("pile2d", 2, 0.3);
  auto& g = *p.global;
  g.J.resize(1, g.M.rows());
  g.J.insert(0, 0) = 1;  // body 0 keeps its horizontal velocity at 0.25
  g.d = Vec::Constant(1, -0.25);
  write_friction_problem(path("joint.hdf5"), p);
  const FrictionProblem back = read_friction_problem(path("joint.hdf5"));
  PosedFriction posed(back);
  EXPECT_TRUE(std::holds_alternative<Equality>(*posed.problem.laws.back()));
  for (const SolverSpec& spec : {SolverSpec(InteriorPoint{}), SolverSpec(AutomaticSolver{})}) {
    Vec P = Vec::Zero(posed.problem.rows());
    EXPECT_TRUE(make_contact_solver(spec)->solve(posed.problem, P).solved);
    Vec v = g.free;
    const Vec minv = Vec(g.M.diagonal()).cwiseInverse();
    v += minv.cwiseProduct(Vec(g.H.transpose() * posed.on_file_rows(P)));
    v[0] += minv[0] * P[P.size() - 1];
    EXPECT_NEAR(v[0], 0.25, 1e-9);
  }
  expect_error([&] { write_friction_problem(path("joint.fcp"), p); }, {"joint.fcp", "joints", ".hdf5"});
  expect_error([&] { to_friction_problem(posed.problem, ""); }, {"equality", "contact 5"});
}

TEST_F(FrictionFiles, MalformedTextIsRefusedByName) {
  const std::string head = "FCP 1\nname x\ndim 2\nbodies 0\nndof 0\ncontacts 1\n";
  const std::string good = head + "mu\n0.3\nW 1\n0 0 1 0 0 1\nq\n-1 0\nEND\n";
  EXPECT_EQ(read_friction_problem(written(good)).contacts(), 1);
  const auto refuse = [&](const std::string& text, std::initializer_list<const char*> words) {
    expect_error([&] { read_friction_problem(written(text)); }, words);
  };
  refuse("", {"bad.fcp", "header", "FCP 1"});
  refuse("FCP 2\n", {"header", "version 2"});
  refuse(head + "mu 0.3 W 1 0 0 1 0 0 1 q -1 0", {"END", "cut off"});
  refuse(head + "mu 0.3 W 1 0 0 1 0 0 1 q -1", {"q", "ends here"});
  refuse(head + "mu\nabc\n", {":8:", "mu", "'abc'", "number"});
  refuse(head + "mu\nnan\n", {"mu", "nan"});
  refuse(head + "mu\n-0.1\nW 1 0 0 1 0 0 1 q -1 0 END", {"mu", "contact 0", "-0.1"});
  refuse(head + "W 1 0 7 1 0 0 1", {"W", "7", "from 0 to 0"});
  refuse(head + "mu 0.3 END", {"neither"});
  refuse(head + "nu 0.3", {"nu", "no field"});
  refuse("FCP 1 mu 0.3", {"mu", "'dim' must come before"});
  refuse("FCP 1 dim 4", {"dim", "4", "2 to 3"});
  refuse("FCP 1 dim 2 bodies 1 ndof 1 contacts 1 mu 0.3 mass 0 vfree 0 H 0 END", {"mass", "not positive"});
  expect_error([&] { read_friction_problem(path("none.fcp")); }, {"none.fcp", "no such file"});
  expect_error([&] { read_friction_problem(path("x.txt")); }, {"x.txt", ".fcp", ".hdf5"});
  expect_error(
      [&] { write_friction_problem("no/such/folder.fcp", testing::FrictionPile::make("pile2d", 2, 0)); },
      {"no/such/folder.fcp", "no such folder"});
}

TEST_F(FrictionFiles, TextThatWouldReachOutsideIsRefused) {
  const std::string head = "FCP 1 dim 2 bodies 1 ndof 1 contacts 1 mu 0.3 mass 1 vfree 0 ";
  const auto refuse = [&](const std::string& text, std::initializer_list<const char*> words) {
    expect_error([&] { read_friction_problem(written(text)); }, words);
  };
  // sizes that change after something of the old size was read
  refuse(head + "contacts 1000 H 1 999 0 1 1 END", {"contacts", "twice"});
  refuse(head + "dim 3 H 1 0 0 1 1 1 END", {"dim", "twice"});
  refuse(head + "bodies 500000 H 1 0 499999 1 1 END", {"bodies", "twice"});
  refuse(head + "mu 0.3", {"mu", "twice"});
  // products that do not fit an int
  refuse("FCP 1 dim 2 bodies 100000000 ndof 100000000 contacts 1 mu 0.3 H 1 0 99999999 0 0 END",
         {"bodies", "more"});
  refuse("FCP 1 dim 2 contacts 1 mu 0.3 bodies 100000000 ndof 100000000 END", {"neither"});
  // numbers that were announced and are not there
  refuse("FCP 1 dim 2 contacts 100000000 mu 0.3", {"mu", "ends here"});
  refuse("FCP 1 dim 2 contacts 99999999999", {"contacts", "whole number"});
  refuse("FCP 1 dim 2 contacts -1", {"contacts", "-1"});
}

TEST_F(FrictionFiles, AFileWithoutLinesIsRefusedAtOnce) {
  fs::create_symlink("/dev/zero", path("endless.fcp"));
  expect_error([&] { read_friction_problem(path("endless.fcp")); }, {"endless.fcp:1", "line", "bytes"});
}

TEST_F(FrictionFiles, WhatCannotBeWrittenLeavesTheOldFile) {
  const FrictionProblem p = testing::FrictionPile::make("pile2d", 2, 0);
  write_friction_problem(path("p.fcp"), p);
  FrictionProblem joined = p;
  joined.global->J.resize(1, joined.global->M.rows());
  expect_error([&] { write_friction_problem(path("p.fcp"), joined); }, {"joints"});
  EXPECT_EQ(read_friction_problem(path("p.fcp")).contacts(), p.contacts());
  fs::create_symlink("/dev/full", path("full.fcp"));
  expect_error([&] { write_friction_problem(path("full.fcp"), p); }, {"full.fcp", "disk is full"});
}

TEST_F(FrictionFiles, MalformedFclibIsRefusedByName) {
  SKIP_WITHOUT_HDF5();
  std::ofstream(path("text.hdf5")) << "no HDF5 at all";
  expect_error([&] { read_friction_problem(path("text.hdf5")); }, {"text.hdf5", "HDF5"});
  expect_error([&] { read_friction_problem(path("none.h5")); }, {"none.h5", "no such file"});
  FrictionProblem p = testing::FrictionPile::make("pile2d", 2, 0.3);
  p.global.reset();
  const auto refuse = [&](const FrictionProblem& bad, std::initializer_list<const char*> words) {
    write_friction_problem(path("bad.hdf5"), bad);
    expect_error([&] { read_friction_problem(path("bad.hdf5")); }, words);
  };
  FrictionProblem bad = p;
  bad.local->q.conservativeResize(3);
  refuse(bad, {"bad.hdf5", "vectors/q", "3 values", "10 are needed"});
  bad = p;
  bad.mu.push_back(0.1);
  refuse(bad, {"/W", "10 × 10", "12 × 12"});
  bad = p;
  bad.dim = 5;
  refuse(bad, {"spacedim", "5"});
  bad = p;
  bad.local->q[0] = std::nan("");
  refuse(bad, {"vectors/q", "entry 0", "nan"});
}

}  // namespace
}  // namespace saltus::test_friction_files
