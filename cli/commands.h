#pragma once

#include <functional>

namespace CLI {
class App;
}

/// One file a command. Each adds itself to the command line and returns what runs it.
namespace skinpose::cli {

using Run = std::function<void()>;

Run add_pose_command(CLI::App& app);
Run add_info_command(CLI::App& app);

}  // namespace skinpose::cli
