// One job divided into parts that several workers do at the same time, as the blocks of a chain or the
// contacts of one colour. The library asks the team of its thread; by default there is none, and parts are
// done one after the other. So runs in several threads at the same time do not share a team. Threads are in
// core/threads/worker_team.hpp.
//
// How a job is divided never depends on the number of workers: parts are of a size that the job chooses, and
// what is summed over parts is summed part by part in their order. So results have the same bits with any
// team.
#pragma once
#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

namespace saltus {

class Team {
 public:
  /// part(context, k) of a job.
  using Part = void (*)(void* context, int k);

  virtual ~Team() = default;
  /// Workers, the calling thread included.
  virtual int size() const = 0;
  /// part(context, k) once for each k from 0 to count − 1; returns when all are done. Called while the team
  /// is at work, by one of its parts or by another thread, it does the parts in the calling thread. Parts do
  /// not throw.
  virtual void run(int count, Part part, void* context) = 0;

  /// part(context, unit, round) of a job in rounds.
  using Turn = void (*)(void* context, int unit, int round);
  /// Units in a row, each of which depends on its two neighbours only. A round is a turn of all even units,
  /// then of all odd ones: the turn of a unit begins when its neighbours have had theirs before it, and no
  /// neighbour goes on before it ends. Nobody waits for units that are far away.
  virtual void alternate(int units, int rounds, Turn turn, void* context) = 0;
};

/// Of the calling thread; null: there is none. The caller of set_team keeps the team alive, and sets it
/// between runs only.
Team* team();
void set_team(Team* team);

/// f(k) for k from 0 to count − 1, by the team.
template <class F>
void for_parts(int count, F&& f) {
  using Function = std::remove_reference_t<F>;
  if (Team* workers = count > 1 ? team() : nullptr) {
    workers->run(
        count, [](void* context, int k) { (*static_cast<Function*>(context))(k); },
        const_cast<std::remove_const_t<Function>*>(&f));
    return;
  }
  for (int k = 0; k < count; ++k) f(k);
}

inline constexpr int most_units = 64;  ///< that a team alternates; more are taken one after the other

/// f(unit, round) for all units in all rounds, by the team: even units and odd ones alternate.
template <class F>
void alternate(int units, int rounds, F&& f) {
  using Function = std::remove_reference_t<F>;
  if (Team* workers = units > 2 && units <= most_units ? team() : nullptr) {
    workers->alternate(
        units, rounds, [](void* context, int u, int r) { (*static_cast<Function*>(context))(u, r); },
        const_cast<std::remove_const_t<Function>*>(&f));
    return;
  }
  for (int r = 0; r < rounds; ++r)
    for (const int parity : {0, 1})
      for (int u = parity; u < units; u += 2) f(u, r);
}

inline constexpr int most_pieces = 256;

/// A range cut into pieces of at least `size` (but the only one), all of about the same length.
struct Pieces {
  int begin, end, count;

  Pieces(int from, int to, int size)
      : begin(from), end(to), count(std::clamp((to - from) / size, 1, most_pieces)) {}
  int first(int k) const {
    return begin + static_cast<int>(static_cast<std::int64_t>(end - begin) * k / count);
  }
  int last(int k) const { return first(k + 1); }
};

/// f(from, to) for pieces of [begin, end[ with at least `size` entries each, by the team.
template <class F>
void for_pieces(int begin, int end, int size, F&& f) {
  const Pieces pieces(begin, end, size);
  if (pieces.count <= 1) return f(begin, end);
  for_parts(pieces.count, [&](int k) { f(pieces.first(k), pieces.last(k)); });
}

/// The results f(from, to) of such pieces, put together by add(sum, result) in their order.
template <class Result, class F, class Add>
Result over_pieces(int begin, int end, int size, F&& f, Add&& add) {
  const Pieces pieces(begin, end, size);
  if (pieces.count <= 1) return f(begin, end);
  static_assert(std::is_trivially_destructible_v<Result>);
  union Room {  // for the results there are: clearing all places would take longer than small parts do
    Room() {}
    Result parts[most_pieces];
  } room;
  Result* parts = room.parts;
  for_parts(pieces.count, [&](int k) { new (parts + k) Result(f(pieces.first(k), pieces.last(k))); });
  for (int k = 1; k < pieces.count; ++k) add(parts[0], parts[k]);
  return parts[0];
}

}  // namespace saltus
