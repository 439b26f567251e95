#include "topologies/read_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sparsewire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

Topology read(const std::string& text, const std::filesystem::path& base = ".") {
  return topology_from_json(nlohmann::json::parse(text), base);
}

template <class Matcher>
void expect_refused(const std::string& text, const Matcher& message) {
  EXPECT_THAT([&] { read(text); }, ThrowsMessage<std::invalid_argument>(message));
}

class Folder {
 public:
  Folder() {
    path_ = std::filesystem::temp_directory_path() / ("sparsewire_topology_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

constexpr const char* kPair = R"("hosts": ["h0", "h1"], "switches": ["sw0"],
    "edges": [{"a": "h0", "b": "sw0", "bandwidth_bytes_per_s": 1e9, "latency_s": 1e-6}, {"a": "sw0", "b": "h1"}])";

TEST(ReadTopology, Star) {
  const Topology topology = read(R"({"name": "star"})");
  EXPECT_EQ(topology.name, "star");
  EXPECT_EQ(sharing_of(topology), Sharing::shared);
  EXPECT_FALSE(std::get<StarSpec>(topology.spec).link.latency_s);
}

TEST(ReadTopology, StarWithAllKeys) {
  const auto spec = std::get<StarSpec>(
      read(
          R"({"name": "star", "sharing": "unshared", "link_bandwidth_bytes_per_s": 5, "link_latency_s": 0.25})")
          .spec);
  EXPECT_EQ(spec.sharing, Sharing::unshared);
  EXPECT_EQ(spec.link.bandwidth_bytes_per_s, 5.0);
  EXPECT_EQ(spec.link.latency_s, 0.25);
}

TEST(ReadTopology, FatTree) {
  const auto spec = std::get<FatTreeSpec>(
      read(R"({"name": "fat-tree", "down": [4, 3], "up": [1, 2], "parallel": [1, 5]})").spec);
  EXPECT_EQ(spec.down, (std::vector<unsigned>{4, 3}));
  EXPECT_EQ(spec.up, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(spec.parallel, (std::vector<unsigned>{1, 5}));
}

TEST(ReadTopology, Torus) {
  EXPECT_EQ(std::get<TorusSpec>(read(R"({"name": "torus", "dimensions": [4, 4, 2]})").spec).dimensions,
            (std::vector<unsigned>{4, 4, 2}));
}

TEST(ReadTopology, Dragonfly) {
  const auto spec = std::get<DragonflySpec>(
      read(
          R"({"name": "dragonfly", "groups": 2, "chassis": 3, "routers": 4, "hosts_per_router": 5, "group_links": 6,
               "chassis_links": 7})")
          .spec);
  EXPECT_EQ(spec.hosts_per_router, 5u);
  EXPECT_EQ(spec.group_links, 6u);
  EXPECT_EQ(spec.chassis_links, 7u);
  EXPECT_EQ(spec.router_links, 1u);
}

TEST(ReadTopology, GraphInline) {
  const auto spec = std::get<GraphSpec>(
      read(std::string(R"({"name": "graph", "link_latency_s": 3e-6, )") + kPair + "}").spec);
  EXPECT_EQ(spec.names, (std::vector<std::string>{"h0", "h1", "sw0"}));
  EXPECT_EQ(spec.hosts, 2u);
  ASSERT_EQ(spec.edges.size(), 2u);
  EXPECT_EQ(spec.edges[0].link.latency_s, 1e-6);
  EXPECT_EQ(spec.edges[1].a, 2u);
  EXPECT_EQ(spec.edges[1].link.latency_s, 3e-6);
  EXPECT_FALSE(spec.edges[1].link.bandwidth_bytes_per_s);
}

TEST(ReadTopology, GraphFromFileRelativeToTheBase) {
  const Folder folder;
  folder.write("x.json", std::string("{") + kPair + "}");
  const Topology topology =
      read(R"({"name": "graph", "file": "x.json", "sharing": "unshared"})", folder.path());
  EXPECT_EQ(host_count(topology), 2);
  EXPECT_EQ(sharing_of(topology), Sharing::unshared);
}

TEST(ReadTopology, AFileMayNameItsKind) {
  const Folder folder;
  folder.write("named.json", std::string(R"({"name": "graph", )") + kPair + "}");
  EXPECT_EQ(host_count(read(R"({"name": "graph", "file": "named.json"})", folder.path())), 2);
  folder.write("torus.json", std::string(R"({"name": "torus", )") + kPair + "}");
  EXPECT_THROW(read(R"({"name": "graph", "file": "torus.json"})", folder.path()), std::invalid_argument);
}

TEST(ReadTopology, BrokenFilesAreNamed) {
  const Folder folder;
  folder.write("broken.json", "{");
  folder.write("wrong.json", R"({"hosts": ["h0"], "edges": [{"a": "h0", "b": "h9"}]})");
  const auto refusal = [&](const std::string& name, const auto& message) {
    EXPECT_THAT([&] { read(R"({"name": "graph", "file": ")" + name + "\"}", folder.path()); },
                ThrowsMessage<std::invalid_argument>(message));
  };
  refusal("missing.json", AllOf(StartsWith("/file: cannot open "), HasSubstr("missing.json")));
  refusal("broken.json", AllOf(StartsWith("/file: "), HasSubstr("broken.json"), HasSubstr("no JSON")));
  refusal("wrong.json", AllOf(HasSubstr("wrong.json: /edges/0/b: no vertex 'h9', nearest is 'h0'")));
}

TEST(ReadTopology, UnknownVertexIsNamedWithTheNearest) {
  expect_refused(R"({"name": "graph", "hosts": ["h0", "h1"], "switches": ["sw0"],
                     "edges": [{"a": "h0", "b": "sw0"}, {"a": "sw9", "b": "h1"}]})",
                 StartsWith("/edges/1/a: no vertex 'sw9', nearest is 'sw0'"));
}

TEST(ReadTopology, UnknownNamesAreRefusedWithTheNearest) {
  expect_refused(R"({"name": "fattree"})", StartsWith("/name: no topology 'fattree', nearest is 'fat-tree'"));
  expect_refused(R"({"name": "torus", "dimensions": [2], "sharring": "shared"})",
                 StartsWith("/sharring: no such key, nearest is 'sharing'"));
  expect_refused(R"({"name": "star", "sharing": "some"})", StartsWith("/sharing: is 'some'"));
  expect_refused(R"({"name": "graph", "hosts": ["a", "b"], "edges": [{"a": "a", "b": "b", "latency": 1}]})",
                 StartsWith("/edges/0/latency: no such key, nearest is 'latency_s'"));
}

TEST(ReadTopology, MissingAndMistypedKeysAreNamed) {
  expect_refused(R"([1])", StartsWith("the whole: is array, expected an object"));
  expect_refused(R"({})", StartsWith("/name: is missing"));
  expect_refused(R"({"name": "torus"})", StartsWith("/dimensions: is missing"));
  expect_refused(R"({"name": "torus", "dimensions": [2, -3]})", StartsWith("/dimensions/1: is -3"));
  expect_refused(R"({"name": "torus", "dimensions": [2, 2.5]})", StartsWith("/dimensions/1: is 2.5"));
  expect_refused(R"({"name": "torus", "dimensions": 4})",
                 StartsWith("/dimensions: is number, expected an array"));
  expect_refused(R"({"name": "star", "link_latency_s": "1us"})", StartsWith("/link_latency_s: is \"1us\""));
  expect_refused(R"({"name": "graph", "hosts": [1], "edges": []})",
                 StartsWith("/hosts/0: is 1, expected a string"));
}

TEST(ReadTopology, ImpossibleValuesAreNamed) {
  expect_refused(R"({"name": "star", "link_bandwidth_bytes_per_s": 0})",
                 StartsWith("/link_bandwidth_bytes_per_s: is 0"));
  expect_refused(R"({"name": "graph", "hosts": ["a", "b"], "edges": [{"a": "a", "b": "a"}]})",
                 StartsWith("/edges/0: is a loop at 'a'"));
  expect_refused(
      R"({"name": "graph", "hosts": ["a", "b"], "edges": [{"a": "a", "b": "b", "latency_s": -1}]})",
      StartsWith("/edges/0/latency_s: is -1"));
  expect_refused(R"({"name": "graph", "hosts": ["a", "a"], "edges": []})", StartsWith("/hosts/1: is 'a'"));
  expect_refused(
      R"({"name": "graph", "hosts": ["a", "b"], "edges": [{"a": "a", "b": "b"}, {"a": "b", "b": "a"}]})",
      StartsWith("/edges/1: is a second edge"));
}

TEST(ReadTopology, EveryKindIsListed) {
  std::vector<std::string_view> names;
  for (const TopologyKind& kind : topology_kinds()) {
    names.push_back(kind.name);
    EXPECT_FALSE(kind.summary.empty());
  }
  EXPECT_THAT(names, testing::ElementsAre("star", "fat-tree", "torus", "dragonfly", "graph"));
}

}  // namespace
}  // namespace sparsewire
