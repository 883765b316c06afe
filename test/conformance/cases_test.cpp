// Every file of the shared folder of hand-made cases against the pose its specification says.
// What is expected of the files without a reference pose is derived from that folder's README and
// the design's rules, never from what skinpose does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/pose_compare.h"
#include "skinpose/error.h"
#include "skinpose/posed_mesh.h"

namespace skinpose::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kPositionTolerance = 2e-6;  // of the pose's bounding diagonal
constexpr double kNormalToleranceDeg = 0.1;
/// Half a step on each axis of that case's 14-bit grid over a range of 2, by its diagonal of 2.1 or
/// more: its reference is the pose before Draco's own rounding.
constexpr double kDracoTolerance = 1.7320508 / 16383.0 / 2.1;

fs::path cases_folder() { return fs::path(SKINPOSE_SHARED_DIR) / "cases"; }

/// The files that must be refused, the JSON pointers under which the refusal may name the fault
/// (one is enough, or something below one), and a word the fact must contain.
struct Refusal {
    std::vector<std::string> places;
    std::string word;
};

std::map<std::string, Refusal> refusals() {
    const std::string primitive = "/meshes/0/primitives/0";
    return {
        {"05j_ibm_fewer_than_joints", {{"/skins/0/inverseBindMatrices"}, ""}},
        {"05m_skin_index_oob", {{"/nodes/2/skin"}, "7"}},
        {"08e_mode_lines", {{""}, "triangle"}},  // nothing to pose; no single place is at fault
        {"08e_mode_points", {{""}, "triangle"}},
        {"08n_index_oob", {{primitive + "/indices", "/accessors/4"}, "99"}},
        {"10c_joint_oob", {{primitive + "/attributes/JOINTS_0"}, "9"}},
        {"10d_negative_weight", {{primitive + "/attributes/WEIGHTS_0"}, "-0.5"}},
        {"10f_cycle", {{"/nodes"}, ""}},
        {"10h_two_parents", {{"/nodes"}, ""}},
        {"10j_joints_without_weights", {{primitive + "/attributes"}, "WEIGHTS_0"}},
        {"10k_joints1_without_weights1", {{primitive + "/attributes"}, "WEIGHTS_1"}},
        {"10n_accessor_overrun", {{"/accessors/0", primitive + "/attributes/POSITION"}, ""}},
    };
}

/// Legal or repaired files that have no reference pose; each has a test of its own in
/// cases_counts_test.cpp.
std::set<std::string> posed_without_reference() {
    return {"09f_rest_quat_not_unit", "10m_deep_1000"};
}

json load_json(const fs::path& path) { return json::parse(std::ifstream(path, std::ios::binary)); }

/// File names of all cases; one empty name where the folder is missing, which then skips visibly.
std::vector<std::string> all_cases() {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(cases_folder(), missing)) {
        const fs::path& path = entry.path();
        if (path.extension() == ".gltf" || path.extension() == ".glb")
            names.push_back(path.filename().string());
    }
    std::sort(names.begin(), names.end());
    if (names.empty()) names.emplace_back();
    return names;
}

/// Those of them that have a reference pose.
std::vector<std::string> cases_with_reference() {
    std::vector<std::string> names;
    for (const std::string& name : all_cases()) {
        const std::string reference = fs::path(name).stem().string() + ".ref.json";
        if (name.empty() || fs::exists(cases_folder() / reference)) names.push_back(name);
    }
    return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name =
        info.param.empty() ? "FolderIsMissing" : fs::path(info.param).stem().string();
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

/// As the references were made: every influence, weights as the file has them.
PoseOptions as_the_file_says() {
    PoseOptions options;
    options.influences.max_influences = kAllInfluences;
    options.influences.renormalize = false;
    return options;
}

/// The entries of one time joined, in order. Faces are local to an entry in the file.
ReferencePose join_entries(const json& entries) {
    ReferencePose pose;
    for (const json& entry : entries) {
        const auto first = static_cast<std::uint32_t>(pose.positions.size());
        for (const json& p : entry.at("positions")) pose.positions.push_back(p);
        if (entry.contains("normals"))
            for (const json& n : entry.at("normals")) pose.normals.push_back(n);
        for (const json& f : entry.at("faces"))
            pose.faces.push_back({first + f[0].get<std::uint32_t>(),
                                  first + f[1].get<std::uint32_t>(),
                                  first + f[2].get<std::uint32_t>()});
    }
    return pose;
}

/// Two compressed files have reference positions only; the README says of both "same pose as 00",
/// whose faces and normals are then the right ones.
void complete_from_control(json& reference) {
    const json control = load_json(cases_folder() / "00_control.ref.json");
    for (auto& [time, entries] : reference.items()) {
        for (json& entry : entries) {
            if (entry.contains("faces")) continue;
            entry["faces"] = control.at(time)[0].at("faces");
            entry["normals"] = control.at(time)[0].at("normals");
        }
    }
}

/// Draco may reorder vertices and faces (the README says so of its case): the mesh with its
/// vertices renumbered to the reference's, each by the nearest.
TriMesh in_order_of(const TriMesh& mesh, const ReferencePose& reference) {
    TriMesh ordered = mesh;
    std::vector<std::uint32_t> renumbered(mesh.positions.size());
    std::set<std::uint32_t> taken;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        double nearest = INFINITY;
        for (std::uint32_t r = 0; r < reference.positions.size(); ++r) {
            double squared = 0.0;
            for (int k = 0; k < 3; ++k) {
                const double theirs = reference.positions[r][static_cast<std::size_t>(k)];
                const double apart = static_cast<double>(mesh.positions[i][k]) - theirs;
                squared += apart * apart;
            }
            if (squared < nearest) renumbered[i] = r;
            nearest = std::min(nearest, squared);
        }
        EXPECT_TRUE(taken.insert(renumbered[i]).second) << "two vertices at one place";
        ordered.positions[renumbered[i]] = mesh.positions[i];
        if (!mesh.exact_positions.empty())
            ordered.exact_positions[renumbered[i]] = mesh.exact_positions[i];
        if (!mesh.normals.empty()) ordered.normals[renumbered[i]] = mesh.normals[i];
    }
    for (Triangle& face : ordered.triangles)
        for (std::uint32_t& corner : face) corner = renumbered[corner];
    return ordered;
}

/// Faces in one order, each begun at its lowest corner: its orientation stays.
std::vector<Triangle> canonical(std::vector<Triangle> faces) {
    for (Triangle& face : faces)
        std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
    std::sort(faces.begin(), faces.end());
    return faces;
}

void expect_same_pose(const TriMesh& mesh, const ReferencePose& reference,
                      double tolerance = kPositionTolerance) {
    ASSERT_EQ(mesh.positions.size(), reference.positions.size());
    const PositionDifference apart = position_difference(mesh, reference);
    EXPECT_LE(apart.relative(), tolerance) << apart.text();
    EXPECT_EQ(mesh.triangles, reference.faces);
    ASSERT_EQ(mesh.normals.size(), reference.normals.size());
    const NormalDifference turned = normal_difference(mesh, reference);
    EXPECT_LE(turned.largest_deg, kNormalToleranceDeg) << "vertex " << turned.worst_vertex;
    EXPECT_LE(turned.largest_length_error, 1e-6);
    EXPECT_EQ(turned.undefined, 0U);
}

void expect_reference_at_all_times(const fs::path& file, json reference, Precision precision) {
    complete_from_control(reference);
    ASSERT_EQ(reference.size(), 5U);
    const Scene scene = read_scene(file.string());
    PoseOptions options = as_the_file_says();
    options.precision = precision;
    Poser poser(scene, options);
    TriMesh mesh = poser.make_mesh();
    for (const auto& [time, entries] : reference.items()) {
        SCOPED_TRACE("t = " + time);
        PoseTime at;
        at.clip = scene.clips.empty() ? kNone : 0;
        at.time_s = std::stod(time);
        poser.pose(at, mesh);
        ReferencePose expected = join_entries(entries);
        if (file.stem() == "07k_draco_u16") {
            ASSERT_EQ(mesh.positions.size(), expected.positions.size());
            TriMesh ordered = in_order_of(mesh, expected);
            ordered.triangles = canonical(ordered.triangles);
            expected.faces = canonical(expected.faces);
            expect_same_pose(ordered, expected, kDracoTolerance);
        } else {
            expect_same_pose(mesh, expected);
        }
        ASSERT_EQ(mesh.parts.size(), entries.size());
        for (std::size_t i = 0; i < mesh.parts.size(); ++i) {
            EXPECT_EQ(mesh.parts[i].node, entries[i].at("node").get<std::string>());
            EXPECT_EQ(mesh.parts[i].vertex_count, entries[i].at("positions").size());
        }
    }
}

bool pointer_leads_somewhere(const fs::path& file, const std::string& place) {
    const json document = load_json(file);
    const json::json_pointer pointer(place);
    return document.contains(pointer) || document.contains(pointer.parent_pointer());
}

bool begins_with_any(const std::string& place, const std::vector<std::string>& prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return place.starts_with(prefix); });
}

void expect_refused(const fs::path& file, const Refusal& expected) {
    try {
        pose_file(file.string(), {}, 0.0, as_the_file_says());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Input) << error.what();
        EXPECT_TRUE(begins_with_any(error.place(), expected.places)) << error.what();
        EXPECT_TRUE(pointer_leads_somewhere(file, error.place())) << error.what();
        EXPECT_NE(error.fact().find(expected.word), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        EXPECT_NE(std::string(error.what()).find(file.filename().string()), std::string::npos);
        return;
    }
    FAIL() << "posed a file that must be refused";
}

class Case : public testing::TestWithParam<std::string> {
   protected:
    void SetUp() override {
        if (GetParam().empty()) GTEST_SKIP() << "no folder " << cases_folder();
    }
    [[nodiscard]] fs::path file() const { return cases_folder() / GetParam(); }
    [[nodiscard]] std::string stem() const { return fs::path(GetParam()).stem().string(); }
};

TEST_P(Case, IsPosedAsItsReferenceSaysOrRefusedAtItsPlace) {
    const fs::path reference = cases_folder() / (stem() + ".ref.json");
    const auto refused = refusals();
    if (fs::exists(reference)) {
        expect_reference_at_all_times(file(), load_json(reference), Precision::Float);
    } else if (refused.contains(stem())) {
        expect_refused(file(), refused.at(stem()));
    } else if (!posed_without_reference().contains(stem())) {
        FAIL() << "a case that has no reference and is in no table here";
    }
}

class ReferenceCase : public Case {};

TEST_P(ReferenceCase, IsPosedTheSameInDouble) {
    const fs::path reference = cases_folder() / (stem() + ".ref.json");
    expect_reference_at_all_times(file(), load_json(reference), Precision::Double);
}

INSTANTIATE_TEST_SUITE_P(Cases, Case, testing::ValuesIn(all_cases()), test_name);
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceCase, testing::ValuesIn(cases_with_reference()),
                         test_name);

}  // namespace
}  // namespace skinpose::test
