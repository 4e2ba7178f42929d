// Where the rows of a sweep are kept: one after the other as they come, each found by its index. What a store
// holds in memory for a point is where its row lies, 8 bytes; the rows themselves are bytes in memory
// (MemoryRows) or in a file (file/sweep_journal.hpp).
#pragma once
#include <cstddef>

#include "saltus/study/sweep_row.hpp"

namespace saltus {

class RowStore {
 public:
  RowStore(std::size_t points, std::size_t measures);
  virtual ~RowStore() = default;
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  std::size_t points() const { return places_.size(); }
  std::size_t measures() const { return measures_; }
  std::size_t count() const { return count_; }  ///< rows that are there
  std::size_t failed() const { return failed_; }
  bool has_errors() const { return has_errors_; }  ///< any row has bars
  bool has(std::size_t index) const { return places_[index] != nowhere; }

  /// A row that is not there yet. Throws Error when it cannot be kept; the store is then as before.
  void add(std::size_t index, const SweepRow& row);
  /// Status missing where there is none.
  SweepRow row(std::size_t index) const;

 protected:
  /// Keeps the bytes and returns where.
  virtual std::uint64_t append(std::string_view record) = 0;
  /// The bytes at a place, at least those of the record that begins there; valid until the next call.
  virtual std::string_view at(std::uint64_t place) const = 0;
  /// A row that lies there already; false when there is one of this index.
  bool found(std::size_t index, const SweepRow& row, std::uint64_t place);

 private:
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  std::vector<std::uint64_t> places_;
  std::size_t measures_, count_ = 0, failed_ = 0;
  bool has_errors_ = false;
};

class MemoryRows final : public RowStore {
 public:
  using RowStore::RowStore;

 private:
  std::uint64_t append(std::string_view record) override;
  std::string_view at(std::uint64_t place) const override;

  std::string bytes_;
};

/// One measure at all points, in their order: NaN where the run did not finish. `known_only`: also where not
/// one digit of it is known.
std::vector<double> measure_column(const RowStore& rows, std::size_t measure, bool known_only = false);
/// Its error bars; NaN where there is none.
std::vector<double> error_column(const RowStore& rows, std::size_t measure);

}  // namespace saltus
