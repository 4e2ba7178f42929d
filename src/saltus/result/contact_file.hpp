// Overlaps, forces and energies of contacts in a file: CSV, or HDF5 by the name.
#pragma once
#include <string>

#include "saltus/run/contact_record.hpp"

namespace saltus {

/// CSV: t and, for each contact n, overlap[n], force[n], energy[n]. HDF5: in /contacts the datasets t,
/// number, and overlap, force, energy with a row for each time and a column for each contact; `unit` is an
/// attribute of each. Throws Error.
void write_contacts(const std::string& file, const ContactRecord& record);

}  // namespace saltus
