#pragma once

#include <exception>
#include <string>

namespace skinpose {

/// What went wrong, as the exit code of the command line says it (docs/exit-codes in the README).
enum class ErrorCode {
    Usage = 2,   ///< an option, or an option's value against this file, makes no sense
    Input = 3,   ///< the file cannot be read, is not valid, or has no pose
    Output = 4,  ///< a result cannot be written
    NoGpu = 5,   ///< no usable GPU
    Bug = 70,    ///< a fault of skinpose itself
};

/// The only exception the library throws on purpose. `what()` is the one line a user reads:
/// `FILE: PLACE: fact (actual and allowed): what to do`, parts that are empty left out, and every
/// control character escaped, so a name from a file cannot forge a line or drive a terminal.
class Error : public std::exception {
   public:
    /// `place` is a JSON pointer such as `/meshes/0/primitives/0/attributes/JOINTS_0`, or empty.
    Error(ErrorCode code, std::string file, std::string place, std::string fact,
          std::string advice = {});

    [[nodiscard]] const char* what() const noexcept override { return line_.c_str(); }
    [[nodiscard]] ErrorCode code() const noexcept { return code_; }
    [[nodiscard]] const std::string& file() const noexcept { return file_; }
    [[nodiscard]] const std::string& place() const noexcept { return place_; }
    [[nodiscard]] const std::string& fact() const noexcept { return fact_; }

   private:
    ErrorCode code_;
    std::string file_, place_, fact_, line_;
};

/// `text` with control characters (C0, DEL, C1, line and bidirectional separators) and broken UTF-8
/// written as `\xNN` or `\u{NNNN}`; at most `limit` bytes, then `...`.
std::string printable(const std::string& text, std::size_t limit = 200);

}  // namespace skinpose
