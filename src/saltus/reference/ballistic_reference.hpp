// Event-driven reference for systems with constant mass, constant force, linear gaps and Newton restitution:
// every gap is a parabola between events, so event times are roots of quadratics; impacts and contact forces
// are contact problems on the touching contacts. Rebounds slower than 1e-11 of the fastest motion end in
// rest.
#pragma once
#include <memory>

#include "saltus/reference/piecewise_reference.hpp"
#include "saltus/system/linear_system.hpp"

namespace saltus {

/// Good until `t_end`, or until `max_events` events are used up (see valid_until).
std::shared_ptr<PiecewiseReference> ballistic_reference(const LinearSystem& system, const Vec& q0,
                                                        const Vec& u0, double t_end,
                                                        std::int64_t max_events = 200000);

}  // namespace saltus
