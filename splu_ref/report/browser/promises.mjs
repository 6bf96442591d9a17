// What SPLU-Gen promises, and its certificates, in exact arithmetic: written from the pages under docs/specification
// alone, without a dependency, for a browser as for a server.

// ---- errors --------------------------------------------------------------------------------------------

export class Refusal extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}
export const refuse = (message) => { throw new Refusal("parameter", message); };

// ---- exact fractions -----------------------------------------------------------------------------------

export const abs = (n) => (n < 0n ? -n : n);
export function gcd(a, b) {
  [a, b] = [abs(a), abs(b)];
  while (b) [a, b] = [b, a % b];
  return a;
}
const floorDiv = (a, b) => a / b - (a % b !== 0n && (a < 0n) !== (b < 0n) ? 1n : 0n);
const ceilDiv = (a, b) => -floorDiv(-a, b);

export class Fraction {
  constructor(p, q = 1n) {
    const common = gcd(p, q) * (q < 0n ? -1n : 1n);
    this.p = p / common;
    this.q = q / common;
  }
  plus(o) { return new Fraction(this.p * o.q + o.p * this.q, this.q * o.q); }
  minus(o) { return new Fraction(this.p * o.q - o.p * this.q, this.q * o.q); }
  times(o) { return new Fraction(this.p * o.p, this.q * o.q); }
  over(o) { return new Fraction(this.p * o.q, this.q * o.p); }
  compare(o) { const d = this.p * o.q - o.p * this.q; return d < 0n ? -1 : d > 0n ? 1 : 0; }
  floor() { return floorDiv(this.p, this.q); }
  ceil() { return ceilDiv(this.p, this.q); }
  toString() { return this.q === 1n ? `${this.p}` : `${this.p}/${this.q}`; }
}
export const ZERO = new Fraction(0n);
export const ONE = new Fraction(1n);
export const whole = (n) => new Fraction(BigInt(n));
export const least = (a, b) => (a < b ? a : b);

export function parseExact(text, name) {
  if (typeof text !== "string") refuse(`${name} is not a text`);
  let match = /^(-?)(\d+)\/(\d+)$/.exec(text);
  if (match) {
    if (BigInt(match[3]) === 0n) refuse(`${name} has the denominator 0`);
    return new Fraction(BigInt(match[1] + match[2]), BigInt(match[3]));
  }
  match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) refuse(`${name} is not a number`);
  const digits = match[3] ?? "";
  return new Fraction(BigInt(match[1] + match[2] + digits), 10n ** BigInt(digits.length));
}

// ---- the law of the published count ----------------------------------------------------------------------

// Terms C(n, x) (gamma - 1)^(n - x) for x = 0 … n; over gamma^n they are the probabilities of f'.
export function terms(n, gamma) {
  const others = BigInt(gamma) - 1n;
  let term = others ** BigInt(n);
  const list = [term];
  for (let x = 1; x <= n; x += 1) {
    term = (term * BigInt(n - x + 1)) / (BigInt(x) * others);
    list.push(term);
  }
  return list;
}

export const sum = (list) => list.reduce((total, term) => total + term, 0n);
export const power = (base, exponent) => BigInt(base) ** BigInt(exponent);

// The least distance from f that is an error.
function errorDistance(epsilon, f, strict) {
  const product = epsilon.times(whole(f));
  return Number(strict ? product.floor() + 1n : product.ceil());
}

// The counts that are no error of distance j: the first and the last.
const inside = (gamma, f, j) => [Math.max(0, f - j + 1), Math.min(gamma * f, f + j - 1)];

// The first count of the run of counts whose error has the distance j, and the first after it.
function runStart(epsilon, j, strict) {
  const before = whole(j - 1).over(epsilon);
  return Math.max(1, Number(strict ? before.ceil() : before.floor() + 1n));
}
const nextRun = (epsilon, f, strict) => runStart(epsilon, errorDistance(epsilon, f, strict) + 1, strict);

// Work is counted, in bits of all terms that are added up, and told; whoever asks may bound it.
export class TooLarge extends Error {}
const work = { done: 0, most: Infinity, tell: () => {} };
export function bounded(most, tell, task) {
  Object.assign(work, { done: 0, most, tell });
  try {
    return task();
  } finally {
    Object.assign(work, { most: Infinity, tell: () => {} });
  }
}
export function spend(bits, times) {
  work.done += (bits + 4096) * times;
  if (work.done > work.most) throw new TooLarge("too much work");
  work.tell(work.done);
}

// The law of f' with a retention p: one whole, and the numerators over it. Without a retention f' is Bin(gamma f, 1/gamma).
function countLaw(gamma, f, p) {
  const n = gamma * f;
  spend(n * (p ? p.q * BigInt(gamma) : BigInt(gamma)).toString(2).length, 2);
  if (!p || (p.p === 1n && p.q === BigInt(gamma))) {
    const all = power(gamma, n);
    return { all, base: BigInt(gamma), added: (first, last) => addedPlainly(n, BigInt(gamma) - 1n, first, last) };
  }
  const q = ONE.minus(p).over(whole(gamma - 1));
  return { all: power(p.q, f) * power(q.q, n - f), base: p.q * q.q, added: (first, last) => added(f, p, n - f, q, first, last) };
}

// The product of the whole numbers from one to another, of which small ones are multiplied with small ones.
function product(from, to) {
  if (to - from > 8) {
    const middle = Math.floor((from + to) / 2);
    return product(from, middle) * product(middle + 1, to);
  }
  let result = 1n;
  for (let factor = from; factor <= to; factor += 1) result *= BigInt(factor);
  return result;
}

// The sum of C(n, x) others^(n - x) for x = first … last.
function addedPlainly(n, others, first, last) {
  if (first > last) return 0n;
  spend(n * others.toString(2).length, last - first + 1);
  let term = (product(n - first + 1, n) / product(1, first)) * others ** BigInt(n - first);
  let total = term;
  for (let x = first; x < last; x += 1) {
    term = (term * BigInt(n - x)) / (BigInt(x + 1) * others);
    total += term;
  }
  return total;
}

// The same sum of coefficients of P = (a + b z)^f (c + d z)^m. From P' (a + b z) (c + d z) = P (f b (c + d z) + m d (a + b z)),
// compared at z^k, each coefficient follows from the two before it.
function added(f, p, m, q, first, last) {
  const [a, b, c, d] = [p.q - p.p, p.p, q.q - q.p, q.p];
  if (a === 0n) return first <= f && f <= last ? 1n : 0n;
  spend(2 * (f * p.q.toString(2).length + m * q.q.toString(2).length), last + 1);
  const [size, others] = [BigInt(f), BigInt(m)];
  let [before, term] = [0n, a ** size * c ** others];
  let total = 0n;
  for (let x = 0; x <= last; x += 1) {
    if (x >= first) total += term;
    const k = BigInt(x);
    const next = term * (size * b * c + others * d * a - k * (a * d + b * c)) + before * b * d * (size + others - k + 1n);
    [before, term] = [term, next / ((k + 1n) * a * c)];
  }
  return total;
}

function errorNumerator(gamma, epsilon, f, strict, p) {
  const { all, added: upTo } = countLaw(gamma, f, p);
  return all - upTo(...inside(gamma, f, errorDistance(epsilon, f, strict)));
}

// A fraction in lowest terms whose whole is a product of powers of the factors of `base`.
function lowest(numerator, all, base) {
  let [p, q] = [numerator, all];
  for (;;) {
    const shared = gcd(p % base, base);
    const common = gcd(q % shared, shared);
    if (common === 1n) return Object.assign(Object.create(Fraction.prototype), { p, q });
    [p, q] = [p / common, q / common];
  }
}

export function errorProbability(gamma, epsilon, f, strict = false, p = undefined) {
  const { all, base } = countLaw(gamma, f, p);
  return lowest(errorNumerator(gamma, epsilon, f, strict, p), all, base);
}

// The sign of the error probability at f less a number.
export function comparedAt(gamma, epsilon, f, p, number) {
  const difference = errorNumerator(gamma, epsilon, f, false, p) * number.q - number.p * countLaw(gamma, f, p).all;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

// The mean of several releases errs at f as one published count does at as many times f.
export function leastError(gamma, epsilon, alpha, strict, p, releases = 1) {
  let best;
  const pooled = epsilon.times(whole(releases));
  // The error does not fall while its distance stays the same: the first count of each run will do.
  for (let f = 1; f <= alpha; f = nextRun(pooled, f, strict)) {
    const at = releases * f;
    const [numerator, all] = [errorNumerator(gamma, epsilon, at, strict, p), countLaw(gamma, at, p).all];
    if (!best || numerator * best.all < best.numerator * all) best = { numerator, all, f };
  }
  return { value: lowest(best.numerator, best.all, countLaw(gamma, best.f, p).base), f: best.f };
}

// The first count up to alpha whose error is less likely than a number, or null.
export function firstBelow(gamma, epsilon, alpha, number, p, releases = 1) {
  const pooled = epsilon.times(whole(releases));
  for (let f = 1; f <= alpha; f = nextRun(pooled, f, false)) {
    if (comparedAt(gamma, epsilon, releases * f, p, number) < 0) return f;
  }
  return null;
}

export function chebyshevThreshold(gamma, epsilon, allowed, p) {
  const square = epsilon.times(epsilon).times(allowed);
  const q = ONE.minus(p).over(whole(gamma - 1));
  const variance = p.times(ONE.minus(p)).plus(whole(gamma - 1).times(q).times(ONE.minus(q)));
  const f = variance.over(square).ceil();
  return f < 1n ? 1n : f;
}

// A count from which on the error is bounded: by Chernoff's inequality or, where that is sooner, by Chebyshev's.
function boundedFrom(gamma, epsilon, allowed, p) {
  const sides = [true, false].filter((upper) => epsilon.compare(whole(upper ? gamma - 1 : 1)) <= 0)
    .map((upper) => [upper, ...tilt(gamma, epsilon, upper, p)]);
  const holds = (from) => {
    spend(gamma * from * 11, 50);
    const bounds = sides.map(([upper, a, b]) => tailBound(gamma, epsilon, from, upper, a, b, p).value ?? ZERO);
    return bounds.reduce((total, bound) => total.plus(bound), ZERO).compare(allowed) <= 0;
  };
  const most = chebyshevThreshold(gamma, epsilon, allowed, p);
  let [low, high] = [0, 1];
  while (BigInt(high) < most && !holds(high)) [low, high] = [high, 2 * high];
  if (BigInt(high) >= most) high = Number(most);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

// A number z near the one that makes Chernoff's bound least, as a ratio; any one proves a bound.
function tilt(gamma, epsilon, upper, p) {
  const [own, ratio] = [Number(p.p) / Number(p.q), Number(epsilon.p) / Number(epsilon.q)];
  const other = (1 - own) / (gamma - 1);
  const bound = (log) => {
    const step = Math.expm1(log);
    return Math.log1p(own * step) + (gamma - 1) * Math.log1p(other * step) - (upper ? 1 + ratio : 1 - ratio) * log;
  };
  let [left, right] = upper ? [0, 12] : [-12, 0];
  for (let turn = 0; turn < 60; turn += 1) {
    const [one, two] = [left + (right - left) / 3, right - (right - left) / 3];
    if (bound(one) < bound(two)) right = two;
    else left = one;
  }
  if (!upper && epsilon.compare(ONE) === 0) return [0n, 1n];
  const scale = upper ? 1024 : 1024 * Math.ceil(Math.exp(-left));
  const found = new Fraction(BigInt(Math.round(Math.exp(left) * scale)), BigInt(scale));
  return [found.p, found.q];
}

// Chernoff's bound of a tail at a count, by the tilt a/b, rounded up: it bounds the tail at every later count as well.
function tailBound(gamma, epsilon, from, upper, a, b, p) {
  const k = Number(upper ? ONE.plus(epsilon).times(whole(from)).floor() : ONE.minus(epsilon).times(whole(from)).ceil());
  if (upper ? a < b : a > b || (a === 0n && k > 0)) isFalse("the tilt is on the wrong side of 1");
  const [step, own] = [new Fraction(a, b).minus(ONE), p ?? new Fraction(1n, BigInt(gamma))];
  const base = ONE.plus(own.times(step));
  const others = ONE.plus(ONE.minus(own).over(whole(gamma - 1)).times(step));
  const [top, bottom] = [base.p ** BigInt(from) * others.p ** BigInt((gamma - 1) * from), base.q ** BigInt(from) * others.q ** BigInt((gamma - 1) * from)];
  return rounded(top * power(b, k), bottom * power(a, k), true);
}

export function utilityThreshold(gamma, epsilon, allowed, p) {
  if (allowed.compare(ZERO) < 0 || allowed.compare(ONE) > 0) refuse("t_e is not a probability");
  if (epsilon.compare(whole(gamma - 1)) > 0 || allowed.compare(ONE) === 0) return 1;
  if (allowed.compare(ZERO) === 0) refuse("no count is so accurate");
  let f = boundedFrom(gamma, epsilon, allowed, p);
  // Below this count, the last one of a run of one distance decides for all of it.
  while (f > 1 && comparedAt(gamma, epsilon, f - 1, p, allowed) <= 0) {
    f = runStart(epsilon, errorDistance(epsilon, f - 1, false), false);
  }
  return f;
}

// ---- certificates.md -------------------------------------------------------------------------------------

class Unreadable extends Error {}
class FalseClaim extends Error {}
const unreadable = (message) => { throw new Unreadable(message); };
const isFalse = (message) => { throw new FalseClaim(message); };

// A reader of JSON that refuses keys that stand twice, and numbers outside of texts.
function readCertificate(text) {
  if (new TextEncoder().encode(text).length > 4_000_000) unreadable("too long");
  let place = 0;
  const space = () => { while (/[ \t\n\r]/.test(text[place] ?? "")) place += 1; };
  const expect = (letter) => { space(); if (text[place] !== letter) unreadable("not JSON"); place += 1; };
  const peek = () => { space(); return text[place]; };
  const string = () => {
    space();
    const match = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
    match.lastIndex = place;
    const found = match.exec(text);
    if (!found) unreadable("not JSON");
    place = match.lastIndex;
    return JSON.parse(found[0]);
  };
  const value = (depth) => {
    if (depth > 50) unreadable("nested too deeply");
    const next = peek();
    if (next === '"') return string();
    if (next === "n" && text.startsWith("null", place)) { place += 4; return null; }
    if (next === "[") {
      const list = [];
      expect("[");
      if (peek() === "]") { expect("]"); return list; }
      do { list.push(value(depth + 1)); } while (peek() === "," && (place += 1));
      expect("]");
      return list;
    }
    if (next === "{") {
      const object = new Map();
      expect("{");
      if (peek() === "}") { expect("}"); return object; }
      do {
        const key = string();
        if (object.has(key)) unreadable("a key stands twice");
        expect(":");
        object.set(key, value(depth + 1));
      } while (peek() === "," && (place += 1));
      expect("}");
      return object;
    }
    return unreadable("not JSON, or a number outside a text");
  };
  const result = value(0);
  if (peek() !== undefined) unreadable("not JSON");
  return result;
}

function object(value, keys) {
  if (!(value instanceof Map) || value.size !== keys.length || !keys.every((key) => value.has(key))) {
    unreadable(`not an object with the keys ${keys}`);
  }
  return value;
}

function matched(value, pattern) {
  if (typeof value !== "string" || !pattern.test(value)) unreadable(`${value} is not of the form ${pattern}`);
  return value;
}

function wholeParameter(parameters, name, least) {
  const value = Number(matched(parameters.get(name), /^[1-9]\d{0,11}$/));
  if (value < least) unreadable(`${name} is below ${least}`);
  return value;
}

function fractionParameter(parameters, name, most) {
  const text = matched(parameters.get(name), /^(0|[1-9]\d{0,399}(\/[1-9]\d{0,399})?)$/);
  const value = parseExact(text, name);
  if (String(value) !== text || (most && value.compare(most) > 0) || (!most && value.p === 0n)) {
    unreadable(`${name} is not in lowest terms or out of range`);
  }
  return value;
}

const hex = (value) => BigInt("0x" + matched(value, /^(0|[1-9a-f][0-9a-f]{0,63})$/));
const minimum = (a, b) => (a < b ? a : b);

function isqrt(n) {
  let root = BigInt(Math.floor(Math.sqrt(Number(n))));
  while (root * root > n) root -= 1n;
  while ((root + 1n) * (root + 1n) <= n) root += 1n;
  return root;
}

const lengthOf = (n) => BigInt(n.toString(2).length);

function refuseLarge(gamma, f, epsilon, sums, p) {
  const [g, largest] = [BigInt(gamma), BigInt(f)];
  const trials = g * largest;
  if (p) {
    const q = ONE.minus(p).over(whole(gamma - 1));
    const [w, t] = [lengthOf(p.q), lengthOf(q.q)];
    const [all, terms] = [largest * w + (trials - largest) * t, minimum(trials, largest + epsilon.times(whole(f)).floor() + 1n) + 1n];
    const digits = 1n + (w + t + lengthOf(trials)) / 30n;
    const sizes = all > 4_000_000n || all * terms * digits * (BigInt(sums) + 2n) > 200_000_000_000n;
    if (trials > 1_000_000n || sizes || terms * BigInt(sums) > 40_000_000n) unreadable("too large");
    return;
  }
  const bits = trials * BigInt(g.toString(2).length);
  const window = minimum(trials, epsilon.times(new Fraction(2n * largest)).floor()) + 3n;
  const tail = whole(266).times(ONE.plus(epsilon)).over(epsilon).floor() + 2n;
  const work = BigInt(sums) * 2n * minimum(400n + 28n * isqrt(largest), tail);
  if (trials > 1_000_000n || bits > 4_000_000n || bits * window > 60_000_000_000n || work > 40_000_000n) {
    unreadable("too large");
  }
}

// p/q rounded to mantissa / 2^shift with a mantissa of 256 bits.
function rounded(p, q, up) {
  if (p === 0n) return { mantissa: "0", shift: "0" };
  let shift = 256 - p.toString(2).length + q.toString(2).length;
  for (;;) {
    const [top, bottom] = shift >= 0 ? [p << BigInt(shift), q] : [p, q << BigInt(-shift)];
    let mantissa = up ? ceilDiv(top, bottom) : top / bottom;
    if (mantissa.toString(2).length > 256 && !(up && mantissa === 1n << 256n)) { shift -= 1; continue; }
    if (mantissa === 1n << 256n) { mantissa >>= 1n; shift -= 1; }
    if (shift < 0) isFalse("a bound far above 1");
    return { mantissa: mantissa.toString(16), shift: shift.toString(16), value: new Fraction(mantissa, 1n << BigInt(shift)) };
  }
}

// Twelve significant digits, fewer only where that is exact.
export function decimal(value, up) {
  if (value.p === 0n) return "0";
  let place = 0;
  for (let { p } = value; p < value.q; p *= 10n) place -= 1;
  const [top, bottom] = [value.p * 10n ** BigInt(11 - place), value.q];
  let digits = up ? ceilDiv(top, bottom) : top / bottom;
  const exactly = top % bottom === 0n;
  if (digits === 10n ** 12n) { digits /= 10n; place += 1; }
  const text = exactly ? digits.toString().replace(/0+$/, "") : digits.toString();
  if (place >= -6 && place < 0) return `0.${"0".repeat(-place - 1)}${text}`;
  const mantissa = text[0] + (text.length > 1 ? `.${text.slice(1)}` : "");
  return place === 0 ? mantissa : `${mantissa}e${place}`;
}

function windowOf(gamma, f, j) {
  const [first, last] = inside(gamma, f, j);
  return { f: f.toString(16), first: first.toString(16), last: last.toString(16) };
}

function entry(gamma, epsilon, f, strict, up, p) {
  const { mantissa, shift, value } = rounded(errorNumerator(gamma, epsilon, f, strict, p), countLaw(gamma, f, p).all, up);
  return { json: { ...windowOf(gamma, f, errorDistance(epsilon, f, strict)), mantissa, shift }, value };
}

// A retention is a parameter only where it is not 1/gamma.
function retentionParameter(parameters, gamma) {
  if (!parameters.has("retention")) return [undefined, `With gamma = ${gamma}`, " and"];
  const p = fractionParameter(parameters, "retention", ONE);
  if (p.p === 0n || p.compare(ONE) === 0 || (p.p === 1n && p.q === BigInt(gamma))) unreadable("no retention");
  return [p, `With gamma = ${gamma} and retention = ${p}`, `, retention = ${p} and`];
}

const CLAIMS = {
  "small-sum-privacy": [["gamma", "epsilon", "alpha"], (parameters, given) => {
    const [gamma, alpha] = [wholeParameter(parameters, "gamma", 2), wholeParameter(parameters, "alpha", 1)];
    const epsilon = fractionParameter(parameters, "epsilon");
    const runs = minimum(BigInt(alpha), epsilon.times(whole(alpha)).floor() + 1n);
    const [p, setting] = retentionParameter(parameters, gamma);
    refuseLarge(gamma, alpha, epsilon, 2n * runs, p);
    const evidence = {};
    const words = [];
    for (const [form, sign] of [["theorem_4", ">"], ["definition_2", ">="]]) {
      const strict = sign === ">";
      const starts = [];
      for (let f = 1; f <= alpha; f += 1) {
        if (f === 1 || errorDistance(epsilon, f, strict) !== errorDistance(epsilon, f - 1, strict)) starts.push(f);
      }
      const listed = object(object(given, ["theorem_4", "definition_2"]).get(form), ["argmin", "numerator", "candidates"]);
      if (listed.get("candidates")?.length !== starts.length) isFalse("another number of candidates");
      const candidates = starts.map((f) => entry(gamma, epsilon, f, strict, false, p).json);
      const { value, f } = leastError(gamma, epsilon, alpha, strict, p);
      const numerator = errorNumerator(gamma, epsilon, f, strict, p).toString(16);
      evidence[form] = { argmin: f.toString(16), numerator, candidates };
      words.push(`|f' - f| ${sign} (${epsilon}) f has a probability of at least ${decimal(value, false)}, least at f = ${f}`);
    }
    return [`${setting}, for every count f from 1 to ${alpha}: ${words.join("; ")}.`, evidence];
  }],
  "error-probability": [["gamma", "epsilon", "frequency"], (parameters, given) => {
    const [gamma, f] = [wholeParameter(parameters, "gamma", 2), wholeParameter(parameters, "frequency", 1)];
    const epsilon = fractionParameter(parameters, "epsilon");
    const [p, , more] = retentionParameter(parameters, gamma);
    refuseLarge(gamma, f, epsilon, 0n, p);
    const numerator = errorNumerator(gamma, epsilon, f, false, p);
    const value = decimal(errorProbability(gamma, epsilon, f, false, p), true);
    return [
      `With gamma = ${gamma}${more} the count f = ${f}: |f' - f| >= (${epsilon}) f has a probability of at most ${value}, which is exact or rounded up.`,
      { ...windowOf(gamma, f, errorDistance(epsilon, f, false)), numerator: numerator.toString(16) },
    ];
  }],
  "utility-threshold": [["gamma", "epsilon", "t_e", "t_f"], (parameters, evidence) => {
    const [gamma, threshold] = [wholeParameter(parameters, "gamma", 2), wholeParameter(parameters, "t_f", 1)];
    const epsilon = fractionParameter(parameters, "epsilon");
    const allowed = fractionParameter(parameters, "t_e", ONE);
    const [p, setting] = retentionParameter(parameters, gamma);
    const tail = object(object(evidence, ["violation", "ends", "tail"]).get("tail"), ["from", "upper", "lower"]);
    const start = hex(tail.get("from"));
    if (start < 1n) unreadable("the tail begins at 0");
    const gap = start > BigInt(threshold) ? start - BigInt(threshold) : 0n;
    const largest = start > BigInt(threshold) ? start : BigInt(threshold);
    refuseLarge(gamma, largest, epsilon, minimum(gap, epsilon.times(new Fraction(gap)).floor() + 1n), p);
    const from = Number(start);
    const sides = { from: from.toString(16), upper: null, lower: null };
    let bound = ZERO;
    for (const [side, extreme] of [["upper", gamma - 1], ["lower", 1]]) {
      if (epsilon.compare(whole(extreme)) > 0 || allowed.compare(ONE) === 0) continue;
      const given = object(tail.get(side), ["numerator", "denominator", "mantissa", "shift"]);
      const [a, b] = [hex(given.get("numerator")), hex(given.get("denominator"))];
      if (b === 0n || gcd(a, b) !== 1n) unreadable("the tilt is not in lowest terms");
      const upper = side === "upper";
      const result = tailBound(gamma, epsilon, from, upper, a, b, p);
      sides[side] = { numerator: a.toString(16), denominator: b.toString(16), mantissa: result.mantissa, shift: result.shift };
      bound = bound.plus(result.value);
    }
    if (bound.compare(allowed) > 0) isFalse("the tail is not bounded");
    let violation = null;
    let words = `of at most ${allowed} for every count f >= ${threshold}`;
    if (threshold > 1) {
      const f = threshold - 1;
      if (comparedAt(gamma, epsilon, f, p, allowed) <= 0) isFalse("the threshold is not the least");
      violation = { ...windowOf(gamma, f, errorDistance(epsilon, f, false)), numerator: errorNumerator(gamma, epsilon, f, false, p).toString(16) };
      words += `, and above ${allowed} at f = ${f}`;
    }
    const ends = [];
    for (let f = threshold; f < from; f += 1) {
      if (errorDistance(epsilon, f, false) === errorDistance(epsilon, f + 1, false)) continue;
      if (comparedAt(gamma, epsilon, f, p, allowed) > 0) isFalse(`at f = ${f} the probability is too large`);
      ends.push(entry(gamma, epsilon, f, false, true, p).json);
    }
    return [`${setting}: |f' - f| >= (${epsilon}) f has a probability ${words}.`, { violation, ends, tail: sides }];
  }],
};

function compare(found, computed) {
  if (Array.isArray(computed)) {
    if (!Array.isArray(found)) isFalse("no list");
    if (found.length !== computed.length) isFalse("another number of entries");
    computed.forEach((value, index) => compare(found[index], value));
  } else if (computed !== null && typeof computed === "object") {
    object(found, Object.keys(computed));
    for (const key of Object.keys(computed)) compare(found.get(key), computed[key]);
  } else if (found !== computed) isFalse("not what the arithmetic gives");
}

function parametersOf(value, names) {
  return object(value, value instanceof Map && value.has("retention") ? [...names, "retention"] : names);
}

// The verdict on a certificate, with the statement that was shown or the reason against it.
export function checked(text) {
  try {
    const top = object(readCertificate(text), ["schema", "claim", "parameters", "statement", "evidence", "produced_by"]);
    if (top.get("schema") !== "splu-ref/certificate/1" || !Object.hasOwn(CLAIMS, top.get("claim") ?? "")) unreadable("unknown");
    for (const value of object(top.get("produced_by"), ["version", "spec"]).values()) matched(value, /^[0-9A-Za-z.+-]{1,64}$/);
    const [names, compute] = CLAIMS[top.get("claim")];
    const [statement, evidence] = compute(parametersOf(top.get("parameters"), names), top.get("evidence"));
    compare(top.get("statement"), statement);
    compare(top.get("evidence"), evidence);
    return { verdict: "valid", reason: statement };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof Refusal) return { verdict: "unreadable", reason: error.message };
    if (error instanceof FalseClaim) return { verdict: "false", reason: error.message };
    throw error;
  }
}

export const verdict = (text) => checked(text).verdict;
