// Figures 10 and 11: the error at a given step over the damping; which scheme is best where.
#include <array>
#include <cmath>

#include "saltus/reproduce/james_2020.hpp"

namespace saltus::james_2020 {
namespace {

struct Sweep {
  std::vector<double> gamma, size;
  std::map<std::string, std::vector<double>> error;

  /// Over the samples with gamma in [a, b]: how many have the smallest (largest) error with this method.
  int count(const std::string& method, double a, double b, bool smallest) const {
    int n = 0;
    for (std::size_t i = 0; i < gamma.size(); ++i) n += inside(i, a, b) && wins(method, i, smallest);
    return n;
  }
  int samples(double a, double b) const {
    int n = 0;
    for (std::size_t i = 0; i < gamma.size(); ++i) n += inside(i, a, b);
    return n;
  }
  bool always(const std::string& method, double a, double b, bool smallest) const {
    return count(method, a, b, smallest) == samples(a, b);
  }
  std::string share(const std::string& method, double a, double b, bool smallest) const {
    return fmt::format("{} of {} samples", count(method, a, b, smallest), samples(a, b));
  }

 private:
  bool inside(std::size_t i, double a, double b) const {
    return gamma[i] >= a - 1e-12 && gamma[i] <= b + 1e-12;
  }
  bool wins(const std::string& method, std::size_t i, bool smallest) const {
    for (const auto& [other, e] : error)
      if (smallest ? e[i] < error.at(method)[i] : e[i] > error.at(method)[i]) return false;
    return true;
  }
};

Sweep measure(double h, double largest, int count, std::span<const char* const> methods) {
  Sweep s;
  for (int i = 0; i <= count; ++i) {
    const double gamma = largest * i / count;
    const Comparison c("dimer-chain", {{"gamma", text(gamma)}}, 30, h);
    s.gamma.push_back(gamma), s.size.push_back(c.largest_x());
    for (const char* m : methods) s.error[m].push_back(c.errors(m).largest());
  }
  return s;
}

Panel panel(const Sweep& s, double h) {
  Panel p{"damping gamma [s]", "largest error [m, m/s]", fmt::format("h = {}", h), false, {}};
  p.log_y = true;
  int k = 0;
  for (const auto& [m, e] : s.error) p.curves.push_back(points(m, s.gamma, e, k++));
  return p;
}
void add_rows(std::vector<std::string>& rows, const Sweep& s, double h) {
  for (const auto& [m, e] : s.error)
    for (std::size_t i = 0; i < e.size(); ++i)
      rows.push_back(fmt::format("{},{},{},{}", h, s.gamma[i], m, e[i]));
}

}  // namespace

void figure_10(Findings& out) {
  constexpr const char* methods[] = {"IRK", "GL x", "GL y"};
  const Sweep large = measure(0.5, 0.1, 200, methods), small = measure(0.05, 0.1, 100, methods);
  std::vector<std::string> rows;
  add_rows(rows, large, 0.5), add_rows(rows, small, 0.05);
  out.csv("fig-10", "h,gamma,method,error", rows);
  out.figure("fig-10", std::array{panel(large, 0.5), panel(small, 0.05)});
  out.refuted(
      "h = 0.5: IRK has the smallest error for gamma in [0.007, 0.057]",
      large.always("IRK", 0.007, 0.057, true),
      large.share("IRK", 0.007, 0.057, true) + "; between 0.0205 and 0.027 GL x or GL y win by up to 3 %");
  out.claim("but for gamma in [0.0075, 0.02] and [0.0275, 0.057] it has",
            large.always("IRK", 0.0075, 0.02, true) && large.always("IRK", 0.0275, 0.0569, true),
            large.share("IRK", 0.0075, 0.02, true) + ", " + large.share("IRK", 0.0275, 0.0569, true));
  out.claim("h = 0.5: GL x has the smallest error for gamma in [0.062, 0.1] (it has from 0.0570 on)",
            large.always("GL x", 0.0575, 0.1, true), large.share("GL x", 0.0575, 0.1, true));
  double apart = 0;
  for (const auto& [m, e] : large.error)
    apart = std::max(apart, std::abs(e[0] / large.error.at("IRK")[0] - 1));
  out.claim("the three schemes are one at gamma = 0", apart < 1e-6,
            fmt::format("errors differ by {:.1g}", apart));
  out.claim("h = 0.05: IRK has the largest error for gamma above 0.013",
            small.always("IRK", 0.013, 0.1, false), small.share("IRK", 0.013, 0.1, false));
  out.claim(
      "h = 0.05: GL y is better than GL x on an interval away from 0",
      [&] {
        for (std::size_t i = 0; i < small.gamma.size(); ++i)
          if (small.gamma[i] >= 0.03 && small.error.at("GL y")[i] > small.error.at("GL x")[i]) return false;
        return true;
      }(),
      fmt::format("at gamma = 0.06: {:.2g} and {:.2g}", small.error.at("GL y")[60],
                  small.error.at("GL x")[60]));
  out.claim("the exact solution shrinks from 2.94 to 2.06 over these gamma",
            std::abs(large.size.front() - 2.94) < 0.006 && std::abs(large.size.back() - 2.06) < 0.01,
            fmt::format("{:.3f} to {:.3f}", large.size.front(), large.size.back()));
}

void figure_11(Findings& out) {
  constexpr const char* methods[] = {"theta", "CN x", "CN y"};
  const Sweep large = measure(0.25, 0.2, 200, methods), small = measure(0.01, 0.2, 40, methods);
  std::vector<std::string> rows;
  add_rows(rows, large, 0.25), add_rows(rows, small, 0.01);
  out.csv("fig-11", "h,gamma,method,error", rows);
  out.figure("fig-11", std::array{panel(large, 0.25), panel(small, 0.01)});
  out.claim("h = 0.25: CN x has the largest error for gamma in [0.11, 0.178]",
            large.always("CN x", 0.11, 0.178, false), large.share("CN x", 0.11, 0.178, false));
  out.refuted("h = 0.25: theta has the largest error everywhere else",
              large.always("theta", 0.001, 0.109, false) && large.always("theta", 0.179, 0.2, false),
              large.share("theta", 0.001, 0.109, false) +
                  " below 0.11; CN x is worst, by less than 1 %, on (0, 0.0051) and "
                  "(0.0151, 0.0244)");
  out.claim("above 0.025 and outside [0.109, 0.179] it has",
            large.always("theta", 0.025, 0.109, false) && large.always("theta", 0.179, 0.2, false),
            large.share("theta", 0.025, 0.109, false) + ", " + large.share("theta", 0.179, 0.2, false));
  out.claim("h = 0.25: theta is never the best", large.count("theta", 0.001, 0.2, true) == 0,
            large.share("theta", 0.001, 0.2, true));
  out.claim("h = 0.25: CN y is the best above 0.08", large.always("CN y", 0.08, 0.2, true),
            large.share("CN y", 0.08, 0.2, true));
  out.claim("h = 0.01: CN y is the best above 0.05", small.always("CN y", 0.05, 0.2, true),
            small.share("CN y", 0.05, 0.2, true));
  const auto& e = small.error.at("theta");
  out.claim("h = 0.01: the error of theta grows fast with gamma, as it does not converge for fixed gamma",
            e[10] > 10 * e[1],
            fmt::format("{:.2g} at {}, {:.2g} at {}", e[1], small.gamma[1], e[10], small.gamma[10]));
}

}  // namespace saltus::james_2020
