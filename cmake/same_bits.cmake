# The program with the mathematical functions of the browser's module, musl's, and without Eigen's vector instructions: its
# results have the bits of the module (./dev web bits). The nodes of implicit methods are computed with the module's long double. Static objects of musl-dev, the functions of double precision only.
set(musl /usr/lib/x86_64-linux-musl/libc.a)
if(NOT EXISTS ${musl})
  message(FATAL_ERROR "SALTUS_SAME_BITS needs ${musl} (package musl-dev)")
endif()
set(functions __cos __sin __tan __expo2 __math_divzero __math_invalid __math_oflow __math_uflow __math_xflow __rem_pio2
  __rem_pio2_large acos acosh asin asinh atan atan2 atanh cabs cbrt cos cosh erf exp exp2 exp_data expm1 hypot lgamma lgamma_r log log10
  log1p log2 log2_data log_data pow pow_data sin sincos sinh tan tanh tgamma)
list(TRANSFORM functions APPEND .lo)
set(folder ${CMAKE_BINARY_DIR}/musl)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${CMAKE_AR} x ${musl} ${functions} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
list(TRANSFORM functions PREPEND ${folder}/)
target_compile_definitions(saltus_options INTERFACE EIGEN_DONT_VECTORIZE)
add_library(saltus_same_bits OBJECT cmake/same_bits.cpp)
target_link_libraries(saltus INTERFACE ${functions} $<TARGET_OBJECTS:saltus_same_bits>)
set_source_files_properties(src/saltus/scheme/runge_kutta/tableau.cpp PROPERTIES COMPILE_DEFINITIONS SALTUS_SAME_BITS)
