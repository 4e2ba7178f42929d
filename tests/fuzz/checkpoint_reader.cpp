// Any bytes as a checkpoint: read as they are, then once more with a checksum that fits, since nobody guesses
// that one. What is accepted goes on as a run of the catalog for some steps: the words that drivers and
// observers kept are the dangerous part.
#include <cstddef>
#include <cstdint>

#include "fuzz/memory_file.hpp"
#include "saltus/catalog/catalog.hpp"
#include "saltus/core/checksum.hpp"
#include "saltus/result/checkpoint.hpp"
#include "saltus/run/choose_method.hpp"
#include "saltus/study/measure.hpp"

using namespace saltus;

namespace {

constexpr int most_steps = 50;
constexpr double most_seconds = 3;  // of simulated time

std::string sealed_checkpoint(std::string_view bytes) {
  std::string text(bytes.substr(0, bytes.rfind("checksum ")));
  // the corpus outlives versions
  constexpr std::string_view key = "\nversion ";
  if (const std::size_t at = text.find(key); at != std::string::npos)
    text.replace(at + key.size(), text.find('\n', at + 1) - at - key.size(), SALTUS_VERSION);
  return text + fmt::format("checksum {:016x}\n", checksum(text));
}

void go_on(const SavedRun& saved) {
  const CatalogProblem p = make_problem(saved.problem, {}, std::min(saved.t_end, most_seconds));
  if (p.problem.q0.size() > 100) return;  // nothing more is to be seen in long chains
  const Method method = choose_method(p.method, {saved.scheme, saved.stepping, saved.solver, ""});
  Checkpoints points;
  points.resume = &saved.at;
  std::atomic<bool> stop = false;
  int steps = 0;
  RunControl control;
  control.interrupt = &stop;
  control.attempt = [&](const Attempt&) { stop = ++steps > most_steps; };
  const Sink sink = [&](const Segment&) { stop = ++steps > most_steps; };
  std::vector<Measure> list;
  for (const char* text : {"max.q[0]", "events", "final.q[0]"}) list.push_back(parse_measure(text));
  const std::vector<FieldDescription> parameters;
  const Measures measures(std::move(list), parameters);
  RunResult result;
  measures.run({p, method, parameters}, control, result, sink, points);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const std::string& text : {std::string(bytes), sealed_checkpoint(bytes)})
    fuzz::answered([&] {
      const fuzz::MemoryFile file(text);
      go_on(load_checkpoint(file.name()));
    });
  return 0;
}
