// The quotient of complex numbers as the browser's module computes it (compiler-rt): the divisor is scaled by
// a power of two, then the textbook formula. libgcc has another formula, with other bits; Eigen divides so in
// eigenvectors. Only for finite numbers: whatever else there is ends a run in either program.
#include <cmath>

__extension__ typedef __complex__ double Quotient;

// NOLINTNEXTLINE(bugprone-reserved-identifier): the name that compilers call
extern "C" Quotient __divdc3(double a, double b, double c, double d) {
  const double size = std::logb(std::fmax(std::fabs(c), std::fabs(d)));
  int power = 0;
  if (std::isfinite(size))
    power = static_cast<int>(size), c = std::scalbn(c, -power), d = std::scalbn(d, -power);
  const double squares = c * c + d * d;
  Quotient out;
  __real__ out = std::scalbn((a * c + b * d) / squares, -power);
  __imag__ out = std::scalbn((b * c - a * d) / squares, -power);
  return out;
}
