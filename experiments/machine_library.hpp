// The machines that come with the program: experiments/machines/*.json, compiled in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/machine.hpp"

namespace sparsewire {

std::vector<Machine> shipped_machines();

// The machine in the file `name`, or else the shipped one of that name. Throws ExperimentError if the file is
// wrong, std::invalid_argument if there is neither.
Machine find_machine(const std::string& name);

// Codecs and kinds of workload with a line each, for people.
std::vector<std::pair<std::string_view, std::string_view>> codec_kinds();
std::vector<std::pair<std::string_view, std::string_view>> workload_kinds();

}  // namespace sparsewire
