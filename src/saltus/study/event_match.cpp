#include "saltus/study/event_match.hpp"

#include <algorithm>
#include <map>

namespace saltus {
namespace {

using Marks = std::vector<EventMark>;

bool closes(const EventMark& e) {
  return e.kind == EventKind::close || e.kind == EventKind::accumulation;
}
bool alike(const EventMark& a, const EventMark& b) {
  return a.kind == b.kind || (closes(a) && closes(b));
}
// Past the impacts of a train, to where the contact closes; the end when it does not.
std::size_t end_of_train(const Marks& marks, std::size_t i) {
  while (i < marks.size() && marks[i].kind == EventKind::impact) ++i;
  return i < marks.size() && closes(marks[i]) ? i : marks.size();
}

std::map<std::uint64_t, Marks> by_contact(std::span<const EventMark> marks) {
  std::map<std::uint64_t, Marks> out;
  for (const EventMark& e : marks) out[e.contact].push_back(e);
  return out;
}

class Matcher {
 public:
  Matcher(EventMatch& out, double last) : out_(out), last_(last) {}

  void match(const Marks& a, const Marks& b) {
    std::size_t i = 0, k = 0;
    while (i < a.size() && k < b.size()) {
      if (!alike(a[i], b[k])) {
        // one of them closed, the other still bounces
        const std::size_t ia = closes(b[k]) ? end_of_train(a, i) : a.size();
        const std::size_t kb = closes(a[i]) ? end_of_train(b, k) : b.size();
        if (ia < a.size())
          i = ia;
        else if (kb < b.size())
          k = kb;
        else
          return differ(a[i].t <= b[k].t ? a[i] : b[k], a[i].t <= b[k].t);
      }
      out_.pairs.emplace_back(a[i++], b[k++]);
    }
    if (i < a.size() && a[i].t < last_) differ(a[i], true);
    if (k < b.size() && b[k].t < last_) differ(b[k], false);
  }

 private:
  void differ(const EventMark& e, bool in_first) {
    if (!out_.difference || e.t < out_.difference->t) out_.difference = {e.t, e, in_first};
  }
  EventMatch& out_;
  double last_;
};

}  // namespace

void EventMark::memory(Memory& m) {
  auto which = static_cast<std::uint64_t>(kind);
  m(t, t_before, contact, which, jump);
  m.require(which <= static_cast<std::uint64_t>(EventKind::accumulation));
  kind = static_cast<EventKind>(which);
}

EventMatch match_events(std::span<const EventMark> first, std::span<const EventMark> second, double t_end,
                        double margin) {
  EventMatch out;
  Matcher matcher(out, t_end - margin);
  auto a = by_contact(first), b = by_contact(second);
  for (const auto& [contact, marks] : a) b.try_emplace(contact);
  for (const auto& [contact, marks] : b) matcher.match(a[contact], marks);
  return out;
}

}  // namespace saltus
