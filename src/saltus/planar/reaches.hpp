// How far each of many bodies may move before the next search, and who is fast. Pairs of slow bodies are
// searched in a grid with one small margin; the few fast ones are searched apart, each as far as it moves:
// one bullet does not widen the search for all.
#pragma once
#include <algorithm>
#include <vector>

namespace saltus {

struct Reaches {
  std::vector<double> way;  ///< of every body; empty: only the margin is known
  std::vector<int> fast;    ///< bodies, in increasing order
  std::vector<char> is_fast;
  double margin = 0;   ///< of pairs of slow bodies
  double most = 0;     ///< of any pair in the grid
  double longest = 0;  ///< way of the fastest

  /// Without velocities: all pairs have the same margin.
  void set(double all) { way.clear(), fast.clear(), is_fast.clear(), margin = most = all; }
  /// With `way` filled for the first n entries, the margin of a search of its own and the one that look_ahead
  /// asked for.
  void sort_out(double own, double asked) {
    fast.clear();
    margin = most = asked;
    is_fast.assign(way.size(), 0);
    double sum = 0;
    for (const double w : way) sum += w;
    const double slow = std::max(own, 4 * sum / static_cast<double>(std::max<std::size_t>(1, way.size())));
    if (!(slow < asked)) return;
    for (std::size_t i = 0; i < way.size(); ++i)
      if (!(2 * way[i] <= slow)) fast.push_back(static_cast<int>(i));
    if (8 * fast.size() > way.size()) return fast.clear();  // most move: one search for all is cheaper
    margin = slow;
    for (const int i : fast) is_fast[i] = 1;
    longest = *std::max_element(way.begin(), way.end());
  }
  bool any_fast() const { return !fast.empty(); }
  bool apart(int i) const { return any_fast() && is_fast[i]; }
  /// Of a pair with a fast body.
  double of_pair(int i, int j, double own) const { return std::max(own, std::min(most, way[i] + way[j])); }
};

}  // namespace saltus
