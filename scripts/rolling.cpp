// Rolling cubes by the book: a queue, an array of depths, arithmetic on digits. What scripts/bench.py compares with.
// Usage: rolling axis|face VACANCY, where the vacancy is a cell 0..8 of the 3x3 tray.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// Six orientations. Axis: permutations of three colours, as in WBR WRB BWR BRW RWB RBW. Face: up, down, N, S, W, E.
constexpr int kAxis[2][6] = {{2, 4, 0, 5, 1, 3}, {5, 3, 4, 1, 2, 0}};  // exchange top and side, top and front
constexpr int kFace[4][6] = {{2, 3, 1, 0, 4, 5}, {3, 2, 0, 1, 4, 5}, {4, 5, 2, 3, 1, 0}, {5, 4, 2, 3, 0, 1}};  // U D L R

int main(int argc, char** argv) {
    bool axis = argc > 1 && std::string(argv[1]) == "axis";
    int vacancy = argc > 2 ? std::atoi(argv[2]) : 4;
    double best = 1e9;
    std::vector<int> counts;
    for (int run = 0; run < 3; run++) {
        auto started = std::chrono::steady_clock::now();
        int power[9] = {1};
        for (int i = 1; i < 9; i++) power[i] = 6 * power[i - 1];
        std::vector<uint8_t> depth(size_t(9) * power[8], 255);
        std::vector<int> queue{vacancy * power[8]};
        depth[queue[0]] = 0;
        for (size_t head = 0; head < queue.size(); head++) {
            int state = queue[head], empty = state / power[8], number = state % power[8], cubes[9];
            for (int cell = 0; cell < 9; cell++)
                if (cell != empty) cubes[cell] = number % 6, number /= 6;
            const int row[4] = {1, -1, 0, 0}, col[4] = {0, 0, 1, -1};  // where the cube comes from: U D L R
            for (int move = 0; move < 4; move++) {
                int r = empty / 3 + row[move], c = empty % 3 + col[move];
                if (r < 0 || r > 2 || c < 0 || c > 2) continue;
                int from = 3 * r + c, rolled = axis ? kAxis[move < 2][cubes[from]] : kFace[move][cubes[from]];
                int next = from * power[8], place = 0;
                for (int cell = 0; cell < 9; cell++)
                    if (cell != from) next += power[place++] * (cell == empty ? rolled : cubes[cell]);
                if (depth[next] == 255) {
                    depth[next] = depth[state] + 1;
                    queue.push_back(next);
                }
            }
        }
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
        counts.assign(depth[queue.back()] + 1, 0);
        for (uint8_t d : depth)
            if (d != 255) counts[d]++;
    }
    printf("%.6f", best);
    for (int count : counts) printf(" %d", count);
    printf("\n");
}
