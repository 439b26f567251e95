#include "tests/mpi/mpi_main.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace {

sparsewire::MpiSession* session = nullptr;

// Prints the failures of a process that is not process 0.
class FailurePrinter final : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(sparsewire::Rank rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name =
        test == nullptr ? "outside of a test" : std::string(test->test_suite_name()) + "." + test->name();
    std::cerr << "rank " + std::to_string(rank_) + ": " + name + ": " +
                     (result.file_name() == nullptr ? "" : result.file_name()) + ":" +
                     std::to_string(result.line_number()) + "\n" + result.message() + "\n";
  }

 private:
  sparsewire::Rank rank_;
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
  testing::InitGoogleTest(&argc, argv);
  sparsewire::MpiSession held(&argc, &argv);
  session = &held;
  if (held.rank() != 0) print_failures_only(held.rank());
  return RUN_ALL_TESTS();
}
