#pragma once

namespace saltus::cli {

/// The program: parses, acts, and reports errors. Returns its exit code.
int main(int argc, char** argv);

}  // namespace saltus::cli
