// What an iterate leaves of the equations, and when that is little enough.
#pragma once
#include "saltus/scheme/generalized_alpha/step_data.hpp"

namespace saltus::generalized_alpha {

void size_residuals(int n, int m, bool prox, Residuals& out);
/// All but `prox` and `excess`.
void find_residuals(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                    Residuals& out);
/// `prox` of the contacts in B.
void linearise_prox(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets,
                    Residuals& out);
/// What rounding leaves of a row that acts on a level, as acceleration: of the terms that make it.
double rounding_of_row(Level level, const Scheme& scheme, const StepData& x, const SystemValues& at, int r);
/// What the rounding of positions leaves of r₁, in its unit.
double rounding_of_forces(const StepData& x, const SystemValues& at);
/// The `first` look of a step stops where the vectors' residuals are too large already. `worst_row`: where
/// the largest residual is, −1 if that is not a row.
bool converged(const Scheme& scheme, const StepData& x, const SystemValues& at, const Sets& sets, bool first,
               Residuals& residuals, int& worst_row);

}  // namespace saltus::generalized_alpha
