#include "saltus/result/checkpoint.hpp"

#include <limits>

#include "saltus/core/file/output_file.hpp"
#include "saltus/result/checkpoint_text.hpp"

namespace saltus {
namespace {

using detail::CheckpointReader;
using detail::CheckpointWriter;

constexpr std::size_t most_texts = 10'000;
constexpr std::uint64_t most_int = std::numeric_limits<int>::max();

// The order of the numbers in the file; counts as such.
template <class S, class F>
void each_stat(S& s, F&& f) {
  f(s.steps), f(s.rejected), f(s.force_evaluations), f(s.newton_iterations), f(s.contact_iterations);
  f(s.calculated), f(s.base_steps), f(s.detections), f(s.switches), f(s.above_tolerance);
  f(s.cpu_seconds), f(s.unsolved), f(s.newton_max), f(s.contact_loss), f(s.wall_work);
}
template <class R, class F>
void each_residual(R& r, F&& f) {
  f(r.contact), f(r.gap), f(r.position), f(r.velocity);
  f(r.acceleration), f(r.contact_position), f(r.contact_velocity), f(r.contact_acceleration);
}

void write_order(CheckpointWriter& out, const SavedRun& run) {
  out.text("version", SALTUS_VERSION);
  out.text("problem", run.problem);
  out.text("scene", run.scene);
  out.line("changes", run.changes.size());
  for (const auto& text : run.changes) out.text("change", text);
  out.line("settings", run.settings.size());
  for (const auto& [key, value] : run.settings) out.text("set", key + "=" + value);
  out.text("scheme", run.scheme), out.text("stepping", run.stepping), out.text("solver", run.solver);
  out.line("t_end", run.t_end);
  if (!run.ends.empty()) out.list("ends", run.ends);
  out.line("accept_penetration", static_cast<int>(run.accept_penetration));
  out.line("every", run.every_steps);
  out.text("output", run.output);
  out.line("output_every", run.output_every);
  out.line("no_error", static_cast<int>(run.no_error));
  out.text("csv", run.csv);
}

void write_state(CheckpointWriter& out, const State& x) {
  out.line("t", x.t);
  out.list("q", x.q), out.list("u", x.u), out.list("aux", x.aux);
  out.line("moved", x.moved.start, x.moved.begin, x.moved.end);
  out.open("contacts"), out.word(x.contacts.closed.size());
  for (const auto& r : x.contacts.closed)
    out.word(r.id), out.word(r.offset), out.word(int{r.rows}), out.word(static_cast<int>(r.has_gap)),
        out.word(static_cast<int>(r.resting)), out.word(static_cast<int>(r.mode));
  out.close();
  out.list("impulse", x.contacts.impulse);
  out.line("scales", x.contacts.speed, x.contacts.step);
}

void write_rest(CheckpointWriter& out, const Checkpoint& at) {
  out.line("grid_steps", at.grid_steps);
  out.list("driver", at.driver);
  const auto word = [&](auto x) { out.word(x); };
  out.open("stats"), each_stat(at.stats, word), out.close();
  out.open("residuals"), each_residual(at.residuals, word), out.close();
  out.open("accumulations"), out.word(at.accumulations.size());
  for (const Accumulation& a : at.accumulations)
    out.word(a.contact), out.word(a.t), out.word(a.bound), out.word(a.impacts);
  out.close();
  out.line("observers", at.observers.size());
  for (const auto& [name, words] : at.observers) out.text("observer", name), out.list("words", words);
}

template <class T>
void take(CheckpointReader& in, T& x) {
  if constexpr (std::is_same_v<T, double>)
    x = in.number();
  else
    x = static_cast<T>(in.natural(std::is_same_v<T, int> ? most_int : std::uint64_t{1} << 53));
}

template <class T>
void single(CheckpointReader& in, const char* key, T& x) {
  in.open(key), take(in, x), in.close();
}
void single(CheckpointReader& in, const char* key, bool& x) {
  in.open(key), x = in.flag(), in.close();
}

std::size_t text_count(CheckpointReader& in, const char* key) {
  in.open(key);
  const auto n = in.natural(most_texts);
  in.close();
  return n;
}

void read_order(CheckpointReader& in, const std::string& file, SavedRun& run) {
  if (const std::string version = in.text("version"); version != SALTUS_VERSION)
    fail("{}: was made by saltus {}, this is {}: the same bits cannot be promised; run it anew", file,
         version, SALTUS_VERSION);
  run.problem = in.text("problem");
  run.scene = in.text("scene");
  for (std::size_t n = text_count(in, "changes"); n > 0; --n) run.changes.push_back(in.text("change"));
  for (std::size_t n = text_count(in, "settings"); n > 0; --n) {
    const std::string text = in.text("set");
    const auto equals = text.find('=');
    if (equals == std::string::npos) in.wrong("name=value is expected");
    run.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  run.scheme = in.text("scheme"), run.stepping = in.text("stepping"), run.solver = in.text("solver");
  single(in, "t_end", run.t_end);
  if (in.next_is("ends")) run.ends = in.numbers("ends");
  for (double end : run.ends)
    if (!(end >= 0 && end < run.t_end)) in.wrong("an earlier end is expected before the end");
  single(in, "accept_penetration", run.accept_penetration);
  single(in, "every", run.every_steps);
  run.output = in.text("output");
  single(in, "output_every", run.output_every);
  if (run.output_every < 1 || run.output_every > static_cast<std::int64_t>(most_int))
    in.wrong("1 or more is expected");
  single(in, "no_error", run.no_error);
  run.csv = in.text("csv");
}

void read_contacts(CheckpointReader& in, ContactMemory& m) {
  in.open("contacts");
  m.closed.resize(in.entries(6));
  for (auto& r : m.closed) {
    r.id = in.natural(), r.offset = static_cast<int>(in.natural(most_int));
    r.rows = static_cast<std::uint8_t>(in.natural(max_block_rows)), r.has_gap = in.flag(),
    r.resting = in.flag();
    r.mode = static_cast<Mode>(in.natural(static_cast<std::uint64_t>(last_mode)));
  }
  in.close();
  m.impulse = in.numbers("impulse");
  in.open("scales");
  m.speed = in.number(), m.step = in.number();
  in.close();
}

void read_state(CheckpointReader& in, State& x) {
  single(in, "t", x.t);
  x.q = in.vector("q"), x.u = in.vector("u"), x.aux = in.vector("aux");
  in.open("moved");
  x.moved.start = in.natural();
  x.moved.begin = static_cast<int>(in.natural(most_int)),
  x.moved.end = static_cast<int>(in.natural(most_int));
  in.close();
  read_contacts(in, x.contacts);
}

void read_rest(CheckpointReader& in, Checkpoint& at) {
  single(in, "grid_steps", at.grid_steps);
  at.driver = in.naturals("driver");
  const auto word = [&](auto& x) { take(in, x); };
  in.open("stats"), each_stat(at.stats, word), in.close();
  in.open("residuals"), each_residual(at.residuals, word), in.close();
  in.open("accumulations");
  at.accumulations.resize(in.entries(4));
  for (Accumulation& a : at.accumulations)
    a.contact = in.natural(), a.t = in.number(), a.bound = in.number(), take(in, a.impacts);
  in.close();
  for (std::size_t n = text_count(in, "observers"); n > 0; --n) {
    const std::string name = in.text("observer");
    at.observers[name] = in.naturals("words");
  }
}

}  // namespace

void save_checkpoint(const std::string& file, const SavedRun& run) {
  CheckpointWriter out;
  write_order(out, run);
  write_state(out, run.at.state);
  write_rest(out, run.at);
  write_file(file, out.finish());
}

SavedRun load_checkpoint(const std::string& file) {
  CheckpointReader in(file);
  SavedRun run;
  read_order(in, file, run);
  read_state(in, run.at.state);
  read_rest(in, run.at);
  in.end();
  try {
    check(run.at);
  } catch (const Error& e) {
    fail("{}: {}", file, e.what());
  }
  return run;
}

}  // namespace saltus
