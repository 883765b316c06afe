#include "data_files.h"

#include "file_groups.h"

namespace skinpose::data {

std::vector<DataFile> data_files() {
    std::vector<DataFile> files;
    files.push_back(
        {"tube.gltf",
         "seven joints in a chain along +y, 0.5 apart; clips `bend` (J1..J6 by 15 degrees "
         "each about z) and `twist` (30 degrees each about y) from rest at 0 s to 1 s; "
         "weights, translations and inverse binds dyadic",
         "at 0 s of both clips every bit of the bind pose; at 1 s of `bend` the top's centre "
         "(vertex 510) at (-2.149, 2.149, 0), the sum of seven bones of 0.5 at 0, 15 ... 90 "
         "degrees; at 1 s of `twist` still at (0, 3.5, 0), its rim turned by 180 degrees",
         fixtures::tube(),
         {{.place = {0.25, 0, 0}},
          {.clip = "bend", .time_s = 1, .vertex = 510, .place = {-2.14893853, 2.14893853, 0}},
          {.clip = "twist", .time_s = 1, .vertex = 510, .place = {0, 3.5, 0}},
          {.clip = "twist", .time_s = 1, .vertex = 511, .place = {-0.25, 3.5, 0}}}});
    files.push_back({"bar.gltf",
                     "two joints, the upper turns 0 -> 90 degrees about z in 0..1 s (clip `bend`)",
                     "at 1 s the top row, y = 2, lies at x = -1",
                     fixtures::bar(),
                     {{.clip = "bend", .time_s = 1, .vertex = 4, .place = {-1, 0.5, 0}},
                      {.clip = "bend", .time_s = 1, .vertex = 5, .place = {-1, 1.5, 0}}}});
    add_rig_files(files);
    add_mesh_files(files);
    return files;
}

std::string readme(const std::vector<DataFile>& files) {
    std::string text =
        "# Test files\n"
        "\n"
        "Text glTF that this project makes itself, one rule a file. `skinpose_data data` (built "
        "with\n"
        "the tests, from `data/*.cpp`) writes them and this page; a test compares the bytes, and\n"
        "poses each file to see that the answers hold. Vertices are counted from 0.\n"
        "\n"
        "| file | what it shows | right answer, by hand |\n"
        "|---|---|---|\n";
    for (const DataFile& file : files)
        text += "| " + file.name + " | " + file.shows + " | " + file.answer + " |\n";
    return text;
}

}  // namespace skinpose::data
