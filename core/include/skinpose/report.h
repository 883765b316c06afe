#pragma once

#include <string>
#include <vector>

#include "skinpose/posed_mesh.h"

namespace skinpose {

/// Version of the report's shape, docs/report.schema.json.
inline constexpr int kReportSchemaVersion = 1;

/// One output and all there is to say about it. Borrows.
struct OutputReport {
    const Scene& scene;
    const PoseOptions& options;
    const PoseTime& at;
    const PoseReport& pose;
    const MeshMeasure& measure;
    const TriMesh& mesh;
    std::string output;  ///< path of the mesh, as the user named it
    double time_asked_s = 0.0;
    std::string backend = "cpu";
    std::string device;  ///< empty for the CPU
    /// Attributes the file has and the output format cannot hold, such as "TANGENT".
    std::vector<std::string> dropped_by_format;
};

/// The JSON report: stable key order, valid against docs/report.schema.json.
std::string report_json(const OutputReport& report);

/// The human summary: what was posed, then one plain line for each non-zero finding, with its unit,
/// `loss:` before what changes the result and `note:` before what only informs.
std::vector<std::string> summary_lines(const OutputReport& report);

/// `skinpose info`: scenes, node tree, meshes, skins, clips, influence statistics, extensions.
std::string info_text(const Scene& scene);
std::string info_json(const Scene& scene);

}  // namespace skinpose
