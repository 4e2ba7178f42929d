// Figures 5 to 8: the rigid pendulum of 6.1 that bounces on a stop, and the rows (65f), (65i) as printed.
#include <cmath>

#include "saltus/catalog/problems.hpp"
#include "saltus/core/error.hpp"
#include "saltus/reproduce/bruls_2018.hpp"
#include "saltus/scheme/generalized_alpha/stepper.hpp"

namespace saltus::bruls_2018 {
namespace {

using Levels = GeneralizedAlpha::Levels;
constexpr double bounce_step = 1e-3, bounce_end = 4;

struct Bounce {
  Curve gap, rate, acceleration, lambda, relative, energy;
  double gap_min = 0, rate_min = 0, rate_max = 0, a_max = 0, a_late = 0, closed = -1, rise = 0, rate_late = 0;
  double lambda_end = 0, Lambda_end = 0, Lambda_low = 0;
  Vec end;
  std::int64_t unsolved = 0;
};

Bounce bounce(const GeneralizedAlpha& o, const std::string& name, int colour, double h = bounce_step) {
  const CatalogProblem p = BouncingPendulum{}.build(bounce_end);
  Bounce b;
  b.gap = b.rate = b.relative = b.energy = line(name, colour, colour == 0 ? 4 : 1.3);
  b.acceleration = b.lambda = dots(name, colour);
  double energy = energy_of(*p.problem.system, 0, p.problem.q0, p.problem.u0);
  walk(p.problem, o, h, bounce_end, [&](const Moment& m) {
    const double t = m.end.t, gap = m.stepper.gaps()[2], now = m.energy();
    const Vec& L = m.stepper.relative_impulse();
    put(b.gap, t, gap), put(b.rate, t, m.end.u[0]);
    put(b.acceleration, t, m.stepper.gap_acceleration()[0]);
    put(b.lambda, t, m.stepper.lambda()[0]), put(b.relative, t, L[0] / h), put(b.energy, t, now);
    b.gap_min = std::min(b.gap_min, gap);
    b.rate_min = std::min(b.rate_min, m.end.u[0]), b.rate_max = std::max(b.rate_max, m.end.u[0]);
    b.a_max = std::max(b.a_max, m.report.joint_acceleration);
    if (t > 2.5) b.a_late = std::max(b.a_late, m.report.joint_acceleration);
    if (t > 3) b.rate_late = std::max(b.rate_late, std::abs(m.end.u[0]));
    const bool still = m.end.contacts.find(1) && std::abs(m.end.u[0]) < 1e-9;
    if (!still) b.closed = -1;
    if (still && b.closed < 0) b.closed = t;
    b.rise = std::max(b.rise, now - energy);
    energy = now;
    b.lambda_end = m.stepper.lambda()[0], b.Lambda_end = L[0] / h;
    b.Lambda_low = std::min(b.Lambda_low, L[0] / h);
    b.end = m.end.q;
  });
  return b;
}

GeneralizedAlpha printed(double rho) {
  GeneralizedAlpha o = method(Levels::pva, rho);
  o.inactive = GeneralizedAlpha::Inactive::printed;
  return o;
}

void write(Findings& out, const std::string& name, const Bounce& pvv, const Bounce& pva) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < pvv.gap.x.size(); ++i)
    rows.push_back(fmt::format("{},{},{},{},{},{},{},{},{},{},{}", pvv.gap.x[i], pvv.gap.y[i], pva.gap.y[i],
                               pvv.rate.y[i], pva.rate.y[i], pvv.acceleration.y[i], pva.acceleration.y[i],
                               pvv.lambda.y[i], pva.lambda.y[i], pvv.relative.y[i], pva.relative.y[i]));
  out.csv(name,
          "t,gap_pvv,gap_pva,rate_pvv,rate_pva,joint_acceleration_pvv,joint_acceleration_pva,lambda_1_pvv,"
          "lambda_1_pva,Lambda_1_over_h_pvv,Lambda_1_over_h_pva",
          rows);
}

// (59) on the pendulum of 5.1, whose acceleration varies: how far q is from h v_n + h²(c a_n + β a_{n+1})
// after the first half second, for a weight c of the old acceleration; v, a and q are the method's own.
double defect_of(double weight_of_old, double h) {
  const CatalogProblem p = RigidPendulum{}.build(0.5);
  GeneralizedAlpha o = method(Levels::pva, 0.8);
  o.tolerance = 1e-12;
  const double beta = alpha_coefficients(o).beta;
  double defect = 0;
  Vec before;
  walk(p.problem, o, h, 0.5, [&](const Moment& m) {
    const Vec a = m.stepper.shifted();
    if (before.size() > 0)
      defect =
          std::max(defect, (m.end.q - m.begin.q - h * m.begin.u - h * h * (weight_of_old * before + beta * a))
                               .lpNorm<Eigen::Infinity>());
    before = a;
  });
  return defect;
}

// The step is what the formula says up to the corrections that hold the joints, O(h³); a wrong weight leaves
// O(h²).
void weight_of_the_old_acceleration(Findings& out) {
  const double beta = alpha_coefficients(method(Levels::pva, 0.8)).beta, h = 1e-2;
  const auto order = [&](double weight) {
    return std::log2(defect_of(weight, h) / defect_of(weight, h / 4)) / 2;
  };
  const double printed = order(1 - beta), halved = order(0.5 - beta);
  out.refuted("(59), (65j) with h^2 (1 - beta) a_n: the pendulum's steps are these up to O(h^3)",
              printed > 2.7,
              fmt::format("off by O(h^{:.2f}), {:.1e} m at h = {}", printed, defect_of(1 - beta, h), h));
  out.claim("with h^2 (1/2 - beta) a_n they are", halved > 2.7,
            fmt::format("O(h^{:.2f}), {:.1e} m", halved, defect_of(0.5 - beta, h)));
}

}  // namespace

void figure_5(Findings& out) {
  const Bounce pvv = bounce(method(Levels::pvv, 0.9), "PVV", 0),
               pva = bounce(method(Levels::pva, 0.9), "PVA", 1);
  write(out, "fig-5", pvv, pva);
  out.figure("fig-5",
             std::array{Panel{time_label, "g_3 [m]", "gap", false, {pvv.gap, pva.gap}},
                        Panel{time_label, "dg_3/dt [m/s]", "its velocity", false, {pvv.rate, pva.rate}}});
  out.claim("the gap never becomes negative", pvv.gap_min > -1e-12 && pva.gap_min > -1e-12,
            fmt::format("{:.1e}, {:.1e}", pvv.gap_min, pva.gap_min));
  out.claim("impacts accumulate and the contact stays closed (e = 0.6: exactly from 2.2406)",
            pva.closed > 0 && std::abs(pva.closed - 2.2406) < 0.02 && pva.rate_late < 1e-12,
            fmt::format("closed from {:.3f} (PVA), {:.3f} (PVV)", pva.closed, pvv.closed));
  out.claim("first impact at about -3 m/s, rebound below 2 m/s: the axes of the figure",
            pva.rate_min > -3 && pva.rate_min < -2.9 && pva.rate_max < 2,
            fmt::format("{:.3f}, {:.3f} m/s", pva.rate_min, pva.rate_max));
}

void figure_6(Findings& out) {
  const Bounce pvv = bounce(method(Levels::pvv, 0.9), "PVV", 0),
               pva = bounce(method(Levels::pva, 0.9), "PVA", 1);
  write(out, "fig-6", pvv, pva);
  out.figure(
      "fig-6",
      std::array{Panel{time_label,
                       "d2g_1/dt2 [m/s^2]",
                       "joint at acceleration level",
                       false,
                       {pvv.acceleration, pva.acceleration}},
                 Panel{time_label, "lambda_1 [N]", "smooth multiplier", false, {pvv.lambda, pva.lambda}},
                 Panel{time_label,
                       "d2g_1/dt2 [m/s^2]",
                       "first impact: joint at acceleration level",
                       false,
                       {part(pvv.acceleration, 0.47, 0.56), part(pva.acceleration, 0.47, 0.56)}},
                 Panel{time_label,
                       "lambda_1 [N]",
                       "first impact: smooth multiplier",
                       false,
                       {part(pvv.lambda, 0.47, 0.56), part(pva.lambda, 0.47, 0.56)}}});
  out.claim("PVV: oscillations of the joint's acceleration after each impact", pvv.a_max > 5,
            fmt::format("up to {:.1f} m/s^2", pvv.a_max));
  out.claim("PVA: the joint holds on the acceleration level", pva.a_max < 1e-6,
            fmt::format("{:.1e}", pva.a_max));
}

void figure_7(Findings& out) {
  const Bounce pvv = bounce(method(Levels::pvv, 0.9), "PVV", 0),
               star = bounce(method(Levels::pva, 0.9), "PVA", 1),
               plain = bounce(printed(0.9), "PVA, rows as printed", 2);
  write(out, "fig-7", pvv, star);
  out.figure(
      "fig-7",
      std::array{
          Panel{time_label, "Lambda_1 / h [N]", "relative impulse", false, {pvv.relative, star.relative}},
          Panel{time_label, "g_3 [m]", "gap", false, {pvv.gap, star.gap, plain.gap}}});
  const double a = pvv.lambda_end + pvv.Lambda_end, b = star.lambda_end + star.Lambda_end;
  out.claim("at rest both have the same reaction lambda_1 + Lambda_1/h (exactly -10)",
            std::abs(a + 10) < 1e-6 && std::abs(b + 10) < 1e-6, fmt::format("{:.7f}, {:.7f}", a, b));
  out.claim("at rest Lambda_1 = 0 in PVA", std::abs(star.Lambda_end) < 1e-9,
            fmt::format("{:.1e}", star.Lambda_end));
  out.claim("Lambda_1 takes negative values before the contact stays closed", star.Lambda_low < 0,
            fmt::format("{:.1f} N", star.Lambda_low));
  out.refuted("PVA closes later than PVV, having less numerical dissipation",
              star.closed > pvv.closed + 2 * bounce_step,
              fmt::format("{:.3f} against {:.3f} (exact 2.2406)", star.closed, pvv.closed));
  out.claim("it does with the rows (65f), (65i) as printed, which create energy",
            plain.closed > pvv.closed + 20 * bounce_step, fmt::format("{:.3f}", plain.closed));
}

void figure_8(Findings& out) {
  const Bounce pvv = bounce(method(Levels::pvv, 1), "PVV", 0), pva = bounce(method(Levels::pva, 1), "PVA", 1);
  write(out, "fig-8", pvv, pva);
  out.figure(
      "fig-8",
      std::array{
          Panel{
              time_label, "lambda_1 [N]", "smooth multiplier, rho_inf = 1", false, {pvv.lambda, pva.lambda}},
          Panel{time_label,
                "d2g_1/dt2 [m/s^2]",
                "joint at acceleration level",
                false,
                {pvv.acceleration, pva.acceleration}}});
  out.claim("PVA: no oscillation even without numerical damping", pva.a_max < 1e-6,
            fmt::format("{:.1e}", pva.a_max));
  out.claim("PVV: oscillations that never disappear", pvv.a_late > 5,
            fmt::format("{:.1f} m/s^2 after 2.5 s", pvv.a_late));
}

void inactive_rows(Findings& out) {
  const Bounce star = bounce(method(Levels::pva, 0.9), "star", 0), plain = bounce(printed(0.9), "printed", 1);
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < star.energy.x.size(); ++i)
    rows.push_back(fmt::format("{},{},{},{},{}", star.energy.x[i], star.energy.y[i], plain.energy.y[i],
                               star.gap.y[i], plain.gap.y[i]));
  out.csv("inactive-rows", "t,energy_star,energy_printed,gap_star,gap_printed", rows);
  const auto both = [&](const char* what, const char* title, Curve Bounce::*c, double from, double to) {
    return Panel{time_label, what, title, false, {part(star.*c, from, to), part(plain.*c, from, to)}};
  };
  out.figure("inactive-rows",
             std::array{both("energy [J]", "after the first impact, rows of open contacts", &Bounce::energy,
                             0.4869, 0.5),
                        both("energy [J]", "after the second", &Bounce::energy, 1.1269, 1.14),
                        both("g_3 [m]", "gap", &Bounce::gap, 1.9, 2.35)});
  out.refuted("nu = 0, Lambda = 0 on inactive rows: impacts create no energy", plain.rise < 1e-4,
              fmt::format("{:.2e} J in one step", plain.rise));
  const Bounce fine = bounce(method(Levels::pva, 0.9), "star", 0, bounce_step / 4);
  out.claim("nu* = 0, Lambda* = 0: less than 1e-4 J, vanishing with the step",
            star.rise < 1e-4 && fine.rise < 0.5 * star.rise,
            fmt::format("{:.1e}, {:.1e} J", star.rise, fine.rise));
  double worst = 0;
  for (double r : {1e-3, 1e-1, 1e1, 1e3}) {
    GeneralizedAlpha o = method(Levels::pva, 0.9);
    o.r = r;
    worst = std::max(worst, (bounce(o, "", 0).end - star.end).lpNorm<Eigen::Infinity>());
  }
  out.claim("nu* = 0, Lambda* = 0: results do not depend on r, over six decades", worst < 1e-8,
            fmt::format("difference {:.1e}", worst));
  std::string seen = "the run fails";
  bool same = false;
  try {
    GeneralizedAlpha o = printed(0.9);
    o.r = 1e-3;
    const double difference = (bounce(o, "", 0).gap.y[1500] - plain.gap.y[1500]);
    same = std::abs(difference) < 1e-8;
    seen = fmt::format("gap at 1.5 s differs by {:.1e}", difference);
  } catch (const Error& e) {
    seen = fmt::format("with r = 1e-3: {}", e.what());
  }
  out.refuted("nu = 0, Lambda = 0: results do not depend on r, an 'arbitrary' number", same, seen);
  weight_of_the_old_acceleration(out);
}

}  // namespace saltus::bruls_2018
