// Other programs: gnuplot for figures, ffmpeg for films.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// The file of a program in PATH; empty where there is none.
std::string find_program(std::string_view name);

struct ProgramEnd {
  std::string output;   ///< what it printed
  std::string trouble;  ///< why it failed, with its last words; empty: it did not
};
/// Runs it to its end, without a shell and without the caller's environment.
ProgramEnd run_program(const std::string& program, std::vector<std::string> arguments,
                       std::string_view input = {});

}  // namespace saltus
