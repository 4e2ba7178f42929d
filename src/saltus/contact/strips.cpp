#include "saltus/contact/strips.hpp"

#include <algorithm>

namespace saltus::detail {
namespace {

constexpr int fewest_blocks = 2000;
constexpr int fewest_strips = 6;  // below, half of them at a time are no work for a team

}  // namespace

void Strips::update(const Delassus& G) {
  if (stamp_ == G.stamp()) return;
  stamp_ = G.stamp();
  order_.clear();
  const int n = G.blocks();
  if (n < fewest_blocks || G.form() != Delassus::Form::sparse) return;
  const BodyRows* rows = G.body_rows();
  if (rows) {
    list_bodies(*rows, n);
    search(n, [&](int i, auto&& visit) {
      for (const int c : rows->columns(i)) {
        for (int k = by_dof_first_[c]; k < place_[c]; ++k) visit(by_dof_[k]);
        place_[c] = by_dof_first_[c];  // once is enough: all of them are found now
      }
    });
  } else {
    search(n, [&](int i, auto&& visit) { G.for_row(i, [&](int j, const double*) { visit(j); }); });
  }
  const int strips = cut(n, [&](int i) { return rows ? 1 : G.stored_in_row(i); });
  if (strips >= fewest_strips) arrange(n, strips);
}

// place_ becomes the end of each list.
void Strips::list_bodies(const BodyRows& rows, int blocks) {
  by_dof_first_.assign(static_cast<std::size_t>(rows.dofs()) + 1, 0);
  for (int i = 0; i < blocks; ++i)
    for (const int c : rows.columns(i)) ++by_dof_first_[c + 1];
  for (int c = 0; c < rows.dofs(); ++c) by_dof_first_[c + 1] += by_dof_first_[c];
  by_dof_.resize(by_dof_first_.back());
  place_.assign(by_dof_first_.begin(), by_dof_first_.end() - 1);
  for (int i = 0; i < blocks; ++i)
    for (const int c : rows.columns(i)) by_dof_[place_[c]++] = i;
}

double Strips::change_of(const Swept* parts, int count) {
  Swept all;
  for (int k = 0; k < count; ++k) {
    all.change = std::max(all.change, parts[k].change), all.scale = std::max(all.scale, parts[k].scale);
    all.sum += parts[k].sum;
  }
  if (!std::isfinite(all.sum) || !std::isfinite(all.change)) return not_a_number;
  return all.scale > 0 ? all.change / all.scale : all.change;
}

// Fills queue_ and levels_. Groups of blocks that do not couple follow each other.
template <class Neighbours>
void Strips::search(int blocks, Neighbours&& of) {
  strip_.assign(blocks, -1);
  queue_.clear();
  levels_.clear();
  const auto add = [&](int i) {
    if (strip_[i] >= 0) return;
    strip_[i] = 0;
    queue_.push_back(i);
  };
  for (int seed = 0; seed < blocks; ++seed) {
    if (strip_[seed] >= 0) continue;
    levels_.push_back(static_cast<int>(queue_.size()));
    add(seed);
    while (levels_.back() < static_cast<int>(queue_.size())) {
      const int from = levels_.back(), to = static_cast<int>(queue_.size());
      levels_.push_back(to);
      for (int k = from; k < to; ++k) of(queue_[k], add);
    }
    levels_.pop_back();  // it is empty
  }
  levels_.push_back(blocks);
}

// Into strips of about the same work where levels are small enough, else into levels; returns how many. All
// blocks of a bed have two or three rows, but those inside it couple with more others than those at its top.
template <class Work>
int Strips::cut(int blocks, Work&& work_of) {
  std::int64_t all = 0, done = 0;
  for (int i = 0; i < blocks; ++i) all += work_of(i);
  const int levels = static_cast<int>(levels_.size()) - 1;
  int strips = 0;
  for (int l = 0; l < levels; ++l) {
    for (int k = levels_[l]; k < levels_[l + 1]; ++k) strip_[queue_[k]] = strips, done += work_of(queue_[k]);
    if (done * most >= (strips + 1) * all) ++strips;
  }
  return strips;
}

void Strips::arrange(int blocks, int strips) {
  int first[most + 1] = {}, at[most];
  for (int i = 0; i < blocks; ++i) ++first[strip_[i] + 1];
  for (int s = 0; s < strips; ++s) first[s + 1] += first[s];
  std::copy_n(first, strips, at);
  sorted_.resize(blocks);
  for (int i = 0; i < blocks; ++i) sorted_[at[strip_[i]]++] = i;

  first_.assign(1, 0);
  order_.reserve(blocks);
  for (int base = 0; base < strips; base += 4)
    for (int s = base; s < std::min(base + 2, strips); ++s) {
      int a = first[s], b = s + 2 < strips ? first[s + 2] : 0;
      const int last_a = first[s + 1], last_b = s + 2 < strips ? first[s + 3] : 0;
      while (a < last_a || b < last_b) {
        if (a < last_a) order_.push_back(sorted_[a++]);
        if (b < last_b) order_.push_back(sorted_[b++]);
      }
      first_.push_back(static_cast<int>(order_.size()));
    }
}

}  // namespace saltus::detail
