// Runs programs for the tests of the command line.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparsewire::test {

// How a program ended.
struct Ended {
  int code = -1;    // exit code; 128 + the signal's number if one killed it
  std::string out;  // stdout
  std::string err;  // stderr
};

// A program in a process group of its own, with its output in files of `folder`. Killed with its group when
// the object goes.
class RunningProgram {
 public:
  // `command[0]` is looked for in PATH; `environment` is added to this process's own. The program's working
  // folder is `folder`, and its stdin is empty.
  RunningProgram(const std::vector<std::string>& command, const std::filesystem::path& folder,
                 const std::map<std::string, std::string>& environment = {});
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void send(int signal) const;           // to the program alone
  void send_to_group(int signal) const;  // as a terminal does
  bool has_ended();

  // Waits for the end; kills the program after `limit` and has code -1 then.
  Ended wait(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  std::filesystem::path out_, err_;
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace sparsewire::test
