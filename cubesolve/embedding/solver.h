/*
 * @title@: optimal solutions in the metric @metric@, by a table of all @states@ states.
 * Made by cubesolve (MIT licence). C99, no dependencies, no memory from the heap, safe for threads.
 *
 * Include this file wherever it is used, and in one of these files write before:
 *
 *     #define @P@_IMPLEMENTATION
 */
#ifndef @P@_H
#define @P@_H

#include <stdint.h>

#define @P@_POINTS @points@
#define @P@_STATES @count@ULL /* states */
#define @P@_DEEPEST @deepest@ /* the largest depth */
#define @P@_TEXT @text@ /* bytes for the text of a state, with the 0 at the end */
#define @P@_ALG @alg@ /* bytes for a solution or a scramble, likewise */

/* A state: the label on each point of the puzzle. */
typedef struct {
    @item@ label[@P@_POINTS];
} @p@_state;

/* Return the solved state. */
@p@_state @p@_solved(void);

/*
 * Read the text of a state. Return 0; or the position, counted from 1, of a word that is no piece, or where one is
 * missing; or -1 if no moves lead to the state. The state is changed only if it is valid.
 */
int @p@_read(@p@_state *state, const char *text);

/* Write the text of a valid state, at most @P@_TEXT bytes. */
void @p@_write(const @p@_state *state, char *text);

/*
 * Make the moves of an alg: moves and rotations with numbers and ', one after the other, as in (g1)2', without other
 * brackets. Return 0; or the position, counted from 1, of a token that is no move or is not possible. Then the state
 * is not changed.
 */
int @p@_apply(@p@_state *state, const char *alg);

/* Return 1 if a state is solved, otherwise 0. */
int @p@_is_solved(const @p@_state *state);

/* Return the depth of a state, -1 if it cannot be solved. */
int @p@_depth(const @p@_state *state);

/* Write an optimal solution, at most @P@_ALG bytes, and return the depth, -1 if the state cannot be solved. */
int @p@_solve(const @p@_state *state, char *alg);
@if draws@
/*
 * Make a uniformly random state, write an alg that leads to it from the solved state, at most @P@_ALG bytes, and return
 * its depth. random returns 64 uniformly random bits when it is called with source.
 */
int @p@_scramble(@p@_state *state, char *alg, uint64_t (*random)(void *source), void *source);
@end draws@
#endif

#ifdef @P@_IMPLEMENTATION

#include <stddef.h>
#include <string.h>

typedef @item@ @p@_item;
typedef @row@ @p@_row;
typedef struct {
    int begin, end; /* its cases */
    int order; /* 0 if its effect depends on the state */
    int inverse;
    const char *name;
} @p@_generator;
typedef struct {
    int begin, end;
    int cost;
    const char *name, *inverse;
} @p@_move;
typedef struct {
    int orbit, width;
    int points[@wide@];
} @p@_place;
typedef struct {
    int orbit;
    const char *text;
    int labels[@wide@];
} @p@_word;
typedef struct {
    uint64_t rank;
    const char *words;
} @p@_start;

@arrays@
/* -- The lookup -- */

static int @p@_entry(uint64_t rank) {
    return (int)(@p@_table[rank / @per_word@] >> (@bits@ * (rank % @per_word@)) & @mask@);
}

/* Return the number of a row of an array whose rows ascend, -1 if it is not there. */
static int64_t @p@_find(const @p@_item *rows, int64_t number, const @p@_item *row, int width) {
    int64_t low = 0, high = number;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        const @p@_item *here = rows + middle * width;
        int i = 0;
        while (i < width && here[i] == row[i]) i++;
        if (i == width) return middle;
        if (here[i] < row[i]) low = middle + 1;
        else high = middle;
    }
    return -1;
}

static void @p@_move_by(@p@_state *state, const @p@_item *sources) {
    @p@_state before = *state;
    for (int i = 0; i < @P@_POINTS; i++) state->label[i] = before.label[sources[i]];
}

static void @p@_undo(@p@_state *state, const @p@_item *sources) {
    @p@_state after = *state;
    for (int i = 0; i < @P@_POINTS; i++) state->label[sources[i]] = after.label[i];
}

static int64_t @p@_rank_of(@p@_state state) {
    @p@_item places[@columns@ + 1];
    int column = 0;
    for (int i = 0; i < @labels@; i++)
        for (int point = 0; point < @P@_POINTS && column < @columns@; point++)
            if (state.label[point] == @p@_labels[i]) places[column++] = (@p@_item)point;
    int64_t placement = @p@_find(@p@_places[0], @placements@, places, @columns@);
    if (placement < 0 || column < @columns@) return -1;
    for (int64_t at = placement; @p@_parents[at] != at; at = @p@_parents[at])
        @p@_undo(&state, @p@_changes[@p@_steps[at]]);
    int64_t arrangement = @p@_find(@p@_arrangements[0], @width@, state.label, @P@_POINTS);
    return arrangement < 0 ? -1 : placement * @width@ + arrangement;
}

/* Return the rank of a state, -1 if no moves lead to it, and the order in which moves are tried. */
static int64_t @p@_rank(const @p@_state *state, const int **order) {
    for (int image = 0; image < @images@; image++) {
        @p@_state seen = *state;
        @p@_move_by(&seen, @p@_images[image]);
@if renames@
        for (int i = 0; i < @P@_POINTS; i++) seen.label[i] = @p@_renamed[image][seen.label[i]];
@end renames@
        int64_t rank = @p@_rank_of(seen);
        if (rank >= 0) {
            *order = @p@_orders[image];
            return rank;
        }
    }
    return -1;
}

static int @p@_are_labels(const @p@_state *state) {
    int counts[@largest@ + 1] = {0};
    for (int i = 0; i < @P@_POINTS; i++) {
        if (state->label[i] > @largest@) return 0;
        counts[state->label[i]]++;
        counts[@p@_solved_labels[i]]--;
    }
    for (int i = 0; i <= @largest@; i++)
        if (counts[i]) return 0;
    return 1;
}

/* Make a move some times, by its cases; return 0 if it is not possible, and the state is then not valid. */
static int @p@_make(@p@_state *state, int begin, int end, int times) {
    for (; times > 0; times--) {
        int number = begin;
        for (; number < end; number++) {
            int need = @p@_needs_of[number];
            while (need < @p@_needs_of[number + 1] && state->label[@p@_needs[need][0]] == @p@_needs[need][1]) need++;
            if (need == @p@_needs_of[number + 1]) break;
        }
        if (number == end) return 0;
        @p@_move_by(state, @p@_cases[number]);
    }
    for (int i = 0; i < @illegals@; i++)
        if (state->label[@p@_illegal[i][0]] == @p@_illegal[i][1]) return 0;
    return 1;
}

/* Make the first move that begins an optimal solution, and return it; NULL if the state is solved. */
static const @p@_move *@p@_nearer(@p@_state *state) {
    const int *order, *other;
    int here = @p@_entry((uint64_t)@p@_rank(state, &order));
    for (int i = 0; i < @ordered@; i++) {
        const @p@_move *move = &@p@_moves[order[i]];
        @p@_state there = *state;
        if (!@p@_make(&there, move->begin, move->end, 1)) continue;
        int64_t rank = @p@_rank(&there, &other);
        if (rank >= 0 && @p@_entry((uint64_t)rank) == @nearer@) {
            *state = there;
            return move;
        }
    }
    return NULL;
}

/* Write the first optimal solution, and its inverse, which may be NULL; return the depth. The state is solved then. */
static int @p@_descend(@p@_state *state, char *alg, char *inverse) {
    int depth = 0;
    size_t end = @P@_ALG - 1;
    if (alg) *alg = 0;
    if (inverse) inverse[end] = 0;
    for (const @p@_move *move; (move = @p@_nearer(state)); depth += move->cost) {
        if (alg) {
            if (depth) strcat(alg, " ");
            strcat(alg, move->name);
        }
        if (inverse && *move->inverse) {
            if (inverse[end]) inverse[--end] = ' ';
            end -= strlen(move->inverse);
            memcpy(inverse + end, move->inverse, strlen(move->inverse));
        }
    }
    if (inverse) memmove(inverse, inverse + end, @P@_ALG - end);
    return depth;
}

/* -- Questions -- */

@p@_state @p@_solved(void) {
    @p@_state state;
    memcpy(state.label, @p@_solved_labels, sizeof state.label);
    return state;
}

int @p@_is_solved(const @p@_state *state) {
    const int *order;
    int64_t rank = @p@_are_labels(state) ? @p@_rank(state, &order) : -1;
    for (int i = 0; i < @starts@; i++)
        if (rank >= 0 && @p@_starts[i].rank == (uint64_t)rank) return 1;
    return 0;
}

int @p@_solve(const @p@_state *state, char *alg) {
    const int *order;
    @p@_state left = *state;
    int64_t rank = @p@_are_labels(state) ? @p@_rank(state, &order) : -1;
    if (rank < 0@if bytes@ || @p@_entry((uint64_t)rank) == 255@end bytes@) return -1;
    return @p@_descend(&left, alg, NULL);
}

int @p@_depth(const @p@_state *state) {
    return @p@_solve(state, NULL);
}
@if draws@
static void @p@_follow(@p@_state *state, int64_t placement) {
    if (@p@_parents[placement] == placement) return;
    @p@_follow(state, @p@_parents[placement]);
    @p@_move_by(state, @p@_changes[@p@_steps[placement]]);
}

int @p@_scramble(@p@_state *state, char *alg, uint64_t (*random)(void *source), void *source) {
    const uint64_t limit = UINT64_MAX - UINT64_MAX % @P@_STATES;
    const int *order;
    uint64_t rank;
    do rank = random(source);
    while (rank >= limit@if bytes@ || @p@_entry(rank % @P@_STATES) == 255@end bytes@);
    rank %= @P@_STATES;
    memcpy(state->label, @p@_arrangements[rank % @width@], sizeof state->label);
    @p@_follow(state, (int64_t)(rank / @width@));
    /* The solution may end in another orientation: turned by as much, the state has one that ends in the solved state. */
    const @p@_state solved = @p@_solved();
    @p@_state end = *state;
    @p@_descend(&end, NULL, NULL);
    for (int image = 0; image < @images@; image++) {
        @p@_state turned = solved;
        @p@_move_by(&turned, @p@_images[image]);
        if (memcmp(&turned, &end, sizeof end)) continue;
        @p@_undo(state, @p@_images[image]);
        break;
    }
    char way[@P@_ALG];
    int depth = @p@_descend(state, NULL, way);
    rank = (uint64_t)@p@_rank(state, &order);
    *alg = 0;
    for (int i = 0; i < @starts@; i++)
        if (@p@_starts[i].rank == rank) strcat(alg, @p@_starts[i].words);
    if (*alg && *way) strcat(alg, " ");
    strcat(alg, way);
    *state = solved;
    @p@_apply(state, alg);
    return depth;
}
@end draws@
/* -- Algs -- */

static const char *@p@_number(const char *at, int *number) {
    int digits = 0;
    for (*number = 0; *at >= '0' && *at <= '9' && digits < 6; digits++) *number = 10 * *number + *at++ - '0';
    if (!digits) *number = 1;
    return at;
}

int @p@_apply(@p@_state *state, const char *alg) {
    @p@_state made = *state;
    const char *at = alg;
    for (;;) {
        while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
        if (!*at) break;
        const char *token = at;
        const @p@_generator *found = NULL;
        size_t length = 0;
        int is_in_brackets = *at == '(', more, times;
        at += is_in_brackets;
        for (int i = 0; i < @generators@; i++) {
            const @p@_generator *each = &@p@_generators[i];
            size_t here = strlen(each->name);
            int ends_in_digit = each->name[here - 1] >= '0' && each->name[here - 1] <= '9';
            if (here <= length || strncmp(at, each->name, here)) continue;
            if (ends_in_digit && at[here] >= '0' && at[here] <= '9') continue;
            found = each;
            length = here;
        }
        at += length;
        if (!found || (is_in_brackets && *at++ != ')')) return (int)(token - alg) + 1;
        at = @p@_number(at, &times);
        int is_inverse = *at == '\'';
        at = @p@_number(at + is_inverse, &more);
        if (found->order) times = (int)((int64_t)times * more % found->order);
        else times *= more;
        if (is_inverse && found->order) times = (found->order - times) % found->order;
        else if (is_inverse) found = &@p@_generators[found->inverse];
        int at_once = found->order ? times : 1; /* what is not possible in between does not matter for a power */
        for (int i = 0; i < times; i += at_once)
            if (!@p@_make(&made, found->begin, found->end, at_once)) return (int)(token - alg) + 1;
    }
    *state = made;
    return 0;
}

/* -- Texts of states -- */

static int @p@_is_blank(char symbol) {
    return symbol == ' ' || symbol == '\t' || symbol == '\n' || symbol == '\r'@if pieces@ || symbol == '/' || symbol == ';'@end pieces@;
}
@if pieces@
int @p@_read(@p@_state *state, const char *text) {
    @p@_state found;
    const char *at = text;
    const int *order;
    for (int i = 0; i < @placed@; i++) {
        const @p@_place *place = &@p@_homes[i];
        size_t length = 0;
        int number = 0;
        while (@p@_is_blank(*at)) at++;
        while (at[length] && !@p@_is_blank(at[length])) length++;
        for (; number < @words@; number++) {
            const @p@_word *word = &@p@_words[number];
            if (word->orbit == place->orbit && strlen(word->text) == length && !strncmp(at, word->text, length)) break;
        }
        if (number == @words@ || !length) return (int)(at - text) + 1;
        for (int k = 0; k < place->width; k++) found.label[place->points[k]] = (@p@_item)@p@_words[number].labels[k];
        at += length;
    }
    while (@p@_is_blank(*at)) at++;
    if (*at) return (int)(at - text) + 1;
    if (!@p@_are_labels(&found) || @p@_rank(&found, &order) < 0) return -1;
    *state = found;
    return 0;
}
@end pieces@
@if facelets@
int @p@_read(@p@_state *state, const char *text) {
    @p@_state found;
    char symbols[@P@_POINTS];
    int positions[@P@_POINTS], number = 0;
    const int *order;
    for (const char *at = text; *at; at++) {
        if (@p@_is_blank(*at)) continue;
        if (number == @P@_POINTS) return (int)(at - text) + 1;
        positions[number] = (int)(at - text) + 1;
        symbols[number++] = *at;
    }
    if (number < @P@_POINTS) return (int)strlen(text) + 1;
    for (int i = 0; i < @placed@; i++) {
        const @p@_place *place = &@p@_homes[i];
        int word = 0, k = 0;
        for (; word < @words@; word++) {
            if (@p@_words[word].orbit != place->orbit) continue;
            for (k = 0; k < place->width && symbols[place->points[k]] == @p@_words[word].text[k];) k++;
            if (k == place->width) break;
        }
        if (word == @words@) return positions[place->points[0]];
        for (k = 0; k < place->width; k++) found.label[place->points[k]] = (@p@_item)@p@_words[word].labels[k];
    }
    if (!@p@_are_labels(&found) || @p@_rank(&found, &order) < 0) return -1;
    *state = found;
    return 0;
}
@end facelets@
void @p@_write(const @p@_state *state, char *text) {
@if pieces@
    *text = 0;
@end pieces@
@if facelets@
    text[@P@_POINTS] = 0;
@end facelets@
    for (int i = 0; i < @placed@; i++) {
        const @p@_place *place = &@p@_homes[i];
        for (int number = 0; number < @words@; number++) {
            const @p@_word *word = &@p@_words[number];
            int k = 0;
            if (word->orbit != place->orbit) continue;
            while (k < place->width && state->label[place->points[k]] == word->labels[k]) k++;
            if (k < place->width) continue;
@if pieces@
            if (i) strcat(text, place->orbit == @p@_homes[i - 1].orbit ? " " : " ; ");
            strcat(text, word->text);
@end pieces@
@if facelets@
            for (k = 0; k < place->width; k++) text[place->points[k]] = word->text[k];
@end facelets@
            break;
        }
    }
}

#endif
