#include "support/posing.h"

#include <cmath>
#include <numbers>

#include "support/temp_folder.h"

namespace skinpose::test {

Scene read(const fixtures::GltfBuilder& builder, fixtures::Storage storage,
           const ReadOptions& options) {
    const TempFolder folder;
    const std::string path =
        folder / (storage == fixtures::Storage::Glb ? "case.glb" : "case.gltf");
    builder.write(path, storage);
    return read_scene(path, options);
}

PosedMesh pose(const Scene& scene, const PoseTime& at, const PoseOptions& options) {
    Poser poser(scene, options);
    PosedMesh result{poser.make_mesh(), {}};
    result.report = poser.pose(at, result.mesh);
    return result;
}

PosedMesh pose(const fixtures::GltfBuilder& builder, const PoseTime& at,
               const PoseOptions& options) {
    return pose(read(builder), at, options);
}

PoseTime at(std::size_t clip, double time_s) {
    PoseTime result;
    result.clip = clip;
    result.time_s = time_s;
    return result;
}

PoseTime bound() {
    PoseTime result;
    result.bind = true;
    return result;
}

PoseTime blended(const PoseTime& first, std::size_t other, double time_s, double mix) {
    PoseTime result = first;
    result.blend = ClipBlend{other, time_s, mix};
    return result;
}

PoseOptions dual_quaternion_options() {
    PoseOptions options;
    options.method = SkinMethod::DualQuaternion;
    return options;
}

PoseOptions as_stored() {
    PoseOptions options;
    options.influences = {.max_influences = kAllInfluences, .renormalize = false};
    return options;
}

double radians(double degrees) { return degrees * std::numbers::pi / 180; }

Vec4 turn(const Vec3& axis, double degrees) {
    const double half = radians(degrees) / 2;
    const double s = std::sin(half);
    return Vec4(axis[0] * s, axis[1] * s, axis[2] * s, std::cos(half));
}

Mat4 rotation_matrix(const Vec3& axis, double degrees) {
    const double c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
    Mat4 m = Mat4::Identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int k = 3 - i - j;
            const double cross = i == j ? 0.0 : ((j - i + 3) % 3 == 1 ? -axis[k] : axis[k]);
            m(i, j) = (i == j ? c : 0.0) + (1 - c) * axis[i] * axis[j] + s * cross;
        }
    return m;
}

Mat4 translation_matrix(double x, double y, double z) {
    Mat4 m = Mat4::Identity();
    m(0, 3) = x;
    m(1, 3) = y;
    m(2, 3) = z;
    return m;
}

Mat4 scale_matrix(double x, double y, double z) {
    Mat4 m = Mat4::Identity();
    m(0, 0) = x;
    m(1, 1) = y;
    m(2, 2) = z;
    return m;
}

}  // namespace skinpose::test
