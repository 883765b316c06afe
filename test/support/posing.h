#pragma once

#include <string>
#include <vector>

#include "fixtures/gltf_builder.h"
#include "skinpose/posed_mesh.h"

namespace skinpose::test {

/// What read_scene makes of the builder's file (written to a folder of its own, then removed).
Scene read(const fixtures::GltfBuilder& builder,
           fixtures::Storage storage = fixtures::Storage::Embedded,
           const ReadOptions& options = {});

/// A pose of `scene`; the clip by index, kNone for the rest pose.
PosedMesh pose(const Scene& scene, const PoseTime& at = {}, const PoseOptions& options = {});
PosedMesh pose(const fixtures::GltfBuilder& builder, const PoseTime& at = {},
               const PoseOptions& options = {});

/// Clip `clip` at `time_s`; every primitive as stored; `first` with so much of `other` mixed in.
PoseTime at(std::size_t clip, double time_s);
PoseTime bound();
PoseTime blended(const PoseTime& first, std::size_t other, double time_s, double mix);

PoseOptions dual_quaternion_options();

/// Every influence, weights as the file says.
PoseOptions as_stored();

/// Hamilton's q, x y z w, of a turn about a unit axis, by libm: the tests' own.
Vec4 turn(const Vec3& axis, double degrees);

/// A rotation about `axis` as a matrix, by Rodrigues' formula and libm: the tests' own.
Mat4 rotation_matrix(const Vec3& axis, double degrees);
Mat4 translation_matrix(double x, double y, double z);
Mat4 scale_matrix(double x, double y, double z);

double radians(double degrees);

}  // namespace skinpose::test
