// A piece of work in a process of its own. Part of SimGridWorld.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace sparsewire {

// Writes all bytes to a file descriptor; throws std::system_error.
inline void write_all(int fd, const std::vector<std::byte>& bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(fd, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "write");
    written += static_cast<std::size_t>(count);
  }
}

namespace detail {

// Kills and reaps the child unless it has been waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  // The status as of waitpid.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { ::close(fd_); }
  int get() const { return fd_; }

 private:
  int fd_;
};

inline std::vector<std::byte> read_to_end(int fd) {
  std::vector<std::byte> bytes;
  std::array<std::byte, 65536> block;
  for (;;) {
    const ssize_t count = ::read(fd, block.data(), block.size());
    if (count == 0) return bytes;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw std::system_error(errno, std::generic_category(), "read");
    bytes.insert(bytes.end(), block.begin(), block.begin() + count);
  }
}

// Does not outlive its parent, and is interrupted as if it had no handlers.
[[noreturn]] inline void be_child(pid_t parent, int fd, const std::function<void(int)>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  int status = EXIT_FAILURE;
  try {
    body(fd);
    status = EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
  }
  std::fflush(nullptr);
  ::_exit(status);  // no static destructors: they are the parent's
}

inline std::string describe_end(int status) {
  if (WIFSIGNALED(status))
    return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) +
           ")";
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace detail

// Runs `body` in a forked child, with a file descriptor to write its result to, and returns what it wrote.
// The child sees this process's memory as it is now; nothing but the result comes back. Throws
// std::runtime_error that says how the child ended if that was not with exit code 0, and std::system_error if
// it cannot be started.
inline std::vector<std::byte> result_of_child(const std::function<void(int)>& body) {
  std::fflush(nullptr);  // or the child would write it a second time
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) < 0) throw std::system_error(errno, std::generic_category(), "pipe");
  detail::FileDescriptor output(ends[0]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    detail::be_child(parent, ends[1], body);
  }
  const int fork_error = errno;
  ::close(ends[1]);
  if (pid < 0) throw std::system_error(fork_error, std::generic_category(), "fork");
  detail::Child child(pid);
  std::vector<std::byte> result = detail::read_to_end(output.get());
  const int status = child.wait();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS)
    throw std::runtime_error("the simulation's process " + detail::describe_end(status));
  return result;
}

}  // namespace sparsewire
