#include "topologies/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace sparsewire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

Topology of(decltype(Topology::spec) spec) {
  return {"under test", std::move(spec)};
}

template <class Matcher>
void expect_refused(decltype(Topology::spec) spec, const Matcher& message) {
  EXPECT_THAT([&] { require_valid(of(std::move(spec))); }, ThrowsMessage<std::invalid_argument>(message));
}

GraphSpec triangle() {
  return {{"a", "b", "s"}, 2, {{0, 2, {}}, {1, 2, {}}, {0, 1, {}}}, Sharing::shared};
}

TEST(Topology, CountsHosts) {
  EXPECT_EQ(host_count(of(StarSpec{})), std::nullopt);
  EXPECT_EQ(host_count(of(FatTreeSpec{{4, 3}, {1, 2}, {1, 1}, {}, {}})), 12);
  EXPECT_EQ(host_count(of(TorusSpec{{2, 3, 5}, {}, {}})), 30);
  EXPECT_EQ(host_count(of(DragonflySpec{2, 3, 4, 5, 1, 1, 1, {}, {}})), 120);
  EXPECT_EQ(host_count(of(triangle())), 2);
}

TEST(Topology, KnowsItsSharing) {
  EXPECT_EQ(sharing_of(of(StarSpec{})), Sharing::shared);
  EXPECT_EQ(sharing_of(of(TorusSpec{{2}, {}, Sharing::unshared})), Sharing::unshared);
}

TEST(Topology, AcceptsValidParameters) {
  EXPECT_NO_THROW(require_valid(of(StarSpec{{1e9, 0.0}, Sharing::shared})));
  EXPECT_NO_THROW(require_valid(of(FatTreeSpec{{4, 3}, {1, 2}, {1, 1}, {}, {}})));
  EXPECT_NO_THROW(require_valid(of(DragonflySpec{2, 3, 4, 5, 1, 1, 1, {}, {}})));
  EXPECT_NO_THROW(require_valid(of(triangle())));
}

TEST(Topology, RefusesLinksThatCannotBe) {
  expect_refused(StarSpec{{0.0, {}}, {}},
                 AllOf(StartsWith("/link_bandwidth_bytes_per_s: is 0"), HasSubstr("expected")));
  expect_refused(StarSpec{{-5.0, {}}, {}}, StartsWith("/link_bandwidth_bytes_per_s: is -5"));
  expect_refused(StarSpec{{std::numeric_limits<double>::infinity(), {}}, {}},
                 StartsWith("/link_bandwidth_bytes_per_s: is inf"));
  expect_refused(TorusSpec{{2}, {{}, -1e-6}, {}}, StartsWith("/link_latency_s: is -1e-06"));
  expect_refused(TorusSpec{{2}, {{}, std::numeric_limits<double>::quiet_NaN()}, {}},
                 StartsWith("/link_latency_s: is nan"));
}

TEST(Topology, RefusesCountsThatCannotBe) {
  expect_refused(TorusSpec{{}, {}, {}}, StartsWith("/dimensions: is empty"));
  expect_refused(TorusSpec{{4, 0}, {}, {}}, StartsWith("/dimensions/1: is 0"));
  expect_refused(TorusSpec{{65536, 65536}, {}, {}}, HasSubstr("more than 2147483647 hosts"));
  expect_refused(FatTreeSpec{{4, 4}, {1}, {1, 1}, {}, {}}, StartsWith("/up: is 1 numbers long, expected 2"));
  expect_refused(FatTreeSpec{{4, 4}, {1, 1}, {1, 0}, {}, {}}, StartsWith("/parallel/1: is 0"));
  expect_refused(DragonflySpec{1, 1, 1, 0, 1, 1, 1, {}, {}}, StartsWith("/hosts_per_router: is 0"));
  expect_refused(DragonflySpec{5, 3, 4, 1, 1, 1, 1, {}, {}},
                 StartsWith("/groups: is 5, expected at most /routers, 4"));
}

TEST(Topology, RefusesGraphsThatCannotBe) {
  GraphSpec spec = triangle();
  spec.edges.push_back({2, 1, {}});
  expect_refused(spec,
                 AllOf(StartsWith("/edges/3: is a second edge between 's' and 'b'"), HasSubstr("/edges/1")));
  spec = triangle();
  spec.edges[1] = {1, 1, {}};
  expect_refused(spec, StartsWith("/edges/1: is a loop at 'b'"));
  spec = triangle();
  spec.edges[0].b = 3;
  expect_refused(spec, StartsWith("/edges/0/b: is 3, expected a vertex below 3"));
  spec = triangle();
  spec.edges[2].link.bandwidth_bytes_per_s = -1;
  expect_refused(spec, StartsWith("/edges/2/bandwidth_bytes_per_s: is -1"));
  spec = triangle();
  spec.names[2] = "a";
  expect_refused(spec, StartsWith("/switches/0: is 'a', expected a name not used before"));
  expect_refused(GraphSpec{}, StartsWith("/hosts: is empty"));
}

}  // namespace
}  // namespace sparsewire
