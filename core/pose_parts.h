#pragma once

#include <map>
#include <span>
#include <vector>

#include "skinpose/posed_mesh.h"

namespace skinpose {

/// One primitive on one node of the scene, at its place in the mesh.
struct Part {
    std::size_t instance = 0;  ///< index into Scene::instances
    std::size_t primitive = 0;
    const Primitive* source = nullptr;
    std::size_t influences = 0;  ///< index into PartSet's tables; unused by rigid parts
    std::size_t first_vertex = 0, first_triangle = 0;
    bool smooth = false;  ///< has no normals and gets area-weighted ones
    bool flat = false;    ///< has no normals and gets per-face ones
};

/// What a part is posed with. A rigid (or bind) part has `unweighted` only.
struct PartMatrices {
    bool skinned = false;
    const JointPalette* palette = nullptr;
    const DualQuaternionPalette* dual_palette = nullptr;
    Mat4 unweighted = Mat4::Identity();
    std::span<const double> morph_weights;  ///< empty: no morph (bind)
};

/// The same vertices under two influence tables, to say how far apart they end up.
struct TableComparison {
    std::vector<std::uint32_t> vertices;
    InfluenceTable a, b;  ///< rows in the order of `vertices`
};

/// A primitive's influences as the options want them, and what that cost. Shared by all instances.
struct PartInfluences {
    InfluenceTable table;
    InfluenceReport report;
    TableComparison cap;  ///< all influences against the capped ones, where the cap bit
    /// Raw weights against renormalised ones, where the sum is off and no cap bit. The tables are
    /// made under dual quaternions only.
    TableComparison weight_sum;
};

/// All parts of a scene under one set of options, with the scratch to pose them without allocating.
class PartSet {
   public:
    PartSet(const Scene& scene, const PoseOptions& options);

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    const Part& operator[](std::size_t i) const { return parts_[i]; }
    [[nodiscard]] std::size_t vertex_count() const { return vertex_count_; }
    [[nodiscard]] std::size_t triangle_count() const { return triangle_count_; }

    [[nodiscard]] TriMesh make_mesh() const;
    [[nodiscard]] std::vector<PartReport> make_reports() const;

    /// Poses one part into its share of `out` and counts. Throws Error(Input) at a vertex that is
    /// not finite.
    PoseCounts pose_part(const Part& part, const PartMatrices& matrices, const PoseBuffers& out);

    /// Largest distance between the part's vertices under two sets of matrices, in double.
    double largest_difference(const Part& part, const PartMatrices& a, const PartMatrices& b);

   private:
    void add_part(std::size_t instance, std::size_t primitive,
                  std::map<const Primitive*, std::size_t>& tables);
    [[noreturn]] void refuse_empty() const;
    void make_scratch();
    SkinJob make_job(const Part& part, const PartMatrices& matrices);
    SkinJob compare_job(const SkinJob& job, const TableComparison& comparison,
                        const InfluenceTable& table);
    void morph(const Primitive& source, std::span<const double> weights, SkinJob& job);
    SkinningReport skin_in_double(const SkinJob& job, const Part& part, const PoseBuffers& out);
    SkinningReport skin_in_float(const SkinJob& job, const Part& part, const PoseBuffers& out);
    void check_finite(const Part& part, const PoseBuffers& out) const;
    void count_losses(const Part& part, const SkinJob& job, const PoseBuffers& out,
                      PoseCounts& counts);
    /// Under linear blend raw weights scale the posed vertex by their sum (everything is linear in
    /// them), so the displacement is |sum - 1| times its distance from the origin.
    double scaled_by_weight_sum(const Part& part, const PoseBuffers& out) const;
    double compare_tables(const SkinJob& job, const TableComparison& comparison);
    void pose_faces(const Part& part, bool rigid, double determinant, const PoseBuffers& out,
                    PoseCounts& counts);
    void fill_normals(const Part& part, const PoseBuffers& out, PoseCounts& counts);

    const Scene& scene_;
    PoseOptions options_;
    std::vector<Part> parts_;
    std::vector<PartInfluences> tables_;
    std::size_t vertex_count_ = 0, triangle_count_ = 0;
    bool any_normals_ = false, any_tangents_ = false;

    // Scratch, at the size of the largest part that needs it.
    std::vector<Vec3f> morphed_positions_, morphed_normals_, compared_positions_;
    std::vector<Vec4f> morphed_tangents_;
    std::vector<Vec3> positions_a_, positions_b_, normals_;
    std::vector<Vec4> tangents_;
    std::vector<std::uint8_t> mirrored_;
    std::vector<Triangle> faces_;  // of the part being posed, as it leaves: whole-mesh indices
};

}  // namespace skinpose
