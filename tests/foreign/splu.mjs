// SPLU-Gen, its estimators and its promises in JavaScript: written from the pages under docs/specification
// alone, without a dependency. It answers the conformance protocol on standard input and output.
//
// For tests of the runner, `node splu.mjs --break NAME` makes one mistake on purpose; see BREAKS.

import { createHash, createHmac, randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import {
  Refusal, refuse, abs, gcd, Fraction, ZERO, ONE, whole,
  least, parseExact, terms, sum, power, errorProbability, leastError, utilityThreshold,
  verdict,
} from "../../splu_ref/report/browser/promises.mjs";

const BREAKS = [
  "modulo-bias", "low-byte-first", "file-order", "draw-0-is-first", "own-value-never", "no-shuffle",
  "one-coin-a-pair", "first-stream-again",
  "plan-ties-by-largest-code", "cyclic-by-rows", "one-pass-fewer",
  "printed-matrix", "not-clipped", "retention-off-by-one", "keeps-remainder",
  "exit-on-invalid", "wrong-kind", "signed-keys", "stderr-flood",
  "table-digest-by-xor", "key-without-gamma", "draws-without-column",
  "groups-in-plan-order", "rest-to-the-first", "not-dealt", "cap-off-by-one", "rare-more-often",
];
const broken = new Set(process.argv.slice(2).filter((word) => word !== "--break"));
for (const name of broken) if (!BREAKS.includes(name)) throw new Error(`no such break: ${name}`);

// ---- fields of a request -------------------------------------------------------------------------------

class Fields {
  constructor(request) {
    this.left = new Map(Object.entries(request).filter(([name]) => name !== "op" && name !== "id"));
  }
  has(name) { return this.left.has(name); }
  take(name) {
    if (!this.left.has(name)) refuse(`${name} is missing`);
    const value = this.left.get(name);
    this.left.delete(name);
    return value;
  }
  big(name, least) {
    let value = this.take(name);
    if (typeof value === "string" && /^\d{1,400}$/.test(value)) value = BigInt(value);
    else if (Number.isSafeInteger(value)) value = BigInt(value);
    else refuse(`${name} is not an integer`);
    if (least !== undefined && value < BigInt(least)) refuse(`${name} is below ${least}`);
    return value;
  }
  integer(name, least) {
    const value = this.big(name, least);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) refuse(`${name} is too large`);
    return Number(value);
  }
  integers(name, least = 0) { return integersOf(this.take(name), name, least); }
  text(name) {
    const value = this.take(name);
    if (typeof value !== "string" || !value.isWellFormed()) refuse(`${name} is not a text`);
    return value;
  }
  bytes(name) { return bytesOf(this.text(name), name); }
  exact(name) { return parseExact(this.take(name), name); }
  word(name, words) {
    const value = this.text(name);
    if (!words.includes(value)) throw new Refusal("unsupported", `${name} ${value} is not known`);
    return value;
  }
  gamma() { return this.integer("gamma", 2); }
  positive(name) {
    const value = this.exact(name);
    if (value.compare(ZERO) <= 0) refuse(`${name} must be above 0`);
    return value;
  }
  retention(gamma) {
    if (!this.has("retention")) return new Fraction(1n, BigInt(gamma));
    const value = this.positive("retention");
    if (value.compare(ONE) > 0) refuse("retention is above 1");
    return value;
  }
  // The law of the draws: null if they are independent.
  law(retention, gamma) {
    const text = this.has("draws") ? this.text("draws") : "independent";
    return lawOf(text, retention, gamma);
  }
  finish() {
    for (const name of this.left.keys()) throw new Refusal("unsupported", `the field ${name} is not known`);
  }
}

function lawOf(text, retention, gamma) {
  if (text === "independent") return null;
  const found = /^(capped|all-or-none):([1-9][0-9]{0,14})$/.exec(text);
  if (!found || text.endsWith("\n")) refuse("there are no such draws");
  if (retention.compare(new Fraction(1n, BigInt(gamma)))) refuse("these draws go with p = 1/gamma alone");
  return { text, capped: found[1] === "capped", bound: Number(found[2]) };
}

function integersOf(values, name, least) {
  if (!Array.isArray(values)) refuse(`${name} is not a list`);
  for (const value of values) {
    if (!Number.isSafeInteger(value)) refuse(`${name} has an entry that is no integer`);
    if (value < least) refuse(`${name} has an entry below ${least}`);
  }
  return values;
}

function bytesOf(text, name) {
  if (typeof text !== "string" || text.length % 2 || /[^0-9a-f]/.test(text)) refuse(`${name} is not hexadecimal`);
  return Buffer.from(text, "hex");
}

// ---- randomness.md: bytes to integers, orders, subsets ---------------------------------------------------

class Stream {
  integer(bound) {
    if (bound === 1n) return 0n;
    const bits = (bound - 1n).toString(2).length;
    const width = Math.ceil(bits / 8);
    for (;;) {
      const read = this.read(width);
      const bytes = broken.has("low-byte-first") ? Buffer.from(read).reverse() : read;
      const candidate = BigInt("0x" + bytes.toString("hex")) & ((1n << BigInt(bits)) - 1n);
      if (candidate < bound) return candidate;
      if (broken.has("modulo-bias")) return candidate % bound;
    }
  }
  bigBelow(bound, size) { return Array.from({ length: size }, () => this.integer(bound)); }
  below(bound, size) { return this.bigBelow(BigInt(bound), size).map(Number); }
  coins(count) {
    const bytes = this.read(Math.ceil(count / 8));
    return Array.from({ length: count }, (_, coin) => (bytes[coin >> 3] >> (7 - (coin & 7))) & 1);
  }
  keys(count) {
    return Array.from({ length: count }, () => {
      const bytes = this.read(4);
      return broken.has("signed-keys") ? bytes.readInt32BE() : bytes.readUInt32BE();
    });
  }
  order(codes) {
    const items = codes.map((_, item) => item);
    if (items.length <= 1) return items;
    const drawn = this.keys(items.length);
    const before = (a, b) => codes[a] - codes[b] || drawn[a] - drawn[b] || a - b;
    items.sort(before);
    let groups = [];
    for (let first = 0, last; first < items.length; first = last) {
      last = first + 1;
      const [code, key] = [codes[items[first]], drawn[items[first]]];
      while (last < items.length && codes[items[last]] === code && drawn[items[last]] === key) last += 1;
      if (last - first > 1) groups.push([first, last]);
    }
    while (groups.length) {
      const redrawn = new Map();
      for (const [first, last] of groups) {
        const again = this.keys(last - first);
        again.forEach((key, place) => redrawn.set(items[first + place], key));
      }
      const next = [];
      for (const [first, last] of groups) {
        const tied = items.slice(first, last).sort((a, b) => redrawn.get(a) - redrawn.get(b) || a - b);
        tied.forEach((item, place) => { items[first + place] = item; });
        for (let start = first, end; start < last; start = end) {
          end = start + 1;
          while (end < last && redrawn.get(items[end]) === redrawn.get(items[start])) end += 1;
          if (end - start > 1) next.push([start, end]);
        }
      }
      groups = next;
    }
    return items;
  }
  permutation(size) { return this.order(new Array(size).fill(0)); }
  subset(population, count) { return this.bigSubset(BigInt(population), count).map(Number); }
  bigSubset(population, count) {
    const taken = [];
    for (let i = 0; i < count; i += 1) {
      let number = this.integer(population - BigInt(i));
      for (const earlier of taken) if (earlier <= number) number += 1n;
      taken.push(number);
      taken.sort((a, b) => (a < b ? -1 : 1));
    }
    return taken;
  }
  // A stream is the same for every record, and its secret is itself.
  kept() { return this; }
  planSecret() { return this; }
  groupDraws() { return this; }
  block() { return this; }
}

class Tape extends Stream {
  constructor(bytes) {
    super();
    this.bytes = bytes;
    this.consumed = 0;
  }
  read(count) {
    if (this.consumed + count > this.bytes.length) throw new Refusal("tape_exhausted", "the tape ran out");
    this.consumed += count;
    return this.bytes.subarray(this.consumed - count, this.consumed);
  }
}

class System extends Stream {
  constructor() {
    super();
    this.pool = Buffer.alloc(0);
  }
  read(count) {
    if (this.pool.length < count) this.pool = randomBytes(65536);
    const data = this.pool.subarray(0, count);
    this.pool = this.pool.subarray(count);
    return data;
  }
}

class Blocks extends Stream {
  constructor(block, first) {
    super();
    this.block = block;
    this.number = 0;
    this.pending = first ?? Buffer.alloc(0);
    if (first) this.number = 1;
  }
  read(count) {
    while (this.pending.length < count) this.pending = Buffer.concat([this.pending, this.block(this.number++)]);
    const data = this.pending.subarray(0, count);
    this.pending = this.pending.subarray(count);
    return data;
  }
}

function u64(number) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes;
}

function usableKey(key) {
  if (key.length !== 32) refuse("a key has 32 bytes");
  const steps = new Set(Array.from({ length: 31 }, (_, place) => (key[place + 1] - key[place] + 256) % 256));
  if (steps.size === 1 || key.subarray(0, 16).equals(key.subarray(16))) refuse("the key is a pattern");
}

const framed = (text) => {
  if (text === null) return Buffer.alloc(8, 255);
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([u64(bytes.length), bytes]);
};

// The key of a release is the digest of all that the release depends on.
function releaseKey(key, { mechanism, facts, sensitive, idColumn, missing, columns, records }) {
  usableKey(key);
  const digest = (parts) => {
    const mac = createHmac("sha256", key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  };
  let sum = 0n;
  for (const record of records) {
    const each = BigInt(`0x${digest(["splu-ref/record/2", record]).toString("hex")}`);
    sum = broken.has("table-digest-by-xor") ? sum ^ each : (sum + each) % (1n << 256n);
  }
  const told = ([name]) => name !== "gamma" || !broken.has("key-without-gamma");
  const table = Buffer.from(sum.toString(16).padStart(64, "0"), "hex");
  const message = Buffer.concat([
    Buffer.from("splu-ref/release/2"), framed("2"), framed(mechanism),
    u64(facts.length), ...facts.filter(told).flat().map(framed), framed(new Map(facts).get("draws") ?? "independent"),
    u64(sensitive.length), ...sensitive.map(framed), framed(idColumn), framed(missing),
    u64(columns.length), ...columns.map(framed), u64(records.length), table,
  ]);
  return { table, message, releaseKey: digest([message]) };
}

class Keyed {
  constructor(key, column, identities) {
    usableKey(key);
    if (new Set(identities.map((bytes) => bytes.toString("hex"))).size < identities.length) {
      refuse("two records have the same identity");
    }
    Object.assign(this, { key, column, identities });
    this.first = identities.map((_, record) => this.block(record, 0));
  }
  block(record, number) {
    const name = Buffer.from(broken.has("draws-without-column") ? "" : this.column, "utf8");
    const identity = this.identities[record];
    const parts = ["splu-ref/keyed/2", u64(name.length), name, u64(identity.length), identity, u64(number)];
    return this.hmac(parts);
  }
  hmac(parts) {
    const mac = createHmac("sha256", this.key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  }
  sorted(codes, from, to) {
    const part = (record) => this.first[record].subarray(from, to);
    return codes.map((_, record) => record).sort((a, b) => codes[a] - codes[b]
      || Buffer.compare(part(a), part(b)) || Buffer.compare(this.first[a], this.first[b]) || a - b);
  }
  order(codes) { return this.sorted(codes, 0, 8); }
  permutation(size) { return this.sorted(new Array(size).fill(0), 8, 16); }
  subset(population, count) {
    return this.permutation(population).slice(population - count).sort((a, b) => a - b);
  }
  bigBelow(bound) {
    return this.first.map((block, record) =>
      new Blocks((number) => this.block(record, number), block.subarray(16)).integer(bound));
  }
  kept(rows) { return new Keyed(this.key, this.column, rows.map((row) => this.identities[row])); }
  planSecret() { return this.streams("splu-ref/keyed-plan/2"); }
  groupDraws() { return this.streams("splu-ref/keyed-groups/2"); }
  streams(prefix) {
    const name = Buffer.from(this.column, "utf8");
    return {
      block: (block) => {
        const secret = this.hmac([prefix, u64(name.length), name, u64(block)]);
        return new Blocks((part) => createHash("shake256", { outputLength: 4096 })
          .update(prefix).update(secret).update(u64(part)).digest());
      },
    };
  }
}

// ---- plans.md --------------------------------------------------------------------------------------------

const METHODS = ["anatomy", "cyclic", "mixed"];

function groupsOf(method, histogram, gamma, source, passes = []) {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (histogram.some((count) => count < 0)) refuse("a frequency is negative");
  if (total === 0 || total % gamma) refuse("the number of records is not a positive multiple of gamma");
  if (histogram.some((count) => count * gamma > total)) refuse("a value occurs more than N / gamma times");
  return { anatomy, cyclic, mixed }[method](histogram, gamma, total / gamma, source, passes);
}

function anatomy(histogram, gamma, number) {
  const left = [...histogram];
  const sign = broken.has("plan-ties-by-largest-code") ? -1 : 1;
  return Array.from({ length: number }, () => {
    const values = left.map((_, value) => value);
    values.sort((a, b) => left[b] - left[a] || sign * (a - b));
    const group = values.slice(0, gamma);
    for (const value of group) left[value] -= 1;
    return group;
  });
}

function cyclic(histogram, gamma, number) {
  const entries = histogram.flatMap((count, value) => new Array(count).fill(value));
  return Array.from({ length: number }, (_, group) => Array.from({ length: gamma }, (__, slot) =>
    entries[broken.has("cyclic-by-rows") ? group * gamma + slot : slot * number + group]));
}

function mixed(histogram, gamma, number, secret, after) {
  const whole = cyclic(histogram, gamma, number);
  const blocks = blockCount("mixed", number);
  return Array.from({ length: blocks }, (_, block) => {
    const stream = secret.block(broken.has("first-stream-again") ? 0 : block);
    return mixedBlock(whole.filter((__, group) => group % blocks === block), gamma, stream, after);
  }).flat();
}

function blockCount(method, number) { return method === "mixed" ? Math.ceil(number / 4096) : 1; }

function mixedBlock(start, gamma, stream, after) {
  const [size, half] = [start.length, Math.floor(start.length / 2)];
  const passes = size > 1 ? (64 * size).toString(2).length - (broken.has("one-pass-fewer") ? 1 : 0) : 0;
  const order = stream.order(Array.from({ length: passes * size }, (_, item) => Math.floor(item / size)));
  const rotations = stream.below(gamma, passes * half);
  const coins = stream.coins(passes * gamma * half);
  let groups = start;
  for (let pass = 0; pass < passes; pass += 1) {
    groups = order.slice(pass * size, (pass + 1) * size).map((item) => [...groups[item - pass * size]]);
    for (let q = 0; q < half; q += 1) {
      const [a, b] = [groups[q], groups[half + q]];
      const [inA, inB] = [new Set(a), new Set(b)];
      const mine = [...a.keys()].filter((slot) => !inB.has(a[slot]));
      const theirs = [...b.keys()].filter((slot) => !inA.has(b[slot]));
      mine.forEach((slot, i) => {
        const toss = broken.has("one-coin-a-pair") ? 0 : slot;
        if (!coins[(pass * gamma + toss) * half + q]) return;
        const facing = theirs[(i + rotations[pass * half + q]) % theirs.length];
        [a[slot], b[facing]] = [b[facing], a[slot]];
      });
    }
    after.push(groups.map((group) => [...group]));
  }
  return groups;
}

// The group of every entry of the records sorted by value: block by block, value by value.
function stands(histogram, groups, blocks) {
  const group = new Array(histogram.reduce((sum, count) => sum + count, 0));
  for (let block = 0, first = 0; block < blocks; block += 1) {
    const size = Math.floor((groups.length - 1 - block) / blocks) + 1;
    const held = histogram.map(() => []);
    groups.slice(first, first + size).forEach((values, t) => values.forEach((value) => held[value].push(first + t)));
    const sorted = held.flat();
    let taken = 0;
    for (let entry = 0; entry < group.length; entry += 1) {
      if (entry % groups.length % blocks === block) group[entry] = sorted[taken++];
    }
    first += size;
  }
  return group;
}

// ---- publishing.md ---------------------------------------------------------------------------------------

function drawRule(gamma, retention) {
  const [u, w, others] = [retention.p, retention.q, BigInt(gamma) - 1n];
  const common = gcd(u * others, w - u);
  const rule = { m: (w * others) / common, k: (u * others) / common, s: (w - u) / common };
  if (rule.m > 1n << 63n) refuse("retention has too many digits");
  if (broken.has("retention-off-by-one")) rule.k += 1n;
  return rule;
}

const drawOf = (r, rule) => (r < rule.k ? 0 : 1 + Number((r - rule.k) / rule.s));

// Which slots are marked, as a list of truth values by slot.
function marks(groups, law, stream) {
  if (!law.capped) {
    const counts = new Map();
    for (const value of groups.flat()) counts.set(value, (counts.get(value) ?? 0) + 1);
    return groups.flat().map((value) => counts.get(value) <= law.bound);
  }
  const order = stream.permutation(groups.length);
  const gamma = groups[0].length;
  const marked = new Array(groups.length * gamma).fill(false);
  const seen = new Map();
  if (broken.has("groups-in-plan-order")) order.sort((a, b) => a - b);
  for (const group of order) {
    groups[group].forEach((value, slot) => {
      const before = seen.get(value) ?? 0;
      marked[group * gamma + slot] = before < law.bound + (broken.has("cap-off-by-one") ? 1 : 0);
      seen.set(value, before + 1);
    });
  }
  return marked;
}

// Which slot of the block each slot of the block shows.
function shownSlots(marked, gamma, law, stream) {
  const number = marked.length / gamma;
  const groupOf = marked.map((_, slot) => Math.floor(slot / gamma));
  const places = new Array(marked.length).fill(0);
  if (law.capped) {
    const drawn = stream.below(gamma, number * gamma);
    drawn.forEach((j, item) => {
      const slot = groupOf[item] * gamma + j;
      if (marked[slot]) places[slot] += 1;
    });
  } else {
    stream.below(broken.has("rare-more-often") ? gamma - 1 : gamma, number).forEach((j, group) => {
      if (marked[group * gamma + j]) places[group * gamma + j] = gamma;
    });
  }
  const order = stream.order(groupOf);
  if (broken.has("rest-to-the-first")) order.sort((a, b) => a - b);
  for (let group = 0; group < number; group += 1) {
    const slots = order.slice(group * gamma, (group + 1) * gamma);
    const left = slots.reduce((sum, slot) => sum - places[slot], gamma);
    const sharing = slots.filter((slot) => !marked[slot]);
    sharing.forEach((slot, turn) => {
      places[slot] = Math.floor(left / sharing.length) + (turn < left % sharing.length ? 1 : 0);
    });
  }
  const members = stream.order(groupOf);
  if (broken.has("not-dealt")) members.sort((a, b) => a - b);
  const shown = new Array(marked.length);
  places.flatMap((times, slot) => new Array(times).fill(slot)).forEach((slot, place) => { shown[members[place]] = slot; });
  return shown;
}

function dependentDraws(groups, blocks, law, source) {
  const gamma = groups[0].length;
  const marked = marks(groups, law, source.block(0));
  const shown = [];
  for (let block = 0; block < blocks; block += 1) {
    const [first, size] = [shown.length, (Math.floor((groups.length - 1 - block) / blocks) + 1) * gamma];
    const stream = source.block(block + 1);
    shown.push(...shownSlots(marked.slice(first, first + size), gamma, law, stream).map((slot) => first + slot));
  }
  return { marked, shown };
}

function release(columns, gamma, method, retention, law, source) {
  const population = columns[0].length;
  if (!population) refuse("there are no records");
  for (const codes of columns) {
    const counts = new Map();
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
    if (Math.max(...counts.values()) * gamma > population) refuse("a value occurs more than N / gamma times");
  }
  const rule = drawRule(gamma, retention);
  const suppressed = source.subset(population, population % gamma);
  const deleted = new Set(suppressed);
  const kept = columns[0].map((_, record) => record).filter((record) => !deleted.has(record));
  const steps = {};
  const published = columns.map((codes) => {
    const own = kept.map((record) => codes[record]);
    const bound = source.kept(kept);
    const histogram = new Array(codes.reduce((most, code) => Math.max(most, code), 0) + 1).fill(0);
    for (const code of own) histogram[code] += 1;
    const groups = groupsOf(method, histogram, gamma, bound.planSecret());
    const standing = stands(histogram, groups, blockCount(method, groups.length));
    const order = broken.has("file-order")
      ? own.map((_, record) => record).sort((a, b) => own[a] - own[b] || a - b)
      : bound.order(own);
    const groupOf = new Array(own.length);
    order.forEach((record, entry) => { groupOf[record] = groups[standing[entry]]; });
    if (law) {
      const { marked, shown } = dependentDraws(groups, blockCount(method, groups.length), law, bound.groupDraws());
      Object.assign(steps, { groups, order, marked: [...marked.keys()].filter((slot) => marked[slot]), shown });
      const values = groups.flat();
      const out = new Array(own.length);
      order.forEach((record, entry) => {
        const slot = standing[entry] * gamma + groups[standing[entry]].indexOf(own[record]);
        out[record] = values[shown[slot]];
      });
      return out;
    }
    const integers = bound.bigBelow(rule.m, own.length);
    Object.assign(steps, { groups, order, integers: integers.map(json) });
    return own.map((value, record) => {
      const r = integers[record];
      let draw = drawOf(r, rule);
      const group = groupOf[record];
      if (broken.has("draw-0-is-first")) return group[draw];
      if (broken.has("own-value-never") && draw === 0) draw = 1;
      return draw === 0 ? value : group.filter((other) => other !== value)[draw - 1];
    });
  });
  const shuffle = source.kept(kept).permutation(kept.length);
  if (broken.has("no-shuffle")) shuffle.sort((a, b) => a - b);
  const rows = shuffle.map((place) => kept[place]);
  const out = published.map((values) => shuffle.map((place) => values[place]));
  if (broken.has("keeps-remainder")) {
    rows.push(...suppressed);
    out.forEach((values, column) => values.push(...suppressed.map((record) => columns[column][record])));
  }
  return { rows, published: out, suppressed: broken.has("keeps-remainder") ? [] : suppressed, steps };
}

// ---- the comparators -------------------------------------------------------------------------------------

function twoTables(codes, gamma, method, source) {
  if (!codes.length) refuse("there are no records");
  const counts = new Map();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  if (Math.max(...counts.values()) * gamma > codes.length) refuse("a value occurs more than N / gamma times");
  const suppressed = source.subset(codes.length, codes.length % gamma);
  const kept = codes.map((_, record) => record).filter((record) => !suppressed.includes(record));
  const own = kept.map((record) => codes[record]);
  const histogram = new Array(codes.reduce((most, code) => Math.max(most, code), 0) + 1).fill(0);
  for (const code of own) histogram[code] += 1;
  const groups = groupsOf(method, histogram, gamma, source);
  const standing = stands(histogram, groups, blockCount(method, groups.length));
  const groupOf = new Array(own.length);
  source.order(own).forEach((record, entry) => { groupOf[record] = standing[entry]; });
  const shuffle = source.permutation(own.length);
  return {
    rows: shuffle.map((place) => kept[place]),
    groups: shuffle.map((place) => groupOf[place]),
    values: groups.map((group) => [...group].sort((a, b) => a - b)),
    suppressed,
  };
}

// A trial that succeeds with probability exp(-x), for 0 ≤ x ≤ 1.
function exponentialTrial({ p, q }, source) {
  let number = 1n;
  while (source.integer(q * number) < p) number += 1n;
  return number % 2n === 1n;
}

function geometric(budget, source) {
  const { p, q } = budget.number;
  let successes = 0n;
  if (budget.logarithm) {
    while (source.integer(p) < q) successes += 1n;
    return successes;
  }
  let fine;
  do fine = source.integer(q); while (!exponentialTrial(new Fraction(fine, q), source));
  while (exponentialTrial(ONE, source)) successes += 1n;
  return (fine + q * successes) / p;
}

function budgetOf(text) {
  const logarithm = text.startsWith("ln ");
  const number = parseExact(logarithm ? text.slice(3) : text, "budget");
  if (number.compare(logarithm ? ONE : ZERO) <= 0) refuse("the budget is not above 0");
  return { logarithm, number };
}

// ---- estimates -------------------------------------------------------------------------------------------

function closedForm(y, published, inside, rows, gamma) {
  const g = whole(gamma);
  const a = whole(published).times(g.minus(ONE)).over(g.times(whole(rows).minus(whole(published))));
  const x = whole(y).minus(whole(inside).times(a)).over(ONE.over(g).minus(a));
  if (broken.has("not-clipped")) return x;
  return x.compare(ZERO) < 0 ? ZERO : x.compare(whole(inside)) > 0 ? whole(inside) : x;
}

function interval(published, gamma, confidence) {
  if (confidence.compare(ZERO) <= 0 || confidence.compare(ONE) >= 0) refuse("confidence is not inside 0 … 1");
  const tail = ONE.minus(confidence).over(whole(2));
  const possible = (f) => {
    const list = terms(gamma * f, gamma);
    const all = power(gamma, gamma * f);
    const above = new Fraction(sum(list.slice(published)), all);
    const below = new Fraction(sum(list.slice(0, published + 1)), all);
    return { high: above.compare(tail) > 0, low: below.compare(tail) > 0 };
  };
  let low = 0;
  while (!possible(low).high) low += 1;
  let high = published;
  while (possible(high + 1).low) high += 1;
  return [low, high];
}

function twoStates(fields) {
  const gamma = fields.gamma();
  const rows = fields.big("rows", 2);
  const frequency = fields.big("frequency", 1);
  const p = fields.retention(gamma);
  fields.finish();
  if (frequency * BigInt(gamma) > rows) refuse("the value is too frequent");
  const a = broken.has("printed-matrix")
    ? new Fraction(frequency, rows)
    : whole(frequency).times(ONE.minus(p)).over(whole(rows - frequency));
  return [[ONE.minus(a), a], [ONE.minus(p), p]].map((row) => row.map(String));
}

function perValue(fields) {
  const histogram = fields.integers("histogram", -Infinity);
  const gamma = fields.gamma();
  const method = fields.word("method", ["anatomy", "cyclic"]);
  const p = fields.retention(gamma);
  fields.finish();
  const groups = groupsOf(method, histogram, gamma);
  const share = ONE.minus(p).over(whole(gamma - 1));
  return histogram.map((frequency, u) => (frequency === 0 ? null : histogram.map((_, v) => {
    if (u === v) return String(p);
    const together = groups.filter((group) => group.includes(u) && group.includes(v)).length;
    return String(whole(together).times(share).over(whole(frequency)));
  })));
}

function conceptError(fields) {
  const gamma = fields.gamma();
  const epsilon = fields.positive("epsilon");
  const [n, x, f, rows] = ["predicate_count", "concept_count", "sensitive_count", "rows"]
    .map((name) => fields.integer(name, 1));
  const decoys = fields.integer("decoys_in_predicate", 0);
  fields.finish();
  const [inside, outside] = [x + decoys, gamma * f - x - decoys];
  if (x > f || decoys > (gamma - 1) * f || inside > n || outside > rows - n || outside < f - x) {
    refuse("no table has these counts");
  }
  const [first, second] = [terms(inside, gamma), terms(outside, gamma)];
  const distance = epsilon.times(whole(x));
  let wrong = 0n;
  first.forEach((one, y) => second.forEach((other, z) => {
    const right = (y + z) * gamma < rows && (() => {
      const error = closedForm(y, y + z, n, rows, gamma).minus(whole(x));
      return new Fraction(abs(error.p), error.q).compare(distance) < 0;
    })();
    if (!right) wrong += one * other;
  }));
  return new Fraction(wrong, power(gamma, gamma * f));
}

// ---- tables.md ---------------------------------------------------------------------------------------------

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes) {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse("not UTF-8");
  }
}

function unzipped(bytes) {
  if (!bytes.length) refuse("the file is empty");
  try {
    return gunzipSync(bytes);
  } catch {
    return refuse("not an intact gzip file");
  }
}

// One pass over the characters: a cell is bare or quoted, a record ends with LF or CRLF.
function records(text) {
  const [all, end] = [[], text.length];
  let place = 0;
  while (place < end) {
    const record = [];
    for (let more = true; more;) {
      let cell = "";
      if (text[place] === '"') {
        for (place += 1; ; place += 1) {
          if (place >= end) refuse("a quoted cell is never closed");
          if (text[place] !== '"') cell += text[place];
          else if (text[place + 1] === '"') { cell += '"'; place += 1; } else break;
        }
        place += 1;
      } else {
        const begin = place;
        while (place < end && !",\"\n\r".includes(text[place])) place += 1;
        cell = text.slice(begin, place);
        if (!cell && !record.length && (place >= end || text[place] !== ",")) refuse("a blank line");
      }
      record.push(cell);
      more = text[place] === ",";
      if (more) place += 1;
    }
    if (text[place] === "\r" && text[place + 1] === "\n") place += 1;
    if (place < end && text[place] !== "\n") refuse("a cell does not end here");
    place += 1;
    all.push(record);
  }
  return all;
}

function csv(fields) {
  const [name, file] = [fields.text("name").toLowerCase(), fields.bytes("file")];
  if (name.endsWith(".parquet")) throw new Refusal("unsupported", "no Parquet");
  if (!name.endsWith(".csv") && !name.endsWith(".csv.gz")) refuse("the kind of file is not known");
  let text = decoded(name.endsWith(".gz") ? unzipped(file) : file);
  if (text.startsWith("\ufeff")) text = text.slice(1);
  if (text.includes("\0")) refuse("a NUL");
  const [columns, ...rows] = records(text);
  if (!columns || !rows.length) refuse("no rows");
  if (columns.includes("") || new Set(columns).size < columns.length) refuse("names are empty or repeated");
  if (rows.some((row) => row.length !== columns.length)) refuse("a row of another length");
  return { columns, rows };
}

function cellsOf({ columns, rows }, name) {
  if (!columns.includes(name)) refuse(`there is no column ${name}`);
  return rows.map((row) => row[columns.indexOf(name)]);
}

const byCodePoint = (a, b) => Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8"));
const MARKERS = ["", "?", "NA", "N/A", "NaN", "NULL"];
// Unicode's white space; JavaScript's own trim would take U+FEFF, and leave U+0085 and U+001C to U+001F.
const trimmed = (text) => text.replace(/^[\s\u0085\u001c-\u001f]+|[\s\u0085\u001c-\u001f]+$/gu, (found) => found.replace(/[^\ufeff]/g, ""));

function codesOf(cells, missing) {
  if (missing === null && cells.some((cell) => MARKERS.includes(trimmed(cell)))) refuse("a cell is missing");
  const values = cells.map((cell) => (cell === "" ? missing : cell));
  const domain = [...new Set(values)].sort(byCodePoint);
  if (domain.length === 1) refuse("one value only");
  const code = new Map(domain.map((value, place) => [value, place]));
  return { codes: values.map((value) => code.get(value)), domain };
}

const recordsOf = ({ rows }) => rows.map((row) => Buffer.concat(row.map(framed)));

function identitiesOf(table, column) {
  if (column !== null) {
    const cells = cellsOf(table, column);
    if (cells.includes("") || new Set(cells).size < cells.length) refuse("the column identifies no records");
    return cells.map((cell) => Buffer.from(cell, "utf8"));
  }
  const seen = new Map();
  return recordsOf(table).map((record) => {
    const number = seen.get(record.toString("hex")) ?? 0;
    seen.set(record.toString("hex"), number + 1);
    return Buffer.concat([record, u64(number)]);
  });
}

function contentDigest(table) {
  const sorted = recordsOf(table).sort(Buffer.compare);
  const hash = createHash("sha256").update("splu-ref/table/1").update(u64(table.columns.length));
  for (const name of table.columns) hash.update(framed(name));
  for (const record of sorted) hash.update(u64(record.length)).update(record);
  return hash.digest("hex");
}

// ---- manifests: publishing.md ------------------------------------------------------------------------------

// JSON with the text of numbers kept, and a key that stands twice refused.
function parsedOnce(text) {
  const twice = /"((?:[^"\\]|\\.)*)"\s*:|[{}\[\]]|"(?:[^"\\]|\\.)*"/gu;
  const open = [];
  for (const [found, key] of text.matchAll(twice)) {
    if (found === "{" || found === "[") open.push(new Set());
    else if (found === "}" || found === "]") open.pop();
    else if (key !== undefined && open.length) {
      const name = JSON.parse(`"${key}"`);
      if (open.at(-1).has(name)) refuse("a key stands twice");
      open.at(-1).add(name);
    }
  }
  return JSON.parse(text);
}

const RETAINED = "retention replacement";
const FACTS = { "SPLU-Gen": ["gamma", "retention", "plan"], Anatomy: ["gamma", "plan"], DBR: [], "Laplace counts": ["budget"],
  [RETAINED]: ["retention", "replacing", "order", "domains"], swapping: ["retention"], operator: ["matrix", "order", "domains"],
  "alpha-beta": ["alpha", "beta", "domains"] };

// The rows are those of the sorted domain.
function operatorRows(told, wrong) {
  if (!Array.isArray(told.sensitive) || told.sensitive.length !== 1) wrong();
  let rows;
  try { rows = JSON.parse(told.matrix); } catch { wrong(); }
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) wrong();
  const matrix = lawful(rows.map((row) => row.map((entry) => parseExact(entry, "matrix"))));
  const size = told.sensitive[0].domain.length;
  if (size < 2 || matrix.length !== size || matrix.some((row) => row.length !== size || row.some(({ p }) => p < 0n))) wrong();
  return lawsText(matrix);
}

function manifestOf(text) {
  let told;
  try {
    told = parsedOnce(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    refuse("not JSON");
  }
  const wrong = () => refuse("the manifest is damaged");
  const count = (value) => (Number.isSafeInteger(value) && value > 0 ? value : wrong());
  const texts = (values) => (Array.isArray(values) && values.every((value) => typeof value === "string") ? values : wrong());
  if (!told || Array.isArray(told) || !["splu-ref/manifest/1", "splu-ref/manifest/2"].includes(told.schema)) wrong();
  if (typeof told.method !== "string" || !Object.hasOwn(FACTS, told.method)) wrong();
  const rows = count(told.rows);
  const batches = told.batches === undefined ? [] : told.batches.map(count);
  if (told.batches !== undefined && (batches.length < 2 || batches.reduce((a, b) => a + b, 0) !== rows)) wrong();
  const facts = FACTS[told.method].map((name) => {
    const value = told[name];
    if (name === "gamma") {
      if (!Number.isSafeInteger(value) || value < 2 || [rows, ...batches].some((size) => size % value)) wrong();
      return [name, String(value)];
    }
    if (typeof value !== "string") wrong();
    if (name === "plan") return METHODS.includes(value) ? [name, value] : wrong();
    if (name === "budget") { const { logarithm, number } = budgetOf(value); return [name, (logarithm ? "ln " : "") + number]; }
    if (name === "domains") {
      if (!Array.isArray(told.sensitive)) wrong();
      for (const each of told.sensitive) texts([each.column, ...texts(each.domain)]);
      return domainsDigest(told.sensitive) === value ? [name, value] : wrong();
    }
    if (name === "matrix") return [name, operatorRows(told, wrong)];
    if (told.method === "operator" && name === "order") return ["kept", "shuffled"].includes(value) ? [name, value] : wrong();
    if (told.method === RETAINED || told.method === "swapping") {
      if (name === "retention") {
        const p = share(value, name);
        return told.method === RETAINED || p.q <= 1n << 63n ? [name, String(p)] : wrong();
      }
      const words = { replacing: ["uniform", "given", "identity"], order: ["kept", "shuffled"] };
      return words[name].includes(value) ? [name, value] : wrong();
    }
    if (name === "alpha" || name === "beta") {
      const chance = parseExact(value, name);
      const both = parseExact(told.alpha, "alpha").plus(parseExact(told.beta, "beta"));
      if (chance.compare(ZERO) < (name === "alpha" ? 1 : 0) || both.compare(ONE) > 0) wrong();
      return [name, String(chance)];
    }
    const p = parseExact(value, name);
    return p.compare(ZERO) > 0 && p.compare(ONE) <= 0 ? [name, String(p)] : wrong();
  });
  if (told.method === RETAINED) facts.push(...lawFacts(told, wrong));
  if (told.method === "SPLU-Gen" && told.draws !== undefined) {
    if (typeof told.draws !== "string") wrong();
    const law = lawOf(told.draws, parseExact(told.retention, "retention"), told.gamma);
    if (law) facts.push(["draws", law.text]);
  }
  if (!Array.isArray(told.sensitive) || !told.sensitive.length) wrong();
  const sensitive = told.sensitive.map((each) => ({ column: texts([each.column])[0], domain: texts(each.domain) }));
  if (new Set(sensitive.map(({ column }) => column)).size < sensitive.length) wrong();
  const second = told.schema.endsWith("2");
  if (second) {
    for (const [value, form] of [
      [told.table, /^[0-9a-f]{64}$/], [told.release, /^[0-9a-f]{32}$/], [told.date, /^\d{4}-\d{2}-\d{2}$/],
      [told.produced_by?.version, /^/], [told.produced_by?.spec, /^/], [told.produced_by?.code, /^[0-9a-f]{64}$/],
    ]) if (typeof value !== "string" || !form.test(value)) wrong();
  }
  return { method: told.method, facts, rows, batches, sensitive, table: second ? told.table : null };
}

// What a manifest tells of given laws, and of one coin for a record.
function lawFacts(told, wrong) {
  const facts = [];
  if (told.replacing === "given") {
    let laws;
    try {
      laws = typeof told.laws === "string" && JSON.parse(told.laws);
    } catch {
      wrong();
    }
    const sizes = [...told.sensitive].sort((a, b) => byCodePoint(a.column, b.column)).map(({ domain }) => domain.length);
    if (!Array.isArray(laws) || laws.length !== sizes.length || !laws.every(Array.isArray)) wrong();
    const shares = laws.map((law, place) => sharesOf(law.map((entry) => parseExact(entry, "laws")), sizes[place]));
    facts.push(["laws", lawsText(shares)]);
  }
  if (told.unit !== undefined && !["cell", "record"].includes(told.unit)) wrong();
  if (told.unit === "record" && told.replacing === "identity") wrong();
  return told.unit === "record" ? [...facts, ["unit", "record"]] : facts;
}

// ---- errors of estimates: estimates.md -----------------------------------------------------------------------

const NORMAL = new Fraction(1959963984540054n, 10n ** 15n);
const larger = (a, b) => (a.compare(b) > 0 ? a : b);
const smaller = (a, b) => (a.compare(b) < 0 ? a : b);
const squared = (a) => a.times(a);

// The variance of the estimate if x records have both, and whether the interval holds x.
function conjunctionError(y, f, n, N, gamma, p) {
  const q = ONE.minus(p).over(gamma.minus(ONE));
  const a = f.times(ONE.minus(p)).over(N.minus(f));
  const D = p.minus(a);
  const estimate = y.minus(n.times(a)).over(D);
  const variance = (x) => {
    const frequency = larger(f, x);
    const places = larger(N.minus(frequency), ONE);
    const beside = smaller(frequency.times(gamma.minus(ONE)), places);
    const [kappa, m] = [beside.over(places), smaller(n.minus(x), places)];
    const exposed = m.times(kappa);
    const V = exposed.times(ONE.minus(kappa)).times(places.minus(m)).over(larger(places.minus(ONE), ONE));
    const [own, other, shared] = [p.times(ONE.minus(p)), q.times(ONE.minus(q)), squared(q).times(V)];
    const inside = x.times(own).plus(exposed.times(other)).plus(shared);
    const outside = frequency.minus(x).times(own).plus(beside.minus(exposed).times(other)).plus(shared);
    const g1 = x.minus(n).times(ONE.minus(p)).times(N).over(squared(N.minus(f))).over(D);
    const g3 = ONE.over(D).plus(g1);
    const cross = new Fraction(2n).times(g1).times(g3).times(shared);
    return larger(squared(g3).times(inside).plus(squared(g1).times(outside)).minus(cross), ZERO);
  };
  const holds = (x) => {
    const off = x.minus(estimate);
    const beyond = new Fraction(abs(off.p), off.q).minus(ONE.over(new Fraction(2n).times(D)));
    return beyond.compare(ZERO) <= 0 || squared(beyond).compare(squared(NORMAL).times(variance(x))) <= 0;
  };
  return { clipped: smaller(larger(estimate, ZERO), n), variance, holds };
}

// ---- retention replacement: publishing.md ------------------------------------------------------------------------

function share(value, name) {
  const p = parseExact(value, name);
  if (p.compare(ZERO) < 0 || p.compare(ONE) >= 0) refuse(`${name} must be at least 0 and below 1`);
  return p;
}

// The digest of the domains: columns and values by code point, as JSON without blanks.
function domainsDigest(sensitive) {
  const pairs = sensitive.map(({ column, domain }) => [column, [...domain].sort(byCodePoint)]);
  pairs.sort(([a], [b]) => byCodePoint(a, b));
  return createHash("sha256").update(JSON.stringify(pairs), "utf8").digest("hex");
}

// The columns of the field sensitive, with their values in the order of publishing and each cell's code.
function declaredColumns(fields, laws) {
  const listed = fields.take("sensitive");
  const plain = (entry) => entry !== null && typeof entry === "object" && !Array.isArray(entry);
  if (!Array.isArray(listed) || !listed.every(plain)) refuse("sensitive is not a list of objects");
  const columns = listed.map((entry) => {
    const own = new Fields(entry);
    const read = { column: own.text("column"), domain: textsOf(own.take("domain"), "domain"), cells: textsOf(own.take("cells"), "cells") };
    if (laws) read.law = textsOf(own.take("law"), "law").map((text) => parseExact(text, "law"));
    own.finish();
    return read;
  });
  const names = new Set(columns.map(({ column }) => column));
  if (!columns.length || names.size < columns.length) refuse("name at least one column, and each once");
  if (!columns[0].cells.length || columns.some(({ cells }) => cells.length !== columns[0].cells.length)) refuse("the numbers of cells do not agree");
  for (const each of columns) {
    each.values = [...each.domain].sort(byCodePoint);
    each.code = new Map(each.values.map((value, code) => [value, code]));
    if (each.values.length < 2 || each.code.size < each.values.length) refuse("a domain has two values or more");
    if (!each.cells.every((cell) => each.code.has(cell))) refuse("a cell lies outside its domain");
    if (laws) each.shares = sharesOf(each.values.map((value) => each.law[each.domain.indexOf(value)]), each.law.length);
  }
  return columns;
}

// A law for values in the order of publishing.
function sharesOf(shares, count) {
  if (count !== shares.length || shares.some((entry) => entry.compare(ZERO) < 0)) refuse("a law gives each value a probability");
  if (shares.reduce((total, entry) => total.plus(entry), ZERO).compare(ONE) !== 0) refuse("a law adds up to 1");
  return shares;
}

const leastCommon = (numbers) => numbers.reduce((common, q) => (common / gcd(common, q)) * q, 1n);
// A list of laws, or the rows of a matrix, as it is told: JSON with a blank after each comma.
const lawsText = (laws) => `[${laws.map((law) => `[${law.map((entry) => `"${entry}"`).join(", ")}]`).join(", ")}]`;

function weightsOf({ values, cells, shares }, replacing) {
  if (replacing === "uniform") return values.map(() => 1n);
  if (replacing === "identity") return values.map((value) => BigInt(cells.filter((cell) => cell === value).length));
  const all = leastCommon(shares.map(({ q }) => q));
  return shares.map(({ p, q }) => p * (all / q));
}

function retainedColumns(fields) {
  const p = share(fields.take("retention"), "retention");
  const replacing = fields.word("replacing", ["uniform", "given", "identity"]);
  const order = fields.word("order", ["kept", "shuffled"]);
  const whole = fields.has("unit") && fields.word("unit", ["cell", "record"]) === "record";
  const columns = declaredColumns(fields, replacing === "given");
  if (whole && replacing === "identity") refuse("one coin for a record goes with a law that the table has no part in");
  columns.forEach((each, place) => {
    each.weights = weightsOf(each, replacing);
    each.total = each.weights.reduce((a, b) => a + b);
    each.bound = (whole && place ? 1n : p.q) * each.total;
    if (each.bound > 1n << 63n) refuse("too many digits to draw by");
  });
  const facts = [["retention", String(p)], ["replacing", replacing], ["order", order], ["domains", domainsDigest(columns)]];
  const byName = [...columns].sort((a, b) => byCodePoint(a.column, b.column));
  if (replacing === "given") facts.push(["laws", lawsText(byName.map(({ shares }) => shares))]);
  if (whole) facts.push(["unit", "record"]);
  return { columns, p, facts, whole, shuffled: order === "shuffled" };
}

function retained({ columns, p, facts, whole, shuffled }, sourceOf) {
  const integers = [];
  let kept = null;
  const cells = columns.map(({ column, cells, values, weights, total, bound }) => {
    const drawn = sourceOf(column).bigBelow(bound, cells.length);
    integers.push(drawn.map(json));
    if (!whole || !kept) kept = drawn.map((r) => r < p.p * total);
    return cells.map((cell, record) => {
      let place = drawn[record] % total;
      return kept[record] ? cell : values[weights.findIndex((weight) => (place -= weight) < 0n)];
    });
  });
  const size = columns[0].cells.length;
  const rows = shuffled ? sourceOf(columns[0].column).permutation(size) : cells[0].map((_, record) => record);
  return { published: cells.map((column) => rows.map((record) => column[record])), rows, facts, integers };
}

// ---- swapping: publishing.md ---------------------------------------------------------------------------------

function swapped(columns, p, source) {
  const told = { published: [], cells: [], places: [] };
  for (const codes of columns) {
    const coins = source.bigBelow(p.q, codes.length);
    const released = codes.map((_, record) => record).filter((record) => coins[record] >= p.p);
    const from = source.permutation(released.length).map((item) => released[item]);
    const to = source.permutation(released.length).map((item) => released[item]);
    const out = [...codes];
    to.forEach((record, item) => { out[record] = codes[from[item]]; });
    told.published.push(out);
    told.cells.push(from);
    told.places.push(to);
  }
  return told;
}

// ---- operators: publishing.md ----------------------------------------------------------------------------------

// Of the numbers below the row's bound, the first of each value's share ends where that of the next begins.
function operated(matrix, codes, shuffled, source) {
  if (matrix.length < 2 || matrix.length > 32 || matrix[0].length !== matrix.length) refuse("no matrix of as many rows as columns");
  const bounds = matrix.map((row) => leastCommon(row.map(({ q }) => q)));
  if (bounds.some((bound) => bound > 1n << 63n)) refuse("too many digits to draw by");
  if (!codes.length || codes.some((code) => code >= matrix.length)) refuse("no records, or a code without a row");
  const [integers, published] = [[], []];
  matrix.forEach((row, value) => {
    const records = codes.map((_, record) => record).filter((record) => codes[record] === value);
    source.bigBelow(bounds[value], records.length).forEach((drawn, place) => {
      let [shown, end] = [0, row[0].p * (bounds[value] / row[0].q)];
      while (drawn >= end) { shown += 1; end += row[shown].p * (bounds[value] / row[shown].q); }
      integers[records[place]] = json(drawn);
      published[records[place]] = shown;
    });
  });
  const rows = shuffled ? source.permutation(codes.length) : codes.map((_, record) => record);
  return { published: rows.map((record) => published[record]), rows, integers };
}

// ---- perturbed generalization: publishing.md ----------------------------------------------------------------------

function medianGroups(columns, least) {
  const ranks = columns.map((column) => {
    const place = new Map([...new Set(column)].sort((a, b) => a - b).map((value, rank) => [value, rank]));
    return column.map((value) => place.get(value));
  });
  const spans = ranks.map((places) => Math.max(places.reduce((a, b) => Math.max(a, b)), 1));
  const groups = columns[0].map(() => 0);
  const waiting = [groups.map((_, record) => record)];
  for (let made = 0; waiting.length;) {
    const rows = waiting.pop();
    const lower = halved(rows, ranks, spans, least);
    if (lower) waiting.push(rows.filter((row) => !lower.has(row)), rows.filter((row) => lower.has(row)));
    else { for (const row of rows) groups[row] = made; made += 1; }
  }
  return groups;
}

// The records of the lower half, by the first column that can be cut, the widest as a share of its span first.
function halved(rows, ranks, spans, least) {
  if (rows.length < 2 * least) return null;
  const sorted = ranks.map((places) => rows.map((row) => places[row]).sort((a, b) => a - b));
  const width = (column) => sorted[column].at(-1) - sorted[column][0];
  const widest = ranks.map((_, column) => column).sort((a, b) => width(b) * spans[a] - width(a) * spans[b]);
  for (const column of widest) {
    const middle = sorted[column][Math.floor(rows.length / 2)];
    for (const below of [(place) => place < middle, (place) => place <= middle]) {
      const lower = rows.filter((row) => below(ranks[column][row]));
      if (lower.length >= least && rows.length - lower.length >= least) return new Set(lower);
    }
  }
  return null;
}

function chosenOfGroups(codes, columns, least, values, p, source) {
  if (!codes.length || columns.some((column) => column.length !== codes.length)) refuse("no place for each record");
  if (values < 2 || values > 1000 || codes.some((code) => code >= values)) refuse("a code without a value");
  if (p.compare(ONE) >= 0 || p.q * BigInt(values) > 1n << 63n) refuse("no chance to draw by");
  if (codes.length < least) refuse("fewer records than a group has");
  const groups = medianGroups(columns, least);
  const members = [];
  groups.forEach((group, record) => (members[group] ??= []).push(record));
  const order = source.order(groups);
  let start = 0;
  const rows = members.map(({ length }) => { start += length; return order[start - length]; });
  const integers = source.bigBelow(p.q * BigInt(values), rows.length);
  const keeps = p.p * BigInt(values);
  return {
    published: integers.map((drawn, group) => drawn < keeps ? codes[rows[group]] : Number(drawn % BigInt(values))),
    ranges: members.map((records) => columns.map((column) => {
      const places = records.map((record) => column[record]);
      return [Math.min(...places), Math.max(...places)];
    })),
    sizes: members.map(({ length }) => length),
    groups, rows, integers: integers.map(json),
  };
}

// ---- the alpha-beta algorithm: publishing.md -------------------------------------------------------------------

const EAGER = 1n << 20n;

function publishedTuples(columns, alpha, beta) {
  const sorted = [...columns].sort((a, b) => byCodePoint(a.column, b.column));
  const size = sorted.reduce((product, { values }) => product * BigInt(values.length), 1n);
  const numberOf = (record) => sorted.reduce(
    (number, { values, code, cells }) => number * BigInt(values.length) + BigInt(code.get(cells[record])), 0n);
  const members = sorted[0].cells.map((_, record) => numberOf(record)).sort((a, b) => (a < b ? -1 : 1));
  if (new Set(members).size < members.length) refuse("a tuple stands there twice");
  const kept = alpha.plus(beta);
  const parts = size <= EAGER ? leastCommon([kept.q, beta.q]) : kept.q;
  if (parts > 1n << 63n) refuse("too many digits to draw by");
  const others = size - BigInt(members.length);
  if (beta.times(new Fraction(others)).compare(whole(100_000_000)) > 0) refuse("too many fakes");
  return (tape) => {
    const chosen = size <= EAGER ? eachTuple(size, members, kept, beta, parts, tape)
      : [...members.filter(() => tape.integer(kept.q) < kept.p), ...fakes(others, members, beta, tape)];
    const numbers = tape.permutation(chosen.length).map((item) => chosen[item]);
    const tuple = (number) => {
      const cells = [];
      for (const { values } of [...sorted].reverse()) {
        cells.unshift(values[Number(number % BigInt(values.length))]);
        number /= BigInt(values.length);
      }
      return cells;
    };
    return {
      columns: sorted.map(({ column }) => column), published: numbers.map(tuple), consumed: tape.consumed,
      members: members.map(json), numbers: numbers.map(json),
    };
  };
}

function eachTuple(size, members, kept, beta, parts, tape) {
  const own = new Set(members);
  const chosen = [];
  const [genuine, fake] = [kept, beta].map(({ p, q }) => p * (parts / q));
  for (let number = 0n; number < size; number += 1n) {
    if (tape.integer(parts) < (own.has(number) ? genuine : fake)) chosen.push(number);
  }
  return chosen;
}

function fakes(others, members, beta, tape) {
  const count = beta.p ? binomialNumber(others, beta, tape) : 0n;
  const taken = new Set();
  for (let last = others - count; last < others; last += 1n) {
    const drawn = tape.integer(last + 1n);
    taken.add(taken.has(drawn) ? last : drawn);
  }
  const ranks = [...taken].sort((a, b) => (a < b ? -1 : 1));
  return ranks.map((rank) => members.reduce((number, member) => (member <= number ? number + 1n : number), rank));
}

const bitLength = (n) => BigInt(n.toString(2).length);

// Digits of a number U in base q are read until all numbers that begin with them have the same count.
function binomialNumber(trials, chance, source) {
  let each = 1n;
  while (each < trials && chance.q ** (each + 1n) <= 1n << 64n) each += 1n;
  let [place, scale, digits] = [0n, 1n, 0n];
  for (;;) {
    const block = chance.q ** least(each, trials - digits);
    [place, scale, digits] = [place * block + source.integer(block), scale * block, digits + each];
    const found = countAt(trials, chance, place, scale);
    if (found !== null) return found;
  }
}

// The least k with U < Pr(X <= k) for all U in [place, place + 1)/scale, or null: numbers over 2^bits, rounded outwards.
function countAt(trials, { p, q }, place, scale) {
  const mean = (trials * p) / (q - p) + 1n;
  const bits = bitLength(scale) + 3n * mean + bitLength(trials) + 128n;
  const unit = 1n << bits;
  const down = (a, b) => (a * b) >> bits;
  const up = (a, b) => ((a * b) >> bits) + 1n;
  let [mass, base] = [[unit, unit], [((q - p) * unit) / q, ((q - p) * unit) / q + 1n]];
  for (let left = trials; left; left >>= 1n) {
    if (left & 1n) mass = [down(mass[0], base[0]), up(mass[1], base[1])];
    base = [down(base[0], base[0]), up(base[1], base[1])];
  }
  let below = [0n, 0n];  // Pr(X < k), at most place/scale
  for (let k = 0n; k <= trials; k += 1n) {
    const to = [below[0] + mass[0], below[1] + mass[1]];
    if (to[0] * scale >= (place + 1n) << bits) return k;
    if (to[1] * scale > place << bits) return null;
    const [above, under] = [(trials - k) * p, (k + 1n) * (q - p)];
    mass = [(mass[0] * above) / under, (mass[1] * above) / under + 1n];
    below = to;
  }
  return null;
}

// ---- entropy: conformance.md -------------------------------------------------------------------------------------

// A sum of c lg q over primes q, by q.
class Form {
  constructor(terms = []) {
    this.terms = new Map();
    for (const [prime, c] of terms) this.add(prime, c);
  }
  add(prime, c) {
    const after = (this.terms.get(prime) ?? ZERO).plus(c);
    if (after.p === 0n) this.terms.delete(prime); else this.terms.set(prime, after);
  }
  // Add c lg n.
  logarithm(n, c) {
    for (let prime = 2n; prime * prime <= n; prime += 1n) {
      for (; n % prime === 0n; n /= prime) this.add(prime, c);
    }
    if (n > 1n) this.add(n, c);
    return this;
  }
  plus(other, factor = ONE) {
    const sum = new Form(this.terms);
    for (const [prime, c] of other.terms) sum.add(prime, c.times(factor));
    return sum;
  }
  minus(other) { return this.plus(other, new Fraction(-1n)); }
  sign() {
    if (!this.terms.size) return 0;
    for (let bits = 128n; ; bits *= 2n) {
      let [sum, off] = [0n, 0n];
      for (const [prime, c] of this.terms) {
        sum += (c.p * binaryLogarithm(prime, bits)) / c.q;
        off += ((abs(c.p) / c.q) + 1n) * (8n * bits + 2n);
      }
      if (abs(sum) > off) return sum < 0n ? -1 : 1;
    }
  }
  toJSON() { return Object.fromEntries([...this.terms].map(([prime, c]) => [String(prime), String(c)])); }
}

// lg n in units of 2^-bits, off by less than 8 bits of them.
function binaryLogarithm(n, bits) {
  const twice = (top, bottom) => {
    const t = (top << bits) / bottom;
    const square = (t * t) >> bits;
    let sum = 0n;
    for (let [power, odd] = [t, 1n]; power; [power, odd] = [(power * square) >> bits, odd + 2n]) sum += power / odd;
    return 2n * sum;
  };
  const shift = bitLength(n) - 1n;
  const part = 1n << shift;
  return (shift << bits) + (twice(n - part, n + part) << bits) / twice(1n, 3n);
}

// The entropy of the law in proportion to weights.
function entropyOf(weights) {
  const all = leastCommon(weights.map(({ q }) => q));
  const counts = weights.map(({ p, q }) => p * (all / q)).filter((count) => count);
  const size = counts.reduce((a, b) => a + b);
  const form = new Form().logarithm(size, ONE);
  for (const count of counts) form.logarithm(count, new Fraction(-count, size));
  return form;
}

const largestForm = (forms) => forms.reduce((best, form) => (form.minus(best).sign() > 0 ? form : best));

function entropyLosses(tables, prior, matrix) {
  const joint = matrix.map((row, table) => row.map((entry) => entry.times(prior[table])));
  if (leastCommon(joint.flat().map(({ q }) => q)) > 100_000_000n) refuse("the chances have too large a denominator");
  const marginal = (weights, record) => {
    const held = new Map();
    tables.forEach((table, place) => held.set(table[record], (held.get(table[record]) ?? ZERO).plus(weights[place])));
    return entropyOf([...held.values()]);
  };
  const records = tables[0].map((_, record) => record);
  const entropies = records.map((record) => marginal(prior, record));
  const totalOf = (weights) => weights.reduce((total, weight) => total.plus(weight), ZERO);
  const outcomes = matrix[0].map((_, column) => {
    const seen = joint.map((row) => row[column]);
    const probability = totalOf(seen);
    if (probability.p === 0n) return null;
    const losses = records.map((record) => entropies[record].minus(marginal(seen, record)));
    return { probability, losses, loss: largestForm(losses), likeliest: seen.reduce(larger) };
  });
  const made = outcomes.filter((outcome) => outcome);
  const mean = (formOf) => made.reduce((form, each) => form.plus(formOf(each), each.probability), new Form());
  const noise = matrix.reduce((form, row, table) => form.plus(entropyOf(row), prior[table]), new Form());
  const guess = totalOf(made.map(({ likeliest }) => likeliest)).over(prior.reduce(larger));
  return {
    entropies,
    outcomes: outcomes.map((each) => each && { probability: String(each.probability), losses: each.losses, loss: each.loss }),
    expected: mean(({ loss }) => loss),
    worst: largestForm([new Form(), ...made.map(({ loss }) => loss)]),
    mutual_information: {
      records: records.map((record) => mean(({ losses }) => losses[record])),
      table: entropyOf(made.map(({ probability }) => probability)).minus(noise),
    },
    min_entropy_leakage: new Form().logarithm(guess.p, ONE).logarithm(guess.q, new Fraction(-1n)),
  };
}

// ---- assignments: conformance.md -----------------------------------------------------------------------------------

// The sum over all ways to give the records from this one on the values that are left.
function permanentOf(rows, left = rows.map((_, value) => value)) {
  if (!left.length) return ONE;
  const row = rows[rows.length - left.length];
  return left.reduce((total, value) => (row[value].p === 0n ? total
    : total.plus(row[value].times(permanentOf(rows, left.filter((other) => other !== value))))), ZERO);
}

function assigned(rows) {
  const permanent = permanentOf(rows);
  if (permanent.p === 0n) return { permanent: "0", posterior: null };
  const without = (record, value) => rows.filter((_, other) => other !== record).map((row) => row.filter((_, other) => other !== value));
  const through = (record, value) => rows[record][value].times(permanentOf(without(record, value)));
  const posterior = rows.map((row, record) => row.map((_, value) => String(through(record, value).over(permanent))));
  return { permanent: String(permanent), posterior };
}

// ---- channels: conformance.md ------------------------------------------------------------------------------------

function rowsOf(fields, name) {
  const rows = fields.take(name);
  if (!Array.isArray(rows) || !rows.length || !rows.every(Array.isArray) || !rows[0].length) refuse("no matrix");
  const matrix = rows.map((row) => row.map((entry) => parseExact(entry, name)));
  for (const row of matrix) {
    if (row.length !== matrix[0].length) refuse("the rows differ in length");
    if (row.some((entry) => entry.compare(ZERO) < 0)) refuse("an entry is negative");
  }
  return matrix;
}

const matrixOf = (fields) => lawful(rowsOf(fields, "matrix"));

function lawful(matrix) {
  for (const row of matrix) {
    if (row.reduce((total, entry) => total.plus(entry), ZERO).compare(ONE) !== 0) refuse("a row does not add up to 1");
  }
  return matrix;
}

// Gauss and Jordan on [A | 1]; a row that vanishes names, in its right half, rows that depend on one another.
function inverted(matrix) {
  const size = matrix.length;
  if (matrix[0].length !== size) refuse("the matrix is not square");
  const done = [];
  for (let number = 0; number < size; number += 1) {
    let row = [...matrix[number], ...matrix.map((_, other) => (other === number ? ONE : ZERO))];
    for (const { column, pivot } of done) {
      const factor = row[column];
      row = row.map((entry, place) => entry.minus(factor.times(pivot[place])));
    }
    const column = row.slice(0, size).findIndex((entry) => entry.p !== 0n);
    if (column < 0) {
      const right = row.slice(size);
      const scale = right.reduce((common, { q }) => (common / gcd(common, q)) * q, 1n);
      const whole = right.map((entry) => entry.p * (scale / entry.q));
      const common = whole.reduce(gcd, 0n);
      return { inverse: null, dependent: whole.map((entry) => json(entry / common)) };
    }
    const pivot = row.map((entry) => entry.over(row[column]));
    for (const earlier of done) {
      const factor = earlier.pivot[column];
      earlier.pivot = earlier.pivot.map((entry, place) => entry.minus(factor.times(pivot[place])));
    }
    done.push({ column, pivot });
  }
  done.sort((a, b) => a.column - b.column);
  return { inverse: done.map(({ pivot }) => pivot.slice(size).map(String)), dependent: null };
}

function amplified(matrix) {
  let found = null;
  for (let published = 0; published < matrix[0].length; published += 1) {
    let [more, less] = [0, 0];
    for (let row = 1; row < matrix.length; row += 1) {
      if (matrix[row][published].compare(matrix[more][published]) > 0) more = row;
      if (matrix[row][published].compare(matrix[less][published]) < 0) less = row;
    }
    if (matrix[more][published].p === 0n) continue;
    if (matrix[less][published].p === 0n) return { ratio: null, published, more, less };
    const ratio = matrix[more][published].over(matrix[less][published]);
    if (!found || ratio.compare(found.ratio) > 0) found = { ratio, published, more, less };
  }
  return found;
}

// For each column the sets of states by their count: the largest gain of each count that fits.
function worstProperty(matrix, counts, rho1) {
  const total = counts.reduce((a, b) => a + b, 0);
  const room = Number(rho1.times(whole(total)).floor());
  if (!counts.some((count) => count > 0 && count <= room)) return null;
  let worst = null;
  for (let published = 0; published < matrix[0].length; published += 1) {
    const gains = matrix.map((row, state) => row[published].times(whole(counts[state])));
    const seen = gains.reduce((a, b) => a.plus(b), ZERO);
    if (seen.p === 0n) continue;
    const best = new Map([[0, ZERO]]);
    gains.forEach((gain, state) => {
      if (!counts[state]) return;
      for (const [weight, before] of [...best]) {
        const heavier = weight + counts[state];
        if (heavier > room) continue;
        const after = before.plus(gain);
        if (!best.has(heavier) || best.get(heavier).compare(after) < 0) best.set(heavier, after);
      }
    });
    for (const [weight, gain] of [...best].sort(([a], [b]) => a - b)) {
      const posterior = gain.over(seen);
      const order = worst ? posterior.compare(worst.posterior) : 1;
      if (order > 0) worst = { posterior, published, prior: new Fraction(BigInt(weight), BigInt(total)) };
    }
  }
  return worst;
}

// ---- the operations of conformance.md --------------------------------------------------------------------

const onTape = (make) => (fields) => {
  const wanted = make(fields);
  const tape = new Tape(fields.bytes("tape"));
  fields.finish();
  return { result: wanted(tape), consumed: tape.consumed };
};
const json = (value) => (abs(value) > BigInt(Number.MAX_SAFE_INTEGER) ? String(value) : Number(value));

function byteLists(fields, name) {
  const written = fields.take(name);
  if (!Array.isArray(written)) refuse(`${name} is not a list`);
  return written.map((text) => bytesOf(text, name));
}

function textsOf(values, name) {
  if (!Array.isArray(values) || values.some((value) => typeof value !== "string" || !value.isWellFormed())) refuse(`${name} is not a list of texts`);
  return values;
}

function context(fields, rest) {
  const optional = (name) => (fields.has(name) ? fields.text(name) : null);
  return {
    ...rest,
    idColumn: optional("id_column"),
    missing: optional("missing"),
    columns: textsOf(fields.take("columns"), "columns"),
    records: byteLists(fields, "records"),
  };
}

function table(fields) {
  const codes = fields.integers("sensitive");
  const gamma = fields.gamma();
  const [method, retention] = [fields.word("method", METHODS), fields.retention(gamma)];
  return [codes, gamma, method, retention, fields.law(retention, gamma)];
}

const OPERATIONS = {
  below: onTape((fields) => {
    const [bound, size] = [fields.big("bound", 1), fields.integer("size", 0)];
    return (tape) => Array.from({ length: size }, () => json(tape.integer(bound)));
  }),
  permutation: onTape((fields) => {
    const size = fields.integer("size", 0);
    return (tape) => tape.permutation(size);
  }),
  coins: onTape((fields) => {
    const size = fields.integer("size", 0);
    return (tape) => tape.coins(size);
  }),
  order_within: onTape((fields) => {
    const codes = fields.integers("codes");
    return (tape) => tape.order(codes);
  }),
  subset: onTape((fields) => {
    const [population, count] = [fields.big("population", 0), fields.integer("count", 0)];
    if (count > population) refuse("more than there are");
    return (tape) => tape.bigSubset(population, count).map(json);
  }),
  seeded(fields) {
    const [seed, size] = [fields.bytes("seed"), fields.integer("size", 0)];
    fields.finish();
    const stream = new Blocks((block) => createHash("shake256", { outputLength: 4096 })
      .update("splu-ref/seeded/1").update(u64(seed.length)).update(seed).update(u64(block)).digest());
    return { bytes: stream.read(size).toString("hex") };
  },
  key_file(fields) {
    const line = fields.bytes("file").toString("latin1");
    fields.finish();
    const found = /^splu-ref-key-1 ([0-9a-f]{64})(?:\r?\n)?$/.exec(line);
    if (!found || /\n\n$/.test(line)) refuse("not the line of a key file");
    usableKey(Buffer.from(found[1], "hex"));
    return { key: found[1] };
  },
  draws: onTape((fields) => {
    const gamma = fields.gamma();
    const [rule, size] = [drawRule(gamma, fields.retention(gamma)), fields.integer("size", 0)];
    return (tape) => tape.bigBelow(rule.m, size).map((r) => drawOf(r, rule));
  }),
  read_table(fields) {
    const table = csv(fields);
    fields.finish();
    return table;
  },
  column_codes(fields) {
    const [column, missing] = [fields.text("column"), fields.has("missing") ? fields.text("missing") : null];
    const table = csv(fields);
    fields.finish();
    return codesOf(cellsOf(table, column), missing);
  },
  identities(fields) {
    const column = fields.has("id_column") ? fields.text("id_column") : null;
    const table = csv(fields);
    fields.finish();
    const hexOf = (list) => list.map((bytes) => bytes.toString("hex"));
    return { identities: hexOf(identitiesOf(table, column)), records: hexOf(recordsOf(table)) };
  },
  table_digest(fields) {
    const table = csv(fields);
    fields.finish();
    return { digest: contentDigest(table) };
  },
  manifest(fields) {
    const file = fields.bytes("file");
    fields.finish();
    return manifestOf(decoded(file));
  },
  conjunction(fields) {
    const gamma = fields.gamma();
    const p = fields.retention(gamma);
    const [y, f, n, rows] = ["both_count", "published_count", "predicate_count"].map((name) => fields.big(name, 0))
      .concat(fields.big("rows", 2));
    fields.finish();
    if (y > least(n, f) || n > rows || f - y > rows - n) refuse("no table has these counts");
    if (whole(f).compare(p.times(whole(rows))) >= 0) refuse("the value is too frequent");
    const { clipped, variance, holds } = conjunctionError(whole(y), whole(f), whole(n), whole(rows), whole(gamma), p);
    const held = [clipped.floor(), clipped.ceil()].filter((x) => holds(whole(x)));
    if (!held.length) refuse("the interval holds no whole number");
    let [low, high] = [held[0], held.at(-1)];
    while (low > 0n && holds(whole(low - 1n))) low -= 1n;
    while (high < n && holds(whole(high + 1n))) high += 1n;
    if (holds(whole(0n))) low = 0n;
    if (holds(whole(n))) high = n;
    return { estimate: String(clipped), variance: String(variance(clipped)), interval: [json(low), json(high)] };
  },
  release_key(fields) {
    const [key, mechanism, facts] = [fields.bytes("key"), fields.text("mechanism"), fields.take("facts")];
    if (!Array.isArray(facts) || facts.some((fact) => textsOf(fact, "facts").length !== 2)) refuse("facts is not a list of pairs");
    if (new Set(facts.map(([name]) => name)).size < facts.length) refuse("a parameter is given twice");
    const sensitive = textsOf(fields.take("sensitive"), "sensitive");
    const made = context(fields, { mechanism, facts, sensitive });
    fields.finish();
    const { table, message, releaseKey: derived } = releaseKey(key, made);
    return { table: table.toString("hex"), message: message.toString("hex"), release_key: derived.toString("hex") };
  },
  keyed(fields) {
    const [key, column, identities] = [fields.bytes("release_key"), fields.text("column"), byteLists(fields, "identities")];
    const [codes, bound, remainder] = [fields.integers("codes"), fields.big("bound", 1), fields.integer("remainder", 0)];
    fields.finish();
    const records = new Keyed(key, column, identities);
    if (codes.length !== identities.length || remainder > codes.length) refuse("the numbers do not agree");
    return {
      order_within: records.order(codes),
      permutation: records.permutation(codes.length),
      subset: records.subset(codes.length, remainder),
      below: records.bigBelow(bound).map(json),
    };
  },
  plan_secret(fields) {
    const [key, column] = [fields.bytes("release_key"), fields.text("column")];
    const [block, size] = [fields.integer("block", 0), fields.integer("size", 0)];
    fields.finish();
    const stream = new Keyed(key, column, []).planSecret().block(broken.has("first-stream-again") ? 0 : block);
    return { bytes: stream.read(size).toString("hex") };
  },
  plan(fields) {
    const [histogram, gamma, method] = [fields.integers("histogram", -Infinity), fields.gamma(), fields.word("method", METHODS)];
    const tape = new Tape(method === "mixed" ? fields.bytes("tape") : Buffer.alloc(0));
    fields.finish();
    const passes = [];
    const groups = groupsOf(method, histogram, gamma, tape, passes);
    if (method !== "mixed") return { groups };
    return { groups, consumed: tape.consumed, ...(blockCount(method, groups.length) === 1 ? { passes } : {}) };
  },
  publish(fields) {
    const [codes, ...rest] = table(fields);
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    const { rows, published, suppressed, steps } = release([codes], ...rest, tape);
    return { published: published[0], consumed: tape.consumed, rows, suppressed, ...steps };
  },
  release(fields) {
    const columns = fields.take("sensitive");
    if (!Array.isArray(columns) || !columns.length) refuse("sensitive is not a list of columns");
    for (const column of columns) integersOf(column, "sensitive", 0);
    if (columns.some((column) => column.length !== columns[0].length)) refuse("the columns differ in length");
    const gamma = fields.gamma();
    const [method, retention] = [fields.word("method", METHODS), fields.retention(gamma)];
    const law = fields.law(retention, gamma);
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    const { rows, published, suppressed } = release(columns, gamma, method, retention, law, tape);
    return { rows, published, suppressed, consumed: tape.consumed };
  },
  publish_keyed(fields) {
    const [codes, ...rest] = table(fields);
    const [gamma, method, retention, law] = rest;
    const facts = [["gamma", String(gamma)], ["retention", String(retention)], ["plan", method]];
    if (law) facts.push(["draws", law.text]);
    const [key, column, identities] = [fields.bytes("key"), fields.text("column"), byteLists(fields, "identities")];
    const made = context(fields, { mechanism: "SPLU-Gen", facts, sensitive: [column] });
    fields.finish();
    const source = new Keyed(releaseKey(key, made).releaseKey, column, identities);
    if ([identities, made.records].some((list) => list.length !== codes.length)) refuse("the numbers do not agree");
    const { rows, published, suppressed } = release([codes], ...rest, source);
    return { published: published[0], rows, suppressed };
  },
  publish_random(fields) {
    const [codes, ...rest] = table(fields);
    const times = fields.integer("times", 1);
    fields.finish();
    const source = new System();
    const done = Array.from({ length: times }, () => release([codes], ...rest, source));
    return { published: done.map((each) => each.published[0]), rows: done.map((each) => each.rows) };
  },
  publish_two_tables(fields) {
    const [codes, gamma, method] = [fields.integers("sensitive"), fields.gamma(), fields.word("method", METHODS)];
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return { ...twoTables(codes, gamma, method, tape), consumed: tape.consumed };
  },
  publish_distribution_based(fields) {
    const codes = fields.integers("sensitive");
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    if (!codes.length) refuse("there are no records");
    const sorted = [...codes].sort((a, b) => a - b);
    const drawn = tape.below(codes.length, codes.length).map((place) => sorted[place]);
    const rows = tape.permutation(codes.length);
    return { published: rows.map((record) => drawn[record]), rows, consumed: tape.consumed };
  },
  publish_counts(fields) {
    const [counts, budget] = [fields.integers("counts"), budgetOf(fields.text("budget"))];
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    if (!counts.length) refuse("there are no counts");
    const noise = () => { const up = geometric(budget, tape); return up - geometric(budget, tape); };
    return { counts: counts.map((count) => json(BigInt(count) + noise())), consumed: tape.consumed };
  },
  publish_retention(fields) {
    const asked = retainedColumns(fields);
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return { ...retained(asked, () => tape), consumed: tape.consumed };
  },
  publish_retention_keyed(fields) {
    const asked = retainedColumns(fields);
    const [key, identities] = [fields.bytes("key"), byteLists(fields, "identities")];
    const sensitive = asked.columns.map(({ column }) => column);
    const made = context(fields, { mechanism: RETAINED, facts: asked.facts, sensitive });
    fields.finish();
    if ([identities, made.records].some((list) => list.length !== asked.columns[0].cells.length)) refuse("the numbers do not agree");
    const { releaseKey: derived } = releaseKey(key, made);
    const { published, rows, facts } = retained(asked, (column) => new Keyed(derived, column, identities));
    return { published, rows, facts };
  },
  publish_swap(fields) {
    const columns = fields.take("sensitive");
    if (!Array.isArray(columns) || !columns.length) refuse("sensitive is not a list of columns");
    for (const column of columns) integersOf(column, "sensitive", 0);
    if (columns[0].length < 2 || columns.some((column) => column.length !== columns[0].length)) refuse("give as many codes in each column, two or more");
    const p = share(fields.take("retention"), "retention");
    if (p.q > 1n << 63n) refuse("too many digits to draw by");
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return { ...swapped(columns, p, tape), consumed: tape.consumed };
  },
  publish_operator(fields) {
    const [codes, matrix] = [fields.integers("sensitive"), matrixOf(fields)];
    const shuffled = fields.word("order", ["kept", "shuffled"]) === "shuffled";
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return { ...operated(matrix, codes, shuffled, tape), consumed: tape.consumed };
  },
  publish_pg(fields) {
    const codes = fields.integers("sensitive");
    const quasi = fields.take("quasi");
    if (!Array.isArray(quasi) || !quasi.length) refuse("quasi is not a list of columns");
    const columns = quasi.map((column) => integersOf(column, "quasi", 0));
    const [least, values] = [fields.integer("least", 1), fields.integer("values", 2)];
    const p = fields.positive("retention");
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return { ...chosenOfGroups(codes, columns, least, values, p, tape), consumed: tape.consumed };
  },
  permanent_posterior(fields) {
    const rows = rowsOf(fields, "likelihoods");
    fields.finish();
    if (rows.length !== rows[0].length || rows.length > 8) refuse("no group of up to eight records");
    return assigned(rows);
  },
  publish_alpha_beta(fields) {
    const columns = declaredColumns(fields, false);
    const [alpha, beta] = [fields.positive("alpha"), fields.exact("beta")];
    if (beta.compare(ZERO) < 0 || alpha.plus(beta).compare(ONE) > 0) refuse("alpha and beta are no chances");
    const tape = new Tape(fields.bytes("tape"));
    fields.finish();
    return publishedTuples(columns, alpha, beta)(tape);
  },
  entropy_loss(fields) {
    const tables = fields.take("tables");
    if (!Array.isArray(tables) || !tables.length) refuse("tables is not a list of tables");
    for (const values of tables) integersOf(values, "tables", 0);
    const prior = textsOf(fields.take("prior"), "prior").map((text) => parseExact(text, "prior"));
    const matrix = matrixOf(fields);
    fields.finish();
    if (!tables[0].length || tables.some((values) => values.length !== tables[0].length)) refuse("tables of other lengths");
    if (new Set(tables.map(String)).size < tables.length) refuse("a table stands there twice");
    if (prior.length !== tables.length || matrix.length !== tables.length) refuse("the numbers of tables do not agree");
    return entropyLosses(tables, sharesOf(prior, tables.length), matrix);
  },
  channel_inverse(fields) {
    const matrix = matrixOf(fields);
    fields.finish();
    return inverted(matrix);
  },
  amplification(fields) {
    const matrix = matrixOf(fields);
    fields.finish();
    const { ratio, ...places } = amplified(matrix);
    return { amplification: ratio && String(ratio), ...places };
  },
  breach_profile(fields) {
    const [matrix, rho1, rho2] = [matrixOf(fields), fields.exact("rho1"), fields.exact("rho2")];
    const counts = fields.has("counts") ? fields.integers("counts") : null;
    fields.finish();
    if (rho1.compare(ZERO) <= 0 || rho1.compare(rho2) >= 0 || rho2.compare(ONE) >= 0) refuse("no levels of a breach");
    if (counts) {
      if (counts.length !== matrix.length || !counts.some((count) => count > 0)) refuse("no histogram of the rows");
      const worst = worstProperty(matrix, counts, rho1);
      if (!worst) return { posterior: null, breach: false };
      const { posterior, prior, published } = worst;
      return { posterior: String(posterior), breach: posterior.compare(rho2) >= 0, prior: String(prior), published };
    }
    const { ratio } = amplified(matrix);
    const lifted = ratio && ratio.times(rho1);
    const posterior = lifted ? lifted.over(lifted.plus(ONE.minus(rho1))) : ONE;
    return { posterior: String(posterior), breach: posterior.compare(rho2) >= 0 };
  },
  estimate(fields) {
    const method = fields.word("method", ["mle", "exact"]);
    const gamma = BigInt(fields.gamma());
    const published = fields.big("published_count", 0);
    if (method === "mle") {
      const bound = fields.has("bound") ? fields.big("bound", 0) : published;
      fields.finish();
      return { estimate: String(least(published, bound)) };
    }
    const [y, n, rows] = [fields.big("both_count", 0), fields.big("predicate_count", 0), fields.big("rows", 1)];
    fields.finish();
    if (y > least(n, published) || n > rows || published - y > rows - n) refuse("no table has these counts");
    if (published * gamma >= rows) refuse("the value is too frequent");
    return { estimate: String(closedForm(y, published, n, rows, gamma)) };
  },
  interval(fields) {
    const [published, gamma, confidence] = [fields.integer("published_count", 0), fields.gamma(), fields.exact("confidence")];
    fields.finish();
    return { interval: interval(published, gamma, confidence) };
  },
  transition(fields) {
    return { matrix: { "two-state": twoStates, "per-value": perValue }[fields.word("model", ["two-state", "per-value"])](fields) };
  },
  error_probability(fields) {
    const [gamma, epsilon, f] = [fields.gamma(), fields.positive("epsilon"), fields.integer("frequency", 1)];
    const p = fields.retention(gamma);
    fields.finish();
    return { probability: String(errorProbability(gamma, epsilon, f, false, p)) };
  },
  privacy_minimum(fields) {
    const [gamma, epsilon, alpha] = [fields.gamma(), fields.positive("epsilon"), fields.integer("alpha", 1)];
    const p = fields.has("retention") ? fields.retention(gamma) : undefined;
    fields.finish();
    const [strict, definition] = [leastError(gamma, epsilon, alpha, true, p), leastError(gamma, epsilon, alpha, false, p)];
    return {
      t_p: String(strict.value), argmin: strict.f,
      t_p_definition: String(definition.value), argmin_definition: definition.f,
    };
  },
  utility_threshold(fields) {
    const [gamma, epsilon, allowed] = [fields.gamma(), fields.positive("epsilon"), fields.exact("t_e")];
    const p = fields.retention(gamma);
    fields.finish();
    return { threshold: utilityThreshold(gamma, epsilon, allowed, p) };
  },
  concept_error(fields) { return { probability: String(conceptError(fields)) }; },
  certificate(fields) {
    const text = fields.text("text");
    fields.finish();
    return { verdict: verdict(text) };
  },
};

// JSON.parse makes one number of 5, 5.0 and 5e0, of which no field takes the last two, and Infinity of 1e309.
function parsedLine(text) {
  const request = JSON.parse(text);
  const marked = text.replace(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g, (found) => {
    if (found[0] === '"') return found;
    if (!Number.isFinite(Number(found))) throw new SyntaxError("the number is too large");
    return /[.eE]/.test(found) ? "null" : found;
  });
  return marked === text ? request : JSON.parse(marked);
}

function answer(line) {
  let request;
  try {
    request = parsedLine(utf8.decode(line));
  } catch {
    request = null;
  }
  if (request === null || typeof request !== "object" || Array.isArray(request) || typeof request.op !== "string") {
    throw new Refusal("malformed", "not an object with an operation");
  }
  if (request.op === "describe") {
    new Fields(request).finish();
    const features = [
      "anatomy", "cyclic", "mixed", "retention", "draws", "mle", "exact", "two-state", "per-value", "large-integers",
    ];
    return { ops: Object.keys(OPERATIONS), name: "splu.js", version: "1", features };
  }
  if (!Object.hasOwn(OPERATIONS, request.op)) throw new Refusal("unsupported", "no such operation");
  return OPERATIONS[request.op](new Fields(request));
}

// Lines end with a line feed alone, and are UTF-8 or malformed.
async function* lines() {
  let rest = Buffer.alloc(0);
  for await (const chunk of process.stdin) {
    rest = Buffer.concat([rest, chunk]);
    for (let end; (end = rest.indexOf(10)) >= 0; rest = rest.subarray(end + 1)) yield rest.subarray(0, end);
  }
  if (rest.length) yield rest;
}

for await (const line of lines()) {
  let result;
  try {
    result = answer(line);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (broken.has("exit-on-invalid")) process.exit(3);
    result = { error: { kind: broken.has("wrong-kind") ? "invalid" : error.kind, message: error.message } };
  }
  if (broken.has("stderr-flood")) process.stderr.write("x".repeat(100_000));
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
