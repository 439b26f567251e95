#include "tests/experiments/run_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace sparsewire::test {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

[[noreturn]] void become(const std::vector<std::string>& command, const std::filesystem::path& folder,
                         const std::map<std::string, std::string>& environment, const std::string& out,
                         const std::string& err) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execvp(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

RunningProgram::RunningProgram(const std::vector<std::string>& command, const std::filesystem::path& folder,
                               const std::map<std::string, std::string>& environment)
    : out_(folder / "stdout"), err_(folder / "stderr") {
  process_ = fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) become(command, folder, environment, out_, err_);
  setpgid(process_, process_);
}

RunningProgram::~RunningProgram() {
  kill(-process_, SIGKILL);
  if (!ended_) waitpid(process_, &status_, 0);
}

void RunningProgram::send(int signal) const {
  kill(process_, signal);
}

void RunningProgram::send_to_group(int signal) const {
  kill(-process_, signal);
}

bool RunningProgram::has_ended() {
  ended_ = ended_ || waitpid(process_, &status_, WNOHANG) == process_;
  return ended_;
}

Ended RunningProgram::wait(std::chrono::seconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  bool in_time = true;
  while (!has_ended()) {
    in_time = in_time && std::chrono::steady_clock::now() < deadline;
    if (!in_time) kill(-process_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const int code = WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
  return {in_time ? code : -1, text_of(out_), text_of(err_)};
}

}  // namespace sparsewire::test
