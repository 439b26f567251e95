// The command line: run, list, validate, report, reduce, collective, overlap.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "algorithms/lossy/table.hpp"
#include "experiments/collective_command.hpp"
#include "experiments/job.hpp"
#include "experiments/machine_library.hpp"
#include "experiments/names.hpp"
#include "experiments/netgauge.hpp"
#include "experiments/overlap_command.hpp"
#include "experiments/program_version.hpp"
#include "experiments/reader.hpp"
#include "experiments/reduce_command.hpp"
#include "experiments/run_command.hpp"
#include "experiments/sweep.hpp"
#include "topologies/read_topology.hpp"

namespace sparsewire {
namespace {

// Set by SIGINT and SIGTERM; a signal handler can reach nothing else.
std::atomic<bool> interrupted{false};

// The first interrupt ends the run in good order, a second one ends it at once.
void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void list_algorithms(const auto& table) {
  for (const auto& algorithm : table) {
    fmt::print("{:<26}{}\n", algorithm.name, algorithm.summary);
    for (const Parameter& parameter : algorithm.settings.parameters)
      fmt::print("{:<26}  {}={}: {}\n", "", parameter.name, parameter.fallback, parameter.summary);
  }
}

int list(const std::string& what) {
  if (what == "algorithms") {
    list_algorithms(allreduce_table<Stream<float>>());
    list_algorithms(lossy_table<float>());
    fmt::print("{:<26}the MPI library's own, on dense vectors; over MPI only\n", kMpiAllreduce);
  } else if (what == "collectives") {
    for (const auto& [name, summary] : collective_kinds()) fmt::print("{:<32}{}\n", name, summary);
  } else if (what == "topologies") {
    for (const TopologyKind& kind : topology_kinds()) fmt::print("{:<24}{}\n", kind.name, kind.summary);
  } else if (what == "codecs") {
    for (const auto& [name, summary] : codec_kinds()) fmt::print("{:<24}{}\n", name, summary);
  } else if (what == "workloads") {
    for (const auto& [name, summary] : workload_kinds()) fmt::print("{:<24}{}\n", name, summary);
  } else {
    for (const Machine& machine : shipped_machines())
      fmt::print("{:<24}L={:.4g} s, o={:.4g} s, g={:.4g} s, G={:.4g} s/byte, S={} bytes\n{:<24}{}\n",
                 machine.name, machine.network.L, machine.network.o, machine.network.g, machine.network.G,
                 machine.network.S, "", machine.source);
  }
  return kDone;
}

int validate(const std::vector<std::string>& files) {
  int code = kDone;
  for (const std::string& file : files) try {
      const Experiment experiment = read_experiment(file);
      std::size_t points = 0;
      for (const Cell& cell : cells_of(experiment, experiment.backends, program_version()))
        points += cell.points.size();
      fmt::print("{}: valid, {} points\n", file, points);
    } catch (const std::invalid_argument& error) {
      say_error(error.what());
      code = kBadInput;
    }
  return code;
}

struct ImportOptions {
  std::string table, name, compute = "deep-est";
};

// Prints a machine made of a Netgauge table; the table says nothing of local work, which is another
// machine's.
int import_machine(const ImportOptions& options) {
  std::ifstream file(options.table);
  if (!file || std::filesystem::is_directory(options.table))
    throw std::invalid_argument(options.table + ": cannot open the file");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Machine machine = find_machine(options.compute);
  const std::string file_name = std::filesystem::path(options.table).filename().string();
  machine.source =
      fmt::format("Network: Netgauge LogGP table {}. Compute costs: those of {}.", file_name, machine.name);
  machine.name = options.name.empty() ? file_name : options.name;
  machine.network = loggp_of(read_netgauge(text, options.table), options.table);
  fmt::print("{}", json_of(machine));
  return kDone;
}

int report(const std::string& directory) {
  return show_results(results_paths(directory), interrupted);
}

// CLI11 does not say which command it has not understood.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  require_name("command", argv[1], names);
}

void add_world_options(CLI::App& app, WorldOptions& options) {
  app.add_option("--backend", options.backend, "loggp, simgrid or mpi (default: loggp, under mpirun mpi)");
  app.add_option("--machine", options.machine, "Name or JSON file; see: sparsewire list machines")
      ->capture_default_str();
  app.add_option("--topology", options.topology, "Kind, JSON or JSON file; for simgrid")
      ->capture_default_str();
}

int command_line(int argc, char** argv) {
  CLI::App app{
      "Which allreduce sums this sparse vector fastest on my network?\n"
      "Exit codes: 0 done, 1 some points failed or ranks disagree, 2 bad input, 3 any other error, 130 "
      "interrupted."};
  app.set_version_flag("--version", [] { return program_version(); });
  app.require_subcommand(1);
  int code = kDone;

  RunOptions run_options;
  CLI::App* run_app = app.add_subcommand("run", "Run experiments: simulate, or under mpirun measure");
  run_app->add_option("files", run_options.files, "Experiment files (JSON)")->required();
  run_app
      ->add_option("--backend", run_options.backends,
                   "loggp, simgrid or mpi, instead of the experiment's; may be repeated")
      ->delimiter(',')
      ->allow_extra_args(false);
  run_app->add_option("--out", run_options.out,
                      "Results directory (default: results/NAME OF THE EXPERIMENT)");
  run_app->add_option("--jobs", run_options.jobs, "Processes that simulate at once")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  run_app->add_flag("--dry-run", run_options.dry_run, "Only list the points");
  run_app->callback([&] { code = run(run_options, interrupted); });

  std::string what;
  CLI::App* list_app = app.add_subcommand("list", "List what can be named in an experiment");
  list_app->add_option("what", what, "algorithms, codecs, collectives, topologies, workloads or machines")
      ->required()
      ->check(CLI::IsMember({"algorithms", "codecs", "collectives", "topologies", "workloads", "machines"}));
  list_app->callback([&] { code = list(what); });

  std::vector<std::string> validated;
  CLI::App* validate_app = app.add_subcommand("validate", "Check experiment files without running them");
  validate_app->add_option("files", validated, "Experiment files (JSON)")->required();
  validate_app->callback([&] { code = validate(validated); });

  std::string directory;
  CLI::App* report_app = app.add_subcommand("report", "Draw table and plots of a results directory again");
  report_app->add_option("directory", directory, "Results directory")->required();
  report_app->callback([&] { code = report(directory); });

  ReduceOptions reduce_options;
  CLI::App* reduce_app =
      app.add_subcommand("reduce", "Sum given vectors by one allreduce, or combine them otherwise");
  reduce_app
      ->add_option(
          "vectors", reduce_options.vectors,
          "SVMlight file: a rank per line, an empty line is an empty vector, '# N=' gives the length")
      ->required();
  reduce_app->add_option("--algorithm", reduce_options.algorithm, "See: sparsewire list algorithms")
      ->required();
  add_world_options(*reduce_app, reduce_options.world);
  reduce_app
      ->add_option("--precision", reduce_options.precision, "fp32, fp64, fp16, bf16, qsgd8, qsgd4 or qsgd2")
      ->capture_default_str();
  reduce_app
      ->add_option("--codec", reduce_options.codec, "How sparse vectors travel; see: sparsewire list codecs")
      ->capture_default_str();
  reduce_app->add_option("--op", reduce_options.operation, "sum, min, max, product or or")
      ->capture_default_str();
  reduce_app->callback([&] { code = reduce_command(reduce_options); });

  CollectiveOptions collective_options;
  CLI::App* collective_app = app.add_subcommand(
      "collective", "Run a reduce-scatter, allgather, reduce or broadcast of given vectors");
  collective_app->add_option("vectors", collective_options.vectors, "SVMlight file, as for reduce")
      ->required();
  collective_app->add_option("--algorithm", collective_options.algorithm, "See: sparsewire list collectives")
      ->required();
  collective_app->add_option("--root", collective_options.root, "Rank, of a reduce or broadcast")
      ->capture_default_str();
  add_world_options(*collective_app, collective_options.world);
  collective_app->add_option("--precision", collective_options.precision, "fp32 or fp64")
      ->capture_default_str();
  collective_app->callback([&] { code = collective_command(collective_options); });

  OverlapOptions overlap_options;
  CLI::App* overlap_app =
      app.add_subcommand("overlap", "Show how much computation a non-blocking allreduce hides");
  overlap_app->add_option("--algorithm", overlap_options.algorithm, "See: sparsewire list algorithms")
      ->required();
  overlap_app->add_option("--ranks", overlap_options.ranks, "Default: 16, under mpirun all processes")
      ->check(CLI::Range(1, 1 << 20));
  overlap_app->add_option("--dimension", overlap_options.dimension, "Elements of a vector")
      ->capture_default_str();
  overlap_app->add_option("--density", overlap_options.density, "Share of them that each rank has")
      ->capture_default_str();
  overlap_app
      ->add_option("--chunks", overlap_options.plan.chunks,
                   "Pieces of the computation, with a test between two of them: one or several numbers")
      ->delimiter(',')
      ->check(CLI::Range(1u, 1000000u))
      ->capture_default_str();
  overlap_app
      ->add_option("--work", overlap_options.plan.work, "Length of the computation in that of the allreduce")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  overlap_app
      ->add_option("--repetitions", overlap_options.plan.repetitions, "Over MPI, of which the median counts")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  overlap_app->add_option("--seed", overlap_options.seed, "Of the vectors")->capture_default_str();
  add_world_options(*overlap_app, overlap_options.world);
  overlap_app->callback([&] { code = overlap_command(overlap_options); });

  ImportOptions import_options;
  CLI::App* import_app = app.add_subcommand("import", "Print a machine made of a Netgauge LogGP table");
  import_app->add_option("table", import_options.table, "What Netgauge's pattern loggp has written")
      ->required();
  import_app->add_option("--name", import_options.name, "Of the machine (default: that of the file)");
  import_app->add_option("--compute", import_options.compute, "Machine whose compute costs to take")
      ->capture_default_str();
  import_app->callback([&] { code = import_machine(import_options); });

  require_known_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  return code;
}

}  // namespace
}  // namespace sparsewire

int main(int argc, char** argv) {
  using namespace sparsewire;
  handle_interrupts();
  try {
    return command_line(argc, argv);
  } catch (const std::invalid_argument& error) {
    say_error(error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    say_error(error.what());
    return kNoSuccess;
  }
}
