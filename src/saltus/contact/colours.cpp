#include "saltus/contact/colours.hpp"

#include <bit>

namespace saltus::detail {
namespace {

constexpr int fewest_blocks = 2000, most_colours = 48;

}  // namespace

void Colours::update(const Delassus& G) {
  if (stamp_ == G.stamp()) return;
  stamp_ = G.stamp();
  first_.assign(1, 0);
  const int n = G.blocks();
  if (n < fewest_blocks || G.form() != Delassus::Form::sparse) return;
  colour_.resize(n);
  taken_.assign(G.body_rows() ? static_cast<std::size_t>(G.body_rows()->dofs()) : 0, 0);
  int sizes[most_colours] = {}, colours = 0;
  for (int i = 0; i < n; ++i) {
    std::uint64_t taken = 0;
    if (taken_.empty())
      G.for_row(i, [&](int j, const double*) {
        if (j < i) taken |= std::uint64_t{1} << colour_[j];
      });
    else
      for (const int c : G.body_rows()->columns(i)) taken |= taken_[c];
    const int own = std::countr_one(taken);
    if (own >= most_colours) return;
    if (!taken_.empty())
      for (const int c : G.body_rows()->columns(i)) taken_[c] |= std::uint64_t{1} << own;
    colour_[i] = own, ++sizes[own];
    colours = std::max(colours, own + 1);
  }
  for (int c = 0; c < colours; ++c) first_.push_back(first_.back() + sizes[c]);
  int at[most_colours];
  for (int c = 0; c < colours; ++c) at[c] = first_[c];
  order_.resize(n);
  for (int i = 0; i < n; ++i) order_[at[colour_[i]]++] = i;
}

}  // namespace saltus::detail
