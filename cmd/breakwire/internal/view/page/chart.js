// Values of expressions over the hits of one place, drawn by uPlot.

const chart = (() => {
  const panel = document.getElementById("chart-panel"), plot = document.getElementById("plot"), exprs = document.getElementById("chart-exprs");
  const places = document.getElementById("chart-place"), own = document.getElementById("chart-own");
  const COLOURS = 8, CATEGORIES = 12;
  const byPlace = new Map();
  let u = null, shown = [], hits = [], place = -1;

  SERIES.forEach((s, n) => {
    s.numbers = s.number.reduce((sum, v) => sum + (v !== null ? 1 : 0), 0);
    if (!byPlace.has(s.place)) byPlace.set(s.place, []);
    byPlace.get(s.place).push(n);
  });
  const size = (p) => byPlace.get(p).reduce((most, n) => Math.max(most, SERIES[n].event.length), 0);
  const order = [...byPlace.keys()].filter((p) => size(p) > 1).sort((a, b) => size(b) - size(a)).slice(0, 500);
  for (const p of order) {
    const option = el("option", "", placeText(p) + "  " + functionOf(p) + "  (" + size(p) + ")");
    option.value = String(p);
    places.append(option);
  }

  // varies tells whether drawing a series says anything: constants are left for whoever asks.
  function varies(s) {
    const first = s.text[0];
    return s.text.some((t) => t !== first);
  }
  function choose(p) {
    place = p;
    places.value = String(p);
    const of = byPlace.get(p);
    let want = of.filter((n) => SERIES[n].numbers > 1 && varies(SERIES[n])).slice(0, 4);
    if (!want.length) want = of.filter((n) => SERIES[n].numbers > 0 || varies(SERIES[n])).slice(0, 2);
    if (!want.length) want = of.slice(0, 1);
    shown = want;
    buttons();
    build();
  }
  function buttons() {
    exprs.replaceChildren(...byPlace.get(place).slice(0, 60).map((n, k) => {
      const name = str(SERIES[n].expr);
      const button = el("button", "", dot("s" + (k % COLOURS)), el("span", "", name));
      button.type = "button";
      button.title = name;
      button.setAttribute("aria-pressed", String(shown.includes(n)));
      button.addEventListener("click", () => {
        shown = shown.includes(n) ? shown.filter((m) => m !== n) : shown.concat(n);
        button.setAttribute("aria-pressed", String(shown.includes(n)));
        build();
      });
      return button;
    }));
  }

  // data aligns the shown series on the hits of the place. Texts that are no numbers become lines of their own axis.
  function data() {
    const row = new Map(), events = [];
    for (const n of shown) for (const i of SERIES[n].event) row.set(i, 0);
    for (const i of [...row.keys()].sort((a, b) => a - b)) { row.set(i, events.length); events.push(i); }
    hits = events;
    const categories = [], columns = [events.map((i) => E.hit[i])], scales = [];
    for (const n of shown) {
      const s = SERIES[n], column = new Array(events.length).fill(null), numeric = s.numbers > 0;
      s.event.forEach((i, k) => {
        let v = s.number[k];
        if (!numeric) {
          const text = str(s.text[k]);
          v = categories.indexOf(text);
          if (v < 0 && categories.length < CATEGORIES) v = categories.push(text) - 1;
          if (v < 0) v = null;
        }
        column[row.get(i)] = v;
      });
      columns.push(column);
      scales.push(numeric ? (own.checked ? "own" + n : "y") : "text");
    }
    return [columns, scales, categories];
  }

  function build() {
    if (u) { u.destroy(); u = null; }
    plot.replaceChildren();
    if (!shown.length) {
      plot.append(el("div", "none", "Choose an expression above."));
      return;
    }
    const [columns, scales, categories] = data(), of = byPlace.get(place);
    const axis = (scale, side) => ({
      scale, side, stroke: () => colour("muted"), font: "11px " + colour("sans"), size: side === 2 ? 26 : 58,
      grid: { show: side !== 1, stroke: () => colour("edge"), width: 1 }, ticks: { show: false },
    });
    const axes = [{ ...axis("x", 2), values: (_, vs) => vs.map((v) => (Number.isInteger(v) ? "#" + v : "")) }];
    const number = scales.find((s) => s !== "text");
    if (number) {
      const a = axis(number, 3);
      if (own.checked) a.stroke = () => colour("s" + (of.indexOf(shown[scales.indexOf(number)]) % COLOURS));
      axes.push(a);
    }
    if (categories.length) {
      axes.push({
        ...axis("text", number ? 1 : 3), size: 110, splits: () => categories.map((_, k) => k),
        values: (_, vs) => vs.map((v) => { const t = categories[v] || ""; return t.length > 16 ? t.slice(0, 15) + "…" : t; }),
      });
    }
    const options = {
      width: plot.clientWidth - 12, height: plot.clientHeight - 4, legend: { show: false }, axes,
      scales: { x: { time: false }, text: { range: [-0.5, Math.max(0.5, categories.length - 0.5)] } },
      cursor: { points: { size: 7 }, drag: { x: true, y: false } },
      series: [{}].concat(shown.map((n, k) => ({
        scale: scales[k], stroke: () => colour("s" + (of.indexOf(n) % COLOURS)), width: 1.5, spanGaps: false,
        paths: scales[k] === "text" ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: { show: hits.length <= 120, size: 5, fill: () => colour("panel") },
      }))),
      hooks: { draw: [here], setCursor: [follow] },
    };
    u = new uPlot(options, columns, plot);
    u.over.addEventListener("click", () => {
      const at = u.cursor.idx;
      if (at !== null && at !== undefined) pick(hits[at], "chart");
    });
  }

  // here marks the picked event.
  function here(u) {
    const at = lowerBound(hits.length, (k) => hits[k], state.picked);
    if (state.picked < 0 || hits[at] !== state.picked) return;
    const px = u.valToPos(E.hit[hits[at]], "x", true);
    u.ctx.save();
    u.ctx.fillStyle = colour("accent");
    u.ctx.fillRect(Math.round(px), u.bbox.top, 1.5 * devicePixelRatio, u.bbox.height);
    u.ctx.restore();
  }
  function follow(u) {
    const at = u.cursor.idx;
    for (const button of exprs.children) button.lastChild.textContent = button.title;
    if (at === null || at === undefined) return;
    const of = byPlace.get(place);
    for (const n of shown) {
      const k = lowerBound(SERIES[n].event.length, (m) => SERIES[n].event[m], hits[at]);
      const button = exprs.children[of.indexOf(n)];
      if (button && SERIES[n].event[k] === hits[at]) button.lastChild.textContent = button.title + " = " + str(SERIES[n].text[k]).slice(0, 60);
    }
  }

  places.addEventListener("change", () => choose(Number(places.value)));
  own.addEventListener("change", build);
  on("theme", build);
  on("pick", (i, origin) => {
    if (origin !== "chart" && byPlace.has(E.place[i]) && E.place[i] !== place && size(E.place[i]) > 1) choose(E.place[i]);
    else if (u) u.redraw(false);
  });
  if (order.length) choose(order[0]); else panel.hidden = true;
  return { size() { if (u) u.setSize({ width: plot.clientWidth - 12, height: plot.clientHeight - 4 }); }, plot: () => u };
})();
