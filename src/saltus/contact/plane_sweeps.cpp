#include "saltus/contact/plane_sweeps.hpp"

#include <algorithm>

namespace saltus::detail {

// Within a row blocks keep their order, and so does the sum.
void PlaneSweeps::order_rows(const Delassus& G) {
  const int n = G.blocks();
  if (stamp_ != G.stamp()) {
    stamp_ = G.stamp();
    place_.resize(n), first_.resize(n + 1), impulses_.resize(2 * static_cast<std::size_t>(n));
    first_[0] = 0;
    for (int place = 0; place < n; ++place) {
      const int i = strips_->block_at(place);
      place_[i] = place;
      first_[place + 1] = first_[place] + G.stored_in_row(i);
    }
    column_.resize(first_[n]), values_.resize(4 * static_cast<std::size_t>(first_[n]));
    const PairRows given = G.pair_rows();
    for_pieces(0, n, blocks_a_piece, [&](int from, int to) {
      for (int place = from; place < to; ++place) {
        const int start = given.first[strips_->block_at(place)];
        for (int k = first_[place], l = start; k < first_[place + 1]; ++k, ++l) {
          column_[k] = place_[given.column[l]];
          std::copy_n(given.values + 4 * static_cast<std::ptrdiff_t>(l), 4,
                      values_.data() + 4 * static_cast<std::ptrdiff_t>(k));
        }
      }
    });
  }
  rows_ = {first_.data(), column_.data(), values_.data()};
}

void PlaneSweeps::load(const double* P) {
  if (empty() || strips_->empty()) return;
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    std::copy_n(P + 2 * static_cast<std::ptrdiff_t>(strips_->block_at(static_cast<int>(k))), 2,
                impulses_.data() + 2 * k);
}

void PlaneSweeps::store(double* P) const {
  if (empty() || strips_->empty()) return;
  for_pieces(0, static_cast<int>(contacts_.size()), blocks_a_piece, [&](int from, int to) {
    for (std::ptrdiff_t i = from; i < to; ++i)
      std::copy_n(impulses_.data() + 2 * static_cast<std::ptrdiff_t>(place_[i]), 2, P + 2 * i);
  });
}

double PlaneSweeps::sweep(double* P, int count) {
  double* impulses = strips_->empty() ? P : impulses_.data();
  return strips_->sweep(static_cast<int>(contacts_.size()), count, [&](int place, Swept& part) {
    const Contact& k = contacts_[place];
    const Weights& w = k.weights;
    double y[2];
    rows_.row(place, impulses, y);
    y[0] += k.c[0];
    y[1] += k.c[1];
    part.sum += y[0] + y[1];
    double* p = impulses + 2 * static_cast<std::ptrdiff_t>(place);
    const double normal = std::max(0.0, p[0] - w.normal * y[0]), d = normal - p[0], most = w.mu * normal;
    const double tangent = std::clamp(p[1] - w.tangent * (y[1] + k.coupling * d), -most, most);
    part.change = std::max(part.change, std::max(std::abs(d), std::abs(tangent - p[1])) * w.trace);
    part.scale = std::max(part.scale, change_floor * std::max(std::abs(k.c[0]), std::abs(k.c[1])));
    part.scale = std::max(part.scale, std::max(normal, std::abs(tangent)) * w.trace);
    p[0] = normal;
    p[1] = tangent;
  });
}

}  // namespace saltus::detail
