/* SPLU-Gen in C11: written from the pages under docs/specification alone, with the standard library alone.
 *
 *     cc -std=c11 -O2 -o splu_c splu.c
 *
 * It answers the conformance protocol for what needs no large integers: the byte rules, the plans, releases
 * from a tape and at random, swapping, fakes in small domains, estimates, transition matrices and entropies.
 * A macro BREAK_... makes one mistake on purpose, for tests of the runner.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory: everything that a request allocates is freed when it has been answered -------------------- */

typedef struct Block { _Alignas(16) struct Block *next; } Block;  /* what follows it may hold any type */
static Block *blocks;

static void *take(size_t size) {
    Block *block = malloc(sizeof(Block) + size + 1);
    if (!block) { fputs("out of memory\n", stderr); exit(1); }
    block->next = blocks;
    blocks = block;
    memset(block + 1, 0, size + 1);
    return block + 1;
}

static void *take_array(size_t count, size_t size) { return take(count * size); }

static void release_memory(void) {
    while (blocks) {
        Block *next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static jmp_buf refusal;
static const char *refusal_kind;

static _Noreturn void refuse(const char *kind) {
    refusal_kind = kind;
    longjmp(refusal, 1);
}

static void require(int condition) {
    if (!condition) refuse("parameter");
}

/* ---- a reader of JSON ---------------------------------------------------------------------------------- */

typedef enum { NOTHING, TRUTH, NUMBER, TEXT, LIST, OBJECT } Type;

typedef struct Value {
    Type type;
    int whole;            /* a number without fraction and exponent, within 64 bits */
    int64_t number;
    char *text;           /* of a text, without escapes */
    size_t length;        /* of a text in bytes: it may hold NUL */
    char *name;           /* of a member */
    struct Value *first, *last, *next;
    size_t count;
} Value;

static const char *at, *end;
static size_t text_length;  /* of the text that was read last */
enum { DEEPEST = 200 };

static _Noreturn void malformed(void) { refuse("malformed"); }

static void space(void) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
}

static void expect(char letter) {
    space();
    if (at >= end || *at != letter) malformed();
    at++;
}

static int next_is(char letter) {
    space();
    return at < end && *at == letter;
}

static unsigned hex4(void) {
    unsigned value = 0;
    for (int i = 0; i < 4; i++, at++) {
        if (at >= end || !isxdigit((unsigned char)*at)) malformed();
        value = value * 16 + (unsigned)(isdigit((unsigned char)*at) ? *at - '0' : tolower(*at) - 'a' + 10);
    }
    return value;
}

static char *put_utf8(char *out, unsigned code) {
    if (code < 0x80) { *out++ = (char)code; return out; }
    if (code < 0x800) { *out++ = (char)(0xC0 | code >> 6); }
    else {
        if (code < 0x10000) { *out++ = (char)(0xE0 | code >> 12); }
        else { *out++ = (char)(0xF0 | code >> 18); *out++ = (char)(0x80 | (code >> 12 & 0x3F)); }
        *out++ = (char)(0x80 | (code >> 6 & 0x3F));
    }
    *out++ = (char)(0x80 | (code & 0x3F));
    return out;
}

/* Refuse a line that is not UTF-8: overlong forms, surrogates and what is beyond Unicode included. */
static void require_utf8(void) {
    for (const unsigned char *byte = (const unsigned char *)at, *last = (const unsigned char *)end; byte < last;) {
        unsigned char lead = *byte++, from = 0x80, to = 0xBF;
        if (lead < 0x80) continue;
        int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
        if (lead < 0xC2 || lead > 0xF4) malformed();
        if (lead == 0xE0) from = 0xA0;
        if (lead == 0xED) to = 0x9F;
        if (lead == 0xF0) from = 0x90;
        if (lead == 0xF4) to = 0x8F;
        for (; more; more--, byte++, from = 0x80, to = 0xBF) {
            if (byte >= last || *byte < from || *byte > to) malformed();
        }
    }
}

static char *read_text(void) {
    expect('"');
    const char *scan = at;
    while (scan < end && *scan != '"') scan += *scan == '\\' ? 2 : 1;
    if (scan >= end) malformed();
    char *text = take((size_t)(scan - at)), *out = text;
    while (*at != '"') {
        unsigned char letter = (unsigned char)*at++;
        if (letter < 0x20) malformed();
        if (letter != '\\') { *out++ = (char)letter; continue; }
        static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
        const char *found = strchr(escapes, *at);
        if (*at && found) { *out++ = meant[found - escapes]; at++; continue; }
        if (*at++ != 'u') malformed();
        unsigned code = hex4();
        if (code >= 0xD800 && code < 0xDC00 && at + 1 < end && at[0] == '\\' && at[1] == 'u') {
            at += 2;
            unsigned low = hex4();
            if (low < 0xDC00 || low > 0xDFFF) malformed();
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        out = put_utf8(out, code);
    }
    at++;
    text_length = (size_t)(out - text);
    return text;
}

static Value *read_number(void) {
    Value *value = take(sizeof(Value));
    const char *first = at;
    value->type = NUMBER;
    value->whole = 1;
    int negative = at < end && *at == '-';
    at += negative;
    if (at >= end || !isdigit((unsigned char)*at) || (*at == '0' && at + 1 < end && isdigit((unsigned char)at[1]))) malformed();
    for (; at < end && isdigit((unsigned char)*at); at++) {
        int digit = *at - '0';
        if (value->number > (INT64_MAX - digit) / 10) value->whole = 0;
        if (value->whole) value->number = value->number * 10 + digit;
    }
    if (negative) value->number = -value->number;
    if (at < end && *at == '.') {
        value->whole = 0;
        at++;
        if (at >= end || !isdigit((unsigned char)*at)) malformed();
        while (at < end && isdigit((unsigned char)*at)) at++;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        value->whole = 0;
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (at >= end || !isdigit((unsigned char)*at)) malformed();
        while (at < end && isdigit((unsigned char)*at)) at++;
    }
    if (isinf(strtod(first, NULL))) malformed();
    return value;
}

static void append(Value *parent, Value *child) {
    if (parent->last) parent->last->next = child; else parent->first = child;
    parent->last = child;
    parent->count++;
}

static Value *read_value(int depth) {
    if (depth > DEEPEST) malformed();
    space();
    if (at >= end) malformed();
    Value *value = take(sizeof(Value));
    if (*at == '"') {
        value->type = TEXT;
        value->text = read_text();
        value->length = text_length;
    } else if (*at == '[' || *at == '{') {
        int object = *at++ == '{';
        value->type = object ? OBJECT : LIST;
        if (!next_is(object ? '}' : ']')) {
            do {
                char *name = NULL;
                if (object) { name = read_text(); expect(':'); }
                Value *child = read_value(depth + 1);
                child->name = name;
                append(value, child);
            } while (next_is(',') && at++);
        }
        expect(object ? '}' : ']');
    } else if (*at == '-' || isdigit((unsigned char)*at)) {
        return read_number();
    } else {
        static const struct { const char *word; Type type; } words[] = {{"null", NOTHING}, {"true", TRUTH}, {"false", TRUTH}};
        for (size_t i = 0; i < 3; i++) {
            size_t length = strlen(words[i].word);
            if ((size_t)(end - at) >= length && !strncmp(at, words[i].word, length)) {
                at += length;
                value->type = words[i].type;
                return value;
            }
        }
        malformed();
    }
    return value;
}

/* ---- the fields of a request --------------------------------------------------------------------------- */

static Value *request;

static Value *optional(const char *name) {
    Value *found = NULL;
    for (Value *member = request->first; member; member = member->next)
        if (!strcmp(member->name, name)) found = member;
    return found;
}

static Value *field(const char *name) {
    Value *found = optional(name);
    require(found != NULL);
    return found;
}

/* Refuse what is not one of the given names (a list that NULL ends). */
static void only(const char *const *names) {
    for (Value *member = request->first; member; member = member->next) {
        int known = !strcmp(member->name, "op") || !strcmp(member->name, "id");
        for (const char *const *name = names; *name; name++) known |= !strcmp(member->name, *name);
        if (!known) refuse("unsupported");
    }
}
#define ONLY(...) only((const char *const[]){__VA_ARGS__, NULL})

/* An integer from 0 to 2^64 - 1, as a number or as a text of digits. */
static uint64_t natural(const char *name) {
    Value *value = field(name);
    if (value->type == NUMBER) {
        require(value->whole && value->number >= 0 && value->number < (int64_t)1 << 53);
        return (uint64_t)value->number;
    }
    require(value->type == TEXT && *value->text && value->length <= 400);
    uint64_t number = 0;
    for (const char *digit = value->text; *digit; digit++) {
        require(isdigit((unsigned char)*digit) && number <= (UINT64_MAX - 9) / 10);
        number = number * 10 + (uint64_t)(*digit - '0');
    }
    return number;
}

static int64_t integer(const char *name, int64_t least) {
    uint64_t value = natural(name);
    require(value <= INT64_MAX / 4 && (int64_t)value >= least);
    return (int64_t)value;
}

typedef struct { int64_t *at; size_t count; } Integers;

static Integers integers_of(const Value *value, int64_t least) {
    require(value->type == LIST);
    Integers list = {take_array(value->count, sizeof(int64_t)), 0};
    for (const Value *entry = value->first; entry; entry = entry->next) {
        require(entry->type == NUMBER && entry->whole && entry->number >= least && entry->number < 1000000000);
        list.at[list.count++] = entry->number;
    }
    return list;
}

static const char *text(const char *name) {
    Value *value = field(name);
    require(value->type == TEXT);
    for (const char *byte = value->text; *byte; byte++)  /* half a surrogate pair */
        require((unsigned char)byte[0] != 0xED || (unsigned char)byte[1] < 0xA0);
    return value->text;
}

static int word(const char *name, const char *const *words) {
    const char *given = text(name);
    for (int i = 0; words[i]; i++) if (!strcmp(given, words[i])) return i;
    refuse("unsupported");
}

/* ---- exact fractions of 128 bits, enough for counts below 2^31 ----------------------------------------- */

__extension__ typedef __int128 Wide;
typedef struct { Wide p, q; } Fraction;

static Wide divisor(Wide a, Wide b) {
    if (a < 0) a = -a;
    while (b) { Wide rest = a % b; a = b; b = rest; }
    return a;
}

static Fraction fraction(Wide p, Wide q) {
    if (q < 0) { p = -p; q = -q; }
    Wide common = divisor(p, q);
    return (Fraction){p / common, q / common};
}

static Fraction times(Fraction a, Fraction b) {
    Fraction left = fraction(a.p, b.q), right = fraction(b.p, a.q);
    return fraction(left.p * right.p, left.q * right.q);
}

static Fraction plus(Fraction a, Fraction b) {
    Wide common = divisor(a.q, b.q), all = a.q / common * b.q;
    require(all <= (Wide)1000000000000000000);
    return fraction(a.p * (all / a.q) + b.p * (all / b.q), all);
}

static Fraction one_minus(Fraction a) { return fraction(a.q - a.p, a.q); }

static char *write_wide(char *out, Wide number) {
    char digits[48];
    int count = 0;
    if (number < 0) { *out++ = '-'; number = -number; }
    do { digits[count++] = (char)('0' + (int)(number % 10)); number /= 10; } while (number);
    while (count) *out++ = digits[--count];
    return out;
}

static void print_fraction(Fraction value) {
    char buffer[100], *out = write_wide(buffer, value.p);
    if (value.q != 1) { *out++ = '/'; out = write_wide(out, value.q); }
    *out = 0;
    printf("\"%s\"", buffer);
}

/* digits, digits.digits or digits/digits; at most 38 digits in all */
static Fraction exact(const char *written) {
    int negative = *written == '-', digits = 0;
    written += negative;
    Wide p = 0, q = 1, number = 0;
    char part = 0;
    require(isdigit((unsigned char)*written));
    for (; *written; written++) {
        if (isdigit((unsigned char)*written)) {
            require(++digits <= 38);
            number = number * 10 + (*written - '0');
            if (part == '.') q *= 10;
        } else {
            require(!part && (*written == '.' || *written == '/') && isdigit((unsigned char)written[1]));
            part = *written;
            if (part == '/') { p = number; number = 0; }
        }
    }
    if (part == '/') { require(number > 0); q = number; } else p = number;
    return fraction(negative ? -p : p, q);
}

static int64_t gamma_of(void) { int64_t gamma = integer("gamma", 2); require(gamma < 1000000); return gamma; }

static Fraction retention(int64_t gamma) {
    if (!optional("retention")) return fraction(1, gamma);
    Fraction value = exact(text("retention"));
    require(value.p > 0 && value.p <= value.q);
    return value;
}

/* The law of the draws: of independent ones the bound is 0. */
typedef struct { int capped; int64_t bound; } Law;

static Law draws_law(int64_t gamma, Fraction p) {
    Law law = {0, 0};
    if (!optional("draws")) return law;
    const Value *value = field("draws");
    require(value->type == TEXT && strlen(value->text) == value->length);
    if (!strcmp(value->text, "independent")) return law;
    static const char *const names[] = {"all-or-none:", "capped:"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(value->text, names[i], length)) continue;
        const char *digits = value->text + length;
        size_t count = strspn(digits, "0123456789");
        require(count >= 1 && count <= 15 && !digits[count] && *digits != '0');
        law.capped = i;
        law.bound = strtoll(digits, NULL, 10);
    }
    require(law.bound > 0 && p.p * gamma == p.q);
    return law;
}

/* ---- bytes: a tape, or the system's ---------------------------------------------------------------------- */

static unsigned char *tape;
static size_t tape_size, consumed;
static FILE *entropy;

static void open_tape(const char *digits) {
    size_t length = strlen(digits);
    require(length % 2 == 0 && strspn(digits, "0123456789abcdef") == length);
    tape = take(length / 2);
    tape_size = length / 2;
    consumed = 0;
    entropy = NULL;
    for (size_t i = 0; i < length; i++) {
        int digit = isdigit((unsigned char)digits[i]) ? digits[i] - '0' : digits[i] - 'a' + 10;
        tape[i / 2] = (unsigned char)(tape[i / 2] * 16 + digit);
    }
}

static void open_system(void) {
    static FILE *device;
    if (!device) device = fopen("/dev/urandom", "rb");
    if (!device) { perror("/dev/urandom"); exit(1); }
    entropy = device;
}

static uint64_t read_bytes(int count) {
    uint64_t value = 0;
    if (!entropy && (size_t)count > tape_size - consumed) refuse("tape_exhausted");
    for (int i = 0; i < count; i++) {
        int byte = entropy ? fgetc(entropy) : tape[consumed++];
        if (byte == EOF) { fputs("no more entropy\n", stderr); exit(1); }
#ifdef BREAK_LOW_BYTE_FIRST
        value |= (uint64_t)byte << 8 * i;
#else
        value = value << 8 | (uint64_t)byte;
#endif
    }
    return value;
}

/* ---- randomness.md ----------------------------------------------------------------------------------------- */

static uint64_t below(uint64_t bound) {
    if (bound == 1) return 0;
    int bits = 0;
    while (bits < 64 && (bound - 1) >> bits) bits++;
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    for (;;) {
        uint64_t candidate = read_bytes((bits + 7) / 8) & mask;
#ifdef BREAK_MODULO_BIAS
        return candidate % bound;
#endif
#ifdef BREAK_GAMMA_OFF_BY_ONE
        if (candidate <= bound) return candidate < bound ? candidate : 0;
#endif
        if (candidate < bound) return candidate;
    }
}

/* A byte for each coin, 0 or 1. */
static unsigned char *toss(size_t count) {
    unsigned char *coins = take(count);
    unsigned byte = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % 8 == 0) byte = (unsigned)read_bytes(1);
#ifdef BREAK_LOW_BIT_FIRST
        coins[i] = byte >> i % 8 & 1;
#else
        coins[i] = byte >> (7 - i % 8) & 1;
#endif
    }
    return coins;
}

typedef struct { int64_t code; uint32_t key; size_t item; } Item;

static int compare_items(const void *left, const void *right) {
    const Item *a = left, *b = right;
    if (a->code != b->code) return a->code < b->code ? -1 : 1;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

/* Let the items that agree in code and key draw again, until none do. `open` marks the places that tied. */
static void break_ties(Item *items, size_t count) {
    unsigned char *joined = take(count + 1);  /* place i holds a tie with place i - 1 */
    int any = 0;
    for (size_t i = 1; i < count; i++)
        any |= joined[i] = items[i].code == items[i - 1].code && items[i].key == items[i - 1].key;
#ifdef BREAK_TIES_BY_NUMBER
    return;
#endif
    while (any) {
        any = 0;
        for (size_t i = 0; i < count; i++) {
            items[i].code = 0;
            if (joined[i] || joined[i + 1]) items[i].key = (uint32_t)read_bytes(4);
        }
        for (size_t first = 0, last; first < count; first = last) {
            for (last = first + 1; last < count && joined[last];) last++;
            if (last - first < 2) continue;
            qsort(items + first, last - first, sizeof(Item), compare_items);
            for (size_t i = first + 1; i < last; i++) any |= joined[i] = items[i].key == items[i - 1].key;
        }
    }
}

/* The items by code, uniformly at random within a code; without codes, all items are of one. */
static size_t *random_order(const int64_t *codes, size_t count) {
    size_t *order = take_array(count, sizeof(size_t));
    Item *items = take_array(count, sizeof(Item));
    for (size_t i = 0; i < count; i++)
        items[i] = (Item){codes ? codes[i] : 0, count > 1 ? (uint32_t)read_bytes(4) : 0, i};
    qsort(items, count, sizeof(Item), compare_items);
    break_ties(items, count);
    for (size_t i = 0; i < count; i++) order[i] = items[i].item;
    return order;
}

static int compare_sizes(const void *left, const void *right) {
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return a < b ? -1 : a > b;
}

static size_t *random_subset(uint64_t population, size_t count) {
    size_t *taken = take_array(count, sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)below(population - i);
        for (size_t j = 0; j < i; j++) number += taken[j] <= number;
        taken[i] = number;
        qsort(taken, i + 1, sizeof(size_t), compare_sizes);
    }
    return taken;
}

/* ---- plans.md ------------------------------------------------------------------------------------------------ */

static const char *const METHODS[] = {"anatomy", "cyclic", "mixed", NULL};
enum { ANATOMY, CYCLIC, MIXED };

typedef struct { size_t number, gamma; size_t *values; size_t blocks; } Groups;

static const int64_t *left_of;  /* for the comparison */

static int by_records_left(const void *left, const void *right) {
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    if (left_of[a] != left_of[b]) return left_of[a] > left_of[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void anatomy(Integers histogram, Groups groups) {
    int64_t *left = take_array(histogram.count, sizeof(int64_t));
    size_t *values = take_array(histogram.count, sizeof(size_t));
    memcpy(left, histogram.at, histogram.count * sizeof(int64_t));
    for (size_t v = 0; v < histogram.count; v++) values[v] = v;
    left_of = left;
    for (size_t g = 0; g < groups.number; g++) {
        qsort(values, histogram.count, sizeof(size_t), by_records_left);
        memcpy(groups.values + g * groups.gamma, values, groups.gamma * sizeof(size_t));
        for (size_t j = 0; j < groups.gamma; j++) left[values[j]]--;
    }
}

static void cyclic(Integers histogram, Groups groups) {
    size_t entry = 0;
    for (size_t v = 0; v < histogram.count; v++)
        for (int64_t k = 0; k < histogram.at[v]; k++, entry++)
            groups.values[entry % groups.number * groups.gamma + entry / groups.number] = v;
}

static int holds(const size_t *group, size_t gamma, size_t value) {
    for (size_t j = 0; j < gamma; j++) if (group[j] == value) return 1;
    return 0;
}

/* One pass: place q faces place half + q, and the free values of the two change places by coins. */
static void trade(Groups block, const uint64_t *rotations, const unsigned char *coins) {
    size_t gamma = block.gamma, half = block.number / 2;
    size_t *mine = take_array(gamma, sizeof(size_t)), *theirs = take_array(gamma, sizeof(size_t));
    for (size_t q = 0; q < half; q++) {
        size_t *a = block.values + q * gamma, *b = block.values + (half + q) * gamma, free_a = 0, free_b = 0;
        for (size_t j = 0; j < gamma; j++) {
            if (!holds(b, gamma, a[j])) mine[free_a++] = j;
            if (!holds(a, gamma, b[j])) theirs[free_b++] = j;
        }
#ifdef BREAK_ROTATION_0
        size_t rotation = 0;
        (void)rotations;
#else
        size_t rotation = (size_t)rotations[q];
#endif
        for (size_t i = 0; i < free_a; i++) {
            if (!coins[mine[i] * half + q]) continue;
            size_t *x = a + mine[i], *y = b + theirs[(i + rotation) % free_a], kept = *x;
            *x = *y;
            *y = kept;
        }
    }
}

/* The block holds the groups whose number leaves the remainder `block` modulo `blocks`, in the order of cyclic. */
static Groups mixed_block(Groups whole, size_t block, size_t blocks) {
    size_t gamma = whole.gamma, number = (whole.number - block + blocks - 1) / blocks, half = number / 2, passes = 0;
    Groups made = {number, gamma, take_array(number * gamma, sizeof(size_t)), 1};
    for (size_t t = 0; t < number; t++)
        memcpy(made.values + t * gamma, whole.values + (block + blocks * t) * gamma, gamma * sizeof(size_t));
    if (number > 1) for (size_t left = 64 * number; left; left >>= 1) passes++;  /* as many as binary digits */
    int64_t *pass_of = take_array(passes * number, sizeof(int64_t));
    for (size_t i = 0; i < passes * number; i++) pass_of[i] = (int64_t)(i / number);
    size_t *order = random_order(pass_of, passes * number);
    uint64_t *rotations = take_array(passes * half, sizeof(uint64_t));
    for (size_t i = 0; i < passes * half; i++) rotations[i] = below(gamma);
    unsigned char *coins = toss(passes * gamma * half);
    for (size_t pass = 0; pass < passes; pass++) {
        Groups moved = {number, gamma, take_array(number * gamma, sizeof(size_t)), 1};
        for (size_t i = 0; i < number; i++)
            memcpy(moved.values + i * gamma, made.values + (order[pass * number + i] - pass * number) * gamma,
                   gamma * sizeof(size_t));
        trade(moved, rotations + pass * half, coins + pass * gamma * half);
        made = moved;
    }
    return made;
}

static Groups plan(Integers histogram, int64_t gamma, int method) {
    int64_t total = 0, most = 0;
    for (size_t v = 0; v < histogram.count; v++) {
        require(histogram.at[v] >= 0);
        total += histogram.at[v];
        if (histogram.at[v] > most) most = histogram.at[v];
    }
    require(total > 0 && total < 100000000 && total % gamma == 0);
#ifndef BREAK_INFEASIBLE_ACCEPTED
    require(most * gamma <= total);
#endif
    Groups groups = {(size_t)(total / gamma), (size_t)gamma, take_array((size_t)total, sizeof(size_t)), 1};
    if (method == ANATOMY) {
        require(histogram.count >= (size_t)gamma);
        anatomy(histogram, groups);
        return groups;
    }
    cyclic(histogram, groups);
    if (method != MIXED) return groups;
    Groups mixed = {groups.number, groups.gamma, take_array((size_t)total, sizeof(size_t)), (groups.number + 4095) / 4096};
    size_t filled = 0;
    for (size_t b = 0; b < mixed.blocks; b++) {
        Groups block = mixed_block(groups, b, mixed.blocks);
        memcpy(mixed.values + filled, block.values, block.number * block.gamma * sizeof(size_t));
        filled += block.number * block.gamma;
    }
    return mixed;
}

/* ---- publishing.md ------------------------------------------------------------------------------------------- */

typedef struct { size_t count, suppressed_count; size_t *rows, *suppressed; int64_t **published; } Release;

typedef struct { uint64_t m, k, s; } DrawRule;

static DrawRule draw_rule(int64_t gamma, Fraction p) {
    Wide common = divisor(p.p * (gamma - 1), p.q - p.p);
    Wide m = p.q * (gamma - 1) / common;
    require(m <= INT64_MAX);
    return (DrawRule){(uint64_t)m, (uint64_t)(p.p * (gamma - 1) / common), (uint64_t)((p.q - p.p) / common)};
}

static int compare_codes(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Whether each slot is marked. */
static unsigned char *marks(Groups groups, Integers histogram, Law law) {
    unsigned char *marked = take(groups.number * groups.gamma);
    if (!law.capped) {
        for (size_t slot = 0; slot < groups.number * groups.gamma; slot++)
            marked[slot] = histogram.at[groups.values[slot]] <= law.bound;
        return marked;
    }
    size_t *order = random_order(NULL, groups.number);
    int64_t *seen = take_array(histogram.count, sizeof(int64_t));
    for (size_t i = 0; i < groups.number; i++) {
#ifdef BREAK_GROUPS_IN_PLAN_ORDER
        order[i] = i;
#endif
        for (size_t j = 0; j < groups.gamma; j++) {
            size_t slot = order[i] * groups.gamma + j;
#ifdef BREAK_CAP_OFF_BY_ONE
            marked[slot] = seen[groups.values[slot]]++ <= law.bound;
#else
            marked[slot] = seen[groups.values[slot]]++ < law.bound;
#endif
        }
    }
    return marked;
}

/* Write which slot each slot of a block of groups shows, counted from the first of the block. */
static void show_slots(const unsigned char *marked, size_t number, size_t gamma, Law law, size_t *shown) {
    size_t size = number * gamma;
    size_t *places = take_array(size, sizeof(size_t));
    int64_t *group_of = take_array(size, sizeof(int64_t));
    for (size_t slot = 0; slot < size; slot++) group_of[slot] = (int64_t)(slot / gamma);
    if (law.capped) {
        for (size_t item = 0; item < size; item++) {
            size_t slot = item / gamma * gamma + (size_t)below(gamma);
            places[slot] += marked[slot];
        }
    } else {
        for (size_t group = 0; group < number; group++) {
#ifdef BREAK_RARE_MORE_OFTEN
            size_t slot = group * gamma + (size_t)below(gamma - 1);
#else
            size_t slot = group * gamma + (size_t)below(gamma);
#endif
            if (marked[slot]) places[slot] = gamma;
        }
    }
    size_t *order = random_order(group_of, size);
    for (size_t group = 0; group < number; group++) {
        size_t left = gamma, sharing = 0, turn = 0;
        for (size_t slot = group * gamma; slot < (group + 1) * gamma; slot++) {
            left -= places[slot];
            sharing += !marked[slot];
        }
        for (size_t i = group * gamma; i < (group + 1) * gamma; i++) {
#ifdef BREAK_REST_TO_THE_FIRST
            size_t slot = i;
            (void)order;
#else
            size_t slot = order[i];
#endif
            if (!marked[slot]) { places[slot] = left / sharing + (turn < left % sharing); turn++; }
        }
    }
    size_t *members = random_order(group_of, size), place = 0;
    for (size_t slot = 0; slot < size; slot++) {
        for (size_t times = 0; times < places[slot]; times++, place++) {
#ifdef BREAK_NOT_DEALT
            shown[place] = slot;
            (void)members;
#else
            shown[members[place]] = slot;
#endif
        }
    }
}

static int64_t *publish_column(const int64_t *own, size_t count, int64_t gamma, int method, DrawRule rule, Law law) {
    int64_t largest = 0;
    for (size_t i = 0; i < count; i++) if (own[i] > largest) largest = own[i];
    require(largest < 1000000);
    Integers histogram = {take_array((size_t)largest + 1, sizeof(int64_t)), (size_t)largest + 1};
    for (size_t i = 0; i < count; i++) histogram.at[own[i]]++;
    Groups groups = plan(histogram, gamma, method);

    /* slots[p] is the slot of entry p of the records sorted by value: block by block, value by value */
    size_t *slots = take_array(count, sizeof(size_t)), first = 0;
    for (size_t b = 0; b < groups.blocks; b++) {
        size_t size = (groups.number - b + groups.blocks - 1) / groups.blocks * groups.gamma, taken = 0;
        Item *held = take_array(size, sizeof(Item));
        for (size_t i = 0; i < size; i++) held[i] = (Item){(int64_t)groups.values[first + i], 0, first + i};
        qsort(held, size, sizeof(Item), compare_items);
        for (size_t p = 0; p < count; p++)
            if (p % groups.number % groups.blocks == b) slots[p] = held[taken++].item;
        first += size;
    }
    /* Sorted by value, the records stand at the places of their slots. */
#ifdef BREAK_FILE_ORDER
    Item *items = take_array(count, sizeof(Item));
    size_t *order = take_array(count, sizeof(size_t));
    for (size_t i = 0; i < count; i++) items[i] = (Item){own[i], 0, i};
    qsort(items, count, sizeof(Item), compare_items);
    for (size_t i = 0; i < count; i++) order[i] = items[i].item;
#else
    size_t *order = random_order(own, count);
#endif
    size_t *slot_of = take_array(count, sizeof(size_t));
    for (size_t place = 0; place < count; place++) slot_of[order[place]] = slots[place];

    int64_t *published = take_array(count, sizeof(int64_t));
    if (law.bound) {
        unsigned char *marked = marks(groups, histogram, law);
        size_t *shown = take_array(count, sizeof(size_t));
        first = 0;
        for (size_t b = 0; b < groups.blocks; b++) {
            size_t number = (groups.number - b + groups.blocks - 1) / groups.blocks, size = number * groups.gamma;
            show_slots(marked + first, number, groups.gamma, law, shown + first);
            for (size_t i = first; i < first + size; i++) shown[i] += first;
            first += size;
        }
        for (size_t record = 0; record < count; record++)
            published[record] = (int64_t)groups.values[shown[slot_of[record]]];
        return published;
    }
    for (size_t record = 0; record < count; record++) {
        uint64_t r = below(rule.m);
        uint64_t draw = r < rule.k ? 0 : 1 + (r - rule.k) / rule.s;
        const size_t *group = groups.values + slot_of[record] / (size_t)gamma * (size_t)gamma;
        uint64_t mine = slot_of[record] % (size_t)gamma;
#ifdef BREAK_OWN_VALUE_NEVER
        if (draw == 0) draw = 1;
#endif
#ifdef BREAK_DRAW_0_IS_FIRST
        published[record] = (int64_t)group[draw];
#else
        published[record] = draw == 0 ? own[record] : (int64_t)group[draw <= mine ? draw - 1 : draw];
#endif
        (void)mine;
    }
    return published;
}

static Release publish(Integers *columns, size_t column_count, int64_t gamma, int method, Fraction p, Law law) {
    size_t population = columns[0].count, remainder = population % (size_t)gamma;
    require(population > 0);
    for (size_t c = 0; c < column_count; c++) {
        int64_t *sorted = take_array(population, sizeof(int64_t));
        memcpy(sorted, columns[c].at, population * sizeof(int64_t));
        qsort(sorted, population, sizeof(int64_t), compare_codes);
        for (size_t first = 0, last; first < population; first = last) {
            for (last = first + 1; last < population && sorted[last] == sorted[first];) last++;
            require((int64_t)(last - first) * gamma <= (int64_t)population);
        }
    }
    DrawRule rule = draw_rule(gamma, p);
    Release done = {population - remainder, remainder, NULL, random_subset(population, remainder), NULL};
    size_t *kept = take_array(done.count, sizeof(size_t)), count = 0;
    for (size_t record = 0, deleted = 0; record < population; record++) {
        if (deleted < remainder && done.suppressed[deleted] == record) deleted++;
        else kept[count++] = record;
    }
    int64_t **published = take_array(column_count, sizeof(int64_t *));
    for (size_t c = 0; c < column_count; c++) {
        int64_t *own = take_array(count, sizeof(int64_t));
        for (size_t i = 0; i < count; i++) own[i] = columns[c].at[kept[i]];
        published[c] = publish_column(own, count, gamma, method, rule, law);
    }
    size_t *shuffle = random_order(NULL, count);
#ifdef BREAK_UNSHUFFLED
    for (size_t i = 0; i < count; i++) shuffle[i] = i;
#endif
    done.rows = take_array(count, sizeof(size_t));
    done.published = take_array(column_count, sizeof(int64_t *));
    for (size_t i = 0; i < count; i++) done.rows[i] = kept[shuffle[i]];
    for (size_t c = 0; c < column_count; c++) {
        done.published[c] = take_array(count, sizeof(int64_t));
        for (size_t i = 0; i < count; i++) done.published[c][i] = published[c][shuffle[i]];
    }
    return done;
}

/* ---- answers --------------------------------------------------------------------------------------------------- */

static void print_sizes(const size_t *values, size_t count) {
    putchar('[');
    for (size_t i = 0; i < count; i++) {
        const char *quote = values[i] >> 53 ? "\"" : "";  /* a text from 2^53 on */
        printf("%s%s%zu%s", i ? "," : "", quote, values[i], quote);
    }
    putchar(']');
}

static void print_codes(const int64_t *values, size_t count) {
    putchar('[');
    for (size_t i = 0; i < count; i++) printf(i ? ",%lld" : "%lld", (long long)values[i]);
    putchar(']');
}

static void print_result(const size_t *values, size_t count) {
    printf("{\"result\":");
    print_sizes(values, count);
#ifdef BREAK_CONSUMED_IGNORED
    consumed = tape_size;
#endif
    printf(",\"consumed\":%zu}", consumed);
}

static void answer_below(void) {
    ONLY("bound", "size", "tape");
    uint64_t bound = natural("bound");
    int64_t size = integer("size", 0);
    require(bound >= 1 && size <= 1000000);
    open_tape(text("tape"));
    uint64_t *drawn = take_array((size_t)size, sizeof(uint64_t));
    for (int64_t i = 0; i < size; i++) drawn[i] = below(bound);
    printf("{\"result\":[");
    for (int64_t i = 0; i < size; i++)
        printf(drawn[i] < (uint64_t)1 << 53 ? "%s%llu" : "%s\"%llu\"", i ? "," : "", (unsigned long long)drawn[i]);
#ifdef BREAK_CONSUMED_IGNORED
    consumed = tape_size;
#endif
    printf("],\"consumed\":%zu}", consumed);
}

static void answer_coins(void) {
    ONLY("size", "tape");
    int64_t size = integer("size", 0);
    require(size <= 1000000);
    open_tape(text("tape"));
    unsigned char *coins = toss((size_t)size);
    size_t *shown = take_array((size_t)size, sizeof(size_t));
    for (int64_t i = 0; i < size; i++) shown[i] = coins[i];
    print_result(shown, (size_t)size);
}

static void answer_permutation(void) {
    ONLY("size", "tape");
    int64_t size = integer("size", 0);
    require(size <= 1000000);
    open_tape(text("tape"));
    print_result(random_order(NULL, (size_t)size), (size_t)size);
}

static void answer_order_within(void) {
    ONLY("codes", "tape");
    Integers codes = integers_of(field("codes"), 0);
    open_tape(text("tape"));
    print_result(random_order(codes.at, codes.count), codes.count);
}

static void answer_subset(void) {
    ONLY("population", "count", "tape");
    uint64_t population = natural("population");
    int64_t count = integer("count", 0);
    require((uint64_t)count <= population && count <= 10000);
    open_tape(text("tape"));
    print_result(random_subset(population, (size_t)count), (size_t)count);
}

static void answer_plan(void) {
    Integers histogram = integers_of(field("histogram"), INT64_MIN);
    int64_t gamma = gamma_of();
    int method = word("method", METHODS);
    if (method == MIXED) { ONLY("histogram", "gamma", "method", "tape"); open_tape(text("tape")); }
    else ONLY("histogram", "gamma", "method");
    Groups groups = plan(histogram, gamma, method);
    printf("{\"groups\":[");
    for (size_t g = 0; g < groups.number; g++) {
        if (g) putchar(',');
        print_sizes(groups.values + g * groups.gamma, groups.gamma);
    }
    putchar(']');
    if (method == MIXED) printf(",\"consumed\":%zu", consumed);
    putchar('}');
}

static void answer_publish(void) {
    Integers codes = integers_of(field("sensitive"), 0);
    int64_t gamma = gamma_of();
    int method = word("method", METHODS);
    ONLY("sensitive", "gamma", "method", "retention", "draws", "tape");
    Fraction p = retention(gamma);
    Law law = draws_law(gamma, p);
    open_tape(text("tape"));
    Release done = publish(&codes, 1, gamma, method, p, law);
#ifdef BREAK_CONSUMED_IGNORED
    consumed = tape_size;
#endif
    printf("{\"published\":");
    print_codes(done.published[0], done.count);
    printf(",\"consumed\":%zu,\"rows\":", consumed);
    print_sizes(done.rows, done.count);
    printf(",\"suppressed\":");
    print_sizes(done.suppressed, done.suppressed_count);
    putchar('}');
}

static void answer_release(void) {
    Value *written = field("sensitive");
    require(written->type == LIST && written->count > 0);
    Integers *columns = take_array(written->count, sizeof(Integers));
    size_t count = 0;
    for (Value *column = written->first; column; column = column->next) {
        columns[count] = integers_of(column, 0);
        require(columns[count++].count == columns[0].count);
    }
    int64_t gamma = gamma_of();
    int method = word("method", METHODS);
    ONLY("sensitive", "gamma", "method", "retention", "draws", "tape");
    Fraction p = retention(gamma);
    Law law = draws_law(gamma, p);
    open_tape(text("tape"));
    Release done = publish(columns, count, gamma, method, p, law);
    printf("{\"published\":[");
    for (size_t c = 0; c < count; c++) {
        if (c) putchar(',');
        print_codes(done.published[c], done.count);
    }
    printf("],\"consumed\":%zu,\"rows\":", consumed);
    print_sizes(done.rows, done.count);
    printf(",\"suppressed\":");
    print_sizes(done.suppressed, done.suppressed_count);
    putchar('}');
}

static void answer_publish_random(void) {
    Integers codes = integers_of(field("sensitive"), 0);
    int64_t gamma = gamma_of(), times = integer("times", 1);
    int method = word("method", METHODS);
    ONLY("sensitive", "gamma", "method", "retention", "draws", "times");
    require(times <= 10000);
    Fraction p = retention(gamma);
    Law law = draws_law(gamma, p);
    Release *done = take_array((size_t)times, sizeof(Release));
    open_system();
    for (int64_t t = 0; t < times; t++) done[t] = publish(&codes, 1, gamma, method, p, law);
    printf("{\"published\":[");
    for (int64_t t = 0; t < times; t++) {
        if (t) putchar(',');
        print_codes(done[t].published[0], done[t].count);
    }
    printf("],\"rows\":[");
    for (int64_t t = 0; t < times; t++) {
        if (t) putchar(',');
        print_sizes(done[t].rows, done[t].count);
    }
    printf("]}");
}

static void answer_estimate(void) {
    static const char *const methods[] = {"mle", "exact", NULL};
    int method = word("method", methods);
    int64_t gamma = gamma_of(), published = integer("published_count", 0);
    if (method == 0) {
        ONLY("method", "gamma", "published_count", "bound");
        int64_t bound = optional("bound") ? integer("bound", 0) : published;
        printf("{\"estimate\":\"%lld\"}", (long long)(bound < published ? bound : published));
        return;
    }
    ONLY("method", "gamma", "published_count", "both_count", "predicate_count", "rows");
    int64_t y = integer("both_count", 0), n = integer("predicate_count", 0), rows = integer("rows", 1);
    require(rows < (int64_t)1 << 31 && y <= n && y <= published && n <= rows && published - y <= rows - n);
    require(published * gamma < rows);
    /* x = (y - n a) / (1/gamma - a), numerator and denominator multiplied by gamma (N - f') */
    Wide above = (Wide)gamma * (rows - published) * y - (Wide)n * published * (gamma - 1);
    Fraction x = fraction(above, (rows - published) - (Wide)published * (gamma - 1));
#ifndef BREAK_NOT_CLIPPED
    if (x.p < 0) x = fraction(0, 1);
    if (x.p > x.q * n) x = fraction(n, 1);
#endif
    printf("{\"estimate\":");
    print_fraction(x);
    putchar('}');
}

static void print_row(Fraction first, Fraction second) {
    putchar('[');
    print_fraction(first);
    putchar(',');
    print_fraction(second);
    putchar(']');
}

static void answer_transition(void) {
    static const char *const models[] = {"two-state", "per-value", NULL};
    int model = word("model", models);
    int64_t gamma = gamma_of();
    Fraction p = retention(gamma);
    if (model == 0) {
        ONLY("model", "gamma", "retention", "rows", "frequency");
        int64_t rows = integer("rows", 2), frequency = integer("frequency", 1);
        require(rows < (int64_t)1 << 31 && frequency * gamma <= rows);
#ifdef BREAK_PRINTED_MATRIX
        Fraction a = fraction(frequency, rows);
#else
        Fraction a = times(fraction(frequency, rows - frequency), one_minus(p));
#endif
        printf("{\"matrix\":[");
        print_row(one_minus(a), a);
        putchar(',');
        print_row(one_minus(p), p);
        printf("]}");
        return;
    }
    static const char *const methods[] = {"anatomy", "cyclic", NULL};
    int method = word("method", methods);
    ONLY("model", "gamma", "retention", "histogram", "method");
    Integers histogram = integers_of(field("histogram"), INT64_MIN);
    Groups groups = plan(histogram, gamma, method);
    Fraction share = times(one_minus(p), fraction(1, gamma - 1));
    printf("{\"matrix\":[");
    for (size_t u = 0; u < histogram.count; u++) {
        if (u) putchar(',');
        if (histogram.at[u] == 0) { printf("null"); continue; }
        putchar('[');
        for (size_t v = 0; v < histogram.count; v++) {
            int64_t together = 0;
            for (size_t g = 0; g < groups.number; g++) {
                const size_t *group = groups.values + g * groups.gamma;
                together += holds(group, groups.gamma, u) && holds(group, groups.gamma, v);
            }
            if (v) putchar(',');
            print_fraction(u == v ? p : times(fraction(together, histogram.at[u]), share));
        }
        putchar(']');
    }
    printf("]}");
}

static Fraction share(const char *name) {
    Fraction p = exact(text(name));
    require(p.p >= 0 && p.p < p.q && p.q - 1 <= INT64_MAX);
    return p;
}

static void answer_publish_swap(void) {
    ONLY("sensitive", "retention", "tape");
    Value *written = field("sensitive");
    require(written->type == LIST && written->count > 0);
    size_t column_count = written->count, count = 0, c = 0;
    Integers *columns = take_array(column_count, sizeof(Integers));
    for (Value *column = written->first; column; column = column->next) columns[c++] = integers_of(column, 0);
    count = columns[0].count;
    for (c = 0; c < column_count; c++) require(columns[c].count == count && count >= 2);
    Fraction p = share("retention");
    open_tape(text("tape"));
    int64_t **out = take_array(column_count, sizeof(int64_t *));
    size_t *released = take_array(count, sizeof(size_t));
    for (c = 0; c < column_count; c++) {
        size_t moved = 0;
        for (size_t i = 0; i < count; i++)
            if ((Wide)below((uint64_t)p.q) >= p.p) released[moved++] = i;
        size_t *from = random_order(NULL, moved), *to = random_order(NULL, moved);
        out[c] = take_array(count, sizeof(int64_t));
        memcpy(out[c], columns[c].at, count * sizeof(int64_t));
#ifdef BREAK_SWAPPED_IN_A_CIRCLE
        for (size_t i = 0; i < moved; i++) from[i] = (to[i] + 1) % moved;
#endif
        for (size_t i = 0; i < moved; i++) out[c][released[to[i]]] = columns[c].at[released[from[i]]];
    }
    printf("{\"published\":[");
    for (c = 0; c < column_count; c++) {
        if (c) putchar(',');
        print_codes(out[c], count);
    }
    printf("],\"consumed\":%zu}", consumed);
}

/* ---- the alpha-beta algorithm, for domains that are gone through --------------------------------------------- */

typedef struct { const char *at; size_t length; } Text;

static int compare_texts(const void *left, const void *right) {
    const Text *a = left, *b = right;
    int order = memcmp(a->at, b->at, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static Text text_of(const Value *value) {
    require(value->type == TEXT);
    for (size_t i = 0; i + 1 < value->length; i++)  /* half a surrogate pair */
        require((unsigned char)value->text[i] != 0xED || (unsigned char)value->text[i + 1] < 0xA0);
    return (Text){value->text, value->length};
}

static Text *texts_of(const Value *value) {
    require(value->type == LIST);
    Text *list = take_array(value->count, sizeof(Text)), *next = list;
    for (const Value *entry = value->first; entry; entry = entry->next) *next++ = text_of(entry);
    return list;
}

static void print_text(Text written) {
    putchar('"');
    for (size_t i = 0; i < written.length; i++) {
        unsigned char byte = (unsigned char)written.at[i];
        if (byte < 0x20 || byte == '"' || byte == '\\') printf("\\u%04x", byte);
        else putchar(byte);
    }
    putchar('"');
}

typedef struct { Text name; Text *values; size_t size, count, *codes; } Column;

static int compare_columns(const void *left, const void *right) {
    return compare_texts(&((const Column *)left)->name, &((const Column *)right)->name);
}

static Column column_of(const Value *entry) {
    require(entry->type == OBJECT);
    const Value *name = NULL, *domain = NULL, *cells = NULL;
    for (const Value *member = entry->first; member; member = member->next) {
        if (!strcmp(member->name, "column")) name = member;
        else if (!strcmp(member->name, "domain")) domain = member;
        else if (!strcmp(member->name, "cells")) cells = member;
        else refuse("unsupported");
    }
    require(name && domain && cells);
    Text *held = texts_of(cells);
    Column column = {text_of(name), texts_of(domain), domain->count, cells->count, take_array(cells->count, sizeof(size_t))};
    qsort(column.values, column.size, sizeof(Text), compare_texts);
    require(column.size >= 2);
    for (size_t v = 1; v < column.size; v++) require(compare_texts(column.values + v, column.values + v - 1));
    for (size_t i = 0; i < column.count; i++) {
        Text *found = bsearch(held + i, column.values, column.size, sizeof(Text), compare_texts);
        require(found != NULL);
        column.codes[i] = (size_t)(found - column.values);
    }
    return column;
}

static void answer_publish_alpha_beta(void) {
    ONLY("sensitive", "alpha", "beta", "tape");
    Value *written = field("sensitive");
    require(written->type == LIST && written->count > 0);
    size_t column_count = written->count, c = 0, domain = 1, count = 0;
    Column *columns = take_array(column_count, sizeof(Column));
    for (Value *entry = written->first; entry; entry = entry->next) columns[c++] = column_of(entry);
    qsort(columns, column_count, sizeof(Column), compare_columns);
    for (c = 0; c < column_count; c++) {
        require(columns[c].count == columns[0].count && columns[c].count > 0);
        require(!c || compare_columns(columns + c, columns + c - 1));
        domain *= columns[c].size;
        require(domain <= (size_t)1 << 20);
    }
    unsigned char *genuine = take(domain);
    for (size_t i = 0; i < columns[0].count; i++) {
        size_t number = 0;
        for (c = 0; c < column_count; c++) number = number * columns[c].size + columns[c].codes[i];
        require(!genuine[number]);
        genuine[number] = 1;
    }
    Fraction alpha = exact(text("alpha")), beta = exact(text("beta"));
    require(alpha.p > 0 && beta.p >= 0 && alpha.q - 1 <= INT64_MAX && beta.q - 1 <= INT64_MAX);
    require(alpha.p <= alpha.q && beta.p <= beta.q);
    Wide all = alpha.q / divisor(alpha.q, beta.q) * beta.q;
    require(all - 1 <= INT64_MAX);
    Wide fake = beta.p * (all / beta.q), own = alpha.p * (all / alpha.q) + fake;
    require(own <= all);
#ifdef BREAK_KEPT_WITH_ALPHA_ALONE
    own -= fake;
#endif
    open_tape(text("tape"));
    size_t *chosen = take_array(domain, sizeof(size_t)), *numbers;
    for (size_t number = 0; number < domain; number++)
        if ((Wide)below((uint64_t)all) < (genuine[number] ? own : fake)) chosen[count++] = number;
    size_t *order = random_order(NULL, count);
    numbers = take_array(count, sizeof(size_t));
    for (size_t i = 0; i < count; i++) numbers[i] = chosen[order[i]];
    printf("{\"columns\":[");
    for (c = 0; c < column_count; c++) { if (c) putchar(','); print_text(columns[c].name); }
    printf("],\"published\":[");
    for (size_t i = 0; i < count; i++) {
        printf(i ? ",[" : "[");
        for (size_t below_it = domain, left = numbers[i], k = 0; k < column_count; k++) {
            below_it /= columns[k].size;
            if (k) putchar(',');
            print_text(columns[k].values[left / below_it]);
            left %= below_it;
        }
        putchar(']');
    }
    printf("],\"consumed\":%zu,\"numbers\":", consumed);
    print_sizes(numbers, count);
    putchar('}');
}

/* ---- entropy: sums of c lg q over primes q --------------------------------------------------------------------- */

typedef struct { int64_t prime; Fraction c; } Term;
typedef struct { Term *at; size_t count; } Form;
static const Fraction NONE = {0, 1}, UNIT = {1, 1};

static void add_term(Form *form, int64_t prime, Fraction c) {
    Term *sum = take_array(form->count + 1, sizeof(Term));
    size_t count = 0, i = 0;
    for (; i < form->count && form->at[i].prime < prime; i++) sum[count++] = form->at[i];
    if (i < form->count && form->at[i].prime == prime) c = plus(c, form->at[i++].c);
    if (c.p) sum[count++] = (Term){prime, c};
    for (; i < form->count; i++) sum[count++] = form->at[i];
    *form = (Form){sum, count};
}

static void add_logarithm(Form *form, int64_t number, Fraction c) {
    for (int64_t prime = 2; prime * prime <= number; prime++)
        for (; number % prime == 0; number /= prime) add_term(form, prime, c);
    if (number > 1) add_term(form, number, c);
}

static Form combined(Form one, Form other, Fraction factor) {
    for (size_t i = 0; i < other.count; i++) add_term(&one, other.at[i].prime, times(other.at[i].c, factor));
    return one;
}

/* lg n, off by less than 2^-48: the square of what is left tells one binary digit after the other. */
static double binary_logarithm(int64_t n) {
    int whole = 0;
    while (n >> (whole + 1)) whole++;
    double sum = whole, digit = 1;
    Wide left = (Wide)n << (62 - whole);
    for (int i = 0; i < 56; i++) {
        left = left * left >> 62;
        digit /= 2;
        if (left >> 63) { sum += digit; left >>= 1; }
    }
    return sum;
}

static int sign_of(Form form) {
    double sum = 0, size = 0;
    for (size_t i = 0; i < form.count; i++) {
        double term = (double)form.at[i].c.p / (double)form.at[i].c.q * binary_logarithm(form.at[i].prime);
        sum += term;
        size += term < 0 ? -term : term;
    }
    if (!form.count) return 0;
    require(sum > size * 1e-12 || sum < -size * 1e-12);  /* nearer ones need larger integers */
    return sum > 0 ? 1 : -1;
}

static Form largest_form(Form one, Form other) {
    return sign_of(combined(other, one, fraction(-1, 1))) > 0 ? other : one;
}

static Form entropy_of(const Fraction *weights, size_t count) {
    Wide all = 1, size = 0;
    Form form = {NULL, 0};
    for (size_t i = 0; i < count; i++) {
        all = all / divisor(all, weights[i].q) * weights[i].q;
        require(all <= (Wide)1 << 60);
    }
    for (size_t i = 0; i < count; i++) size += weights[i].p * (all / weights[i].q);
    require(size < (Wide)1 << 40);
    add_logarithm(&form, (int64_t)size, UNIT);
    for (size_t i = 0; i < count; i++) {
        Wide weight = weights[i].p * (all / weights[i].q);
        if (weight) add_logarithm(&form, (int64_t)weight, fraction(-weight, size));
    }
    return form;
}

/* The entropy of what stands in a place, the tables having these weights. */
static Form marginal(const Integers *tables, size_t count, size_t place, const Fraction *weights) {
    Fraction *held = take_array(count, sizeof(Fraction));
    size_t values = 0;
    for (size_t t = 0; t < count; t++) {
        size_t first = 0;
        Fraction sum = NONE;
        while (tables[first].at[place] != tables[t].at[place]) first++;
        if (first < t) continue;
        for (size_t other = t; other < count; other++)
            if (tables[other].at[place] == tables[t].at[place]) sum = plus(sum, weights[other]);
        held[values++] = sum;
    }
    return entropy_of(held, values);
}

static void print_form(Form form) {
    putchar('{');
    for (size_t i = 0; i < form.count; i++) {
        printf("%s\"%lld\":", i ? "," : "", (long long)form.at[i].prime);
        print_fraction(form.at[i].c);
    }
    putchar('}');
}

static void print_forms(const Form *forms, size_t count) {
    putchar('[');
    for (size_t i = 0; i < count; i++) { if (i) putchar(','); print_form(forms[i]); }
    putchar(']');
}

/* A law: exact numbers of at least 0 that add up to 1. */
static Fraction *law_of(const Value *value) {
    require(value->type == LIST && value->count > 0);
    Fraction *law = take_array(value->count, sizeof(Fraction)), *next = law, sum = NONE;
    for (const Value *entry = value->first; entry; entry = entry->next) {
        require(entry->type == TEXT);
        *next = exact(entry->text);
        require(next->p >= 0 && next->p <= next->q);
        sum = plus(sum, *next++);
    }
    require(sum.p == 1 && sum.q == 1);
    return law;
}

static void answer_entropy_loss(void) {
    ONLY("tables", "prior", "matrix");
    Value *written = field("tables"), *chances = field("prior"), *rows = field("matrix");
    require(written->type == LIST && written->count > 0 && rows->type == LIST);
    size_t count = written->count, t = 0, width = 0;
    require(chances->count == count && rows->count == count);
    Integers *tables = take_array(count, sizeof(Integers));
    for (Value *table = written->first; table; table = table->next) {
        tables[t] = integers_of(table, 0);
        require(tables[t].count == tables[0].count && tables[t].count > 0);
        for (size_t other = 0; other < t; other++)
            require(memcmp(tables[other].at, tables[t].at, tables[t].count * sizeof(int64_t)) != 0);
        t++;
    }
    Fraction *prior = law_of(chances), **joint = take_array(count, sizeof(Fraction *)), most = NONE, guess = NONE;
    size_t places = tables[0].count;
    Form noise = {NULL, 0}, *before = take_array(places, sizeof(Form)), *mean = take_array(places, sizeof(Form));
    Wide all = 1;
    t = 0;
    for (Value *row = rows->first; row; row = row->next, t++) {
        joint[t] = law_of(row);
        width = rows->first->count;
        require(row->count == width);
        if (prior[t].p) noise = combined(noise, entropy_of(joint[t], width), prior[t]);
        for (size_t s = 0; s < width; s++) {
            joint[t][s] = times(joint[t][s], prior[t]);
            all = all / divisor(all, joint[t][s].q) * joint[t][s].q;
            require(all <= 100000000);
        }
        if (prior[t].p * most.q > most.p * prior[t].q) most = prior[t];
    }
    for (size_t i = 0; i < places; i++) before[i] = marginal(tables, count, i, prior);
    Fraction *seen = take_array(count, sizeof(Fraction)), *released = take_array(width, sizeof(Fraction));
    Form expected = {NULL, 0}, worst = {NULL, 0}, leakage = {NULL, 0};
    Form *losses = take_array(width * places, sizeof(Form)), *loss = take_array(width, sizeof(Form));
    for (size_t s = 0; s < width; s++) {
        Fraction likeliest = NONE;
        released[s] = NONE;
        for (t = 0; t < count; t++) {
            seen[t] = joint[t][s];
            released[s] = plus(released[s], seen[t]);
            if (seen[t].p * likeliest.q > likeliest.p * seen[t].q) likeliest = seen[t];
        }
        if (!released[s].p) continue;
        guess = plus(guess, likeliest);
        for (size_t i = 0; i < places; i++) {
            Form lost = combined(before[i], marginal(tables, count, i, seen), fraction(-1, 1));
            losses[s * places + i] = lost;
#ifdef BREAK_LOSS_OF_THE_FIRST
            if (i == 0) loss[s] = lost;
#else
            loss[s] = i ? largest_form(loss[s], lost) : lost;
#endif
            mean[i] = combined(mean[i], lost, released[s]);
        }
        expected = combined(expected, loss[s], released[s]);
        worst = largest_form(worst, loss[s]);
    }
    guess = times(guess, fraction(most.q, most.p));
    add_logarithm(&leakage, (int64_t)guess.p, UNIT);
    add_logarithm(&leakage, (int64_t)guess.q, fraction(-1, 1));
    Form table = combined(entropy_of(released, width), noise, fraction(-1, 1));

    printf("{\"entropies\":");
    print_forms(before, places);
    printf(",\"outcomes\":[");
    for (size_t s = 0; s < width; s++) {
        if (s) putchar(',');
        if (!released[s].p) { printf("null"); continue; }
        printf("{\"probability\":");
        print_fraction(released[s]);
        printf(",\"losses\":");
        print_forms(losses + s * places, places);
        printf(",\"loss\":");
        print_form(loss[s]);
        putchar('}');
    }
    printf("],\"expected\":");
    print_form(expected);
    printf(",\"worst\":");
    print_form(worst);
    printf(",\"mutual_information\":{\"records\":");
    print_forms(mean, places);
    printf(",\"table\":");
    print_form(table);
    printf("},\"min_entropy_leakage\":");
    print_form(leakage);
    putchar('}');
}

/* ---- operators: publishing.md ------------------------------------------------------------------------------- */

static void answer_publish_operator(void) {
    static const char *const orders[] = {"kept", "shuffled", NULL};
    ONLY("sensitive", "matrix", "order", "tape");
    Integers own = integers_of(field("sensitive"), 0);
    const Value *rows = field("matrix");
    int shuffled = word("order", orders);
    require(rows->type == LIST && rows->count > 1 && rows->count <= 32 && own.count > 0);
    size_t size = rows->count, value = 0;
    Fraction **laws = take_array(size, sizeof(Fraction *));
    Wide *bounds = take_array(size, sizeof(Wide));
    for (const Value *row = rows->first; row; row = row->next, value++) {
        require(row->type == LIST && row->count == size);
        laws[value] = law_of(row);
        bounds[value] = 1;
        for (size_t v = 0; v < size; v++) {
            bounds[value] = bounds[value] / divisor(bounds[value], laws[value][v].q) * laws[value][v].q;
            require(bounds[value] <= (Wide)1 << 63);
        }
    }
    for (size_t i = 0; i < own.count; i++) require(own.at[i] < (int64_t)size);
    open_tape(text("tape"));
    int64_t *drawn = take_array(own.count, sizeof(int64_t)), *out = take_array(own.count, sizeof(int64_t));
    for (value = 0; value < size; value++) {
        for (size_t i = 0; i < own.count; i++) {
            if (own.at[i] != (int64_t)value) continue;
            Wide number = below((uint64_t)bounds[value]), upto = 0;
            for (drawn[i] = -1; upto <= number;) {
                Fraction share = laws[value][++drawn[i]];
#ifdef BREAK_COLUMN_FOR_ROW
                share = laws[drawn[i]][value];
                if (drawn[i] + 1 == (int64_t)size) break;
#endif
                upto += share.p * (bounds[value] / share.q);
            }
        }
    }
    size_t *order = shuffled ? random_order(NULL, own.count) : NULL;
    for (size_t i = 0; i < own.count; i++) out[i] = drawn[order ? order[i] : i];
    printf("{\"published\":");
    print_codes(out, own.count);
    printf(",\"consumed\":%zu}", consumed);
}

/* ---- assignments: conformance.md ------------------------------------------------------------------------------ */

/* The permanent of the rows from this one on, of the columns that are not taken; the row `out` is left out. */
static Fraction permanent(Fraction **rows, size_t size, size_t row, unsigned taken, size_t out) {
    if (row == out) row++;
    if (row >= size) return UNIT;
    Fraction total = NONE;
    for (size_t v = 0; v < size; v++) {
        if (taken >> v & 1 || !rows[row][v].p) continue;
        Fraction through = times(rows[row][v], permanent(rows, size, row + 1, taken | 1u << v, out));
#ifdef BREAK_DETERMINANT
        for (size_t left = 0; left < v; left++) if (!(taken >> left & 1)) through.p = -through.p;
#endif
        total = plus(total, through);
    }
    return total;
}

static void answer_permanent_posterior(void) {
    ONLY("likelihoods");
    const Value *written = field("likelihoods");
    require(written->type == LIST && written->count > 0 && written->count <= 8);
    size_t size = written->count, i = 0;
    Fraction **rows = take_array(size, sizeof(Fraction *));
    for (const Value *row = written->first; row; row = row->next, i++) {
        require(row->type == LIST && row->count == size);
        rows[i] = take_array(size, sizeof(Fraction));
        size_t v = 0;
        for (const Value *entry = row->first; entry; entry = entry->next) {
            require(entry->type == TEXT);
            rows[i][v] = exact(entry->text);
            require(rows[i][v++].p >= 0);
        }
    }
    Fraction whole = permanent(rows, size, 0, 0, size);
    printf("{\"permanent\":");
    print_fraction(whole);
    printf(",\"posterior\":");
    if (!whole.p) printf("null");
    for (i = 0; whole.p && i < size; i++) {
        putchar(i ? ',' : '[');
        for (size_t v = 0; v < size; v++) {
            putchar(v ? ',' : '[');
            Fraction through = times(rows[i][v], permanent(rows, size, 0, 1u << v, i));
            print_fraction(times(through, fraction(whole.q, whole.p)));
        }
        putchar(']');
    }
    if (whole.p) putchar(']');
    putchar('}');
}

static void answer_describe(void);

static const struct { const char *name; void (*answer)(void); } OPERATIONS[] = {
    {"describe", answer_describe}, {"below", answer_below}, {"coins", answer_coins}, {"permutation", answer_permutation},
    {"order_within", answer_order_within}, {"subset", answer_subset}, {"plan", answer_plan},
    {"publish", answer_publish}, {"release", answer_release}, {"publish_random", answer_publish_random},
    {"estimate", answer_estimate}, {"transition", answer_transition}, {"publish_swap", answer_publish_swap},
    {"publish_alpha_beta", answer_publish_alpha_beta}, {"entropy_loss", answer_entropy_loss},
    {"publish_operator", answer_publish_operator}, {"permanent_posterior", answer_permanent_posterior},
};
enum { OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS };

static void answer_describe(void) {
    ONLY(NULL);
    printf("{\"ops\":[");
    for (size_t i = 1; i < OPERATION_COUNT; i++) printf("%s\"%s\"", i > 1 ? "," : "", OPERATIONS[i].name);
    printf("],\"features\":[\"anatomy\",\"cyclic\",\"mixed\",\"retention\",\"mle\",\"exact\",\"two-state\",\"per-value\",\"draws\"]");
    printf(",\"name\":\"splu.c\",\"version\":\"1\"}");
}

static void answer_line(const char *line, size_t length) {
    at = line;
    end = line + length;
    if (setjmp(refusal)) {
#ifdef BREAK_EXITS_ON_INVALID
        exit(3);
#endif
        printf("{\"error\":{\"kind\":\"%s\"}}", refusal_kind);
        return;
    }
    require_utf8();
    request = read_value(0);
    space();
    if (at < end || request->type != OBJECT) malformed();
    Value *operation = optional("op");
    if (!operation || operation->type != TEXT) malformed();
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        if (!strcmp(operation->text, OPERATIONS[i].name)) { OPERATIONS[i].answer(); return; }
    }
    refuse("unsupported");
}

int main(void) {
    size_t capacity = 1 << 16, length = 0;
    char *line = malloc(capacity);
    for (int letter = 0; line && letter != EOF;) {
        letter = getchar();
        if (letter == EOF && length == 0) break;
        if (letter != '\n' && letter != EOF) {
            if (length + 1 >= capacity) line = realloc(line, capacity *= 2);
            if (line) line[length++] = (char)letter;
            continue;
        }
        line[length] = 0;
        answer_line(line, length);
        putchar('\n');
        fflush(stdout);
        release_memory();
        length = 0;
    }
    free(line);
    return 0;
}
