#!/usr/bin/env bash
# The same file, clip and time give the same bytes from every compiler, build type and instruction
# set: builds the program several ways, poses everything with each, compares mesh, report and `info`.
#
#   same_bytes.sh SCRATCH_FOLDER
#
# SCRATCH_FOLDER keeps the builds, so a second run is quick. Exit code: 0 all the same, 1 a
# difference or a failure, 77 no clang++ here (ctest: SKIP_RETURN_CODE 77). Environment: GXX and
# CLANGXX name the compilers, SKINPOSE_JOBS the number of jobs at a time (2), SKINPOSE_ALL_BUILDS=1
# builds in every combination.
set -euo pipefail
export LC_ALL=C

# One pose, in the folder of its build; called by xargs below. Whatever happens is written down, and
# compared like the rest: a build that refuses what another accepts is a difference too.
#   --one SKINPOSE FOLDER NUMBER FILE OPTIONS EXTENSION
if [ "${1:-}" = --one ]; then
    shift
    cd -- "$2"
    status=0
    if [ "$6" = info ]; then
        "$1" info "$4" --json >"$3.info" 2>/dev/null || status=$?
    else
        # shellcheck disable=SC2086 # options of our own, split on blanks
        "$1" pose "$4" $5 -o "$3.$6" >/dev/null 2>&1 || status=$?
    fi
    echo "$status" >"$3.status"
    exit 0
fi

fail() {
    echo "same_bytes: $*" >&2
    exit 1
}

[ "$#" -eq 1 ] || fail "usage: same_bytes.sh SCRATCH_FOLDER"
self=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/$(basename -- "${BASH_SOURCE[0]}")
root=$(dirname -- "$(dirname -- "$self")")
mkdir -p -- "$1"
scratch=$(CDPATH='' cd -- "$1" && pwd -P)
jobs=${SKINPOSE_JOBS:-2}
gxx=${GXX:-g++} clangxx=${CLANGXX:-clang++}
for compiler in "$gxx" "$clangxx"; do
    if ! command -v "$compiler" >/dev/null 2>&1; then
        echo "same_bytes: skipped, there is no $compiler here"
        exit 77
    fi
done
# Flags from outside would make the builds more alike, or less, than their names say.
unset CXXFLAGS CFLAGS CPPFLAGS LDFLAGS CXX CMAKE_BUILD_TYPE

# --- the builds ----------------------------------------------------------------------------------

# NAME COMPILER BUILD_TYPE FLAGS. Warnings are errors as in the ci preset, whose objects ccache then
# gives back for gcc-release.
build_one() {
    local folder=$scratch/build/$1 launcher=''
    mkdir -p -- "$folder"
    ! command -v ccache >/dev/null 2>&1 || launcher=ccache
    if ! {
        cmake -S "$root" -B "$folder" -G Ninja "-DCMAKE_CXX_COMPILER=$2" "-DCMAKE_BUILD_TYPE=$3" \
            "-DCMAKE_CXX_FLAGS=$4" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" -DSKINPOSE_TESTS=OFF \
            -DSKINPOSE_WARNINGS_AS_ERRORS=ON &&
            cmake --build "$folder" --target skinpose --parallel "$jobs"
    } >"$folder/same_bytes.log" 2>&1; then
        tail -n 60 "$folder/same_bytes.log" >&2
        fail "the build $1 failed; all of it is in $folder/same_bytes.log"
    fi
    [ -x "$folder/cli/skinpose" ] || fail "the build $1 made no cli/skinpose"
}

# Each of the three questions (compiler, build type, instruction set) is asked by one build that
# differs in it alone or together with another; SKINPOSE_ALL_BUILDS=1 asks every combination.
builds=(gcc-release gcc-native clang-debug clang-native)
build_one gcc-release "$gxx" Release ''
build_one gcc-native "$gxx" Release -march=native
build_one clang-debug "$clangxx" Debug ''
build_one clang-native "$clangxx" Release -march=native
if [ "${SKINPOSE_ALL_BUILDS:-0}" = 1 ]; then
    builds+=(gcc-debug clang-release)
    build_one gcc-debug "$gxx" Debug ''
    build_one clang-release "$clangxx" Release ''
fi
if [ -r /proc/cpuinfo ] && ! grep -qw fma /proc/cpuinfo; then
    echo "same_bytes: note: this CPU has no fused multiply-add; -march=native proves less here"
fi

# --- everything that is posed --------------------------------------------------------------------

# EXTENSION OPTIONS; the report lies beside the mesh. `info` has no mesh.
option_sets=(
    "obj"
    "ply --clip 0 --t 50%"
    "obj --clip 0 --t 50% --method dqs"
    "ply --clip 0 --t 50% --precision double"
    "obj --clip 0 --t 37% --precision double --method dqs --normals smooth"
    "ply --clip 0 --t 23% --resample 30 --blend :0:0.3 --blend-mode trs --ascii --max-influences 2"
    "info"
)

folders=("$root/data")
[ ! -d "$root/../shared/assets" ] || folders+=("$root/../shared/assets")
readarray -d '' -t files < <(find "${folders[@]}" -type f \
    \( -name '*.gltf' -o -name '*.glb' -o -name '*.vrm' \) -print0 | sort -z)
[ "${#files[@]}" -gt 0 ] || fail "no file to pose in ${folders[*]}"

rm -rf -- "$scratch/out"
numbers=() whats=()
for file in "${files[@]}"; do
    for set in "${option_sets[@]}"; do
        numbers+=("$(printf '%05d' "${#numbers[@]}")")
        whats+=("$file: $set")
    done
done
for build in "${builds[@]}"; do
    mkdir -p -- "$scratch/out/$build"
    number=0
    for file in "${files[@]}"; do
        for set in "${option_sets[@]}"; do
            printf '%s\0' "$scratch/build/$build/cli/skinpose" "$scratch/out/$build" \
                "${numbers[number]}" "$file" "${set#"${set%% *}"}" "${set%% *}"
            number=$((number + 1))
        done
    done
done | xargs -0 -n 6 -P "$jobs" bash "$self" --one

# --- the comparison ------------------------------------------------------------------------------

first=$scratch/out/${builds[0]}
posed=0 refused=0
for number in "${!numbers[@]}"; do
    name=${numbers[number]} what=${whats[number]}
    status=$(<"$first/$name.status")
    case $status in
        0) posed=$((posed + 1)) ;;
        # 2: no such clip, 3: a file that has no pose. Right or wrong is for other tests to say.
        2 | 3) refused=$((refused + 1)) && continue ;;
        *) fail "$what: exit code $status" ;;
    esac
    extension=${what##*: } extension=${extension%% *}
    [ -s "$first/$name.$extension" ] || fail "$what: nothing was written"
    [ "$extension" = info ] || [ -s "$first/$name.json" ] || fail "$what: there is no report"
done

differences=0
for build in "${builds[@]:1}"; do
    ! diff -rq -- "$first" "$scratch/out/$build" >/dev/null || continue
    for number in "${!numbers[@]}"; do
        name=${numbers[number]}
        for extension in status obj ply json info; do
            one=$first/$name.$extension other=$scratch/out/$build/$name.$extension
            [ -e "$one" ] || [ -e "$other" ] || continue
            ! cmp -s -- "$one" "$other" || continue
            differences=$((differences + 1))
            [ "$differences" -gt 40 ] ||
                echo "differs: ${builds[0]} and $build: ${whats[number]} (.$extension)"
        done
    done
    [ "$differences" -gt 0 ] || fail "${builds[0]} and $build wrote different files"
done

# A comparison of nothing would pass: every set of options must have posed something.
for set in "${!option_sets[@]}"; do
    count=0
    for ((number = set; number < ${#numbers[@]}; number += ${#option_sets[@]})); do
        [ "$(<"$first/${numbers[number]}.status")" -ne 0 ] || count=$((count + 1))
    done
    [ "$count" -gt 0 ] || fail "no file could be posed with: ${option_sets[set]}"
done

echo "same_bytes: ${#files[@]} files, ${#builds[@]} builds; $posed runs each, $refused refused alike"
[ "$differences" -eq 0 ] || fail "$differences outputs differ; they lie in $scratch/out"
rm -rf -- "$scratch/out"
