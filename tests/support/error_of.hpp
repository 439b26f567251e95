// What something that should fail says.
#pragma once

#include <exception>
#include <string>

namespace sparsewire::test {

// The message of the exception that `act` throws, or "no error".
std::string error_of(const auto& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace sparsewire::test
