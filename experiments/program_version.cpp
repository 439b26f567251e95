#include "experiments/program_version.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "build_info.hpp"
#include "experiments/sha1.hpp"

namespace sparsewire {
namespace {

constexpr std::string_view kRevision = SPARSEWIRE_REVISION;

std::string hash_of_this_program() {
  std::ifstream program("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(program), std::istreambuf_iterator<char>()};
  return sha1_of(bytes).substr(0, 8);
}

}  // namespace

std::string program_version() {
  std::string version = fmt::format("{}+{}", SPARSEWIRE_VERSION, kRevision);
  if (kRevision.ends_with("-dirty") || kRevision == "unknown") version += "." + hash_of_this_program();
  return version;
}

std::string host_name() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

RunContext build_context() {
  RunContext context;
  context.schema_version = "1";
  context.program_version = program_version();
  context.git_revision = kRevision;
  context.compiler = SPARSEWIRE_COMPILER;
  context.flags = SPARSEWIRE_FLAGS;
  context.simgrid_version = SPARSEWIRE_SIMGRID_VERSION;
  context.host = host_name();
  context.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return context;
}

RunContext context_of(const Experiment& experiment) {
  RunContext context = build_context();
  context.experiment_file = experiment.file.string();
  context.seed = experiment.seed;
  const Machine& machine = experiment.machine;
  const auto number = [](double value) { return fmt::format("{}", value); };
  context.machine = {{"name", machine.name},
                     {"L_s", number(machine.network.L)},
                     {"o_s", number(machine.network.o)},
                     {"g_s", number(machine.network.g)},
                     {"G_s_per_byte", number(machine.network.G)},
                     {"rendezvous_threshold_bytes", std::to_string(machine.network.S)},
                     {"serial_receiver", machine.network.serial_receiver ? "true" : "false"}};
  for (std::size_t i = 0; i < kWorkKinds; ++i)
    context.machine[std::string(kWorkKindNames[i]) + "_s_per_element"] =
        number(machine.compute.seconds_per_element[i]);
  return context;
}

}  // namespace sparsewire
