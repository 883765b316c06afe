#pragma once

#include <string>
#include <vector>

/// What the tool says: results on stdout, talk on stderr.
namespace skinpose::cli {

/// Writes `text` to stdout and flushes. Throws Error(Output) where nobody can read it.
void print_result(const std::string& text);

/// Lines to stderr, each followed by a newline.
void print_lines(const std::vector<std::string>& lines);

}  // namespace skinpose::cli
