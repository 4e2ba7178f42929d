// The ledger of a run as text and as JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "saltus/run/outcome.hpp"

namespace saltus::cli {

/// The line of a report; empty where the system has no energy.
std::string energy_text(const Ledger& ledger);
/// The next line, of bodies in the plane: in x, in y; angular. Empty for other systems.
std::string momentum_text(const Momentum& momentum);
nlohmann::ordered_json to_json(const Momentum& momentum);  ///< null for other systems
nlohmann::ordered_json to_json(const Ledger& ledger);      ///< null where a value is not known
/// --trust energy=…,penetration=…,drift=…,motion=…; empty: the defaults. Throws Error.
Trust parse_trust(const std::string& text);

}  // namespace saltus::cli
