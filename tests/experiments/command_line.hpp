// A folder to call the built program in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/experiments/run_program.hpp"
#include "tests/reports/example_measurements.hpp"

namespace sparsewire::test {

class CommandLine : public testing::Test {
 protected:
  using Words = std::vector<std::string>;
  using Environment = std::map<std::string, std::string>;

  // Runs the program in folder(). Whatever happens it must say so in words of its own.
  Ended call(const Words& words, const Environment& environment = {}) {
    RunningProgram program(command(words), folder(), environment);
    Ended ended = program.wait();
    for (const char* sign : {"terminate called", "what():", "Assertion", "core dumped",
                             "std::", "basic_string", "AddressSanitizer"})
      EXPECT_THAT(ended.err, testing::Not(testing::HasSubstr(sign)));
    return ended;
  }

  static Words command(const Words& words) {
    Words all = {SPARSEWIRE_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  // Expects that bad input is refused with code 2 and one message that has all `parts`.
  void expect_refused(const Words& words, const Words& parts) {
    const Ended ended = call(words);
    EXPECT_EQ(ended.code, 2) << ended.out << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, testing::StartsWith("sparsewire: "));
    for (const std::string& part : parts) EXPECT_THAT(ended.err, testing::HasSubstr(part));
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::string write(const std::string& name, const std::string& text) const {
    write_text(folder() / name, text);
    return name;
  }
  std::string read(const std::string& name) const { return text_of(folder() / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder() / name); }

  // The lines of a results directory's points.jsonl; none if there is no file.
  std::vector<nlohmann::json> points(const std::string& directory) const {
    std::vector<nlohmann::json> all;
    std::istringstream text(read(directory + "/points.jsonl"));
    for (std::string line; std::getline(text, line) && !text.eof();)
      all.push_back(nlohmann::json::parse(line));
    return all;
  }

 private:
  TemporaryDirectory folder_;
};

// A small experiment of the name: 2 algorithms, P=2 and 3, 2 densities, on loggp.
inline nlohmann::json small_experiment(const std::string& name = "small") {
  return {{"schema_version", 1},
          {"name", name},
          {"machine", {{"file", SPARSEWIRE_SOURCE_DIR "/experiments/machines/daint.json"}}},
          {"backends", {"loggp"}},
          {"algorithms", {"ssar-recursive-double", "dense-ring"}},
          {"ranks", {2, 3}},
          {"dimension", {1000}},
          {"density", {0.01, 0.3}},
          {"repetitions", 3},
          {"warm_ups", 1}};
}

}  // namespace sparsewire::test
