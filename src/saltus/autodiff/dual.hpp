// Forward-mode dual numbers: a value and N directional derivatives. Nested, Dual<Dual<double, 1>, 1>, they
// carry second derivatives. Models written once, generic in the scalar, are differentiated exactly by them.
#pragma once
#include <Eigen/Core>
#include <array>
#include <cmath>
#include <type_traits>

namespace saltus {

template <class T, int N>
struct Dual {
  T v{};
  std::array<T, N> d{};

  constexpr Dual() = default;
  template <class A>
  requires std::is_arithmetic_v<A>
  constexpr Dual(A value) : v(static_cast<T>(value)) {}  // NOLINT: numbers are duals with zero derivative
  constexpr Dual(const T& value) requires(!std::is_arithmetic_v<T>) : v(value) {}  // NOLINT: the same

  /// f(v) with f'(v) = slope
  constexpr Dual chain(const T& value, const T& slope) const {
    Dual r;
    r.v = value;
    for (int k = 0; k < N; ++k) r.d[k] = slope * d[k];
    return r;
  }

  constexpr Dual operator-() const { return chain(-v, T(-1)); }
  constexpr Dual& operator+=(const Dual& b) {
    v += b.v;
    for (int k = 0; k < N; ++k) d[k] += b.d[k];
    return *this;
  }
  constexpr Dual& operator-=(const Dual& b) {
    v -= b.v;
    for (int k = 0; k < N; ++k) d[k] -= b.d[k];
    return *this;
  }
  constexpr Dual& operator*=(const Dual& b) {
    for (int k = 0; k < N; ++k) d[k] = d[k] * b.v + v * b.d[k];
    v *= b.v;
    return *this;
  }
  constexpr Dual& operator/=(const Dual& b) {
    const T inverse = T(1) / b.v;
    v *= inverse;
    for (int k = 0; k < N; ++k) d[k] = (d[k] - v * b.d[k]) * inverse;
    return *this;
  }

  friend constexpr Dual operator+(Dual a, const Dual& b) { return a += b; }
  friend constexpr Dual operator-(Dual a, const Dual& b) { return a -= b; }
  friend constexpr Dual operator*(Dual a, const Dual& b) { return a *= b; }
  friend constexpr Dual operator/(Dual a, const Dual& b) { return a /= b; }
  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return b.v < a.v; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return !(b.v < a.v); }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return !(a.v < b.v); }
  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.v == b.v; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return !(a.v == b.v); }

  // Found by argument-dependent lookup: write `using std::sin;` in generic code, or just call sin(x).
  friend Dual sin(const Dual& x) {
    using std::cos, std::sin;
    return x.chain(sin(x.v), cos(x.v));
  }
  friend Dual cos(const Dual& x) {
    using std::cos, std::sin;
    return x.chain(cos(x.v), -sin(x.v));
  }
  friend Dual tan(const Dual& x) {
    using std::tan;
    const T t = tan(x.v);
    return x.chain(t, T(1) + t * t);
  }
  friend Dual asin(const Dual& x) {
    using std::asin, std::sqrt;
    return x.chain(asin(x.v), T(1) / sqrt(T(1) - x.v * x.v));
  }
  friend Dual acos(const Dual& x) {
    using std::acos, std::sqrt;
    return x.chain(acos(x.v), T(-1) / sqrt(T(1) - x.v * x.v));
  }
  friend Dual atan(const Dual& x) {
    using std::atan;
    return x.chain(atan(x.v), T(1) / (T(1) + x.v * x.v));
  }
  friend Dual atan2(const Dual& y, const Dual& x) {
    using std::atan2;
    const T r2 = x.v * x.v + y.v * y.v;
    Dual r;
    r.v = atan2(y.v, x.v);
    for (int k = 0; k < N; ++k) r.d[k] = (x.v * y.d[k] - y.v * x.d[k]) / r2;
    return r;
  }
  friend Dual exp(const Dual& x) {
    using std::exp;
    const T e = exp(x.v);
    return x.chain(e, e);
  }
  friend Dual log(const Dual& x) {
    using std::log;
    return x.chain(log(x.v), T(1) / x.v);
  }
  friend Dual sqrt(const Dual& x) {
    using std::sqrt;
    const T s = sqrt(x.v);
    return x.chain(s, T(0.5) / s);
  }
  friend Dual sinh(const Dual& x) {
    using std::cosh, std::sinh;
    return x.chain(sinh(x.v), cosh(x.v));
  }
  friend Dual cosh(const Dual& x) {
    using std::cosh, std::sinh;
    return x.chain(cosh(x.v), sinh(x.v));
  }
  friend Dual tanh(const Dual& x) {
    using std::tanh;
    const T t = tanh(x.v);
    return x.chain(t, T(1) - t * t);
  }
  friend Dual abs(const Dual& x) { return x.v < T(0) ? -x : x; }
  friend Dual pow(const Dual& x, double p) {
    using std::pow;
    return x.chain(pow(x.v, p), p == 0 ? T(0) : T(p) * pow(x.v, p - 1));
  }
  friend Dual pow(const Dual& x, const Dual& p) { return exp(p * log(x)); }
  friend Dual hypot(const Dual& x, const Dual& y) { return sqrt(x * x + y * y); }
};

/// The plain number inside, however deeply nested.
inline double value_of(double x) {
  return x;
}
template <class T, int N>
double value_of(const Dual<T, N>& x) {
  return value_of(x.v);
}

}  // namespace saltus

namespace Eigen {
template <class T, int N>
struct NumTraits<saltus::Dual<T, N>> : NumTraits<double> {
  using Real = saltus::Dual<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = N + 1,
    AddCost = N + 1,
    MulCost = 2 * N + 1
  };
};
template <class T, int N, class BinaryOp>
struct ScalarBinaryOpTraits<saltus::Dual<T, N>, double, BinaryOp> {
  using ReturnType = saltus::Dual<T, N>;
};
template <class T, int N, class BinaryOp>
struct ScalarBinaryOpTraits<double, saltus::Dual<T, N>, BinaryOp> {
  using ReturnType = saltus::Dual<T, N>;
};
}  // namespace Eigen
