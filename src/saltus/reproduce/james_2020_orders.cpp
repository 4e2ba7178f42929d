// Figures 2, 3 and 6: observed orders on three beads.
#include <array>
#include <cmath>

#include "saltus/reproduce/james_2020.hpp"
#include "saltus/study/convergence.hpp"

namespace saltus::james_2020 {
namespace {

struct Series {
  std::vector<double> h, e;

  /// Slope over the steps in [from, to]; of the upper envelope, because errors of Gauss' method oscillate
  /// with h.
  double order(double from, double to, bool envelope = false) const {
    std::vector<double> x, y;
    double most = 0;
    for (std::size_t i = 0; i < h.size(); ++i) {
      if (h[i] < from * (1 - 1e-9) || h[i] > to * (1 + 1e-9)) continue;
      most = envelope ? std::max(most, e[i]) : e[i];
      x.push_back(h[i]), y.push_back(most);
    }
    return fitted_order(x, y);
  }
};
using All = std::map<std::string, Series>;

// Steps that divide the time, from small to large
std::vector<double> ladder(double t_end, double from, double to, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const double goal = from * std::pow(to / from, static_cast<double>(i) / (count - 1));
    const double h = t_end / std::ceil(t_end / goal * (1 - 1e-12));
    if (out.empty() || h > out.back() * 1.0001) out.push_back(h);
  }
  return out;
}

void measure(All& all, const Settings& settings, double t_end, std::span<const double> steps,
             std::span<const char* const> methods, bool gamma_is_h = false) {
  for (double h : steps) {
    Settings s = settings;
    if (gamma_is_h) s.emplace_back("gamma", text(h));
    const Comparison c("trimer", s, t_end, h);
    for (const char* m : methods) {
      all[m].h.push_back(h);
      all[m].e.push_back(c.errors(m).largest());
    }
  }
}

void write(Findings& out, const std::string& name, const All& all, Panel errors, std::vector<Panel> more) {
  std::vector<std::string> rows;
  int k = 0;
  for (const auto& [method, s] : all) {
    for (std::size_t i = 0; i < s.h.size(); ++i)
      rows.push_back(fmt::format("{},{},{}", method, s.h[i], s.e[i]));
    errors.curves.push_back(points(method, s.h, s.e, k++));
  }
  out.csv(name, "method,h,error", rows);
  more.insert(more.begin(), std::move(errors));
  out.figure(name, more);
}

// What two methods with a large step look like beside the exact motion
Panel motion(const Settings& settings, double t_end, double h, bool velocity) {
  Panel p{time_label,
          velocity ? "velocity [m/s]" : "displacement [m]",
          fmt::format("CN y (crosses) and GL y (diamonds), h = {}", h),
          false,
          {}};
  const Comparison fine("trimer", settings, t_end, t_end / 200), coarse("trimer", settings, t_end, h);
  Trajectory cn, gl;
  coarse.errors("CN y", &cn), coarse.errors("GL y", &gl);
  for (int bead = 0; bead < 3; ++bead) {
    const std::string colour = fmt::format("lc rgb '{}'", colours[bead]);
    p.curves.push_back(
        history(fine.exact(), fmt::format("bead {}", bead + 1), "lines lw 1.5 " + colour, bead, velocity));
    p.curves.push_back(history(cn, "", "points pt 2 " + colour, bead, velocity));
    p.curves.push_back(history(gl, "", "points pt 12 " + colour, bead, velocity));
  }
  return p;
}

bool near(double a, double b, double tolerance = 0.15) {
  return std::abs(a - b) <= tolerance;
}

constexpr const char* direct[] = {"CN x", "CN y", "GL x", "GL y"};
constexpr const char* tailored[] = {"theta", "IRK"};

}  // namespace

void figure_2(Findings& out) {
  const Settings impact = {{"preset", "impact"}};
  All all;
  measure(all, impact, 5, std::array{1e-5, 2e-5, 5e-5}, direct);  // the paper's smallest step
  measure(all, impact, 5, ladder(5, 1e-4, 8e-4, 6), direct);
  measure(all, impact, 5, ladder(5, 1e-3, 2e-2, 120), direct);
  measure(all, impact, 5, ladder(5, 2.2e-2, 0.5, 30), direct);
  Panel errors{"h [s]", "largest error of x, v [m, m/s]", "impact on three beads, t in [0, 5]", true, {}};
  errors.curves.push_back(
      {"slope 3/2", "lines dt 2 lc rgb '#999999'", {1e-4, 0.1}, {2e-6, 2e-6 * std::pow(1e3, 1.5)}});
  errors.curves.push_back(
      {"slope 5/2", "lines dt 3 lc rgb '#999999'", {1e-4, 0.1}, {1e-12, 1e-12 * std::pow(1e3, 2.5)}});
  write(out, "fig-2", all, errors, {motion(impact, 5, 0.5, false), motion(impact, 5, 0.5, true)});
  const double cnx = all["CN x"].order(1e-4, 1e-3), cnx_large = all["CN x"].order(2e-2, 0.2),
               cny = all["CN y"].order(1e-3, 0.1), glx = all["GL x"].order(1e-3, 2e-2, true),
               gly = all["GL y"].order(1e-3, 2e-2, true);
  out.claim("CN on the regularised equations (16) keeps order 2", near(cny, 2), fmt::format("{:.2f}", cny));
  out.claim("CN (12) has order near 2 for large steps and 3/2 below a crossover near h = 1e-2",
            near(cnx, 1.5) && near(cnx_large, 2, 0.25),
            fmt::format("{:.2f} above 2e-2, {:.2f} below 1e-3", cnx_large, cnx));
  out.claim("GL (13)-(14) has order 3/2 (envelope of 120 steps in [0.001, 0.02])", near(glx, 1.5),
            fmt::format("{:.2f}", glx));
  out.claim("GL (17)-(18) has order 5/2 (same envelope)", near(gly, 2.5), fmt::format("{:.2f}", gly));
  const double last = all["GL y"].e[3], smallest = all["GL y"].e.front();
  out.claim("the error of GL (17)-(18) is about 1e-12 at h = 1e-4", last > 1e-13 && last < 1e-11,
            fmt::format("{:.2g}", last));
  out.claim("at h = 1e-5 rounding has its say: about 1e-11 in the paper, with Scilab's tolerances",
            smallest < 1e-11, fmt::format("{:.2g} with stages solved to rounding", smallest));
  const double cnx_small = all["CN x"].order(1e-5, 1e-4), glx_small = all["GL x"].order(1e-5, 1e-3, true);
  out.claim("the orders 3/2 of CN (12) and GL (13)-(14) hold down to h = 1e-5",
            near(cnx_small, 1.5) && near(glx_small, 1.5, 0.25),
            fmt::format("{:.2f} and {:.2f}", cnx_small, glx_small));
  int rises = 0;
  const Series& g = all["GL y"];
  for (std::size_t i = 1; i < g.e.size(); ++i) rises += g.e[i] < g.e[i - 1];
  out.claim("errors of GL do not fall monotonically with h: they oscillate", rises > 5,
            fmt::format("{} of {} neighbours out of order", rises, g.e.size() - 1));
  out.claim("GL (17)-(18) is quite precise even for h = 0.5", g.e.back() < 0.02,
            fmt::format("error {:.2g}", g.e.back()));
}

void figure_3(Findings& out) {
  const Settings compressed = {{"preset", "compressed"}};
  All all;
  measure(all, compressed, 1.5, ladder(1.5, 5e-4, 0.3, 24), direct);
  write(out, "fig-3", all,
        {"h [s]", "largest error of x, v [m, m/s]", "no contact breaks, t in [0, 1.5]", true, {}},
        {motion(compressed, 1.5, 0.3, false)});
  std::string measured;
  bool orders = true, alike = true;
  for (const char* m : direct) {
    const bool gauss = m[0] == 'G';
    const double p = all[m].order(gauss ? 6e-3 : 1e-3, 0.1);
    orders = orders && near(p, gauss ? 4 : 2, 0.1);
    measured += fmt::format("{}{} {:.2f}", measured.empty() ? "" : ", ", m, p);
  }
  out.claim("all schemes keep their orders, 2 and 4", orders, measured);
  const double floor = all["GL y"].e.front();
  out.claim("GL saturates around 1e-13 below h = 1e-3 (ours: below 1e-12)", floor < 1e-12,
            fmt::format("{:.2g}", floor));
  double most = 0;
  for (const char* kind : {"CN", "GL"}) {
    const Series &x = all[std::string(kind) + " x"], &y = all[std::string(kind) + " y"];
    for (std::size_t i = 0; i < x.e.size(); ++i)
      if (x.e[i] > 1e-11) most = std::max(most, std::abs(x.e[i] / y.e[i] - 1));
  }
  alike = most < 0.5;
  out.claim(
      "results are close whether (x, v) or the regularised variables are discretised (errors within 50 %)",
      alike, fmt::format("errors differ by at most {:.0f} %", 100 * most));
}

void figure_6(Findings& out) {
  All smooth, breaking;
  measure(smooth, {{"preset", "compressed"}}, 1.5, ladder(1.5, 5e-4, 0.1, 16), tailored, true);
  measure(breaking, {{"preset", "impact"}}, 5, ladder(5, 2e-4, 0.1, 24), tailored, true);
  All all;
  for (const char* m : tailored)
    all[fmt::format("{}, contacts closed", m)] = smooth[m],
                                           all[fmt::format("{}, contacts break", m)] = breaking[m];
  write(out, "fig-6", all, {"h [s]", "largest error of x, v [m, m/s]", "damping gamma = h", true, {}}, {});
  const double a = smooth["theta"].order(1e-3, 2e-2), b = smooth["IRK"].order(1e-3, 2e-2),
               c = breaking["theta"].order(1e-3, 2e-2), d = breaking["IRK"].order(2e-4, 1e-2);
  out.claim("without breaking contacts theta has order 2 and IRK order 3", near(a, 2) && near(b, 3),
            fmt::format("{:.2f} and {:.2f}", a, b));
  out.claim("with breaking contacts theta keeps 2 and IRK drops to 5/2", near(c, 2) && near(d, 2.5),
            fmt::format("{:.2f} and {:.2f}", c, d));
}

}  // namespace saltus::james_2020
