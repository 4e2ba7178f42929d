// Apart from the rest of the program, which tests and fuzz targets link as a library.
#include "saltus/cli/main.hpp"

int main(int argc, char** argv) {
  return saltus::cli::main(argc, argv);
}
