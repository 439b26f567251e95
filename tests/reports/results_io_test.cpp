#include "reports/results_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "tests/reports/example_measurements.hpp"

namespace sparsewire {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::string line_of(const Measurement& m) {
  return measurement_to_json(m).dump() + '\n';
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MeasurementJson, KeepsEveryField) {
  const Measurement m = full_measurement();
  const Measurement back = measurement_from_json(Json::parse(measurement_to_json(m).dump()));
  EXPECT_EQ(back.key, m.key);
  EXPECT_EQ(back.status, m.status);
  EXPECT_EQ(back.reason, m.reason);
  EXPECT_EQ(back.experiment, m.experiment);
  EXPECT_EQ(back.backend, m.backend);
  EXPECT_EQ(back.algorithm, m.algorithm);
  EXPECT_EQ(back.family, m.family);
  EXPECT_EQ(back.workload, m.workload);
  EXPECT_EQ(back.machine, m.machine);
  EXPECT_EQ(back.topology, m.topology);
  EXPECT_EQ(back.precision, m.precision);
  EXPECT_EQ(back.codec, m.codec);
  EXPECT_EQ(back.ranks, m.ranks);
  EXPECT_EQ(back.dimension, m.dimension);
  EXPECT_EQ(back.density, m.density);
  EXPECT_EQ(back.result_density, m.result_density);
  EXPECT_EQ(back.seed, m.seed);
  EXPECT_EQ(back.samples_s, m.samples_s);
  EXPECT_EQ(back.time_s, m.time_s);
  EXPECT_EQ(back.confidence_s, m.confidence_s);
  EXPECT_EQ(back.messages, m.messages);
  EXPECT_EQ(back.messages_max, m.messages_max);
  EXPECT_EQ(back.wire_bytes, m.wire_bytes);
  EXPECT_EQ(back.wire_bytes_max, m.wire_bytes_max);
  EXPECT_EQ(back.work, m.work);
  EXPECT_EQ(back.ranks_agree, m.ranks_agree);
  EXPECT_EQ(back.relative_error, m.relative_error);
  ASSERT_TRUE(back.model);
  EXPECT_EQ(back.model->total, 10);
  EXPECT_EQ(back.model->latency, 1);
  EXPECT_EQ(back.model->overhead, 2);
  EXPECT_EQ(back.model->bandwidth, 3);
  EXPECT_EQ(back.model->compute, 4);
}

TEST(MeasurementJson, LeavesAbsentOptionalsOut) {
  const Json json = measurement_to_json({});
  EXPECT_FALSE(json.contains("model"));
  EXPECT_FALSE(json.contains("relative_error"));
  EXPECT_FALSE(json.contains("confidence_s"));
  const Measurement back = measurement_from_json(json);
  EXPECT_FALSE(back.model);
  EXPECT_FALSE(back.relative_error);
  EXPECT_FALSE(back.confidence_s);
}

TEST(MeasurementJson, StaysValidWithNaNAndBrokenText) {
  Measurement m = full_measurement();
  m.time_s = std::nan(""), m.samples_s = {1, HUGE_VAL};
  EXPECT_TRUE(measurement_to_json(m)["time_s"].is_null());
  const Measurement back = measurement_from_json(Json::parse(measurement_to_json(m).dump()));
  EXPECT_TRUE(std::isnan(back.time_s));
  EXPECT_EQ(back.samples_s[0], 1);
  EXPECT_TRUE(std::isnan(back.samples_s[1]));

  const TemporaryDirectory directory;
  m.reason = "broken \xff text";
  ResultsWriter(directory.path() / "r.jsonl").append(m);
  EXPECT_THAT(read_measurements(directory.path() / "r.jsonl").at(0).reason, HasSubstr("text"));
}

TEST(MeasurementJson, NamesTheKeyThatIsWrong) {
  const auto reading = [](const char* key, const Json& value) {
    return message_of([&] {
      Json json = measurement_to_json(full_measurement());
      json[key] = value;
      measurement_from_json(json);
    });
  };
  EXPECT_THAT(reading("seed", -1), HasSubstr("'seed'"));
  EXPECT_THAT(reading("ranks", 1.5), HasSubstr("'ranks'"));
  EXPECT_THAT(reading("ranks", 18446744073709551615u), HasSubstr("'ranks'"));
  EXPECT_THAT(reading("time_s", "fast"), HasSubstr("'time_s'"));
  EXPECT_THAT(reading("samples_s", 1), HasSubstr("'samples_s'"));
  EXPECT_THAT(reading("confidence_s", Json::array({1})), HasSubstr("'confidence_s'"));
  EXPECT_THAT(reading("ranks_agree", 1), HasSubstr("'ranks_agree'"));
  EXPECT_THAT(reading("algorithm", 7), HasSubstr("'algorithm'"));
  EXPECT_THAT(reading("model", 7), HasSubstr("'model'"));
  EXPECT_THAT(reading("work_elements", {{"merge", "many"}}), HasSubstr("'merge'"));
  EXPECT_THROW(measurement_from_json(Json::array()), std::invalid_argument);
}

TEST(MeasurementJson, TakesResultsThatAreOlderThanACodecOrAKindOfWork) {
  Json json = measurement_to_json(full_measurement());
  json.erase("codec");
  EXPECT_EQ(measurement_from_json(json).codec, "pairs");
  json["work_elements"].erase("encode");
  EXPECT_EQ(measurement_from_json(json).work[WorkKind::encode], 0u);
  EXPECT_EQ(measurement_from_json(json).work[WorkKind::merge], full_measurement().work[WorkKind::merge]);
}

RC_GTEST_PROP(MeasurementJson, KeepsNumbersToTheLastBit,
              (double time, std::uint64_t bytes, std::int64_t ranks)) {
  Measurement m;
  m.time_s = time, m.wire_bytes = bytes, m.ranks = ranks, m.samples_s = {time, -time};
  const Measurement back = measurement_from_json(Json::parse(measurement_to_json(m).dump()));
  RC_ASSERT(back.time_s == time);
  RC_ASSERT(back.samples_s == m.samples_s);
  RC_ASSERT(back.wire_bytes == bytes);
  RC_ASSERT(back.ranks == ranks);
}

class ResultsFile : public testing::Test {
 protected:
  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_.path() / "results.jsonl";
  const std::string line_ = line_of(full_measurement());
};

TEST_F(ResultsFile, TakesLinesFromSeveralWriters) {
  ResultsWriter(path_).append(full_measurement());
  ResultsWriter(path_).append(crossing_pair()[0]);
  EXPECT_EQ(text_of(path_), line_ + line_of(crossing_pair()[0]));
  const auto back = read_measurements(path_);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].algorithm, "ssar-recursive-double");
  EXPECT_EQ(back[1].algorithm, "ssar-ring");
}

TEST_F(ResultsFile, IsOnDiskAfterEachAppend) {
  ResultsWriter writer(path_);
  writer.append(full_measurement());
  EXPECT_EQ(text_of(path_), line_);
}

// A process can be killed after any byte.
TEST_F(ResultsFile, SurvivesAnyCutOfTheLastLine) {
  for (std::size_t cut = 0; cut <= line_.size(); ++cut) {
    write_text(path_, line_ + line_.substr(0, cut));
    const std::size_t whole = cut + 1 >= line_.size() ? 2 : 1;  // the newline alone may be missing
    ASSERT_EQ(read_measurements(path_).size(), whole) << cut;
    ResultsWriter(path_).append(full_measurement());
    ASSERT_EQ(read_measurements(path_).size(), whole + 1) << cut;
    ASSERT_EQ(text_of(path_).size(), line_.size() * (whole + 1)) << cut;
  }
}

TEST_F(ResultsFile, NamesTheLineThatIsCorrupt) {
  const auto reading = [this] { return message_of([this] { read_measurements(path_); }); };
  write_text(path_, line_ + line_.substr(0, 20) + '\n' + line_);
  EXPECT_THAT(reading(), HasSubstr(path_.string() + ":2: "));
  write_text(path_, line_ + line_ + "{}\n");
  EXPECT_THAT(reading(), HasSubstr(":3: key 'key' is missing"));
  write_text(path_, line_ + "\n" + line_);
  EXPECT_THAT(reading(), HasSubstr(":2: "));
}

TEST_F(ResultsFile, MayBeEmptyButMustExist) {
  write_text(path_, "");
  EXPECT_THAT(read_measurements(path_), testing::IsEmpty());
  EXPECT_THROW(read_measurements(directory_.path() / "none"), std::system_error);
  EXPECT_THROW(ResultsWriter(directory_.path() / "none" / "r.jsonl"), std::system_error);
}

TEST_F(ResultsFile, HoldsTheContext) {
  RunContext context;
  context.schema_version = "1", context.program_version = "0.1.0", context.git_revision = "abc";
  context.compiler = "GCC 12", context.flags = "-O3", context.host = "node", context.mpi_version = "4.1";
  context.simgrid_version = "3.32", context.date = "2020-02-02", context.experiment_file = "e.json";
  context.seed = 18446744073709551615u, context.machine = {{"L_s", "1e-6"}, {"G_s_per_byte", "1e-10"}};
  context.points = {{"loggp", 12}, {"simgrid", 7}};
  write_context(path_, context);
  const RunContext back = read_context(path_);
  EXPECT_EQ(context_to_json(back), context_to_json(context));
  EXPECT_EQ(back.machine, context.machine);
  EXPECT_EQ(back.points, context.points);
  EXPECT_EQ(back.seed, context.seed);
  EXPECT_EQ(back.flags, "-O3");
}

TEST_F(ResultsFile, RefusesAContextThatIsNone) {
  EXPECT_THROW(read_context(path_), std::system_error);
  write_text(path_, "[]");
  EXPECT_THAT(message_of([this] { read_context(path_); }), HasSubstr(path_.string()));
  write_text(path_, "{");
  EXPECT_THAT(message_of([this] { read_context(path_); }), HasSubstr(path_.string()));
  EXPECT_THROW(write_context(directory_.path() / "none" / "context.json", {}), std::runtime_error);
}

// The records of RFC 4180 text.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, std::vector<std::string>(1));
  bool inside = false;
  for (const char c : text) {
    if (c == '"') {
      if (!inside && !records.back().back().empty()) records.back().back() += '"';
      inside = !inside;
    } else if (c == ',' && !inside) {
      records.back().emplace_back();
    } else if (c == '\n' && !inside) {
      records.emplace_back(1);
    } else {
      records.back().back() += c;
    }
  }
  records.pop_back();
  return records;
}

TEST_F(ResultsFile, BecomesCsv) {
  Measurement plain = crossing_pair()[0];
  plain.time_s = std::nan("");
  write_csv(path_, {full_measurement(), plain});
  const auto records = parse_csv(text_of(path_));
  ASSERT_EQ(records.size(), 3u);
  std::map<std::string, std::string> full, bare;
  for (const auto& record : records) ASSERT_EQ(record.size(), records[0].size());
  for (std::size_t i = 0; i < records[0].size(); ++i) {
    full[records[0][i]] = records[1][i];
    bare[records[0][i]] = records[2][i];
  }
  EXPECT_EQ(full.size(), records[0].size());
  EXPECT_EQ(full["reason"], full_measurement().reason);
  EXPECT_EQ(full["wire_bytes"], "9007199254740993");
  EXPECT_EQ(full["density"], "0.1");
  EXPECT_EQ(full["samples"], "3");
  EXPECT_EQ(full["samples_s"], "0.0015 0.001 0.002");
  EXPECT_EQ(full["confidence_low_s"], "0.001");
  EXPECT_EQ(full["confidence_high_s"], "0.002");
  EXPECT_EQ(full["work_scatter_add_elements"], "2");
  EXPECT_EQ(full["work_scan_elements"], "5");
  EXPECT_EQ(full["relative_error"], "0.25");
  EXPECT_EQ(full["work_select_elements"], "8");
  EXPECT_EQ(full["model_bandwidth_s"], "3");
  EXPECT_EQ(full["ranks_agree"], "true");
  EXPECT_EQ(bare["time_s"], "");
  EXPECT_EQ(bare["confidence_low_s"], "");
  EXPECT_EQ(bare["model_total_s"], "");
}

TEST(Csv, NamesTheFileThatCannotBeWritten) {
  EXPECT_THAT(message_of([] { write_csv("/nowhere/at/all.csv", {}); }), HasSubstr("/nowhere/at/all.csv"));
}

}  // namespace
}  // namespace sparsewire
