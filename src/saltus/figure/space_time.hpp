// Waves at a glance: a trajectory as colours over index and time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "saltus/figure/figure.hpp"
#include "saltus/run/contact_record.hpp"

namespace saltus {

/// q: displacement from the start; u: velocity; force: normal force of the contacts, averaged over a row of
/// the picture (chains of beads: at the time of the row).
enum class WaveQuantity : std::uint8_t { q, u, force };
WaveQuantity parse_wave_quantity(std::string_view text);  ///< throws Error

/// Index to the right, time upwards. Large systems are thinned to what a picture can show, keeping in each
/// cell the value of largest magnitude. Throws Error for an empty trajectory, and for force without contacts
/// or impulses.
Panel space_time_panel(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
                       const std::string& title, const CoordinateLabels& labels = {});
/// The same of the times [from, to] alone, of q or u.
struct TimeWindow {
  double from = 0, to = 0;
};
Panel space_time_panel(const Trajectory& trajectory, WaveQuantity quantity, const std::string& title,
                       TimeWindow window, const CoordinateLabels& labels = {});

/// The quantity over the index at some increasing times of the run, a curve each. States between samples lie
/// on the cubic through positions and velocities. Force: of chains of beads only.
Panel profile_panel(const Trajectory& trajectory, const DynamicSystem* system, WaveQuantity quantity,
                    std::span<const double> times, const std::string& title,
                    const CoordinateLabels& labels = {});

/// Forces of the contacts of a chain over time, a curve each, as sensors in an experiment show them. Throws
/// Error for more contacts than curves can be told apart.
Panel force_panel(const ContactRecord& record, const std::string& title);
inline constexpr std::size_t most_force_curves = std::size(palette);

}  // namespace saltus
