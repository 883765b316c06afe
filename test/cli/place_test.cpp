// `--place`, files outside the asset's folder, and what an OBJ holds.

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

#include "cli/cli_fixture.h"
#include "support/ply_reader.h"

namespace skinpose::test {
namespace {

using Point = std::array<double, 3>;

/// The numbers of every line that begins with `keyword` and a blank.
std::vector<std::vector<double>> obj_numbers(const std::string& obj, const std::string& keyword) {
    std::vector<std::vector<double>> rows;
    for (const std::string& line : lines_of(obj)) {
        if (!line.starts_with(keyword + " ")) continue;
        std::vector<double> row;
        const char* at = line.c_str() + keyword.size();
        for (char* end = nullptr;; at = end) {
            const double number = std::strtod(at, &end);
            if (end == at) break;
            row.push_back(number);
        }
        rows.push_back(row);
    }
    return rows;
}

class CliPlace : public CliTest {
   protected:
    std::vector<Point> placed(const std::string& place) {
        std::vector<std::string> arguments{"pose", tube(),        "--clip", "bend", "--t",
                                           "0.5",  "--precision", "double", "-o",   "m.ply"};
        if (!place.empty()) arguments.push_back("--place=" + place);
        run_ok(arguments);
        return read_ply(path("m.ply")).positions();
    }

    void expect_moved(const std::string& place, const std::array<double, 12>& rows) {
        SCOPED_TRACE(place);
        const std::vector<Point> before = placed(""), after = placed(place);
        ASSERT_EQ(before.size(), after.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            for (std::size_t r = 0; r < 3; ++r) {
                const double expected = rows[4 * r] * before[i][0] +
                                        rows[4 * r + 1] * before[i][1] +
                                        rows[4 * r + 2] * before[i][2] + rows[4 * r + 3];
                ASSERT_NEAR(after[i][r], expected, 1e-9) << "vertex " << i << " axis " << r;
            }
        }
    }
};

TEST_F(CliPlace, ThreeNumbersMoveAndAFourthScales) {
    expect_moved("1,2,3", {1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3});
    expect_moved("-1,0.5,-3,2", {2, 0, 0, -1, 0, 2, 0, 0.5, 0, 0, 2, -3});
}

TEST_F(CliPlace, SixteenNumbersAreAMatrixByRows) {
    // A quarter turn about z, then a move along x; anything by columns would leave w behind.
    expect_moved("0,-1,0,5,1,0,0,0,0,0,1,0,0,0,0,1", {0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0});
}

TEST_F(CliPlace, PlacementIsReportedAndMovesTheBindPoseToo) {
    run_ok({"pose", tube(), "-o", "a.ply"});
    EXPECT_TRUE(read_json("a.json").at("placement").is_null());
    run_ok({"pose", tube(), "--bind", "--precision", "double", "-o", "a.ply"});
    run_ok(
        {"pose", tube(), "--bind", "--precision", "double", "--place", "1,2,3,2", "-o", "b.ply"});
    EXPECT_EQ(read_json("b.json").at("placement"),
              nlohmann::json({2, 0, 0, 1, 0, 2, 0, 2, 0, 0, 2, 3, 0, 0, 0, 1}));
    const auto a = read_ply(path("a.ply")).positions(), b = read_ply(path("b.ply")).positions();
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            ASSERT_NEAR(b[i][k], 2 * a[i][k] + static_cast<double>(k + 1), 1e-12);
}

TEST_F(CliPlace, PlacesThatAreNoPlaceAreUsageErrors) {
    for (const char* place :
         {"1,2", "1,2,3,4,5", "1,2,x", "1,2,nan", "1,2,inf", "", ",,", "1,2,3,",
          "1,0,0,0,0,1,0,0,0,0,1,0,0,0,1,1"}) {  // the last one has a last row that is not 0 0 0 1
        SCOPED_TRACE(place);
        run_fails({"pose", tube(), "-o", "m.ply", std::string("--place=") + place}, 2);
    }
}

TEST_F(CliPlace, BuffersOutsideTheFolderNeedPermission) {
    nlohmann::json document = tube_json();
    const std::string uri = document["buffers"][0]["uri"];
    std::filesystem::create_directory(folder() / "asset");
    write("tube.bin", decode_base64(uri.substr(uri.find(',') + 1)));
    document["buffers"][0]["uri"] = "../tube.bin";
    write_json("asset/rig.gltf", document);
    const std::string line = run_fails({"pose", "asset/rig.gltf", "-o", "m.ply"}, 3);
    EXPECT_NE(line.find("/buffers/0/uri"), std::string::npos) << line;
    EXPECT_NE(line.find("--allow-outside-files"), std::string::npos) << line;
    run_ok({"pose", "asset/rig.gltf", "-o", "m.ply", "--allow-outside-files"});
    run_ok({"pose", tube(), "-o", "n.ply"});
    EXPECT_EQ(read("m.ply"), read("n.ply"));
}

TEST_F(CliPlace, ObjHoldsTheSameMeshAsPly) {
    run_ok({"pose", tube(), "--clip", "bend", "--t", "0.5", "-o", "m.obj"});
    run_ok({"pose", tube(), "--clip", "bend", "--t", "0.5", "-o", "m.ply"});
    const PlyMesh ply = read_ply(path("m.ply"));
    const std::string obj = read("m.obj");
    const auto v = obj_numbers(obj, "v"), vn = obj_numbers(obj, "vn"), vt = obj_numbers(obj, "vt");
    ASSERT_EQ(v.size(), ply.vertex_count());
    const auto positions = ply.positions(), normals = ply.normals();
    for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            ASSERT_EQ(static_cast<float>(v[i][k]), static_cast<float>(positions[i][k]));
    ASSERT_EQ(vn.size(), normals.size());
    for (std::size_t i = 0; i < vn.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
            ASSERT_EQ(static_cast<float>(vn[i][k]), static_cast<float>(normals[i][k]));
    // OBJ has v up where glTF (and so the PLY) has it down.
    ASSERT_EQ(vt.size(), ply.column("s").size());
    for (std::size_t i = 0; i < vt.size(); ++i) {
        ASSERT_EQ(static_cast<float>(vt[i][0]), static_cast<float>(ply.column("s")[i]));
        ASSERT_NEAR(vt[i][1], 1.0 - ply.column("t")[i], 1e-6);
    }
}

TEST_F(CliPlace, ObjNamesNodePrimitiveAndMaterialAndIsSafeAgainstTheirNames) {
    nlohmann::json document = tube_json();
    document["materials"] = {{{"name", "skin\nf 1 2 3\n"}}, {{"name", ""}}};
    for (nlohmann::json& primitive : document["meshes"][0]["primitives"]) primitive["material"] = 0;
    for (nlohmann::json& node : document["nodes"])
        if (node.contains("mesh")) node["name"] = "a node\nv 9 9 9";
    write_json("rig.gltf", document);
    run_ok({"pose", "rig.gltf", "-o", "m.obj"});
    run_ok({"pose", tube(), "-o", "n.obj"});
    const std::string obj = read("m.obj");
    EXPECT_EQ(obj_numbers(obj, "v"), obj_numbers(read("n.obj"), "v"));
    std::map<std::string, std::size_t> keywords;
    for (const std::string& line : lines_of(obj)) ++keywords[line.substr(0, line.find(' '))];
    EXPECT_EQ(keywords["f"], read_json("m.json").at("triangles"));
    EXPECT_GE(keywords["o"], 1U);
    EXPECT_GE(keywords["g"], 1U);
    EXPECT_GE(keywords["usemtl"], 1U);
    for (const char* known : {"#", "v", "vt", "vn", "f", "o", "g", "usemtl", "s", ""})
        keywords.erase(known);
    EXPECT_TRUE(keywords.empty()) << "unknown keyword " << keywords.begin()->first;
}

}  // namespace
}  // namespace skinpose::test
