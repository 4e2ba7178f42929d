// The rows of a sweep as they come, in a file, so that a sweep that was interrupted (or killed) can go on. A
// first line in text says what is swept; then each row is a record (sweep_row.hpp), 16 bytes and 8 for every
// number. After the first line and after every record stands a checksum of all bytes before: no row can be
// changed, left out or repeated unnoticed.
#pragma once
#include <string>

#include "saltus/study/row_store.hpp"

namespace saltus {

class SweepJournal final : public RowStore {
 public:
  enum class Start : std::uint8_t { fresh, resume };
  /// A new file, or the rows of an earlier sweep with the same `identity`; a last record that was cut off is
  /// left out. Throws Error when the file cannot be written, is there already (fresh), belongs to another
  /// sweep, is damaged, or another process writes it; it then stays as it is.
  SweepJournal(std::string file, const std::string& identity, std::size_t points, std::size_t measures,
               Start start);
  ~SweepJournal() override;

 private:
  void begin(const std::string& head);
  void resume(const std::string& head);
  bool check_head(const std::string& head) const;
  std::size_t read_records(std::string_view bytes, std::uint64_t place);
  bool write(std::string_view bytes);
  std::size_t read(std::uint64_t place, std::size_t size, std::string& out) const;
  [[noreturn]] void damaged(std::uint64_t place) const;

  std::uint64_t append(std::string_view record) override;
  std::string_view at(std::uint64_t place) const override;

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t sum_;       // of all bytes so far
  std::uint64_t size_ = 0;  // of the part that is whole
  mutable std::string window_;
  mutable std::uint64_t window_at_ = 0;
};

}  // namespace saltus
