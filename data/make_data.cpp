#include <exception>
#include <iostream>
#include <string>

#include "data_files.h"

/// skinpose_data FOLDER: writes every file of data/ and its README.md there. The same bytes every
/// time, on every machine; a test compares them with what is committed.
int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: skinpose_data FOLDER\n";
        return 2;
    }
    try {
        const std::string folder = std::string(argv[1]) + "/";
        const auto files = skinpose::data::data_files();
        for (const auto& file : files) file.content.write(folder + file.name);
        skinpose::fixtures::write_file(folder + "README.md", skinpose::data::readme(files));
        std::cerr << files.size() << " files written to " << argv[1] << "\n";
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 4;
    }
    return 0;
}
