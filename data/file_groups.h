#pragma once

#include <vector>

#include "data_files.h"

namespace skinpose::data {

/// The parts of `data_files`: what is about weights and joints, and what is about clips, nodes and
/// meshes.
void add_rig_files(std::vector<DataFile>& files);
void add_mesh_files(std::vector<DataFile>& files);

}  // namespace skinpose::data
