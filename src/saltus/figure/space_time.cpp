#include "saltus/figure/space_time.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "saltus/chain/chain.hpp"
#include "saltus/core/error.hpp"
#include "saltus/figure/cubic_state.hpp"

namespace saltus {
namespace {

constexpr int most_rows = 500, most_columns = 500;

void keep_larger(double& cell, double x) {
  if (!(std::abs(x) <= std::abs(cell))) cell = x;
}

// The contacts along the axis: all of them where the list never changes, else those that ever closed.
std::vector<std::uint64_t> contacts_of(const Trajectory& trajectory, const System& system) {
  std::set<std::uint64_t> ids;
  for (const Contact& c : system.contacts()) ids.insert(c.id);
  for (const auto& atom : trajectory.atoms()) ids.insert(atom.contact);
  return {ids.begin(), ids.end()};
}

Panel panel_of(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
               const std::string& title, TimeWindow window, const CoordinateLabels& labels);

}  // namespace

WaveQuantity parse_wave_quantity(std::string_view text) {
  if (text == "q") return WaveQuantity::q;
  if (text == "u") return WaveQuantity::u;
  if (text == "force") return WaveQuantity::force;
  fail("quantity '{}': not one of q (displacement), u (velocity), force (of contacts)", text);
}

Panel space_time_panel(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
                       const std::string& title, const CoordinateLabels& labels) {
  if (trajectory.size() < 2) fail("a space-time picture needs a run of at least one step");
  return panel_of(trajectory, system, quantity, title, {trajectory.t(0), trajectory.t(trajectory.size() - 1)},
                  labels);
}

Panel space_time_panel(const Trajectory& trajectory, WaveQuantity quantity, const std::string& title,
                       TimeWindow window, const CoordinateLabels& labels) {
  if (quantity == WaveQuantity::force) fail("a window of a space-time picture shows q or u");
  return panel_of(trajectory, nullptr, quantity, title, window, labels);
}

namespace {

Panel panel_of(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
               const std::string& title, TimeWindow window, const CoordinateLabels& labels) {
  const bool force = quantity == WaveQuantity::force;
  const System* mechanical = system ? as_mechanical(system) : nullptr;
  const Chain* chain = as_chain(system);
  if (force && !mechanical && !chain)
    fail("a space-time picture of forces needs a system with contacts; choose q or u");
  const auto ids = force && !chain ? contacts_of(trajectory, *mechanical) : std::vector<std::uint64_t>{};
  const int n = force && chain                ? chain->beads() + 1
                : force                       ? static_cast<int>(ids.size())
                : quantity == WaveQuantity::q ? trajectory.nq()
                                              : trajectory.nu();
  if (n == 0)
    fail("a space-time picture of {}: the system has none", force ? "contact forces" : "coordinates");
  ColourMap map;
  map.nx = std::min(n, most_columns);
  map.ny = std::min(trajectory.size() - 1, most_rows);
  const double t0 = window.from, span = window.to - t0, dt = span / map.ny;
  if (!(span > 0)) fail("a space-time picture needs a run that takes time");
  map.x1 = n - 1;
  map.y0 = t0 + dt / 2, map.y1 = t0 + span - dt / 2;
  map.z.assign(static_cast<std::size_t>(map.nx) * map.ny, 0);
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  map.label = force                         ? "normal force [N]"
              : quantity == WaveQuantity::q ? with_units("displacement q - q(0)", labels.units, all)
                                            : with_units("velocity u", labels.rate_units, all);
  const auto cell = [&](int i, int row) -> double& {
    return map.z[static_cast<std::size_t>(row) * map.nx +
                 static_cast<std::size_t>(static_cast<std::int64_t>(i) * map.nx / n)];
  };

  if (force && chain) {  // contacts with both walls, 0 and N
    for (int row = 0; row < map.ny; ++row) {
      const double t = map.y0 + row * dt;
      const auto [q, u] = cubic_state(trajectory, t);
      const ChainEnds ends = chain->ends(t);
      for (int i = 0; i < n; ++i) keep_larger(cell(i, row), chain->force(i, q, u, ends));
    }
  } else if (!force) {
    const Vec start = trajectory.q(0);
    for (int row = 0; row < map.ny; ++row) {
      const double t = map.y0 + row * dt;
      const Vec x = quantity == WaveQuantity::q ? Vec(trajectory.q(t) - start) : trajectory.u(t);
      for (int i = 0; i < n; ++i) keep_larger(cell(i, row), x[i]);
    }
  } else {
    std::vector<double> sum(n, 0);
    int row = 0;
    const auto close_row = [&] {
      for (int i = 0; i < n; ++i) keep_larger(cell(i, row), sum[i] / dt), sum[i] = 0;
    };
    for (const auto& atom : trajectory.atoms()) {
      const int at = std::clamp(static_cast<int>(std::ceil((atom.t - t0) / dt - 1e-9)) - 1, row, map.ny - 1);
      for (; row < at; ++row) close_row();
      sum[std::lower_bound(ids.begin(), ids.end(), atom.contact) - ids.begin()] +=
          trajectory.impulse(atom, 0);
    }
    close_row();
  }
  Panel panel{force ? "contact (number)" : "coordinate (number)", time_label, title, false, {}};
  panel.map = std::move(map);
  return panel;
}

}  // namespace
}  // namespace saltus
