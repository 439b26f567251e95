#include "experiments/machine_library.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "experiments/json_check.hpp"
#include "experiments/reader.hpp"
#include "shipped_machines.hpp"

namespace sparsewire {

std::vector<Machine> shipped_machines() {
  std::vector<Machine> machines;
  for (const auto& [file, text] : kShippedMachines) machines.push_back(machine_from_text(text, file));
  return machines;
}

Machine find_machine(const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return read_machine(name);
  std::vector<std::string> names;
  for (Machine& machine : shipped_machines()) {
    if (machine.name == name) return std::move(machine);
    names.push_back(machine.name);
  }
  throw std::invalid_argument(fmt::format("--machine: found \"{}\", expected a file or one of {}{}", name,
                                          fmt::join(names, ", "), did_you_mean(name, names)));
}

std::vector<std::pair<std::string_view, std::string_view>> workload_kinds() {
  return {
      {"uniform", "every rank's indices are uniformly random, independent of the others'"},
      {"overlap", "ranks share a \"fraction\" of their indices, 0 (disjoint) to 1 (identical)"},
      {"power-law", "low indices are hot: probability proportional to (i + 1)^-\"exponent\""},
      {"clustered", "runs of \"run_length\" consecutive indices at random places"},
      {"libsvm", "rows of a libsvm/SVMlight \"file\", \"batch\" of them added up on each rank"},
  };
}

}  // namespace sparsewire
