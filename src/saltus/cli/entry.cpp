// Apart from the rest of the program, which tests and fuzz targets link as a library.
#include "saltus/cli/commands.hpp"

int main(int argc, char** argv) {
  return saltus::cli::main(argc, argv);
}
