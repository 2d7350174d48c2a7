// Plain loops over arrays of pocket cubes: what scripts/bench.py compares its batches with.
// usage: batch FOLDER; reads body, permutation, twist, ranks, facelets there, writes what it finds beside them.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

constexpr int kTwists = 729, kMoves = 9, kLongest = 11;
// The facelets of each corner, clockwise from its U or D facelet; the last one stays.
constexpr int kCorner[8][3] = {{3, 4, 9},   {2, 8, 17},  {0, 16, 21}, {1, 20, 5},
                               {13, 11, 6}, {12, 19, 10}, {15, 7, 22}, {14, 23, 18}};
constexpr const char *kPieces[7] = {"URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DRB"};

static std::string folder;

template <class T> std::vector<T> read(const char *name) {
    FILE *file = fopen((folder + "/" + name).c_str(), "rb");
    fseek(file, 0, SEEK_END);
    std::vector<T> data(ftell(file) / sizeof(T));
    rewind(file);
    if (fread(data.data(), sizeof(T), data.size(), file) != data.size()) data.clear();
    fclose(file);
    return data;
}

template <class T> void write(const char *name, const std::vector<T> &data) {
    FILE *file = fopen((folder + "/" + name).c_str(), "wb");
    fwrite(data.data(), sizeof(T), data.size(), file);
    fclose(file);
}

template <class Task> void time_of(const char *what, Task task) {
    double best = 1e9;
    for (int run = 0; run < 5; run++) {
        auto start = std::chrono::steady_clock::now();
        task();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    printf("%s %.9f\n", what, best);
}

// The rank of a cube whose corner at DBL is taken to be at home, -1 if it is none.
static int anchored_rank(const uint8_t *row) {
    uint8_t down = row[14], back = row[23], left = row[18], colours[6];  // U R F D L B
    colours[0] = colours[1] = colours[2] = colours[3] = down, colours[4] = left, colours[5] = back;
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 3; k++) {
            uint8_t a = row[kCorner[i][k]], b = row[kCorner[i][(k + 1) % 3]], c = row[kCorner[i][(k + 2) % 3]];
            if (a == left && b == back) colours[0] = c;
            if (a == back && b == down) colours[1] = c;
            if (a == down && b == left) colours[2] = c;
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (colours[i] == colours[j]) return -1;
    uint8_t colour_of[256];
    for (int face = 0; face < 6; face++) colour_of[(int)"URFDLB"[face]] = colours[face];
    int pieces[7], seen = 0, twists = 0, total = 0;
    for (int i = 0; i < 7; i++) {
        int found = -1;
        for (int piece = 0; piece < 7 && found < 0; piece++)
            for (int k = 0; k < 3; k++)
                if (row[kCorner[i][k]] == colour_of[(int)kPieces[piece][0]] &&
                    row[kCorner[i][(k + 1) % 3]] == colour_of[(int)kPieces[piece][1]] &&
                    row[kCorner[i][(k + 2) % 3]] == colour_of[(int)kPieces[piece][2]]) {
                    found = piece;
                    total += k;
                    if (i < 6) twists = twists * 3 + k;
                }
        if (found < 0) return -1;
        pieces[i] = found;
        seen |= 1 << found;
    }
    if (seen != 127 || total % 3) return -1;
    int rank = 0;
    for (int i = 0; i < 7; i++) {
        int smaller = 0;
        for (int j = i + 1; j < 7; j++) smaller += pieces[j] < pieces[i];
        rank = rank * (7 - i) + smaller;
    }
    return rank * kTwists + twists;
}

int main(int, char **arguments) {
    folder = arguments[1];
    auto body = read<uint8_t>("body"), facelets = read<uint8_t>("facelets");
    auto permutation = read<int32_t>("permutation"), twist = read<int32_t>("twist");  // [rank][move]
    auto ranks = read<int64_t>("ranks");
    size_t number = ranks.size();
    std::vector<uint8_t> depths(number), moves(number * kLongest);
    time_of("depths", [&] {
        for (size_t i = 0; i < number; i++) {
            uint64_t rank = ranks[i];
            depths[i] = rank < body.size() ? body[rank] : 255;
        }
    });
    write("depths", depths);
    size_t cubes = facelets.size() / 24;
    depths.resize(cubes);
    time_of("facelets", [&] {
        for (size_t i = 0; i < cubes; i++) {
            int rank = anchored_rank(&facelets[24 * i]);
            depths[i] = rank < 0 ? 255 : body[rank];
        }
    });
    write("facelet_depths", depths);
    time_of("solve", [&] {
        for (size_t i = 0; i < number; i++) {
            uint8_t *alg = &moves[i * kLongest];
            memset(alg, 255, kLongest);
            int p = ranks[i] / kTwists, t = ranks[i] % kTwists;
            for (int depth = body[ranks[i]]; depth; depth--)
                for (int m = 0; m < kMoves; m++) {
                    int q = permutation[p * kMoves + m], u = twist[t * kMoves + m];
                    if (body[q * kTwists + u] < depth) {
                        *alg++ = m, p = q, t = u;
                        break;
                    }
                }
        }
    });
    write("moves", moves);
}
