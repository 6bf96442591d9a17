(() => {
  const form = document.getElementById("filter");
  if (form) {
    const rows = [...document.querySelectorAll("table.claims tbody tr")];
    const apply = () => {
      const data = new FormData(form);
      const wanted = new Set(data.getAll("status"));
      const text = data.get("text").trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        row.hidden = !(wanted.has(row.dataset.status) && row.textContent.toLowerCase().includes(text));
        shown += !row.hidden;
      }
      form.querySelector("output").textContent = `${shown} of ${rows.length} shown`;
    };
    form.addEventListener("input", () => {
      apply();
      for (const paper of document.querySelectorAll("details.paper")) paper.open = true;
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
  }
  const reveal = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const paper = row?.closest("details.paper");
    if (paper && !paper.open) {
      paper.open = true;
      row.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
