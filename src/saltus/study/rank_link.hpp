// Messages between the processes (ranks) that share a sweep, whatever carries them: MPI (mpi/mpi_link.hpp),
// or a queue in memory in tests. The leader is rank 0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/catalog/catalog.hpp"

namespace saltus {

enum class RankTag : std::uint8_t {
  hello,  ///< to the leader: who is there
  work,   ///< to a follower: points
  rows,   ///< to the leader: records of rows, or none as a sign of life
  alive,  ///< to a follower: the leader is there
  stop,   ///< to a follower: that is all
  bye     ///< to the leader: nothing more will come
};

struct RankMessage {
  std::size_t from = 0;
  RankTag tag = RankTag::hello;
  std::string bytes = {};
};

class RankLink {
 public:
  virtual ~RankLink() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  /// Returns at once; messages to the same rank arrive in their order, those to a dead one nowhere.
  virtual void send(std::size_t to, RankTag tag, std::string bytes) = 0;
  /// The next message that has arrived; false when there is none.
  virtual bool receive(RankMessage& message) = 0;
};

/// What a follower says first.
struct RankHello {
  std::size_t threads = 1;
  std::string host, identity;  ///< identity: of what it would run; the leader must have the same
  std::string trouble;         ///< why it cannot
};
std::string to_bytes(const RankHello& hello);
/// Throws Error for bytes that are none.
RankHello hello_from(std::string_view bytes);

struct NumberedPoint {
  std::size_t index = 0;
  Settings values;
};
std::string to_bytes(const std::vector<NumberedPoint>& points);
std::vector<NumberedPoint> points_from(std::string_view bytes);

}  // namespace saltus
