// Reads experiments from JSON and refuses wrong ones with every problem named.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"

namespace sparsewire {

// An experiment or machine file that cannot be run. what() has one line a problem: the file, the JSON
// pointer, what was found, what was expected, and for a misspelled name the nearest valid one.
struct ExperimentError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Reads an experiment, the machine file it names and its topology; the format is experiment_schema()
// (experiments/schema.hpp). Paths in a file are relative to the folder of that file. Throws ExperimentError.
Experiment read_experiment(const std::filesystem::path& file);

// Reads a file that holds only a machine. Throws ExperimentError.
Machine read_machine(const std::filesystem::path& file);

// Reads the text of such a file; `name` stands for the file in errors. Throws ExperimentError.
Machine machine_from_text(std::string_view text, const std::string& name);

}  // namespace sparsewire
