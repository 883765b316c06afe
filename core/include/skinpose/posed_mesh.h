#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "skinpose/mesh_measure.h"
#include "skinpose/read_scene.h"
#include "skinpose/skinning.h"
#include "skinpose/tri_mesh.h"

namespace skinpose {

enum class Precision { Float, Double };
enum class MissingNormals { None, Smooth, Flat };
enum class BlendMode { Palette, Trs };

/// What holds for every pose a Poser makes.
struct PoseOptions {
    SkinMethod method = SkinMethod::LinearBlend;
    InfluenceOptions influences;
    Precision precision = Precision::Float;  ///< Double: the reference itself
    bool fast_normals = false;
    /// For parts without normals. Where only some parts have normals, the others get smooth ones
    /// even under None, counted.
    MissingNormals missing_normals = MissingNormals::None;
    Mat4 placement = Mat4::Identity();  ///< moves the whole posed scene, from the left
    bool fix_winding = false;           ///< flip skinned faces whose vertices all mirror
    bool tangents = false;              ///< pose tangents too
    double resample_hz = 0.0;           ///< > 0: evaluate as an engine that bakes at this rate
    BlendMode blend_mode = BlendMode::Palette;
    /// fill the displacements of the report (re-poses what was capped)
    bool measure_losses = true;
};

/// The pose mixed in: 0 is the first clip alone, 1 this one alone.
struct ClipBlend {
    std::size_t clip = kNone;  ///< kNone: the rest pose
    double time_s = 0.0;
    double mix = 0.0;  ///< clamped to 0..1
};

/// Which pose.
struct PoseTime {
    std::size_t clip = kNone;  ///< kNone: the rest pose
    double time_s = 0.0;       ///< from the file's own zero
    bool bind = false;         ///< every primitive as stored: no node, joint or morph
    std::optional<ClipBlend> blend = {};
};

/// Counters of one posed primitive (or, summed, of a whole output). docs/report.md says of each
/// whether it is information or loss.
struct PoseCounts {
    SkinningReport skinning;
    std::size_t discarded_influences = 0;
    double largest_discarded_weight = 0.0;
    double cap_displacement = 0.0;  ///< scene units, this pose, against all influences
    double worst_weight_sum_error = 0.0;
    double weight_displacement = 0.0;  ///< scene units: raw weights against renormalised ones
    std::size_t duplicate_joints = 0;
    std::size_t unused_out_of_range_joints = 0;
    std::size_t reflected_faces = 0;  ///< skinned faces whose vertices' matrices all mirror
    /// faces of mirrored rigid parts, flipped by the spec's rule
    std::size_t flipped_rigid_faces = 0;
    std::size_t degenerate_triangles = 0;
    std::size_t surplus_indices = 0;
    std::size_t smoothed_normals = 0;         ///< vertices given area-weighted normals
    std::size_t singular_rigid_matrices = 0;  ///< rigid parts with normals under a singular matrix

    PoseCounts& operator+=(const PoseCounts& other);
};

struct PartReport {
    std::size_t instance = 0;  ///< index into Scene::instances
    std::size_t primitive = 0;
    std::size_t vertices = 0, triangles = 0;
    PoseCounts counts;
};

/// Everything a pose dropped, repaired or counted.
struct PoseReport {
    PoseCounts totals;
    std::vector<PartReport> parts;
    std::size_t non_rigid_joints = 0;  ///< once per skin; 0 under linear blend
    double time_used_s = 0.0;          ///< clamped to the clip's keys
    bool time_clamped = false;
    double blend_time_used_s = 0.0;
    double blend_mix_used = 0.0;
    std::size_t normalized_rotation_channels = 0;  ///< of the clips used
    double largest_rotation_length_error = 0.0;
    /// scene units, against the exact pose; 0 without resampling
    double resample_difference = 0.0;
};

/// The caller's own arrays. Every span is empty (not wanted) or of the Poser's size.
struct PoseBuffers {
    std::span<Vec3f> positions = {};
    std::span<Vec3> exact_positions = {};  ///< filled under Precision::Double
    std::span<Vec3f> normals = {};
    std::span<Vec3f> face_normals = {};
    std::span<Vec4f> tangents = {};
    std::span<Triangle> triangles =
        {};  ///< source faces, flipped where the pose mirrors a rigid part
};

/// Poses one scene again and again: everything that depends only on scene and options (influence
/// tables, scratch, topology) is made once, and `pose` then allocates nothing. Borrows the scene.
/// Not thread-safe; one Poser a thread.
class Poser {
   public:
    /// Throws Error(Input) where the scene holds no triangles.
    explicit Poser(const Scene& scene, const PoseOptions& options = {});
    ~Poser();
    Poser(Poser&&) noexcept;
    Poser& operator=(Poser&&) noexcept;

    /// A mesh of the right size with everything that no pose changes, its vertices as stored.
    [[nodiscard]] TriMesh make_mesh() const;

    /// Scene space. Throws Error(Input) where a matrix or a vertex leaves the finite floats, naming
    /// it. The report stays valid until the next call.
    const PoseReport& pose(const PoseTime& at, const PoseBuffers& out);
    const PoseReport& pose(const PoseTime& at, TriMesh& mesh);

    [[nodiscard]] std::size_t vertex_count() const;
    [[nodiscard]] std::size_t triangle_count() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

struct PosedMesh {
    TriMesh mesh;
    PoseReport report;
};

/// The short way in: a file, a clip (as `find_clip` takes it; empty for the rest pose) and a time
/// in seconds to triangles in scene space.
PosedMesh pose_file(const std::string& path, const std::string& clip = {}, double time_s = 0.0,
                    const PoseOptions& options = {}, const ReadOptions& read_options = {});

}  // namespace skinpose
