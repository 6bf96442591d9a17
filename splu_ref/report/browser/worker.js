// The worker: asked for one task, it tells how far it is and answers once. All work is bounded.

const MOST_WORK = 40_000_000_000;
const EXACT_DIGITS = 10_000;

const number = (value, up) => {
  const digits = 0.302 * (value.p.toString(16).length + value.q.toString(16).length) * 4;
  const shown = decimal(value, up);
  const rounded = exactNumber(shown, "").compare(value) !== 0;
  return { decimal: shown, rounding: rounded ? (up ? "Rounded up." : "Rounded down.") : "Exact.", fraction: digits > EXACT_DIGITS ? null : String(value) };
};

const TASKS = {
  numbers({ gamma: groupSize, epsilon: relative, alpha: largest, t_e: allowed, retention: kept }) {
    const [gamma, epsilon, alpha] = [parameter("gamma", groupSize), parameter("epsilon", relative), parameter("alpha", largest)];
    const p = kept.trim() ? parameter("retention", kept) : new Fraction(1n, BigInt(gamma));
    const t_e = allowed.trim() ? parameter("t_e", allowed) : null;
    const [strict, definition] = [leastError(gamma, epsilon, alpha, true, p), leastError(gamma, epsilon, alpha, false, p)];
    const found = { theorem: { ...number(strict.value, false), at: strict.f }, definition: { ...number(definition.value, false), at: definition.f } };
    const star = leastWorstError(gamma, epsilon, alpha, p);
    found.star = { ...number(star.atLeast, false), most: number(star.atMost, true).decimal, exactly: star.atLeast.compare(star.atMost) === 0, computed: star.computed };
    if (t_e === null) return found;
    if (t_e.p === 0n && epsilon.compare(whole(gamma - 1)) <= 0) return { ...found, threshold: null };
    const threshold = utilityThreshold(gamma, epsilon, t_e, p);
    const first = number(errorProbability(gamma, epsilon, threshold, false, p), true);
    const chebyshev = t_e.p === 0n ? null : String(chebyshevThreshold(gamma, epsilon, t_e, p));
    return { ...found, threshold, first, chebyshev };
  },
  certificate: ({ text }) => checked(text),
  claims: ({ text }) => audited(text),
};

addEventListener("message", ({ data: { task, given } }) => {
  let told = Date.now();
  const tell = (done) => {
    if (Date.now() - told < 100) return;
    told = Date.now();
    postMessage({ progress: done / MOST_WORK });
  };
  try {
    postMessage({ found: bounded(MOST_WORK, tell, () => TASKS[task](given)) });
  } catch (error) {
    if (error instanceof TooLarge || error instanceof RangeError) {
      postMessage({ refused: "This is too much work for a browser. The program splu-ref does it." });
    } else if (error instanceof Unusable || error instanceof Refusal) postMessage({ refused: error.message });
    else throw error;
  }
});
