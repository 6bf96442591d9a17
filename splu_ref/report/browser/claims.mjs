// A file of claims, read and decided: the part of docs/auditing-claims.md that promises.mjs can compute.

import {
  Fraction, ONE, TooLarge, chebyshevThreshold, comparedAt, decimal, errorProbability, firstBelow, leastError,
  utilityThreshold, whole,
} from "./promises.mjs";

// ---- a part of TOML --------------------------------------------------------------------------------------

const MOST_BYTES = 131_072;
const MOST_CLAIMS = 100;
const MOST_RELEASES = 20;

export class Unusable extends Error {}
const unusable = (line, message) => { throw new Unusable(`line ${line}: ${message}`); };

const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

// A number written without quotes that is no whole number, as it stands in the file.
class Float {
  constructor(text) { this.text = text; }
}

// Tables, arrays of tables, and values of one line or in brackets; each value with the line of its key.
export function parsedToml(text) {
  const top = new Map();
  let table = top;
  const lines = text.split("\n").map((each) => each.replace(/\r$/, ""));
  let number = 0;
  let rest = "";
  const fail = (message) => unusable(number, message);
  const blank = () => { rest = rest.replace(/^[ \t]+/, ""); };
  const done = () => { blank(); return rest === "" || rest.startsWith("#"); };
  const take = (pattern) => {
    const found = pattern.exec(rest);
    if (found) rest = rest.slice(found[0].length);
    return found;
  };
  const quoted = () => {
    if (/^("""|''')/.test(rest)) fail("this page reads no text of several lines: write it on one");
    const literal = take(/^'([^'\u0000-\u0008\u000a-\u001f\u007f]*)'/);
    if (literal) return literal[1];
    const basic = take(/^"((?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\(?:[btnfr"\\]|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*)"/);
    if (!basic) return fail("a text is not closed, or has an unknown escape: mend the line");
    return basic[1].replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g, (_, short, long, letter) => {
      if (letter) return ESCAPES[letter];
      const point = parseInt(short ?? long, 16);
      if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) fail("an escape is no character: mend the line");
      return String.fromCodePoint(point);
    });
  };
  const key = () => {
    blank();
    const bare = take(/^[A-Za-z0-9_-]+/);
    const name = bare ? bare[0] : /^["']/.test(rest) ? quoted() : fail("a key is missing: mend the line");
    blank();
    if (rest.startsWith(".")) fail("this page reads no key with a point: write the table of its own");
    return name;
  };
  const value = (depth) => {
    blank();
    if (depth > 20) fail("brackets are nested too deeply");
    if (/^["']/.test(rest)) return quoted();
    if (rest.startsWith("{")) fail("this page reads no inline table: write the table of its own");
    if (rest.startsWith("[")) {
      rest = rest.slice(1);
      const list = [];
      const onward = () => {
        while (done()) {
          if (number >= lines.length) fail("an array is not closed: mend the file");
          rest = lines[number++];
        }
      };
      for (;;) {
        onward();
        if (take(/^\]/)) return list;
        list.push(value(depth + 1));
        onward();
        if (take(/^,/)) continue;
        if (!take(/^\]/)) fail("a comma is missing in an array: mend the line");
        return list;
      }
    }
    const word = take(/^[^\s,#\]}]+/)?.[0] ?? fail("a value is missing: mend the line");
    if (word === "true" || word === "false") return word === "true";
    if (/^[+-]?(0|[1-9](_?\d)*)$/.test(word)) return BigInt(word.replace(/[_+]/g, ""));
    if (/^[+-]?(\d(_?\d)*(\.\d(_?\d)*)?([eE][+-]?\d+)?|inf|nan)$/.test(word)) return new Float(word.replaceAll("_", ""));
    return fail(`${clipped(word)} is no value that this page reads: put it in quotes`);
  };
  while (number < lines.length) {
    rest = lines[number++];
    if (rest.length > 1_000) fail("the line has more than 1000 characters: break it up");
    if (done()) continue;
    if (rest.startsWith("[")) {
      const repeated = Boolean(take(/^\[\[/));
      if (!repeated) take(/^\[/);
      const name = key();
      if (!take(repeated ? /^\]\]/ : /^\]/) || !done()) fail("the brackets of a table do not match: mend the line");
      table = new Map([[LINE, number]]);
      if (repeated) {
        if (!top.has(name)) top.set(name, { line: number, value: [] });
        if (!Array.isArray(top.get(name).value)) fail(`${clipped(name)} stands twice: remove one`);
        top.get(name).value.push(table);
      } else if (top.has(name)) fail(`${clipped(name)} stands twice: remove one`);
      else top.set(name, { line: number, value: table });
      continue;
    }
    const line = number;
    const name = key();
    if (!take(/^=/)) fail("the = after a key is missing: mend the line");
    if (table.has(name)) fail(`the key ${clipped(name)} stands twice: remove one`);
    table.set(name, { line, value: value(0) });
    if (!done()) fail("something follows the value: mend the line");
  }
  return top;
}

const LINE = Symbol("line");
const clipped = (text) => (text.length <= 40 ? text : `${text.slice(0, 37)}...`);

// ---- fields ----------------------------------------------------------------------------------------------

// A decimal or a ratio, of at most 400 digits in each part and three in the exponent.
export function exactNumber(text, name) {
  const told = text.trim();
  const ratio = /^([+-]?\d{1,400})\/(\d{1,400})$/.exec(told);
  if (ratio) {
    if (BigInt(ratio[2]) === 0n) throw new Unusable(`${name}: the denominator must not be zero`);
    return new Fraction(BigInt(ratio[1].replace("+", "")), BigInt(ratio[2]));
  }
  const found = /^([+-]?)(?:(\d{1,400})(?:\.(\d{0,400}))?|\.(\d{1,400}))(?:[eE]([+-]?\d{1,3}))?$/.exec(told);
  if (!found) throw new Unusable(`${name} is “${clipped(told)}”, not a number: write ${told.endsWith("%") ? "30%" : "it"} as 0.3 or 3/10`);
  const digits = found[3] ?? found[4] ?? "";
  const number = BigInt((found[2] ?? "") + digits || "0") * (found[1] === "-" ? -1n : 1n);
  const exponent = Number(found[5] ?? 0) - digits.length;
  return exponent < 0 ? new Fraction(number, 10n ** BigInt(-exponent)) : new Fraction(number * 10n ** BigInt(exponent));
}

const RANGES = {
  gamma: ["a whole number of at least 2", (x) => x.q === 1n && x.p >= 2n],
  alpha: ["a whole number of at least 1", (x) => x.q === 1n && x.p >= 1n],
  epsilon: ["greater than 0", (x) => x.p > 0n],
  retention: ["greater than 0 and at most 1", (x) => x.p > 0n && x.compare(ONE) <= 0],
  t_e: ["a probability, from 0 to 1", (x) => x.p >= 0n && x.compare(ONE) <= 0],
};
for (const name of ["frequency", "t_f", "releases"]) RANGES[name] = RANGES.alpha;
RANGES.t_p = RANGES.t_e;
const WHOLE = new Set(["gamma", "alpha", "frequency", "t_f", "releases"]);
const LARGEST = 10n ** 9n;

// A parameter by its name, in its range: a whole one as a number of JavaScript, any other as a fraction.
export function parameter(name, text) {
  const value = exactNumber(text, name);
  const [words, holds] = RANGES[name];
  if (!holds(value)) throw new Unusable(`${name} must be ${words}, not ${clipped(text.trim())}`);
  if (!WHOLE.has(name)) return value;
  if (value.p > LARGEST) throw new Unusable(`${name} is too large for this page: use the program`);
  return Number(value.p);
}

// ---- verdicts --------------------------------------------------------------------------------------------

const ALWAYS = ["id", "kind", "source", "mechanism"];
const COUNTED = ["gamma", "epsilon", "retention"];
const KINDS = {
  "small-sum-privacy": { needs: ["gamma", "epsilon", "alpha", "t_p"], may: ["retention", "releases", "estimator"], decide: privacy },
  "large-sum-utility": { needs: ["gamma", "epsilon", "t_e", "t_f"], may: ["retention"], decide: utility },
  "error-at-count": { needs: ["gamma", "epsilon", "frequency"], may: ["retention", "t_e", "t_p"], decide: errorAt },
  "threshold-formula": { needs: ["gamma", "epsilon", "t_e", "formula"], may: ["retention"], decide: formula },
};
const ELSEWHERE = ["concept-privacy", "local-epsilon", "rho-privacy", "reconstructible", "d-gamma", "entropy-loss", "k-anonymity", "l-diversity", "t-closeness"];

const elsewhere = (reason) => ({ verdict: "not decided here", found: `${reason}: run splu-ref audit` });

function privacy({ gamma, epsilon, alpha, t_p: level, retention: p, releases = 1 }) {
  const { value, f } = leastError(gamma, epsilon, alpha, false, p, releases);
  const found = `T_P is ${decimal(value, false)}, least at f = ${f}`;
  if (value.compare(level) >= 0) return { verdict: "confirmed", found };
  const parts = [];
  const failing = firstBelow(gamma, epsilon, alpha, level, p, releases);
  if (failing > 1) parts.push(`for alpha up to ${failing - 1}`);
  let times = 0;
  while (times < Math.min(releases - 1, MOST_RELEASES) && firstBelow(gamma, epsilon, alpha, level, p, times + 1) === null) times += 1;
  if (times) parts.push(times === 1 ? "for a single release" : `for up to ${times} releases`);
  return { verdict: parts.length ? "narrowed" : "refuted", found, trueFor: parts.length ? `true ${parts.join(", or ")}` : "" };
}

function utility({ gamma, epsilon, t_e: allowed, t_f: claimed, retention: p }) {
  if (allowed.p === 0n && epsilon.compare(whole(gamma - 1)) <= 0) {
    const error = errorProbability(gamma, epsilon, claimed, false, p);
    if (error.p === 0n) return elsewhere("no error at T_f, and no T_f is known to be the least");
    return { verdict: "refuted", found: `at f = ${claimed} the probability is ${decimal(error, true)}` };
  }
  const least = utilityThreshold(gamma, epsilon, allowed, p);
  const found = `the least T_f is ${least}`;
  if (least <= claimed) return { verdict: "confirmed", found };
  return { verdict: "narrowed", found, trueFor: `true from T_f = ${least} on` };
}

function formula({ gamma, epsilon, t_e: allowed, formula: name, retention: p }) {
  if (name !== "chebyshev") return elsewhere("this page does not know the formula");
  if (allowed.p === 0n) throw new Unusable("t_e is 0, at which no formula gives a count: write a number greater than 0");
  const claimed = chebyshevThreshold(gamma, epsilon, allowed, p);
  const least = utilityThreshold(gamma, epsilon, allowed, p);
  return { verdict: BigInt(least) <= claimed ? "confirmed" : "refuted", found: `the formula gives ${claimed}; the least T_f is ${least}` };
}

function errorAt({ gamma, epsilon, frequency: f, t_e: most, t_p: least, retention: p }) {
  if ((most === undefined) === (least === undefined)) throw new Unusable("say either t_e or t_p");
  const sign = comparedAt(gamma, epsilon, f, p, most ?? least);
  const found = `the probability is ${decimal(errorProbability(gamma, epsilon, f, false, p), most !== undefined)}`;
  return { verdict: (most === undefined ? sign >= 0 : sign <= 0) ? "confirmed" : "refuted", found };
}

// What the file says of one claim, in its range; whatever [release] says stands for what the claim leaves out.
function readClaim(claim, release) {
  const kind = claim.get("kind");
  const known = KINDS[kind.value];
  const told = (name) => claim.get(name) ?? ([...COUNTED, "mechanism", "releases"].includes(name) ? release.get(name) : undefined);
  for (const [name, { line }] of claim) {
    if (name !== LINE && ![...ALWAYS, ...known.needs, ...known.may].includes(name)) unusable(line, `a claim of kind ${kind.value} has no key ${clipped(name)}`);
  }
  const read = {};
  for (const name of [...known.needs, ...known.may]) {
    const given = told(name);
    if (!given) {
      if (known.needs.includes(name)) unusable(claim.get(LINE), `${name} is missing`);
      continue;
    }
    if (name === "releases" && !known.may.includes(name)) continue;
    const { line, value } = given;
    if (value instanceof Float) unusable(line, `${name} is the floating-point number ${clipped(value.text)}, which is not exact: write it in quotes`);
    if (name === "formula" || name === "estimator") {
      if (typeof value !== "string") unusable(line, `${name} is no text`);
      if (name === "estimator" && value !== "mle") unusable(line, 'small-sum-privacy is about the published count: write "mle"');
      read[name] = value;
    } else {
      if (typeof value !== "string" && typeof value !== "bigint") unusable(line, `${name} is no number: write it as "0.3" or "3/10"`);
      try {
        read[name] = parameter(name, String(value));
      } catch (error) {
        unusable(line, error.message);
      }
    }
  }
  read.retention ??= new Fraction(1n, BigInt(read.gamma));
  return read;
}

function decided(claim, release) {
  const kind = claim.get("kind")?.value;
  if (ELSEWHERE.includes(kind)) return elsewhere(`this page does not decide claims of kind ${kind}`);
  if (typeof kind !== "string" || !Object.hasOwn(KINDS, kind)) unusable(claim.get("kind")?.line ?? claim.get(LINE), "the kind is missing or unknown");
  const mechanism = (claim.get("mechanism") ?? release.get("mechanism"))?.value ?? "SPLU-Gen";
  if (mechanism !== "SPLU-Gen") return elsewhere("this page decides claims about SPLU-Gen alone");
  return KINDS[kind].decide(readClaim(claim, release));
}

// Every claim of a file with its verdict; an error of one claim stands in its place.
export function audited(text, tell = () => {}) {
  if (new TextEncoder().encode(text).length > MOST_BYTES) throw new Unusable(`a file of claims has at most ${MOST_BYTES} bytes: divide it into several files`);
  const top = parsedToml(text.replace(/^\ufeff/, ""));
  if (top.get("schema")?.value !== "splu-ref/claims/1") unusable(top.get("schema")?.line ?? 1, 'the schema is missing or another one: write schema = "splu-ref/claims/1"');
  for (const [name, { line }] of top) if (!["schema", "title", "release", "claim"].includes(name)) unusable(line, `the file has no key ${clipped(name)}`);
  const release = top.get("release")?.value ?? new Map();
  if (!(release instanceof Map)) unusable(top.get("release").line, "release is no table: write [release]");
  const claims = top.get("claim")?.value ?? [];
  if (!Array.isArray(claims) || !claims.every((claim) => claim instanceof Map)) unusable(top.get("claim").line, "claim is no array of tables: write [[claim]]");
  if (claims.length < 1 || claims.length > MOST_CLAIMS) unusable(1, `the file has ${claims.length} claims: write 1 to ${MOST_CLAIMS} of [[claim]]`);
  return claims.map((claim, place) => {
    tell(place, claims.length);
    const [id, kind] = ["id", "kind"].map((name) => claim.get(name)?.value);
    const about = { id: typeof id === "string" ? clipped(id) : `number ${place + 1}`, kind: typeof kind === "string" ? clipped(kind) : "", line: claim.get(LINE) };
    try {
      return { ...about, trueFor: "", ...decided(claim, release) };
    } catch (error) {
      if (error instanceof Unusable) return { ...about, trueFor: "", verdict: "unusable", found: error.message };
      if (error instanceof TooLarge) return { ...about, trueFor: "", ...elsewhere("too large for this page") };
      throw error;
    }
  });
}
