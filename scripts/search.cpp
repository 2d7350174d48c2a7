// The search by projections by the book: IDA* that calls itself, one thread. What scripts/bench_search.py compares with.
// Usage: search FILE, where the file has sizes and arrays of int32 and the tables, as that script writes them.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int spaces, moves, states, roots, step_size, fibre_size, table_size;
std::vector<int32_t> steps, fibre, layout, following, solved, start;
std::vector<uint8_t> tables;
int64_t nodes = 0;
int beyond;

template <typename T>
std::vector<T> read(FILE* file, size_t number) {
    std::vector<T> found(number);
    if (fread(found.data(), sizeof(T), number, file) != number) exit(1);
    return found;
}

int bound(const int32_t* ranks, int t) { return tables[layout[6 * t + 2] + ranks[t]]; }

// Whether an alg of `left` moves solves a state; `order` has the spaces, those first that said most of it.
bool search(const int32_t* ranks, const int* bounds, int state, int left) {
    if (left == 0) return std::equal(ranks, ranks + spaces, solved.begin());
    int order[8];
    for (int t = 0; t < spaces; t++) order[t] = t;
    std::stable_sort(order, order + spaces, [&](int a, int b) { return bounds[a] > bounds[b]; });
    for (int move = 0; move < moves; move++) {
        int next = following[state * moves + move];
        if (next < 0) continue;
        int32_t turned[8];
        int seen[8], worst = 0;
        for (int i = 0; i < spaces; i++) {
            int t = order[i], width = layout[6 * t + 3], actions = layout[6 * t + 4];
            const int32_t* step = &steps[layout[6 * t] + 3 * (size_t(ranks[t] / width) * moves + move)];
            if (step[0] < 0) {
                worst = -1;
                break;
            }
            if (i == 0) nodes++;
            turned[t] = layout[6 * t + 5] * step[0] + fibre[layout[6 * t + 1] + size_t(actions) * (ranks[t] % width) + step[1]];
            seen[t] = bound(turned, t);
            worst = seen[t];
            if (worst > left - 1) break;
        }
        if (worst < 0) continue;
        if (worst > left - 1) {
            beyond = std::min(beyond, worst - left + 1);
        } else if (search(turned, seen, next, left - 1)) {
            return true;
        } else if (left == 1) {
            beyond = 1;
        }
    }
    return false;
}

int main(int, char** argv) {
    FILE* file = fopen(argv[1], "rb");
    if (!file) return 1;
    auto sizes = read<int32_t>(file, 7);
    spaces = sizes[0], moves = sizes[1], states = sizes[2], roots = sizes[3];
    step_size = sizes[4], fibre_size = sizes[5], table_size = sizes[6];
    layout = read<int32_t>(file, 6 * spaces), following = read<int32_t>(file, states * moves);
    solved = read<int32_t>(file, spaces), start = read<int32_t>(file, size_t(roots) * spaces);
    steps = read<int32_t>(file, step_size), fibre = read<int32_t>(file, fibre_size);
    tables = read<uint8_t>(file, table_size);
    auto started = std::chrono::steady_clock::now();
    int64_t total = 0;
    for (int root = 0; root < roots; root++) {
        const int32_t* ranks = &start[size_t(root) * spaces];
        int bounds[8], length = 0;
        for (int t = 0; t < spaces; t++) bounds[t] = bound(ranks, t), length = std::max(length, bounds[t]);
        while (beyond = 1 << 20, !search(ranks, bounds, 0, length)) length += beyond;
        total += length;
    }
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
    printf("%.6f %lld %lld\n", seconds.count(), (long long)nodes, (long long)total);
}
