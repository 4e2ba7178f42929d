// What some standard libraries lack, those of browsers first of all: each function is the standard one where
// the library says by its feature-test macro that it has it, and the one in `fallback` elsewhere. Fallbacks
// are compiled everywhere, so that tests compare both.
#pragma once
#include <charconv>
#include <cstring>
#include <type_traits>
#include <version>

#ifdef __cpp_lib_bit_cast
#include <bit>
#endif

namespace saltus::port {

namespace fallback {

/// With strtod on a copy, in the format of std::from_chars: no leading blank, no +, no hexadecimal digits.
/// The program's locale must be "C", which it is unless somebody calls setlocale.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

template <class To, class From>
To bit_cast(const From& x) noexcept {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                std::is_trivially_copyable_v<From>);
  To out;
  std::memcpy(&out, &x, sizeof out);
  return out;
}

double beta(double a, double b);  ///< a, b > 0
double steady_seconds();          ///< since some moment, of the clock on the wall

}  // namespace fallback

/// std::from_chars of a double: what is out of range leaves `value` as it was.
std::from_chars_result from_chars(const char* first, const char* last, double& value);

/// std::bit_cast
template <class To, class From>
To bit_cast(const From& x) noexcept {
#ifdef __cpp_lib_bit_cast
  return std::bit_cast<To>(x);
#else
  return fallback::bit_cast<To>(x);
#endif
}

/// std::beta, Euler's integral of the first kind
double beta(double a, double b);

/// Processor time of the calling thread since some moment; where there is no such clock, the steady one.
double cpu_seconds();

}  // namespace saltus::port
