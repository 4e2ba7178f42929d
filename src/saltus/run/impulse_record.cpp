#include "saltus/run/impulse_record.hpp"

#include <algorithm>

namespace saltus {

[[gnu::noinline]] void GrowingNumbers::grow(std::size_t n) {
  data_.conservativeResize(static_cast<Eigen::Index>(std::max(2 * size_, size_ + n + 64)));
}

bool ImpulseRecord::goes_on(const ContactMemory& acted) const {
  if (stretches_.empty() || stretches_.back().count != acted.closed.size()) return false;
  const Acting* a = acting_.data() + stretches_.back().acting;
  for (const auto& r : acted.closed) {
    if (a->contact != r.id || a->mode != r.mode || a->rows != r.rows) return false;
    ++a;
  }
  return true;
}

void ImpulseRecord::begin_stretch(const ContactMemory& acted) {
  Stretch s{size_, numbers_.size(), acting_.size(), acted.closed.size(), 1};
  for (const auto& r : acted.closed) {
    acting_.push_back({r.id, static_cast<int>(s.width), r.rows, r.mode});
    s.width += r.rows;
  }
  stretches_.push_back(s);
}

void ImpulseRecord::add(double t, const ContactMemory& acted) {
  if (acted.closed.empty()) return;
  if (!goes_on(acted)) begin_stretch(acted);
  double* x = numbers_.add(stretches_.back().width);
  *x++ = t;
  for (const auto& r : acted.closed) {
    const double* P = acted.impulse.data() + r.offset;
    for (int k = 0; k < r.rows; ++k) *x++ = P[k];  // few numbers: a loop beats the call of a copy
  }
  size_ += acted.closed.size();
}

std::size_t ImpulseRecord::stretch_of(std::size_t i) const {
  const auto next = std::partition_point(stretches_.begin(), stretches_.end(),
                                         [&](const Stretch& s) { return s.atom <= i; });
  return static_cast<std::size_t>(next - stretches_.begin()) - 1;
}

ImpulseAtom ImpulseRecord::atom(std::size_t stretch, std::size_t i) const {
  const Stretch& s = stretches_[stretch];
  const std::size_t step = (i - s.atom) / s.count, which = (i - s.atom) % s.count;
  const std::size_t at = s.number + step * s.width;
  const Acting& a = acting_[s.acting + which];
  return {numbers_[at], a.contact, at + static_cast<std::size_t>(a.offset), a.rows, a.mode};
}

ImpulseAtom ImpulseRecord::Iterator::operator[](difference_type n) const {
  const std::size_t i = i_ + static_cast<std::size_t>(n);
  if (!record_->holds(stretch_, i)) {
    ++stretch_;
    if (stretch_ >= record_->stretches_.size() || !record_->holds(stretch_, i))
      stretch_ = record_->stretch_of(i);
  }
  return record_->atom(stretch_, i);
}

}  // namespace saltus
