// T_P*, what no estimate made of the published count escapes: the value of a game, solved in whole numbers.
// One player chooses a true count, the other mixes estimators; a prior proves that nothing errs less.

import { Fraction, ONE, power, refuse, spend, whole } from "./promises.mjs";

const [MOST_COUNTS, MOST_TRIALS, MOST_BITS, MOST_ESTIMATES] = [12, 200, 12_000, 100_000];

// A bound from below and one from above, and up to which count the game was solved.
export function leastWorstError(gamma, epsilon, alpha, p) {
  const covered = ONE.minus(new Fraction(1n, BigInt(estimatesThatCover(epsilon, alpha))));
  if (covered.p === 0n) return { atLeast: covered, atMost: covered, computed: alpha };
  const bits = gamma * p.q.toString(2).length;
  const computed = Math.min(alpha, MOST_COUNTS, Math.floor(MOST_TRIALS / gamma), Math.floor(MOST_BITS / bits));
  if (computed === 0) return { atLeast: whole(0), atMost: covered, computed };
  const found = solved(masses(gamma, computed, p), nearby(epsilon, computed));
  return { atLeast: found, atMost: computed === alpha ? found : covered, computed };
}

// How many estimates are enough for each count up to alpha to be near one of them: 1 - 1/n can be reached.
function estimatesThatCover(epsilon, alpha) {
  if (epsilon.compare(ONE) >= 0) return 1;
  const [below, above] = [ONE.minus(epsilon), ONE.plus(epsilon)];
  let first = Math.min(Math.max(Number(below.over(whole(2).times(epsilon)).floor()), 1), alpha);
  let number = first;
  while (number < Math.min(MOST_ESTIMATES, alpha)) {
    first = Number(above.times(whole(first)).over(below).ceil());
    if (first > alpha) return number;
    number += 1;
  }
  return first < alpha ? alpha : number;
}

// The largest ranges of counts that one estimate is right for: (1 - epsilon) high < (1 + epsilon) low.
function nearby(epsilon, alpha) {
  const ranges = [];
  let high = 0;
  for (let low = 1; low <= alpha; low += 1) {
    const top = ONE.plus(epsilon).times(whole(low));
    let reach = Math.max(high, low);
    while (reach < alpha && ONE.minus(epsilon).times(whole(reach + 1)).compare(top) < 0) reach += 1;
    if (reach > high) ranges.push([low, high = reach]);
  }
  return ranges;
}

// For each published count k the chances of k under f = 1 ... alpha, over one whole for all.
function masses(gamma, alpha, p) {
  const q = ONE.minus(p).over(whole(gamma - 1));
  const unit = p.q * power(q.q, gamma - 1);
  let law = [1n];
  const rows = Array.from({ length: gamma * alpha + 1 }, () => Array(alpha).fill(0n));
  for (let f = 1; f <= alpha; f += 1) {
    law = times(law, p);
    for (let slot = 1; slot < gamma; slot += 1) law = times(law, q);
    const scale = power(unit, alpha - f);
    law.forEach((mass, k) => { rows[k][f - 1] = mass * scale; });
  }
  return { rows, unit: power(unit, alpha) };
}

const times = (law, p) => {
  const more = law.map((mass) => mass * (p.q - p.p));
  more.push(0n);
  law.forEach((mass, k) => { more[k + 1] += mass * p.p; });
  return more;
};

// The best estimator against weights of the counts, by its losses at each.
function answered({ rows, unit }, ranges, weights) {
  const losses = weights.map(() => unit);
  for (const row of rows) {
    let [best, chosen] = [-1n, null];
    for (const [low, high] of ranges) {
      let met = 0n;
      for (let f = low; f <= high; f += 1) met += weights[f - 1] * row[f - 1];
      if (met > best) [best, chosen] = [met, [low, high]];
    }
    for (let f = chosen[0]; f <= chosen[1]; f += 1) losses[f - 1] -= row[f - 1];
  }
  return losses;
}

const dot = (one, other) => one.reduce((total, each, place) => total + each * other[place], 0n);

// The simplex method: the rows are the basis's inverse times its determinant, so that all stays whole.
function solved(law, ranges) {
  const size = law.rows[0].length;
  const unitAt = (place) => Array.from({ length: size + 1 }, (_, other) => (other === place ? 1n : 0n));
  const first = answered(law, ranges, Array(size).fill(1n));
  let worst = 0;
  first.forEach((loss, f) => { if (loss > first[worst]) worst = f; });
  const others = first.map((_, f) => f).filter((f) => f !== worst);
  const start = [[...Array(size).fill(-1n), 0n], [...first, 1n], ...others.map(unitAt)];
  const ends = (row, last) => { row[size] = last; return row; };
  let rows = [
    ends(unitAt(worst).map((each) => -each), first[worst]),
    unitAt(size),
    ...others.map((f) => { const row = unitAt(f); row[worst] = -1n; return ends(row, first[worst] - first[f]); }),
  ];
  for (let scale = 1n; ;) {
    spend(64 * 64 * size, size * law.rows.length);
    const weights = rows[0].slice(0, size).map((each) => -each);
    const place = weights.findIndex((each) => each < 0n);
    let column;
    if (place >= 0) column = unitAt(place);
    else {
      const losses = answered(law, ranges, weights);
      if (dot(weights, losses) >= rows[0][size]) return new Fraction(rows[0][size], scale * law.unit);
      column = [...losses, 1n];
    }
    const direction = rows.map((row) => dot(row, column));
    let leaving = 0;
    for (let row = 1; row <= size; row += 1) {
      if (direction[row] > 0n && (leaving === 0 || before(rows, direction, row, leaving, start))) leaving = row;
    }
    const pivot = direction[leaving];
    rows = rows.map((row, number) => (number === leaving ? row
      : row.map((each, at) => (each * pivot - direction[number] * rows[leaving][at]) / scale)));
    scale = pivot;
  }
}

// Whether one row's ratio is the smaller; of equal ones the order against the first basis decides, so that none returns.
function before(rows, direction, one, other, start) {
  const last = rows[one].length - 1;
  const difference = rows[one][last] * direction[other] - rows[other][last] * direction[one];
  if (difference !== 0n) return difference < 0n;
  for (const column of start) {
    const more = dot(rows[one], column) * direction[other] - dot(rows[other], column) * direction[one];
    if (more !== 0n) return more < 0n;
  }
  return refuse("the game has no solution");
}
