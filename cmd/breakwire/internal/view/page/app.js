// What ties the parts together: the heading, the kinds, keys, and the size and colours of the window.

(() => {
  document.getElementById("program").textContent = base(D.program) || D.name || "A recording";
  document.getElementById("program").title = D.program;
  const facts = [D.backend, spanText(D.duration), D.messages.toLocaleString("en") + " messages"];
  if (D.own) facts[2] += " (" + D.own.toLocaleString("en") + " questions of breakwire's own are not shown)";
  if (D.started) facts.push(new Date(D.started).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }));
  facts.push(D.name, "breakwire " + D.version);
  document.getElementById("facts").textContent = facts.filter(Boolean).join(" · ");

  const counts = new Array(KINDS.length).fill(0);
  for (let i = 0; i < COUNT; i++) counts[E.kind[i]]++;
  const chips = document.getElementById("kinds");
  KINDS.forEach((kind, k) => {
    if (!counts[k]) return;
    const button = el("button", "", dot(kind), kind, el("b", "", counts[k].toLocaleString("en")));
    button.type = "button";
    button.title = "Show or hide; double-click: only these";
    const press = () => { for (const b of chips.children) b.setAttribute("aria-pressed", String(state.kinds.has(b.dataset.kind))); tell("filter"); };
    button.dataset.kind = kind;
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => { if (state.kinds.has(kind)) state.kinds.delete(kind); else state.kinds.add(kind); press(); });
    button.addEventListener("dblclick", () => { state.kinds = new Set(state.kinds.size === 1 && state.kinds.has(kind) ? KINDS : [kind]); press(); });
    chips.append(button);
  });

  const filter = document.getElementById("filter");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === filter) {
      if (event.key === "Escape") { filter.value = ""; filter.dispatchEvent(new Event("input")); filter.blur(); }
      if (event.key === "ArrowDown") { document.getElementById("rows").focus(); event.preventDefault(); }
      return;
    }
    if (event.target instanceof HTMLSelectElement) return;
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: table.page(), PageUp: -table.page(), Home: -Infinity, End: Infinity };
    if (event.key === "/") { filter.focus(); event.preventDefault(); }
    else if (event.key === "Escape") setRange(0, extent());
    else if (event.key in steps) { table.step(steps[event.key]); event.preventDefault(); }
  });

  // Observers are told between layout and paint, once a frame: no frame is seen with the old size.
  new ResizeObserver(() => { lanes.size(); chart.size(); table.render(); }).observe(document.querySelector("main"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { palette = {}; tell("theme"); });

  lanes.size();
  setRange(0, extent());
  const asked = /^#e(\d+)$/.exec(location.hash);
  let first = asked ? Number(asked[1]) : -1;
  for (let i = 0; first < 0 && i < COUNT; i++) if (isStop(i) && E.place[i] >= 0) first = i;
  if (first < 0 && COUNT) first = 0;
  pick(Math.min(first, COUNT - 1), "start");
  if (!COUNT) document.getElementById("detail").append(el("div", "empty", "Nothing happened in this recording."));
})();
