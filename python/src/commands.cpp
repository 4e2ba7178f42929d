#include "commands.hpp"

#include <pybind11/stl.h>
#include <CLI/CLI.hpp>

#include <mutex>
#include <sstream>

#include "gil.hpp"
#include "run_data.hpp"
#include "saltus/cli/commands.hpp"
#include "saltus/cli/finished_run.hpp"
#include "saltus/core/error.hpp"
#include "saltus/scene/document.hpp"
#include "saltus/scene/load.hpp"

namespace saltus::python {
namespace {

using Words = std::vector<std::string>;

/// A parsed command line.
struct Command {
  CLI::App app{"saltus", "saltus"};
  cli::Action action;

  explicit Command(const Words& words) {
    add(words.empty() ? std::string() : words.front());
    parse(words);
  }
  // Only where the options of its command are as new after each action: those of run.
  void parse(const Words& words) {
    action = nullptr;
    if (!words.empty() && !words.front().starts_with('-') && !has(words.front()))
      fail("there is no command '{}'; saltus.call('--help') lists them", words.front());
    Words reversed(words.rbegin(), words.rend());  // as CLI11 takes them
    try {
      app.parse(reversed);
    } catch (const CLI::Success& e) {  // --help, --version: a text instead of an action
      std::ostringstream text, nothing;
      app.exit(e, text, nothing);
      action = [told = text.str()](cli::Console& io) {
        io.out << told;
        return 0;
      };
    } catch (const CLI::ParseError& e) {
      fail("{}", e.what());
    }
  }

 private:
  // Those that are called often alone: adding all of them takes longer than a short run.
  void add(const std::string& name) {
    if (name == "run") return cli::add_run(app, action);
    if (name == "sweep") return cli::add_sweep(app, action);
    cli::add_commands(app, action);
  }
  bool has(const std::string& name) const {
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    return std::any_of(all.begin(), all.end(), [&](const CLI::App* c) { return c->get_name() == name; });
  }
};

/// Commands that were used and can be again: to set up the options of `run` takes longer than a short run.
class IdleCommands {
 public:
  std::unique_ptr<Command> take(const Words& words) {
    std::unique_ptr<Command> out;
    {
      const std::lock_guard lock(door_);
      if (words.empty() || words.front() != "run" || idle_.empty()) return std::make_unique<Command>(words);
      out = std::move(idle_.back());
      idle_.pop_back();
    }
    out->parse(words);
    return out;
  }
  /// After its action, and only then.
  void give_back(const Words& words, std::unique_ptr<Command> command) {
    const std::lock_guard lock(door_);
    if (words.front() == "run" && idle_.size() < 8) idle_.push_back(std::move(command));
  }

 private:
  std::mutex door_;
  std::vector<std::unique_ptr<Command>> idle_;
};

IdleCommands& idle_commands() {
  static IdleCommands commands;
  return commands;
}

// What a command said on its error stream, as one message.
std::string complaint(const std::string& said) {
  std::string out = said;
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::unique_ptr<RunData> run(const Words& words, const py::object& progress) {
  std::unique_ptr<RunData> data;
  Interrupt interrupt;
  std::ostringstream out, err;
  {
    const py::gil_scoped_release free;
    auto command = idle_commands().take(words);
    cli::Console io{out, err, interrupt.flag};
    io.progress = Watch(interrupt, progress);
    io.take_run = [&](cli::FinishedRun&& r) { data = std::make_unique<RunData>(std::move(r)); };
    command->action(io);
    if (data) idle_commands().give_back(words, std::move(command));
  }
  interrupt.rethrow();
  if (!data) fail("{}", err.str().empty() ? "the command is not a run" : complaint(err.str()));
  data->said = complaint(err.str());
  data->interrupted = interrupt.heard();
  return data;
}

py::tuple call(const Words& words, const py::object& progress) {
  Interrupt interrupt;
  std::ostringstream out, err;
  int code = 0;
  {
    const py::gil_scoped_release free;
    Command command(words);
    in_thread(interrupt, progress, [&](const Tell& tell) {
      cli::Console io{out, err, interrupt.flag};
      io.progress = tell;
      code = command.action(io);
    });
  }
  interrupt.rethrow();
  return py::make_tuple(code, out.str(), complaint(err.str()));
}

// Every option of a command, as its list of options says.
py::list options(const std::string& command) {
  CLI::App app{"saltus", "saltus"};
  cli::Action action;
  cli::add_commands(app, action);
  py::list out;
  const CLI::App* c = nullptr;
  try {
    c = app.get_subcommand(command);
  } catch (const CLI::Error&) {
    fail("there is no command '{}'", command);
  }
  for (const CLI::Option* o : c->get_options()) {
    const bool positional = o->nonpositional() == false;
    std::string name = positional                ? o->get_name()
                       : o->get_lnames().empty() ? o->get_snames().front()
                                                 : o->get_lnames().front();
    if (name == "help") continue;
    out.append(
        py::dict(py::arg("name") = name, py::arg("help") = o->get_description(),
                 py::arg("positional") = positional, py::arg("flag") = o->get_items_expected_max() == 0,
                 py::arg("many") = o->get_items_expected_max() > 1, py::arg("required") = o->get_required()));
  }
  return out;
}

py::dict check_scene(const std::string& file, const py::bytes& text, const Words& sets) {
  const auto scene = load_scene_text(std::string(text), file, sets);
  py::dict parameters;
  for (const auto& p : scene->entry.parameters) parameters[py::str(p.name)] = p.value;
  return py::dict(py::arg("file") = file, py::arg("coordinates") = scene->coordinates,
                  py::arg("parameters") = parameters, py::arg("measures") = scene->measures);
}

py::object tree_of(const SceneNode& node) {
  switch (node.kind) {
    case SceneNode::Kind::scalar:
      return py::str(node.text);
    case SceneNode::Kind::list: {
      py::list out;
      for (const auto& item : node.items) out.append(tree_of(item));
      return out;
    }
    case SceneNode::Kind::map: {
      py::dict out;
      for (std::size_t i = 0; i < node.items.size(); ++i) out[py::str(node.keys[i])] = tree_of(node.items[i]);
      return out;
    }
    case SceneNode::Kind::null:
      break;
  }
  return py::none();
}

py::object parse_yaml_text(const py::bytes& text, const std::string& file) {
  Complaints complaints;
  const auto root = parse_scene_text(std::string(text), complaints);
  complaints.raise(file);
  return root ? tree_of(*root) : py::none();
}

}  // namespace

void bind_commands(py::module_& m) {
  py::class_<cli::Given>(m, "GivenScene", "A scene in memory: a target for commands as long as it exists.")
      .def(py::init([](const std::string& file, const std::string& text) {
             return std::make_unique<cli::Given>(cli::GivenTarget{file, text, {}});
           }),
           py::arg("file"), py::arg("text"))
      .def_property_readonly("name", &cli::Given::name, "the word for the command line")
      .def_property_readonly("file", [](const cli::Given& g) { return cli::given_target(g.name())->file; })
      .def_property_readonly(
          "text", [](const cli::Given& g) { return py::bytes(cli::given_target(g.name())->text); });
  m.def("run", &run, py::arg("words"), py::arg("progress"), "A run by the words of the command line.");
  m.def("call", &call, py::arg("words"), py::arg("progress"),
        "Any command by its words: exit code, standard output, messages.");
  m.def("check_scene", &check_scene, py::arg("file"), py::arg("text"), py::arg("sets"),
        "Reads a scene; throws SceneError with all that is wrong.");
  m.def("parse_yaml", &parse_yaml_text, py::arg("text"), py::arg("file"),
        "The tree of a scene file: dicts, lists and texts.");
  m.def("options", &options, py::arg("command"), "The options of a command.");
}

}  // namespace saltus::python
