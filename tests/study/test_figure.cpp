// Figures: any text and any numbers can be drawn, and nothing but the figure comes of it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "saltus/catalog/catalog.hpp"
#include "saltus/catalog/coordinate_units.hpp"
#include "saltus/core/error.hpp"
#include "saltus/core/plain_text.hpp"
#include "saltus/figure/figure.hpp"
#include "saltus/figure/gnuplot.hpp"
#include "saltus/figure/space_time.hpp"
#include "saltus/figure/thinning.hpp"

namespace saltus::test_figure {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, in which the test works: commands of a shell would leave their files in it.
class Figure : public ::testing::Test {
 protected:
  void SetUp() override {
    if (find_gnuplot().empty()) GTEST_SKIP() << "gnuplot is not installed";
    before_ = fs::current_path();
    std::string name = (fs::temp_directory_path() / "saltus-figure-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::current_path(folder_);
  }
  void TearDown() override {
    if (folder_.empty()) return;
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& e : fs::directory_iterator(folder_)) out.push_back(e.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  fs::path before_, folder_;
};

/// Whether it is well-formed XML, as far as gnuplot's goes: balanced tags, no stray < & or ]]>, quoted
/// attributes. What stands between the tags is decoded into `text`.
bool well_formed(const std::string& xml, std::string& text) {
  std::vector<std::string> open;
  if (plain_text(xml).find("\xEF\xBF\xBD") != std::string::npos &&
      xml.find("\xEF\xBF\xBD") == std::string::npos)
    return false;  // not UTF-8
  for (std::size_t i = 0; i < xml.size();) {
    if (xml.compare(i, 4, "<!--") == 0) {
      i = xml.find("-->", i);
      if (i == std::string::npos) return false;
      i += 3;
    } else if (xml[i] == '<') {
      std::size_t end = i + 1;
      for (char quote = 0; end < xml.size() && (quote || xml[end] != '>'); ++end) {
        if (xml[end] == '<') return false;
        if (quote ? xml[end] == quote : xml[end] == '"' || xml[end] == '\'') quote = quote ? 0 : xml[end];
      }
      if (end >= xml.size()) return false;
      const std::string tag = xml.substr(i + 1, end - i - 1);
      const std::string name = tag.substr(0, tag.find_first_of(" \t\r\n/", 1));
      if (tag[0] == '?' || tag[0] == '!' || tag.back() == '/') {
      } else if (tag[0] == '/') {
        if (open.empty() || "/" + open.back() != name) return false;
        open.pop_back();
      } else {
        open.push_back(name);
      }
      text += '\n';
      i = end + 1;
    } else if (xml[i] == '&') {
      bool known = false;
      for (const auto& [entity, c] :
           {std::pair{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}})
        if (xml.compare(i, std::strlen(entity), entity) == 0) {
          text += c, i += std::strlen(entity), known = true;
          break;
        }
      if (!known) return false;
    } else {
      if (xml.compare(i, 3, "]]>") == 0) return false;
      if (static_cast<unsigned char>(xml[i]) < 0x20 && xml[i] != '\n' && xml[i] != '\t' && xml[i] != '\r')
        return false;
      text += xml[i++];
    }
  }
  return open.empty();
}

Panel panel_of(std::vector<double> x, std::vector<double> y) {
  return {"t", "q", "title", false, {{"curve", "lines lw 2", std::move(x), std::move(y)}}};
}

TEST_F(Figure, NoTextReachesGnuplotAsCode) {
  const std::vector<std::string> nasty = {"`touch A`",
                                          "'`touch B`'",
                                          "\"`touch C`\"",
                                          "'; system 'touch D'; '",
                                          "$(touch E)",
                                          "@touch",
                                          "\nEOD\n!touch F",
                                          "EOD",
                                          "a\\\n!touch G\n",
                                          "x'\n!touch H\n#",
                                          "%s%n%d %%",
                                          "{/Bold x}_2^3",
                                          "]]><b>&amp;",
                                          "\xff\xfe`touch I`",
                                          std::string("a\0`touch J`", 11),
                                          "é ü 漢字 π",
                                          "\x1b[31m",
                                          "\\",
                                          "'",
                                          "#"};
  for (const auto& text : nasty) {
    Panel plain{text, text, text, false, {{text, "lines lw 1", {0, 1}, {1, 2}}}};
    Panel named = plain;
    named.y_names = {text, text + "2"}, named.x_names = {text, text}, named.legend = true;
    Panel coloured = plain;
    coloured.map = ColourMap{2, 2, 0, 1, 0, 1, {1, 2, 3, 4}, text};
    ASSERT_EQ(draw("f.svg", std::vector{plain, named, coloured}), "") << text;
    EXPECT_EQ(files(), std::vector<std::string>{"f.svg"}) << text;
    std::string shown;
    EXPECT_TRUE(well_formed(read("f.svg"), shown)) << text;
    EXPECT_NE(shown.find(plain_text(text)), std::string::npos) << text;
  }
}

TEST_F(Figure, RandomBytesAreLabels) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"`touch X`", "'",  "\"", "\\",   "\n",  "EOD\n", "$(touch Y)",
                                           "@x",        "%g", "{",  "}",    "]]>", "&",     "<",
                                           ";!touch Z", "#",  "\r", "\xC3", "é",   "^_",    "$d0_0"};
  const auto some_text = [&] {
    std::string out;
    for (int k = 0; k < 6; ++k)
      if (random() % 3 == 0)
        out += pieces[random() % pieces.size()];
      else
        out += static_cast<char>(random() % 256);
    return out;
  };
  for (int round = 0; round < 40; ++round) {
    Panel p{some_text(), some_text(), some_text(), false, {{some_text(), "lines lw 1", {0, 1}, {1, 2}}}};
    if (round % 4 == 1) p.y_names = {some_text(), some_text()};
    if (round % 4 == 2) p.map = ColourMap{2, 1, 0, 1, 0, 1, {1, 2}, some_text()};
    ASSERT_EQ(draw("f.svg", {&p, 1}), "") << round;
    EXPECT_EQ(files(), std::vector<std::string>{"f.svg"}) << round;
    std::string shown;
    ASSERT_TRUE(well_formed(read("f.svg"), shown)) << round;
    EXPECT_NE(shown.find(plain_text(p.title)), std::string::npos) << p.title;
  }
}

TEST_F(Figure, StartUpFilesAndVariablesOfTheUserAreNotRead) {
  std::ofstream(".gnuplot") << "!touch A\n";
  std::ofstream("gnuplotrc") << "!touch B\n";
  std::ofstream("gnuplot") << "#!/bin/sh\ntouch C\n";
  fs::permissions("gnuplot", fs::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("HOME", folder_.c_str(), 1);
  setenv("PATH", (".::" + path).c_str(), 1);
  setenv("GNUPLOT_LIB", folder_.c_str(), 1);
  const Panel p = panel_of({0, 1}, {0, 1});
  EXPECT_EQ(draw("f.svg", {&p, 1}), "");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(files(), (std::vector<std::string>{".gnuplot", "f.svg", "gnuplot", "gnuplotrc"}));
}

TEST_F(Figure, EveryKindOfNumberCanBeDrawn) {
  const double nan = std::nan(""), inf = infinity;
  const std::vector<std::vector<double>> series = {{},
                                                   {1},
                                                   {nan},
                                                   {inf, -inf},
                                                   {3, 3, 3},
                                                   {0, 0},
                                                   {1e308, -1e308, 5},
                                                   {1e308, 1e308},
                                                   {1e-320, 2e-320},
                                                   {1, 1 + 1e-16, 1 + 2e-16},
                                                   {1e9, 1e9 + 1e-4},
                                                   {nan, 1, nan, 2, nan},
                                                   {-1, -2, 0},
                                                   {2e-3, 3e-3, 4e-3},
                                                   {1e-310, 1e308}};
  for (const auto& y : series)
    for (int scale = 0; scale < 4; ++scale)
      for (const bool also_x : {false, true}) {
        std::vector<double> x(y);
        if (!also_x)
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
        Panel p = panel_of(x, y);
        p.logarithmic = scale == 1, p.log_x = scale == 2, p.log_y = scale == 3;
        EXPECT_EQ(draw("f.svg", {&p, 1}), "") << ::testing::PrintToString(y) << " scale " << scale;
        std::string shown;
        EXPECT_TRUE(well_formed(read("f.svg"), shown));
        Panel map = p;
        map.map = ColourMap{static_cast<int>(y.size()), 1, 0, also_x && !y.empty() ? y[0] : 1, 0, 0, y, "z"};
        if (scale == 0 && !y.empty()) {
          EXPECT_EQ(draw("f.svg", {&map, 1}), "") << ::testing::PrintToString(y);
        }
      }
  const std::vector<Panel> none(2);
  EXPECT_EQ(draw("f.png", none), "");
  EXPECT_NE(draw("f.svg", {}).find("nothing to draw"), std::string::npos);
}

TEST_F(Figure, ThousandsOfCurvesAreDrawnAndTheLegendSaysHowMany) {
  Panel p{"t", "q", "many", false, {}};
  for (int k = 0; k < 3000; ++k)
    p.curves.push_back({fmt::format("q{}", k), "lines lw 1", {0, 1}, {0, k * 1.0}});
  EXPECT_EQ(draw("f.svg", {&p, 1}), "");
  const std::string svg = read("f.svg");
  EXPECT_NE(svg.find("… and 2977 more"), std::string::npos);
  EXPECT_NE(svg.find("gnuplot_plot_3000"), std::string::npos);
}

TEST_F(Figure, AnOldFigureStaysWhenTheNewOneFailsAndLinksAreNotFollowed) {
  const Panel p = panel_of({0, 1}, {0, 1});
  std::ofstream("victim") << "mine";
  fs::create_symlink("victim", "f.svg.part");
  std::ofstream("f.svg") << "old";
  EXPECT_EQ(draw("f.svg", {&p, 1}), "");
  EXPECT_EQ(read("victim"), "mine");
  EXPECT_NE(read("f.svg").find("</svg>"), std::string::npos);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  EXPECT_NE(draw("f.svg", {&p, 1}).find("gnuplot-nox"), std::string::npos);
  setenv("PATH", path.c_str(), 1);
  EXPECT_NE(read("f.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(files(), (std::vector<std::string>{"f.svg", "f.svg.part", "victim"}));
}

TEST_F(Figure, AFailureHasGnuplotsOwnWords) {
  const Picture bad = run_gnuplot("set terminal svg\nplot nothing_of_this_name\n");
  EXPECT_TRUE(bad.bytes.empty());
  EXPECT_NE(bad.trouble.find("undefined variable: nothing_of_this_name"), std::string::npos) << bad.trouble;
}

TEST_F(Figure, GnuplotIsRunWithoutAChangeOfSignals) {
  struct sigaction before {
  }, after{};
  std::signal(SIGPIPE, SIG_DFL);
  sigaction(SIGPIPE, nullptr, &before);
  // ends before it has read all of the script: the pipe breaks
  const Picture cut = run_gnuplot("exit\n" + std::string(1 << 22, '#'));
  EXPECT_EQ(cut.trouble, "");
  sigaction(SIGPIPE, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(FigureFiles, AreRefusedBeforeTheWorkBegins) {
  for (const char* name : {"a.pdf", "a", "svg", "/nonexistent/a.svg", "/"})
    EXPECT_THROW(check_figure_file(name, "--figure"), Error) << name;
  EXPECT_THROW(check_figure_file("a.png", "--snapshot", true), Error);
  try {
    check_figure_file("a.pdf", "--figure");
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "--figure a.pdf: the name of a figure must end in .svg or .png");
  }
}

TEST(Thinning, NoPeakAndNoGapIsLost) {
  std::mt19937 random(3);
  for (int n : {1, 100, 4999, 5001, 12345, 100000})
    for (int round = 0; round < 20; ++round) {
      const int spike = static_cast<int>(random() % static_cast<unsigned>(n));
      for (const double peak : {5.0, -5.0, std::nan("")}) {
        const auto value = [&](int i) { return i == spike ? peak : std::sin(1e-3 * i); };
        const auto kept = samples_to_draw(n, 5000, value);
        EXPECT_LE(kept.size(), 5000u);
        EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
        EXPECT_EQ(kept.front(), 0);
        EXPECT_EQ(kept.back(), n - 1);
        EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), spike)) << n << " " << spike;
      }
    }
}

TEST(TrajectoryPanels, ShowASpikeOfOneSampleAnywhere) {
  constexpr int n = 50000;
  for (int spike : {1, 777, 25001, 49998}) {
    Trajectory x;
    for (int i = 0; i < n; ++i)
      x.add(1e-3 * i, Vec::Constant(1, i == spike ? 9.0 : 0.0), Vec::Constant(1, i == spike ? -7.0 : 0.0),
            true);
    const auto panels = trajectory_panels(x, nullptr, "spike");
    ASSERT_EQ(panels.size(), 2u);
    const Curve &q = panels[0].curves.at(0), &u = panels[1].curves.at(0);
    EXPECT_EQ(std::count(q.y.begin(), q.y.end(), 9.0), 1) << spike;
    EXPECT_EQ(std::count(u.y.begin(), u.y.end(), -7.0), 1) << spike;
    EXPECT_LE(q.y.size(), 5000u);
    EXPECT_EQ(q.x.back(), 1e-3 * (n - 1));
  }
}

TEST(Thinning, CurvesInThePlaneKeepThePeaksOfBothDirections) {
  constexpr int n = 60000;
  for (int spike : {3, 20001, 59990}) {
    const auto x = [&](int i) { return i == spike ? 3.0 : std::cos(1e-2 * i); };
    const auto y = [&](int i) { return i == spike + 1 ? -3.0 : std::sin(1e-2 * i); };
    const auto kept = samples_to_draw(n, 5000, x, y);
    EXPECT_LE(kept.size(), 5000u);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), spike));
    EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), spike + 1));
  }
}

// Whatever a caller puts into a panel: the script is of a fair size and has every peak.
TEST(FigureScript, ThinsLongCurvesAndKeepsTheirPeaks) {
  Curve c{"", "lines lw 1", {}, {}};
  for (int i = 0; i < 200000; ++i) c.x.push_back(i), c.y.push_back(i == 123457 ? -5680.5 : 0);
  const Panel panel{"t [s]", "force [N]", "", false, {c}};
  const std::string script = figure_script({&panel, 1});
  EXPECT_NE(script.find("123457 -5680.5\n"), std::string::npos);
  EXPECT_LT(std::count(script.begin(), script.end(), '\n'), 5100);
}

TEST(FigureScript, PutsLegendsBesideThePlot) {
  const Panel panel{
      "t [s]", "q [m]", "", false, {{"one", "lines", {0, 1}, {0, 1}}, {"two", "lines", {0, 1}, {1, 0}}}};
  EXPECT_NE(figure_script({&panel, 1}).find("set key on outside"), std::string::npos);
}

TEST(TrajectoryPanels, NameUnitsOnTheirAxes) {
  Trajectory x;
  for (int i = 0; i < 3; ++i) x.add(i, Vec::Constant(3, i), Vec::Constant(3, i), true);
  const CoordinateLabels labels{{"x", "y", "a"}, {"m", "m", "rad"}, {"m/s", "m/s", "rad/s"}};
  const auto all = trajectory_panels(x, nullptr, "", {}, labels);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].x_label, "t [s]");
  EXPECT_EQ(all[0].y_label, "q [m, rad]");
  EXPECT_EQ(all[1].y_label, "u [m/s, rad/s]");
  EXPECT_EQ(all[1].curves[2].title, "a' [rad/s]");
  const int two[] = {0, 1};
  const auto some = trajectory_panels(x, nullptr, "", two, labels);
  EXPECT_EQ(some[0].y_label, "q [m]");
  EXPECT_EQ(some[0].curves[1].title, "y");
  EXPECT_EQ(trajectory_panels(x, nullptr, "")[0].y_label, "q");
}

TEST(CoordinateUnits, EveryProblemOfTheCatalogHasThem) {
  for (const auto& entry : catalog()) {
    const CatalogProblem p = entry.make({}, {});
    const int nq = static_cast<int>(p.problem.q0.size()), nu = static_cast<int>(p.problem.u0.size());
    const CoordinateUnits units = coordinate_units(entry.name, nq, nu);
    EXPECT_EQ(units.q.size(), static_cast<std::size_t>(nq)) << entry.name;
    EXPECT_EQ(units.u.size(), static_cast<std::size_t>(nu)) << entry.name;
  }
  // a beam whose hinge holds x and y: the first coordinate is its angle
  EXPECT_EQ(coordinate_units("flexible-pendulum", 4, 4).q,
            (std::vector<std::string>{"rad", "m", "m", "rad"}));
  EXPECT_TRUE(coordinate_units("no such problem", 2, 2).q.empty());
}

TEST(TrajectoryPanels, LeaveOutWhatASystemDoesNotHave) {
  Trajectory x;
  for (int i = 0; i < 5; ++i) x.add(i, Vec::Constant(2, i), Vec(), true);
  const auto panels = trajectory_panels(x, nullptr, "an ordinary differential equation");
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].title, "an ordinary differential equation");
  EXPECT_EQ(panels[0].curves.size(), 2u);
}

}  // namespace
}  // namespace saltus::test_figure
