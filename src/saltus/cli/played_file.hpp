// A result or a scene as a page: what `saltus view` shows without the web lab.
#pragma once
#include <string>

namespace saltus::cli {

/// Reads the result, or runs the scene. Throws Error.
std::string page_of_file(const std::string& file);

}  // namespace saltus::cli
