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

std::vector<std::pair<std::string_view, std::string_view>> codec_kinds() {
  return {
      {"pairs", "32-bit indices and values: nothing is encoded"},
      {"bitmap", "a bit for each index of a range, and values"},
      {"tiled-bitmap", "a bitmap in tiles, without empty words and tiles"},
      {"delta", "gaps between indices in 1 to 5 bytes, and values"},
      {"bit-packed", "gaps in blocks of 128 of one width, and values"},
      {"bloom", "a Bloom filter, and the values of all its positives"},
      {"dense", "all values of a range"},
      {"auto", "the smallest of these, for each block"},
  };
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
