# The same bits on every machine and in the browser: one set of mathematical functions and one order of summation.
#   - sin, pow and the like are musl's, which emscripten uses too. glibc's have other bits, and choose by the processor.
#   - Eigen works with SSE2's pairs of doubles everywhere (the browser has instructions for each of them) and sums large
#     products in blocks for caches of one size, not of this machine's.
#   - Nodes of implicit methods have quadruple precision (runge_kutta/tableau.cpp); the complex quotient is compiler-rt's.
# `./dev web bits` compares the final states of all examples.
set(blocks EIGEN_NO_CPUID EIGEN_DEFAULT_L1_CACHE_SIZE=32768 EIGEN_DEFAULT_L2_CACHE_SIZE=262144
  EIGEN_DEFAULT_L3_CACHE_SIZE=2097152)
target_compile_definitions(saltus_build INTERFACE ${blocks})
target_compile_definitions(saltus PUBLIC ${blocks})  # Eigen's functions are inline: one of them serves the whole program
if(EMSCRIPTEN)
  # gcc 5.13 never was: below 6 Eigen writes no assembler for a defect of gcc's, and from 6.3 (10 × 5 + 13) none for another.
  target_compile_options(saltus_options INTERFACE -msimd128 -msse2 -fgnuc-version=5.13)
  target_compile_definitions(saltus_options INTERFACE EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS=16)
  target_include_directories(saltus_options BEFORE INTERFACE ${PROJECT_SOURCE_DIR}/web/wasm/include)
  return()
endif()

string(REGEX REPLACE "-gnu$" "-musl" musl "${CMAKE_LIBRARY_ARCHITECTURE}")
set(musl /usr/lib/${musl}/libc.a)
set(SALTUS_SAME_BITS OFF)
if(NOT musl MATCHES "-musl/" OR NOT EXISTS ${musl})
  message(STATUS "musl-dev not installed: mathematical functions of this system; last digits may differ from other machines'")
  return()
endif()
# Its static objects, of double precision only, become part of libsaltus.a and are found before libm's.
set(functions __cos __sin __tan __expo2 __math_divzero __math_invalid __math_oflow __math_uflow __math_xflow __rem_pio2
  __rem_pio2_large acos acosh asin asinh atan atan2 atanh cabs cbrt cos cosh erf exp exp2 exp_data expm1 hypot lgamma lgamma_r log log10
  log1p log2 log2_data log_data pow pow_data sin sincos sinh tan tanh tgamma)
list(TRANSFORM functions APPEND .lo)
set(folder ${PROJECT_BINARY_DIR}/musl)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${CMAKE_AR} xo ${musl} ${functions} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
foreach(function ${functions})
  string(REPLACE .lo .o object ${folder}/${function})
  file(COPY_FILE ${folder}/${function} ${object} ONLY_IF_DIFFERENT)  # no archive of cmake's takes the other name
  list(APPEND objects ${object})
endforeach()
set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON)
target_sources(saltus PRIVATE ${objects} ${PROJECT_SOURCE_DIR}/cmake/same_bits.cpp)
set(SALTUS_SAME_BITS ON)
