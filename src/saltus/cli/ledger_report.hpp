// The ledger of a run as text and as JSON.
#pragma once
#include "saltus/cli/report.hpp"

namespace saltus::cli {

/// The line of a report; empty where the system has no energy.
std::string energy_text(const Ledger& ledger);
Json to_json(const Ledger& ledger);
/// --trust energy=…,penetration=…,drift=…; empty: the defaults. Throws Error.
Trust parse_trust(const std::string& text);

}  // namespace saltus::cli
