// The factors of decompositions.hpp that steps and solvers make again and again.
#include <Eigen/LU>
#include <cmath>
#include <string>
#ifdef __EMSCRIPTEN__
// Eigen writes the number of a bad column through a stream, into a text that nobody reads: a tenth of the
// module of the web lab would be streams and locales. In its namespace `std` is this one.
namespace Eigen::std {
using namespace ::std;
struct ostringstream {
  template <class T>
  ostringstream& operator<<(const T&) {
    return *this;
  }
  ::std::string str() const { return {}; }
};
}  // namespace Eigen::std
#endif
#include <Eigen/SparseLU>

#include "saltus/linalg/decompositions.hpp"

namespace saltus {

struct DenseLu::Impl {
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};
DenseLu::DenseLu() : impl_(std::make_unique<Impl>()) {}
DenseLu::~DenseLu() = default;
DenseLu::DenseLu(DenseLu&&) noexcept = default;
DenseLu& DenseLu::operator=(DenseLu&&) noexcept = default;
void DenseLu::compute(const Eigen::MatrixXd& A) {
  impl_->lu.compute(A);
}
double DenseLu::smallest_pivot() const {
  const auto diagonal = impl_->lu.matrixLU().diagonal();
  return diagonal.allFinite() ? diagonal.cwiseAbs().minCoeff() : std::nan("");
}
int DenseLu::sign() const {
  const bool odd = (impl_->lu.matrixLU().diagonal().array() < 0).count() % 2 != 0;
  return static_cast<int>(impl_->lu.permutationP().determinant()) * (odd ? -1 : 1);
}
void DenseLu::solve(Eigen::Ref<Vec> x) const {
  x = impl_->lu.solve(Vec(x));
}

struct SparseLu::Impl {
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
};
void SparseLu::analyse(const Eigen::SparseMatrix<double>& A) {
  impl_ = std::make_shared<Impl>();
  impl_->lu.analyzePattern(A);
}
bool SparseLu::factorize(const Eigen::SparseMatrix<double>& A) {
  if (!impl_) analyse(A);
  impl_->lu.factorize(A);
  return impl_->lu.info() == Eigen::Success;
}
void SparseLu::solve(Eigen::Ref<Vec> x) const {
  x = impl_->lu.solve(Vec(x)).eval();
}

}  // namespace saltus
