#include "saltus/run/contact_record.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "saltus/core/error.hpp"
#include "saltus/core/fields.hpp"

namespace saltus {
namespace {

const Chain& chain_in(const Problem& problem) {
  if (const Chain* chain = as_chain(problem.system.get())) return *chain;
  fail("forces of contacts are recorded of chains of beads, and this problem is none");
}

std::vector<int> all_contacts(const Chain& chain) {
  std::vector<int> out;
  for (int n = 0; n <= chain.beads(); ++n)
    if (chain.data().k[n] > 0) out.push_back(n);
  return out;
}

}  // namespace

ContactRecord::ContactRecord(const Problem& problem, std::vector<int> contacts, RecordTimes times)
    : chain_(chain_in(problem)), contacts_(std::move(contacts)), when_(std::move(times)), t0_(problem.t0) {
  if (contacts_.empty()) contacts_ = all_contacts(chain_);
  for (const int n : contacts_)
    if (n < 0 || n > chain_.beads()) fail("contact {}: there are contacts 0 to {}", n, chain_.beads());
}

void ContactRecord::begin_row(double t) {
  const double bytes = sizeof(Row) * static_cast<double>(rows_.size() + contacts_.size());
  if (bytes > most_bytes)
    fail(
        "the record of {} contacts would take more than {:.0f} GB of memory at t = {:.6g}: choose fewer "
        "contacts or times",
        contacts_.size(), most_bytes / 1e9, t);
  times_.push_back(t);
}

void ContactRecord::add(double, const ChainEnds& ends, int n, double before, double after, double rate_before,
                        double rate_after) {
  const int N = chain_.beads();
  const double d = (n > 0 ? before : ends.left) - (n < N ? after : ends.right) + chain_.offset(n);
  const double rate = (n > 0 ? rate_before : ends.left_rate) - (n < N ? rate_after : ends.right_rate);
  const ContactForce c = chain_.contact(n, d);
  rows_.push_back({d, c.phi + c.dsigma * rate, d > 0 ? 0.4 * d * c.phi : 0.0});
}

void ContactRecord::take(double t, In q, In u) {
  begin_row(t);
  const ChainEnds ends = chain_.ends(t);
  const int N = chain_.beads();
  for (const int n : contacts_) {
    const int a = std::max(n - 1, 0), b = std::min(n, N - 1);
    add(t, ends, n, q[a], q[b], u[a], u[b]);
  }
}

void ContactRecord::take_within(const Segment& s, double t) {
  const double h = s.end.t - s.begin.t, r = h > 0 ? (t - s.begin.t) / h : 1;
  if (!(r < 1)) return take(s.end.t, s.end.q, s.end.u);
  begin_row(t);
  const ChainEnds ends = chain_.ends(t);
  const int N = chain_.beads();
  const auto x = [&](int i) {
    return s.begin.q[i] + r * r * (3 - 2 * r) * (s.end.q[i] - s.begin.q[i]) +
           h * r * (1 - r) * ((1 - r) * s.begin.u[i] - r * s.end.u[i]);
  };
  const auto v = [&](int i) {
    return 6 * r * (1 - r) / h * (s.end.q[i] - s.begin.q[i]) + (1 - r) * (1 - 3 * r) * s.begin.u[i] +
           r * (3 * r - 2) * s.end.u[i];
  };
  for (const int n : contacts_) {
    const int a = std::max(n - 1, 0), b = std::min(n, N - 1);
    add(t, ends, n, x(a), x(b), v(a), v(b));
  }
}

void ContactRecord::operator()(const Segment& s) {
  const bool by_time = !when_.at.empty() || when_.period > 0;
  if (!by_time) {
    if (!std::exchange(started_, true)) take(s.begin.t, s.begin.q, s.begin.u);
    if (++steps_ % when_.every == 0) take(s.end.t, s.end.q, s.end.u);
    return;
  }
  // which of the next times come first
  constexpr double rounding = 1e-12;
  const double end = s.end.t + rounding * std::abs(s.end.t - t0_);
  for (;;) {
    const double by_list = next_at_ < when_.at.size() ? when_.at[next_at_] : infinity;
    const double by_period =
        when_.period > 0 ? t0_ + static_cast<double>(next_period_) * when_.period : infinity;
    const double t = std::min(by_list, by_period);
    if (t > end) return;
    if (by_list == t) ++next_at_;
    if (by_period == t) ++next_period_;
    if (t < s.begin.t) continue;  // before a run that was resumed
    take_within(s, t);
  }
}

void ContactRecord::finish(const State& end) {
  const bool by_time = !when_.at.empty() || when_.period > 0;
  if (!by_time && (times_.empty() || times_.back() < end.t)) take(end.t, end.q, end.u);
}

std::vector<int> parse_contacts(std::string_view text, const Chain& chain, std::string_view option) {
  std::vector<int> out;
  if (text.empty() || text == "all") return out;
  const int last = chain.beads();
  const auto number = [&](std::string_view word) {
    const std::int64_t k = parse_integer(std::string(word), std::string(option));
    const std::int64_t at = k < 0 ? last + 1 + k : k;
    if (at < 0 || at > last) fail("{} {}: there are contacts 0 to {}; -1 is the last", option, word, last);
    return static_cast<int>(at);
  };
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    while (item.starts_with(' ')) item.remove_prefix(1);
    const auto colon = item.find(':');
    if (colon == std::string_view::npos) {
      out.push_back(number(item));
      continue;
    }
    const std::string_view rest = item.substr(colon + 1);
    const auto second = std::min(rest.find(':'), rest.size());
    const int from = number(item.substr(0, colon)), to = number(rest.substr(0, second));
    const std::int64_t by =
        second < rest.size() ? parse_integer(std::string(rest.substr(second + 1)), std::string(option)) : 1;
    if (by < 1 || by > last + 1) fail("{} {}: FROM:TO:BY, by 1 or more", option, item);
    for (std::int64_t n = from; n <= to; n += by) out.push_back(static_cast<int>(n));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  const int first = chain.data().k[0] == 0 ? 1 : 0, end = chain.data().k[last] == 0 ? last - 1 : last;
  std::erase_if(out, [&](int n) { return n < first || n > end; });
  if (out.empty()) fail("{}: these ends are free; there are contacts {} to {}", option, first, end);
  return out;
}

}  // namespace saltus
