// States of a trajectory at many times.
#pragma once
#include "saltus/run/trajectory.hpp"

namespace saltus {

/// The first sample at t or later; size() where there is none.
int first_sample_from(const Trajectory& trajectory, double t);

/// One row of nq numbers, and one of nu, for each time: the same bits as trajectory.q(t) and u(t). Times
/// mostly increase, so that the piece of the last one, or the next, holds the next one too and nothing is
/// searched.
void states_at(const Trajectory& trajectory, std::span<const double> times, Side side, double* q, double* u);

}  // namespace saltus
