// Forces of joints and closed contacts on bodies in space at chosen times of a run. Within a smooth step of a
// Runge–Kutta method they are the multipliers at the state of that time; other methods know the impulses of
// steps, and their forces are means over the step that holds the time. Of redundant joints and contacts,
// whose forces no rigid body determines, those of least norm.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "saltus/run/outcome.hpp"
#include "saltus/system/system.hpp"

namespace saltus {

struct BodyForce {
  std::uint64_t contact = 0;  ///< a joint, what acts on a joint, or a contact
  Mode mode = Mode::open;
  std::string body;
  std::array<double, 3> force = {}, torque = {};  ///< in inertial axes; about the centre of mass of the body
};

/// Sees the steps of a run and keeps what forces at these times depend on.
class ForceTimes {
 public:
  /// `smooth`: the method is of Runge–Kutta.
  ForceTimes(const System& system, std::vector<double> increasing_times, bool smooth)
      : system_(system), times_(std::move(increasing_times)), smooth_(smooth) {}
  void operator()(const Segment& s);
  /// At the state (q, u) of a time: on each body that moves, one after the other. Empty where the system has
  /// no bodies in space, or the run did not come so far.
  std::vector<BodyForce> at(double t, const Vec& q, const Vec& u) const;

 private:
  struct Seen {
    ContactMemory contacts;  // of the step that holds the time
  };
  const System& system_;
  std::vector<double> times_;
  bool smooth_;
  std::size_t next_ = 0;
  std::map<double, Seen> seen_;
};

}  // namespace saltus
