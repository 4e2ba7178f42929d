// The ledger of a run as text and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "saltus/run/outcome.hpp"

namespace saltus::cli {

/// The line of a report; empty where the system has no energy.
std::string energy_text(const Ledger& ledger);
nlohmann::ordered_json to_json(const Ledger& ledger);  ///< null where a value is not known
/// --trust energy=…,penetration=…,drift=…; empty: the defaults. Throws Error.
Trust parse_trust(const std::string& text);

}  // namespace saltus::cli
