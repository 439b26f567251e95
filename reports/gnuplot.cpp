#include "reports/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace sparsewire {
namespace {

[[noreturn]] void throw_code(int code, const char* what) {
  throw std::system_error(code, std::generic_category(), what);
}

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw_code(errno, "cannot make a pipe to gnuplot");
  }
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::string read_to_end() const {
    std::string text;
    std::array<char, 4096> buffer;
    for (;;) {
      const ssize_t count = ::read(ends_[0], buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return text;
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// What the child does with its files before it becomes gnuplot.
class FileActions {
 public:
  FileActions(const std::filesystem::path& directory, int error_output) {
    check(::posix_spawn_file_actions_init(&actions_));
    check(::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0));
    check(::posix_spawn_file_actions_addopen(&actions_, 1, "/dev/null", O_WRONLY, 0));
    check(::posix_spawn_file_actions_adddup2(&actions_, error_output, 2));
    check(::posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str()));
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void check(int code) {
    if (code != 0) throw_code(code, "cannot prepare to run gnuplot");
  }
  posix_spawn_file_actions_t actions_;
};

int exit_status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw_code(errno, "cannot wait for gnuplot");
  }
  return status;
}

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result.append(c == '\'' ? 2 : 1, control ? ' ' : c);
  }
  return result + '\'';
}

}  // namespace

void run_gnuplot(const std::filesystem::path& directory, const std::string& script) {
  Pipe errors;
  const FileActions actions(directory, errors.writer());
  std::array<std::string, 3> words{"gnuplot", "--default-settings", script};
  const std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, "gnuplot", actions.get(), nullptr, arguments.data(), environ);
  if (code == ENOENT) throw std::runtime_error("charts need gnuplot, which is not in PATH");
  if (code != 0) throw_code(code, "cannot run gnuplot");
  errors.close_writer();
  const std::string message = errors.read_to_end();
  if (const int status = exit_status_of(child); status != 0) {
    throw std::runtime_error(fmt::format("gnuplot failed on {} (wait status {}): {}",
                                         (directory / script).string(), status, message));
  }
}

std::string gnuplot_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\_^{}@&~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return single_quoted(escaped);
}

std::string gnuplot_enhanced(std::string_view text) {
  return single_quoted(text);
}

}  // namespace sparsewire
