#pragma once

#include <vector>

#include "skinpose/scene.h"

namespace skinpose {

/// Local transforms and morph weights of every node at one time. Sized by `make_local_pose`.
struct LocalPose {
    std::vector<Trs> trs;                     ///< per node; unused where the node has a matrix
    std::vector<double> morph_weights;        ///< flat; node n owns [offset[n], offset[n + 1])
    std::vector<std::size_t> weight_offsets;  ///< node count + 1
    std::vector<double> scratch;              ///< room for the widest sampler
};

/// scene_from_node of every node, in node order.
struct GlobalPose {
    std::vector<Mat4> scene_from_node;
    std::vector<double> morph_weights;  ///< as in LocalPose
    std::vector<std::size_t> weight_offsets;

    [[nodiscard]] std::span<const double> weights_of(std::size_t node) const {
        return std::span(morph_weights)
            .subspan(weight_offsets[node], weight_offsets[node + 1] - weight_offsets[node]);
    }
};

/// How a clip is evaluated.
struct ClipTime {
    const Clip* clip = nullptr;  ///< null: the rest pose
    double time_s = 0.0;
    double resample_hz = 0.0;  ///< > 0: as an engine that bakes at this rate would
};

/// All vectors at their final size, the rest pose in them; the evaluations below then never
/// allocate.
LocalPose make_local_pose(const Scene& scene);
GlobalPose make_global_pose(const Scene& scene);

/// Every node's rest transform first, then the clip's channels over it: no state survives from an
/// earlier evaluation. O(nodes + channels * log keys).
void evaluate_local(const Scene& scene, const ClipTime& at, LocalPose& out);

/// Mixes two local poses: translations and scales lerped, rotations slerped, morph weights lerped.
/// Nodes with a matrix have the same one on both sides. `mix` 0 gives a, 1 gives b. `out` may be
/// `a`.
void blend_local(const LocalPose& a, const LocalPose& b, double mix, LocalPose& out);

/// Global matrices down the hierarchy, in double: every ancestor counts, joint or not.
void evaluate_global(const Scene& scene, const LocalPose& local, GlobalPose& out);

}  // namespace skinpose
