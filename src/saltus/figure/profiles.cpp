#include <algorithm>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/cubic_state.hpp"
#include "saltus/figure/space_time.hpp"

namespace saltus {
namespace {

constexpr int points_a_curve = 5000;

// Of long chains the largest value of so many neighbours as a picture cannot tell apart.
void keep_peaks(std::vector<double>& x, std::vector<double>& y) {
  const std::size_t n = x.size(), group = (n + points_a_curve - 1) / points_a_curve;
  if (group <= 1) return;
  std::size_t kept = 0;
  for (std::size_t a = 0; a < n; a += group) {
    std::size_t best = a;
    for (std::size_t k = a; k < std::min(a + group, n); ++k)
      if (std::abs(y[k]) > std::abs(y[best])) best = k;
    x[kept] = x[best], y[kept] = y[best], ++kept;
  }
  x.resize(kept), y.resize(kept);
}

std::string unit_or(const std::vector<std::string>& units, const char* label) {
  return units.empty() || units[0].empty() ? std::string(label) : fmt::format("{} [{}]", label, units[0]);
}

}  // namespace

Trajectory::Point cubic_state(const Trajectory& x, double t) {
  const int n = x.size();
  if (!x.pieces().empty() || x.nq() != x.nu() || n < 2) return x(t, Side::right);
  int a = 0, b = n - 1;
  t = std::clamp(t, x.t(a), x.t(b));
  while (b - a > 1) {
    const int middle = (a + b) / 2;
    (x.t(middle) <= t ? a : b) = middle;
  }
  const double h = x.t(b) - x.t(a), r = h > 0 ? (t - x.t(a)) / h : 1;
  if (!(h > 0)) return {x.q(b), x.u(b)};
  const Vec way = x.q(b) - x.q(a);
  return {x.q(a) + r * r * (3 - 2 * r) * way + h * r * (1 - r) * ((1 - r) * x.u(a) - r * x.u(b)),
          6 * r * (1 - r) / h * way + (1 - r) * (1 - 3 * r) * x.u(a) + r * (3 * r - 2) * x.u(b)};
}

Panel profile_panel(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
                    std::span<const double> times, const std::string& title, const CoordinateLabels& labels) {
  const bool force = quantity == WaveQuantity::force;
  const Chain* chain = as_chain(system);
  if (trajectory.size() < 2) fail("profiles need a run of at least one step");
  if (force && !chain) fail("profiles of forces are drawn of chains of beads; choose q or u");
  Panel panel{force ? "contact (number)" : "coordinate (number)",
              force                         ? "force [N]"
              : quantity == WaveQuantity::q ? unit_or(labels.units, "displacement q - q(0)")
                                            : unit_or(labels.rate_units, "velocity u"),
              title,
              false,
              {}};
  const Vec start = trajectory.q(0);
  for (const double t : times) {
    const auto [q, u] = cubic_state(trajectory, t);
    Curve c{fmt::format("t = {:.4g} s", t),
            fmt::format("lines lw 1.5 lc rgb '{}'", palette[panel.curves.size() % std::size(palette)]),
            {},
            {}};
    const ChainEnds ends = chain ? chain->ends(t) : ChainEnds{};
    const int n =
        force ? chain->beads() + 1 : static_cast<int>(quantity == WaveQuantity::q ? q.size() : u.size());
    for (int i = 0; i < n; ++i) {
      if (force && chain->data().k[i] == 0) continue;
      c.x.push_back(i);
      c.y.push_back(force                         ? chain->force(i, q, u, ends)
                    : quantity == WaveQuantity::q ? q[i] - start[i]
                                                  : u[i]);
    }
    keep_peaks(c.x, c.y);
    panel.curves.push_back(std::move(c));
  }
  return panel;
}

Panel force_panel(const ContactRecord& record, const std::string& title) {
  const std::size_t n = record.contacts().size();
  if (n > most_force_curves)
    fail("a figure has room for the forces of {} contacts, not {}: choose some with --contacts 1,5,12",
         most_force_curves, n);
  Panel panel{time_label, "force [N]", title, false, {}};
  const std::vector<double> times(record.times().begin(), record.times().end());
  for (std::size_t k = 0; k < n; ++k) {
    Curve c{fmt::format("contact {}", record.contacts()[k]),
            fmt::format("lines lw 1.5 lc rgb '{}'", palette[k]),
            times,
            {}};
    for (std::size_t i = 0; i < times.size(); ++i) c.y.push_back(record.at(i, k).force);
    panel.curves.push_back(std::move(c));
  }
  return panel;
}

}  // namespace saltus
