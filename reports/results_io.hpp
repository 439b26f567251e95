// Results on disk: JSON Lines of measurements, the context of a run, and CSV for other programs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/measurement.hpp"

namespace sparsewire {

// JSON forms. Key names carry the unit (time_s, wire_bytes, work_elements); integers keep all 64 bits. A
// number that is NaN or infinite becomes null, and null reads back as NaN. Absent optionals have no key.
nlohmann::ordered_json measurement_to_json(const Measurement& measurement);
nlohmann::ordered_json context_to_json(const RunContext& context);

// The inverse. A missing key or a value of the wrong type throws std::invalid_argument naming the key; a key
// that is not known is ignored.
Measurement measurement_from_json(const nlohmann::ordered_json& value);
RunContext context_from_json(const nlohmann::ordered_json& value);

// Appends measurements to a file of JSON Lines. A line goes to the system in one write before append()
// returns, so a process that dies loses at most the line it was writing.
class ResultsWriter {
 public:
  // Opens or creates the file. A last line without its newline is cut off when it is partial, and completed
  // when it is a whole measurement. Throws std::system_error when the file cannot be used.
  explicit ResultsWriter(const std::filesystem::path& path);
  ~ResultsWriter();
  ResultsWriter(const ResultsWriter&) = delete;
  ResultsWriter& operator=(const ResultsWriter&) = delete;

  // Throws std::system_error when the line cannot be written in full.
  void append(const Measurement& measurement);

 private:
  std::filesystem::path path_;
  int file_;
};

// The measurements of a file of JSON Lines, in its order. A partial last line (a writer was killed) is left
// out; any other line that is not a measurement throws std::runtime_error naming the file and the line's
// number. Throws std::system_error when the file cannot be read.
std::vector<Measurement> read_measurements(const std::filesystem::path& path);

// The context of a results directory, by convention its context.json. The file is replaced as a whole.
// Both throw std::runtime_error naming the file when it cannot be written, read or understood.
void write_context(const std::filesystem::path& path, const RunContext& context);
RunContext read_context(const std::filesystem::path& path);

// All columns of all measurements as CSV with a header: fields quoted as in RFC 4180, lines ended by a line
// feed, units in the column names, samples_s separated by blanks, an absent value or NaN as an empty field.
// Throws std::runtime_error naming the file when it cannot be written.
void write_csv(const std::filesystem::path& path, const std::vector<Measurement>& measurements);

}  // namespace sparsewire
