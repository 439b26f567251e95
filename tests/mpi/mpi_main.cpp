#include "tests/mpi/mpi_main.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace {

sparsewire::MpiSession* session = nullptr;

// Prints the failures of a process that is not process 0.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(sparsewire::Rank rank) : rank_(rank) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const std::string file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    std::cerr << "rank " + std::to_string(rank_) + ": " + test_ + ": " + file + ":" +
                     std::to_string(result.line_number()) + "\n" + result.message() + "\n";
  }

 private:
  sparsewire::Rank rank_;
  std::string test_ = "outside of a test";
};

void print_failures_only(sparsewire::Rank rank) {
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter(rank));
}

}  // namespace

sparsewire::MpiSession& sparsewire::test_session() {
  return *session;
}

int main(int argc, char** argv) {
  sparsewire::MpiSession held(&argc, &argv);
  session = &held;
  testing::InitGoogleTest(&argc, argv);  // makes the parametrised tests, which may ask for the session
  if (held.rank() != 0) print_failures_only(held.rank());
  return RUN_ALL_TESTS();
}
