#include "tests/reports/example_measurements.hpp"

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <system_error>

namespace sparsewire {

Measurement full_measurement() {
  Measurement m;
  m.key = "0123abcd", m.reason = "said \"no\", twice\nover", m.experiment = "demo", m.backend = "mpi";
  m.algorithm = "ssar-recursive-double", m.family = "sparse", m.workload = "uniform", m.machine = "node_a";
  m.topology = "fat-tree", m.precision = "fp32", m.codec = "delta", m.ranks = 64, m.dimension = 1u << 20,
  m.density = 0.1;
  m.result_density = 1.0 / 3, m.seed = 18446744073709551615u, m.samples_s = {1.5e-3, 1e-3, 2e-3};
  m.time_s = 1.5e-3, m.confidence_s = {{1e-3, 2e-3}}, m.messages = 384, m.messages_max = 6;
  m.wire_bytes = 9007199254740993u, m.wire_bytes_max = 77, m.relative_error = 0.25,
  m.work.elements = {1, 2, 3, 4, 5, 6, 7, 8};
  m.ranks_agree = true, m.model = ModelPrediction{10, 1, 2, 3, 4};
  return m;
}

Measurement point(const std::string& algorithm, const std::string& family, double density, Seconds time) {
  Measurement m;
  m.backend = "simgrid", m.workload = "uniform", m.machine = "daint", m.topology = "torus",
  m.precision = "fp32";
  m.ranks = 64, m.dimension = 1u << 20, m.algorithm = algorithm, m.family = family, m.density = density;
  m.samples_s = {time}, m.time_s = time, m.ranks_agree = true;
  return m;
}

std::vector<Measurement> crossing_pair() {
  std::vector<Measurement> result;
  for (const double density : {1e-4, 1e-3, 1e-1}) {
    result.push_back(point("ssar-ring", "sparse", density, density * 0.1));
    result.push_back(point("dense-ring", "dense", density, 1e-3));
  }
  return result;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "sparsewire-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace sparsewire
