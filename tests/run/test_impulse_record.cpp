// The record of impulses beside the plain list that it stands for.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "saltus/run/impulse_record.hpp"

namespace saltus::test_impulse_record {
namespace {

struct Plain {
  double t;
  std::uint64_t contact;
  Mode mode;
  std::vector<double> impulse;
};

// Stretches of random length with random contacts, modes and rows; some steps without any.
std::vector<Plain> fill(ImpulseRecord& record, int steps, unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<Plain> out;
  ContactMemory acted;
  for (int k = 0; k < steps; ++k) {
    if (draw() % 4 == 0) {
      acted.closed.clear(), acted.impulse.clear();
      for (std::uint64_t id = 0, n = draw() % 4; id < n; ++id) {
        const auto rows = static_cast<std::uint8_t>(1 + draw() % 3);
        const Mode mode = draw() % 2 ? Mode::stick : Mode::closed;
        acted.closed.push_back(
            {id + draw() % 2 * 10, static_cast<int>(acted.impulse.size()), rows, true, false, mode});
        acted.impulse.resize(acted.impulse.size() + rows);
      }
    }
    for (double& x : acted.impulse) x = static_cast<double>(draw());
    record.add(k, acted);
    for (const auto& r : acted.closed) {
      const auto* P = acted.impulse.data() + r.offset;
      out.push_back({static_cast<double>(k), r.id, r.mode, {P, P + r.rows}});
    }
  }
  return out;
}

void expect_same(const ImpulseRecord& record, const ImpulseAtom& a, const Plain& p) {
  EXPECT_EQ(a.t, p.t);
  EXPECT_EQ(a.contact, p.contact);
  EXPECT_EQ(a.mode, p.mode);
  ASSERT_EQ(a.rows, static_cast<int>(p.impulse.size()));
  for (int r = 0; r < a.rows; ++r) EXPECT_EQ(record.impulse(a, r), p.impulse[static_cast<std::size_t>(r)]);
}

TEST(ImpulseRecord, ReadsAsTheListOfItsSteps) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ImpulseRecord record;
    const auto plain = fill(record, 200, seed);
    ASSERT_EQ(record.size(), plain.size());
    std::size_t i = 0;
    for (const auto& a : record) expect_same(record, a, plain[i++]);
    EXPECT_EQ(i, plain.size());
    for (std::size_t k = plain.size(); k-- > 0;) expect_same(record, record[k], plain[k]);
    const auto late = std::upper_bound(record.begin(), record.end(), 100.0,
                                       [](double t, const ImpulseAtom& a) { return t < a.t; });
    const auto expected =
        std::upper_bound(plain.begin(), plain.end(), 100.0, [](double t, const Plain& a) { return t < a.t; });
    EXPECT_EQ(late - record.begin(), expected - plain.begin());
  }
}

TEST(ImpulseRecord, IsEmptyWithoutContacts) {
  ImpulseRecord record;
  record.add(1, {});
  EXPECT_TRUE(record.empty());
  EXPECT_TRUE(record.begin() == record.end());
}

}  // namespace
}  // namespace saltus::test_impulse_record
