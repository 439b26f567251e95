// Measurements for the tests of reports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/measurement.hpp"

namespace sparsewire {

// A point in which every field has a value of its own.
Measurement full_measurement();

// A point of the series P=64, N=2^20, uniform, fp32 in simgrid.
Measurement point(const std::string& algorithm, const std::string& family, double density, Seconds time);

// A sparse algorithm that is overtaken by a dense one at density 0.01.
std::vector<Measurement> crossing_pair();

// A directory that exists as long as the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace sparsewire
