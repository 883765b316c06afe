#pragma once

#include <string>
#include <vector>

#include "fixtures/rigs.h"

namespace skinpose::data {

/// Where one vertex stands in one pose, worked out by hand.
struct Claim {
    std::string clip{};  ///< as `--clip` takes it; empty: the rest pose
    double time_s = 0.0;
    std::size_t vertex = 0;
    fixtures::Point place{};
    bool dual_quaternions = false;
    bool all_influences = false;  ///< --max-influences all
};

/// A file of this folder: one rule, shown by a rig small enough to check by hand.
struct DataFile {
    std::string name;
    std::string shows;   ///< for the table in README.md
    std::string answer;  ///< likewise
    fixtures::GltfBuilder content;
    std::vector<Claim> claims{};
};

/// Every file, in the order of the table.
std::vector<DataFile> data_files();

/// README.md: the table.
std::string readme(const std::vector<DataFile>& files);

}  // namespace skinpose::data
