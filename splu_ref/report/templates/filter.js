(() => {
  const form = document.getElementById("filter");
  if (form) {
    const rows = [...document.querySelectorAll("#claims-table tbody tr")];
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
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
  }
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
