// The table of events. Only the rows in sight exist, however many there are.

const table = (() => {
  const rows = document.getElementById("rows"), space = document.getElementById("space"), count = document.getElementById("count");
  const filter = document.getElementById("filter"), threads = document.getElementById("thread"), ROW = 24, SPARE = 8;
  const pool = new Map();
  let visible = [], words = null;

  function wordsOf(i) {
    if (!words) words = new Array(COUNT);
    if (words[i] === undefined) {
      const parts = [kindOf(i), threadText(E.thread[i]), placeText(E.place[i]), functionOf(E.place[i]), whatText(i)];
      valuesOf(i, (expr, value) => parts.push(expr + " = " + value));
      words[i] = parts.join("\n").toLowerCase();
    }
    return words[i];
  }

  // tests makes a function of each word of the filter; all have to hold. "sum>100" compares a value, "-word" excludes.
  function tests(text) {
    return text.split(/\s+/).filter(Boolean).map((word) => {
      const m = /^(.+?)(>=|<=|!=|>|<|=)(-?\d+(?:\.\d+)?)$/.exec(word);
      if (m) {
        const [, name, op, raw] = m, want = Number(raw);
        const holds = { ">": (v) => v > want, "<": (v) => v < want, ">=": (v) => v >= want, "<=": (v) => v <= want, "=": (v) => v === want, "!=": (v) => v !== want }[op];
        return (i) => {
          let ok = false;
          valuesOf(i, (expr, value, type, depth, failed) => { if (!failed && expr === name && holds(numberOf(value))) ok = true; });
          return ok;
        };
      }
      const low = word.toLowerCase();
      if (low.length > 1 && low[0] === "-") return (i) => !wordsOf(i).includes(low.slice(1));
      return (i) => wordsOf(i).includes(low);
    });
  }
  function apply() {
    const holds = tests(state.filter), thread = state.thread;
    visible = [];
    for (let i = 0; i < COUNT; i++) {
      if (!state.kinds.has(kindOf(i)) || (thread >= 0 && E.thread[i] !== thread)) continue;
      if (state.zoomed) {
        const at = position(i), until = state.axis === "time" ? untilOf(i) : i;
        if (until < state.from || at > state.to) continue;
      }
      if (holds.every((h) => h(i))) visible.push(i);
    }
    count.textContent = visible.length === COUNT ? COUNT.toLocaleString("en") + " events" : visible.length.toLocaleString("en") + " of " + COUNT.toLocaleString("en");
    space.style.height = visible.length * ROW + "px";
    for (const row of pool.values()) row.remove();
    pool.clear();
    space.replaceChildren();
    if (!visible.length) space.append(el("div", "empty", "No event matches."));
    render();
  }

  function makeRow(i, at) {
    const what = el("span", "what");
    const said = whatText(i).split("\n")[0];
    if (kindOf(i) === "error" || str(E.name[i]) === "stderr") what.classList.add("bad");
    if (said) what.append(said + "  ");
    let n = 0;
    valuesOf(i, (expr, value, type, depth, failed) => {
      if (depth > 0 || n++ >= 8) return;
      what.append(el("i", "", expr + " "), el("b", failed ? "bad" : "", failed ? "error" : value.slice(0, 120)), "  ");
    });
    const kind = el("span", "kind", dot(kindOf(i) === "output" && str(E.name[i]) === "stderr" ? "stderr" : kindOf(i)), kindOf(i) === "output" ? str(E.name[i]) : kindOf(i));
    const where = el("span", "where", placeText(E.place[i]));
    if (E.hit[i] > 0) where.append(el("i", "", "  #" + E.hit[i]));
    const row = el("div", "row", el("span", "time", timeText(E.at[i])), kind, el("span", "who", threadText(E.thread[i])), where, what);
    row.style.top = at * ROW + "px";
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(i === state.picked));
    row.dataset.event = String(i);
    if (i === state.picked) row.classList.add("picked");
    return row;
  }
  function render() {
    const first = Math.max(0, Math.floor(rows.scrollTop / ROW) - SPARE);
    const last = Math.min(visible.length, Math.ceil((rows.scrollTop + rows.clientHeight) / ROW) + SPARE);
    for (const [at, row] of pool) {
      if (at < first || at >= last) { row.remove(); pool.delete(at); }
    }
    for (let at = first; at < last; at++) {
      if (pool.has(at)) continue;
      const row = makeRow(visible[at], at);
      pool.set(at, row);
      space.append(row);
    }
  }
  function reveal(i) {
    const at = lowerBound(visible.length, (k) => visible[k], i);
    if (visible[at] !== i) return;
    const top = at * ROW;
    if (top < rows.scrollTop || top + ROW > rows.scrollTop + rows.clientHeight) rows.scrollTop = top - rows.clientHeight / 2;
  }
  function step(by) {
    if (!visible.length) return;
    let at = lowerBound(visible.length, (k) => visible[k], state.picked);
    if (state.picked >= 0 && visible[at] === state.picked) at += by;
    pick(visible[Math.min(visible.length - 1, Math.max(0, at))], "keys");
  }

  rows.addEventListener("scroll", render, { passive: true });
  rows.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) pick(Number(row.dataset.event), "table");
  });
  let soon = 0;
  filter.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(() => { state.filter = filter.value; apply(); }, COUNT > 20000 ? 120 : 0);
  });
  threads.append(el("option", "", "all threads"));
  threads.lastChild.value = "-1";
  THREADS.slice(0, 500).forEach((_, t) => {
    const option = el("option", "", threadText(t));
    option.value = String(t);
    threads.append(option);
  });
  threads.addEventListener("change", () => { state.thread = Number(threads.value); apply(); });
  on("filter", apply);
  on("range", apply);
  on("pick", (i, origin) => {
    for (const [at, row] of pool) {
      row.classList.toggle("picked", visible[at] === i);
      row.setAttribute("aria-selected", String(visible[at] === i));
    }
    if (origin !== "table") reveal(i);
  });
  return { apply, render, step, page: () => Math.max(1, Math.floor(rows.clientHeight / ROW) - 1), shown: () => visible.length };
})();
