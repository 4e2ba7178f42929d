// Lemma 1 and the local errors (25)–(27) of Moreau's scheme on the ball. Errors are exact minus scheme (22).
#include <cmath>
#include <random>

#include "saltus/catalog/problems.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/acary_2012.hpp"
#include "saltus/scheme/scheme.hpp"

namespace saltus::acary_2012 {
namespace {

struct LocalError {
  double v = 0, q = 0;
};
double distance(const LocalError& a, const LocalError& b) {
  return std::max(std::abs(a.v - b.v), std::abs(a.q - b.q));
}

// The impact lies at t_k + σh; with q_k = −σ v h − f (σh)²/2 (the sign of f and the missing f corrected).
struct Step {
  double theta, sigma, h, f = -2, rho = 0.5, v = -1;

  double start() const { return -sigma * v * h - f * sigma * sigma * h * h / 2; }

  LocalError measured(double gamma, bool* hit = nullptr) const {
    const CatalogProblem p = BouncingBall{1, f, rho, start(), v}.build(h);
    const auto stepper = make_stepper(MoreauJean{theta, gamma}, *p.problem.system, AutomaticSolver{});
    const State x0 = stepper->start(0, p.problem.q0, p.problem.u0);
    State x1 = x0;
    stepper->step(x0, h, x1);
    if (hit) *hit = !x1.contacts.closed.empty();
    const double s = (1 - sigma) * h, after = -rho * (v + f * sigma * h);  // after the impact
    return {after + f * s - x1.u[0], after * s + f * s * s / 2 - x1.q[0]};
  }

  // (26), corrected
  LocalError missed() const {
    return {-(1 + rho) * (v + h * f * sigma),
            -h * (1 + rho) * (1 - sigma) * v - f * h * h * (quadratic(-1) + theta)};
  }
  LocalError detected() const {
    return {h * f * (1 - sigma - rho * sigma),
            -h * (1 + rho) * (1 - theta - sigma) * v - f * h * h * quadratic(-1)};
  }
  // (26), as printed
  LocalError printed_missed() const {
    return {-(1 + rho) * (v + h * f * sigma),
            -h * (rho * (1 - sigma + 1) - sigma) * v - f * h * h * (quadratic(1) + theta)};
  }
  LocalError printed_detected() const {
    return {-h * f * (1 - sigma - rho * sigma),
            -h * (1 + rho) * (1 - theta - sigma) * v - f * h * h * quadratic(1)};
  }

 private:
  double quadratic(int sign) const {
    return rho * (1 - sigma) * sigma + sign * 0.5 * (1 - sigma) * (1 - sigma) - 0.5 * sigma * sigma;
  }
};

double C_of(double theta) {
  return std::max(theta, 1 - theta);
}

// |∫f − h(θ f(1) + (1−θ) f(0))| / (h var f) on [0, 1] for a step function with the given jumps.
struct StepFunction {
  double start = 0;
  std::vector<double> at, jump;  // a jump at 1 only changes f(1), one at 0 only f(0)

  double ratio(double theta) const {
    double end = start, integral = start, var = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      end += jump[i], integral += jump[i] * (1 - at[i]), var += std::abs(jump[i]);
    return std::abs(integral - (theta * end + (1 - theta) * start)) / var;
  }
};

}  // namespace

void local_errors(Findings& out) {
  double detected = 0, missed = 0, printed_q = 0, printed_v = 0, printed_missed_v = 0, printed_missed_q = 0;
  int forecast[3] = {0, 0, 0}, total = 0;
  std::vector<std::string> rows;
  for (double theta : {0.0, 0.5, 1.0})
    for (double h : {0.1, 0.01, 0.001})
      for (int i = 1; i < 40; ++i) {
        const Step s{theta, i / 40.0, h};
        bool half = false, full = false, none = false;
        const LocalError m = s.measured(0, &none), d = s.measured(1, &full);
        s.measured(0.5, &half);
        ++total, forecast[0] += none, forecast[1] += half, forecast[2] += full;
        missed = std::max(missed, distance(m, s.missed()));
        printed_missed_v = std::max(printed_missed_v, std::abs(m.v - s.printed_missed().v));
        printed_missed_q = std::max(printed_missed_q, std::abs(m.q - s.printed_missed().q) / h);
        rows.push_back(fmt::format("{},{},{},missed,{},{}", theta, h, s.sigma, m.v, m.q));
        if (!full) continue;
        detected = std::max(detected, distance(d, s.detected()));
        printed_v = std::max(printed_v, std::abs(d.v - s.printed_detected().v) / h);
        printed_q = std::max(printed_q, std::abs(d.q - s.printed_detected().q) / (h * h));
        rows.push_back(fmt::format("{},{},{},detected,{},{}", theta, h, s.sigma, d.v, d.q));
      }
  out.csv("local-errors", "theta,h,sigma,forecast,e_v,e_q", rows);

  // (27): the step [3 − h, 3 + h] around the accumulation, 2^-n < h <= 2^(1-n)
  double hit_27 = 0, missed_27 = 0, off_27 = infinity, largest = 0;
  int wrong_forecast = 0, steps_27 = 0;
  const CatalogProblem b = ball().problem;
  for (int n = 2; n <= 20; ++n)
    for (double x : {1.05, 1.2, 1.35, 1.45, 1.46, 1.5, 1.7, 1.95}) {
      const double h = x * std::pow(2.0, -n), t = 3 - h, far = std::pow(2.0, -n);
      Vec q, u;
      b.reference->state(t, Side::right, q, u);
      for (double gamma : {0.0, 1.0}) {
        const auto stepper = make_stepper(MoreauJean{1, gamma}, *b.problem.system, AutomaticSolver{});
        const State x0 = stepper->start(t, q, u);
        State x1 = x0;
        stepper->step(x0, 2 * h, x1);
        const bool hit = !x1.contacts.closed.empty();
        const double e = 0 - x1.u[0];
        (hit ? hit_27 : missed_27) =
            std::max(hit ? hit_27 : missed_27, std::abs(e - (hit ? h - 1.5 * far : 2 * h + 3 * far)) / h);
        if (hit) off_27 = std::min(off_27, std::abs(e - (-2 * h - 3 * far)) / h);
        if (gamma == 1) ++steps_27, wrong_forecast += hit != (x <= (3 + std::sqrt(33.0)) / 6);
        largest = std::max(largest, std::abs(e) / h);
      }
    }

  Panel velocity{"sigma (place of the impact in the step) [1]",
                 "e_v [m/s]",
                 "one step over an impact of the ball, h = 0.1, v = -1 (lines: corrected (26))",
                 false,
                 {}};
  Panel position{"sigma (place of the impact in the step) [1]", "e_q [m]", "", false, {}};
  int colour = 0;
  for (const auto& [theta, hit] : {std::pair{0.5, true}, {1.0, true}, {1.0, false}}) {
    Curve lv{fmt::format("theta {} {}", theta, hit ? "detected" : "missed"),
             fmt::format("lines lw 1.5 lc rgb '{}'", colours[colour]),
             {},
             {}};
    Curve pv{"", fmt::format("points pt 7 ps 0.5 lc rgb '{}'", colours[colour++]), {}, {}}, lq = lv, pq = pv;
    for (int i = 1; i < 20; ++i) {
      const Step s{theta, i / 20.0, 0.1};
      bool active = false;
      const LocalError e = s.measured(hit ? 1 : 0, &active), f = hit ? s.detected() : s.missed();
      for (Curve* c : {&lv, &lq, &pv, &pq}) c->x.push_back(s.sigma);
      lv.y.push_back(f.v), lq.y.push_back(f.q);
      pv.y.push_back(active == hit ? e.v : std::nan("")), pq.y.push_back(active == hit ? e.q : std::nan(""));
    }
    if (theta == 1) velocity.curves.push_back(lv), velocity.curves.push_back(pv);  // e_v does not depend on θ
    position.curves.push_back(lq), position.curves.push_back(pq);
  }
  out.figure("local-errors", std::array{velocity, position});

  const auto exact = [](double x) { return x < 1e-14; };
  out.claim("(26) corrected, impact detected: e_v = h f (1 - sigma - rho sigma), e_q", exact(detected),
            fmt::format("largest difference {:.1e}", detected));
  out.claim("(26) corrected, impact missed: e_v = -(1 + rho)(v + h f sigma), e_q", exact(missed),
            fmt::format("largest difference {:.1e}", missed));
  out.claim("(26) as printed, missed, e_v", exact(printed_missed_v),
            fmt::format("largest difference {:.1e}", printed_missed_v));
  out.refuted("(26) as printed, missed, e_q", exact(printed_missed_q),
              fmt::format("off by up to {:.2g} h; holds with (1 + rho)(1 - sigma) and -(1 - sigma)^2/2",
                          printed_missed_q));
  out.refuted("(26) as printed, detected, e_v", exact(printed_v),
              fmt::format("off by up to {:.2g} h; holds with the other sign", printed_v));
  out.refuted("(26) as printed, detected, e_q", exact(printed_q),
              fmt::format("off by up to {:.2g} h^2; holds with -(1 - sigma)^2/2", printed_q));
  out.claim("gamma = 0 never forecasts the impact in its step", forecast[0] == 0,
            fmt::format("{} of {} detected with gamma = 0, {} with 1/2, {} with 1", forecast[0], total,
                        forecast[1], forecast[2]));
  out.refuted("(27) as printed: e_v = -2h - 3/2^n when detected", off_27 < 1e-9,
              fmt::format("off by at least {:.2g} h", off_27));
  out.claim("(27) corrected: e_v = h - 3/2^(n+1) when detected, 2h + 3/2^n when missed",
            hit_27 < 1e-9 && missed_27 < 1e-9,
            fmt::format("largest difference {:.1e} h", std::max(hit_27, missed_27)));
  out.claim("(27): gamma = 1 detects iff h 2^n <= (3 + sqrt 33)/6", wrong_forecast == 0,
            fmt::format("{} of {} steps decided otherwise", wrong_forecast, steps_27));
  out.claim("around the accumulation e_v = O(h) either way", largest < 5.01,
            fmt::format("at most {:.2f} h", largest));
}

void lemma_1(Findings& out) {
  std::mt19937_64 random(28);
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<>(a, b)(random); };
  double above = -infinity, short_of = 0, ball_above = -infinity;
  std::vector<std::string> rows;
  Curve bound{"C(theta) = max(theta, 1 - theta)", "lines lw 4 lc rgb '#cfcfcf'", {}, {}};
  Curve largest{"largest of 2000 random step functions", "points pt 7 ps 0.6 lc rgb '#0072b2'", {}, {}};
  Curve attained{"the extremal function of the proof", "points pt 6 ps 1.2 lc rgb '#d55e00'", {}, {}};
  Curve ours{"velocity of the ball, 400 steps", "points pt 9 ps 0.6 lc rgb '#009e73'", {}, {}};
  const CatalogProblem b = ball().problem;
  for (int k = 0; k <= 20; ++k) {
    const double theta = k / 20.0, C = C_of(theta);
    double most = 0;
    for (int i = 0; i < 2000; ++i) {
      StepFunction f;
      f.start = uniform(-1, 1);
      const int jumps = 1 + static_cast<int>(uniform(0, 4));
      for (int j = 0; j < jumps; ++j) f.at.push_back(uniform(0, 1)), f.jump.push_back(uniform(-1, 1));
      most = std::max(most, f.ratio(theta));
    }
    // α = 1, β < 1 for θ ≥ 1/2: only f(t_{k+1}) differs; α = β < 1 otherwise: only f(t_k) differs
    const double sharp = StepFunction{1, {theta >= 0.5 ? 1.0 : 0.0}, {-0.7}}.ratio(theta);
    // (33): v of the ball over steps that hold one impact
    double of_ball = 0;
    for (int i = 0; i < 400; ++i) {
      const double h = uniform(0.01, 0.4), t0 = 1 - uniform(0, 1) * h, t1 = t0 + h;
      Vec q0, u0, q1, u1, q, u;
      b.reference->state(t0, Side::right, q0, u0), b.reference->state(t1, Side::right, q1, u1);
      const double var = 2 * h + 3;  // slope −2, and −2 → 1 at the impact t = 1
      of_ball =
          std::max(of_ball, std::abs(q1[0] - q0[0] - h * (theta * u1[0] + (1 - theta) * u0[0])) / (h * var));
    }
    above = std::max(above, most - C), short_of = std::max(short_of, std::abs(sharp - C)),
    ball_above = std::max(ball_above, of_ball - C);
    for (Curve* c : {&bound, &largest, &attained, &ours}) c->x.push_back(theta);
    bound.y.push_back(C), largest.y.push_back(most), attained.y.push_back(sharp), ours.y.push_back(of_ball);
    rows.push_back(fmt::format("{},{},{},{},{}", theta, C, most, sharp, of_ball));
  }
  out.csv("lemma-1", "theta,C,largest_random,extremal,ball", rows);
  out.figure("lemma-1", std::array{Panel{"theta [1]",
                                         "error / (h var f) [1]",
                                         "Lemma 1: quadrature of functions of bounded variation",
                                         false,
                                         {bound, largest, attained, ours}}});
  out.claim("(28): |int f - h(theta f1 + (1 - theta) f0)| <= C(theta) h var f", above <= 1e-14,
            fmt::format("42000 step functions, largest ratio - C = {:.2g}", above));
  out.claim("C(theta) = max(theta, 1 - theta) is sharp", short_of < 1e-14,
            fmt::format("the extremal function misses it by {:.1e}", short_of));
  out.claim("(33): the bound holds for the ball's velocity over an impact", ball_above <= 1e-14,
            fmt::format("largest ratio - C = {:.2g}", ball_above));
}

}  // namespace saltus::acary_2012
