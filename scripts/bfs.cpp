// The pocket cube by the book: a queue, an array of depths, move tables. What scripts/bench.py compares with.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

constexpr int kPermutations = 5040, kTwists = 729, kMoves = 9;
// Quarter turns of U, R, F: the corner that comes to each place, and how it is twisted on arriving.
constexpr int kFrom[3][7] = {{3, 0, 1, 2, 4, 5, 6}, {4, 1, 2, 0, 6, 5, 3}, {1, 5, 2, 3, 0, 4, 6}};
constexpr int kTwist[3][7] = {{0, 0, 0, 0, 0, 0, 0}, {2, 0, 0, 1, 1, 0, 2}, {1, 2, 0, 0, 2, 1, 0}};

static uint16_t permutation_move[kMoves][kPermutations], twist_move[kMoves][kTwists];

static void make_move_tables() {
    std::array<int, 7> pieces;
    std::iota(pieces.begin(), pieces.end(), 0);
    std::vector<std::array<int, 7>> all;
    std::map<std::array<int, 7>, int> rank;
    do {
        rank[pieces] = all.size();
        all.push_back(pieces);
    } while (std::next_permutation(pieces.begin(), pieces.end()));
    for (int face = 0; face < 3; face++) {
        for (int p = 0; p < kPermutations; p++) {
            std::array<int, 7> moved;
            for (int i = 0; i < 7; i++) moved[i] = all[p][kFrom[face][i]];
            permutation_move[3 * face][p] = rank[moved];
        }
        for (int t = 0; t < kTwists; t++) {
            int twists[7], sum = 0, moved = 0;
            for (int i = 5, rest = t; i >= 0; i--, rest /= 3) sum += twists[i] = rest % 3;
            twists[6] = (21 - sum) % 3;
            for (int i = 0; i < 6; i++) moved = 3 * moved + (twists[kFrom[face][i]] + kTwist[face][i]) % 3;
            twist_move[3 * face][t] = moved;
        }
        for (int turns = 1; turns < 3; turns++) {
            for (int p = 0; p < kPermutations; p++)
                permutation_move[3 * face + turns][p] = permutation_move[3 * face][permutation_move[3 * face + turns - 1][p]];
            for (int t = 0; t < kTwists; t++)
                twist_move[3 * face + turns][t] = twist_move[3 * face][twist_move[3 * face + turns - 1][t]];
        }
    }
}

int main() {
    make_move_tables();
    double best = 1e9;
    std::vector<int> counts;
    for (int run = 0; run < 5; run++) {
        auto started = std::chrono::steady_clock::now();
        std::vector<uint8_t> depth(kPermutations * kTwists, 255);
        std::vector<int> queue;
        queue.reserve(depth.size());
        queue.push_back(0);
        depth[0] = 0;
        for (size_t head = 0; head < queue.size(); head++) {
            int state = queue[head], p = state / kTwists, t = state % kTwists;
            for (int move = 0; move < kMoves; move++) {
                int next = permutation_move[move][p] * kTwists + twist_move[move][t];
                if (depth[next] == 255) {
                    depth[next] = depth[state] + 1;
                    queue.push_back(next);
                }
            }
        }
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
        counts.assign(depth[queue.back()] + 1, 0);
        for (uint8_t d : depth) counts[d]++;
    }
    printf("%.6f", best);
    for (int count : counts) printf(" %d", count);
    printf("\n");
}
