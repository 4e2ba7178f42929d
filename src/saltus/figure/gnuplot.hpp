// The one place where gnuplot is called. Scripts are code: text from a user goes into them through
// gnuplot_text() only, and the picture comes back as bytes, so that no name of a file is in a script either.
#pragma once
#include <string>
#include <string_view>

namespace saltus {

/// Text as a literal of gnuplot in which nothing is substituted (no `command`, no @macro) and which nothing
/// ends: letters and spaces, all other signs as escapes; one line, of at most `longest` characters.
std::string gnuplot_text(std::string_view text, std::size_t longest = 200);
/// The same for the names of tics, which gnuplot reads as formats: % stands for itself.
std::string gnuplot_tic_text(std::string_view text, std::size_t longest = 200);

struct Picture {
  std::string bytes;
  std::string trouble;  ///< why there is none, with gnuplot's own words and a remedy
};

/// Runs the script and returns what gnuplot writes to its standard output. It is started without a shell,
/// from the first folder of PATH that has it (those that are not absolute are left out), in an environment of
/// its own: no start-up files, no variables of the user's, UTF-8.
Picture run_gnuplot(const std::string& script);

/// Where gnuplot is; empty when it is not installed.
std::string find_gnuplot();

}  // namespace saltus
