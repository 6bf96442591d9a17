(() => {
  "use strict";
  const SOURCE = {{ source | tojson }};
  const address = URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }));
  const at = (id) => document.getElementById(id);

  // All that is shown goes through here: texts become text, never markup.
  const element = (name, content = [], attributes = {}) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...[content].flat());
    return made;
  };
  const put = (place, ...content) => place.replaceChildren(...content);
  const badge = (word, look, sign) => element("span", [element("span", `${sign} `, { "aria-hidden": "true" }), word], { class: `badge ${look}` });
  const pair = (term, ...content) => element("div", [element("dt", term), element("dd", content)]);
  const refusal = (place, message) => put(place, element("p", message, { class: "card bad" }));

  // One task at a time in each place, in a worker of its own: the page answers while it runs.
  const running = new Map();
  const stop = (place) => {
    running.get(place)?.terminate();
    running.delete(place);
    place.removeAttribute("aria-busy");
  };
  const ask = (place, task, given, show) => {
    stop(place);
    const worker = new Worker(address);
    running.set(place, worker);
    place.setAttribute("aria-busy", "true");
    const bar = element("progress", [], { max: "1", value: "0", "aria-label": "Share of the work that this page allows itself" });
    const button = element("button", "Stop", { type: "button" });
    button.addEventListener("click", () => { stop(place); put(place, element("p", "Stopped.")); });
    const late = setTimeout(() => put(place, element("p", ["Computing ", bar, " ", button], { class: "busy" })), 300);
    const end = () => { clearTimeout(late); stop(place); };
    worker.addEventListener("message", ({ data }) => {
      if (data.progress !== undefined) { bar.value = data.progress; return; }
      end();
      if (data.refused !== undefined) refusal(place, data.refused);
      else show(place, data.found);
    });
    worker.addEventListener("error", (event) => { event.preventDefault(); end(); refusal(place, "This could not be computed here. The program splu-ref does it."); });
    worker.postMessage({ task, given });
  };

  const exactly = ({ fraction }) => (fraction === null
    ? element("small", "Its exact fraction has more than 10,000 digits.")
    : element("details", [element("summary", "Exactly"), element("code", fraction, { class: "digits" })]));
  const level = (found, sign) => [
    element("strong", found.decimal), ` is the chance that a count errs by ${sign} ε, at least; it is least at f = ${found.at}. `,
    element("small", found.rounding), exactly(found),
  ];

  const shown = {
    numbers(place, found) {
      const rows = [
        pair("T_P, Definition 2", ...level(found.definition, "at least")),
        pair("T_P, Theorem 4", ...level(found.theorem, "more than")),
      ];
      const { star } = found;
      const bounds = star.exactly ? [] : [`It is at most ${star.most}, and was computed for counts up to ${star.computed}. `];
      rows.push(pair("T_P*", element("strong", star.decimal), " is a chance that no estimate escapes: whatever is made of the published count, at one of these counts it errs by at least ε so often. ",
        ...bounds, element("small", star.rounding), exactly(star)));
      if (found.threshold === null) rows.push(pair("T_f", "No count is published without any error."));
      else if (found.threshold !== undefined) {
        rows.push(pair("T_f", element("strong", String(found.threshold)), " is the least count from which on a published count errs by at least ε with a chance of at most T_E. ",
          ...(found.chebyshev === null ? [] : [element("small", `By Chebyshev's bound it would be ${found.chebyshev}.`)])));
        rows.push(pair("Error at T_f", element("strong", found.first.decimal), " ", element("small", found.first.rounding), exactly(found.first)));
      }
      put(place, element("dl", rows, { class: "pairs" }));
    },
    certificate(place, { verdict, reason }) {
      const [look, sign] = { valid: ["good", "✓"], false: ["bad", "✗"], unreadable: ["", "?"] }[verdict];
      const said = { valid: "Everything in the certificate was computed again, and agrees.", false: "What the certificate says does not follow from its parameters.",
        unreadable: "This is not a certificate that this page can check. There are others: splu-ref check FILE." }[verdict];
      put(place, element("p", [badge(verdict, look, sign), " ", said]), element("p", reason));
    },
    claims(place, claims) {
      const looks = { confirmed: ["good", "✓"], narrowed: ["refuted", "◐"], refuted: ["bad", "✗"], unusable: ["bad", "!"] };
      const head = element("tr", ["Claim", "Verdict", "What is true"].map((each) => element("th", each, { scope: "col", role: "columnheader" })), { role: "row" });
      const rows = claims.map(({ id, kind, line, verdict, found, trueFor }) => element("tr", [
        element("th", element("span", [element("code", id), element("br"), element("small", `${kind}, line ${line}`)]), { scope: "row", role: "rowheader", "data-label": "Claim" }),
        element("td", badge(verdict, ...(looks[verdict] ?? ["", "–"])), { role: "cell", "data-label": "Verdict" }),
        element("td", element("span", trueFor ? [element("strong", trueFor), element("br"), found] : found), { role: "cell", "data-label": "True", class: "long" }),
      ], { role: "row" }));
      const table = element("table", [element("thead", head, { role: "rowgroup" }), element("tbody", rows, { role: "rowgroup" })], { class: "stack", role: "table" });
      const counted = new Map();
      for (const { verdict } of claims) counted.set(verdict, (counted.get(verdict) ?? 0) + 1);
      put(place, element("p", [...counted].map(([verdict, count]) => `${count} ${verdict}`).join(", ")), table);
    },
  };

  const form = at("numbers");
  const compute = () => ask(at("numbers-found"), "numbers", Object.fromEntries(new FormData(form)), shown.numbers);
  form.addEventListener("submit", (event) => { event.preventDefault(); compute(); });
  form.addEventListener("change", compute);

  const MOST = { certificate: 4_000_000, claims: 131_072 };
  const LOOK = { certificate: "a certificate", claims: "a file of claims" };
  const read = async (task, file) => {
    const place = at(`${task}-found`);
    if (file === undefined) return;
    if (file.size > MOST[task]) { stop(place); refusal(place, `${LOOK[task]} has at most ${MOST[task]} bytes, and this file has ${file.size}.`); return; }
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
    } catch {
      stop(place);
      refusal(place, "This file cannot be read as text in UTF-8.");
      return;
    }
    ask(place, task, { text }, shown[task]);
  };
  for (const task of ["certificate", "claims"]) {
    const [field, zone] = [at(`${task}-file`), at(`${task}-zone`)];
    field.addEventListener("change", () => { read(task, field.files[0]); field.value = ""; });
    zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      read(task, event.dataTransfer.files[0]);
    });
  }
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
  for (const place of document.querySelectorAll("[data-needs-script]")) place.hidden = false;
  compute();
})();
