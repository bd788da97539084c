// The timeline: a lane for each thread that did something, one for the output, one for the session.

const lanes = (() => {
  const canvas = document.getElementById("lanes"), body = document.getElementById("lanes-body"), tip = document.getElementById("tip");
  const axisCanvas = document.getElementById("axis"); // below the lanes, which scroll
  const g = canvas.getContext("2d"), a = axisCanvas.getContext("2d"), LANE = 26, AXIS = 18, MOST = 16;
  const all = [];
  let width = 0, labels = 120, drag = null, pending = false;

  (function sort() {
    const of = new Map(), weight = new Map();
    for (let i = 0; i < COUNT; i++) if (E.thread[i] >= 0) weight.set(E.thread[i], (weight.get(E.thread[i]) || 0) + (isStop(i) ? 1000 : 1));
    const kept = new Set([...weight.keys()].sort((a, b) => weight.get(b) - weight.get(a)).slice(0, MOST));
    const lane = (key, name) => {
      if (!of.has(key)) of.set(key, { key, name, events: [] });
      return of.get(key);
    };
    for (let i = 0; i < COUNT; i++) {
      const t = E.thread[i];
      if (t >= 0) lane(kept.has(t) ? t : "rest", kept.has(t) ? threadText(t) : "other threads").events.push(i);
      else if (isStop(i)) lane("none", "no thread").events.push(i);
      else if (kindOf(i) === "output") lane("out", "output").events.push(i);
      else lane("session", "session").events.push(i);
    }
    const order = [...of.keys()].filter((k) => typeof k === "number").concat(["rest", "none", "out", "session"]);
    for (const k of order) if (of.has(k)) all.push(of.get(k));
  })();

  const room = () => width - labels - 4; // a mark at the very end is seen whole
  const x = (v) => labels + ((v - state.from) / (state.to - state.from)) * room();
  const back = (px) => Math.min(state.to, state.from + ((px - labels) / room()) * (state.to - state.from));
  const end = (i) => (state.axis === "time" ? untilOf(i) : i + 1);

  function size() {
    canvas.style.height = all.length * LANE + "px"; // first: it decides about the scroll bar
    width = body.clientWidth - 24;
    labels = Math.min(150, Math.max(84, width * 0.14));
    const ratio = devicePixelRatio || 1;
    for (const [c, context, height] of [[canvas, g, all.length * LANE], [axisCanvas, a, AXIS]]) {
      c.style.width = width + "px";
      c.style.height = height + "px";
      c.width = Math.max(1, Math.round(width * ratio));
      c.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    paint(); // at once: a new size has emptied it
  }
  function draw() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => { pending = false; paint(); });
  }
  function ellipsis(text, room) {
    if (g.measureText(text).width <= room) return text;
    let n = text.length;
    if (/^thread \S/.test(text)) return ellipsis(text.slice(7), room); // the number tells them apart
    while (n > 1 && g.measureText(text.slice(0, n) + "…").width > room) n = n > 40 ? n >> 1 : n - 1;
    return text.slice(0, n) + "…";
  }
  function ticks() {
    const span = state.to - state.from, about = span / Math.max(3, (width - labels) / 110);
    const power = 10 ** Math.floor(Math.log10(about)), step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= about) || power * 10;
    const out = [];
    for (let v = Math.ceil(state.from / step) * step; v <= state.to && out.length < 60; v += step) out.push(v);
    return [out, step];
  }
  function tickText(v, step) {
    if (state.axis === "order") return String(Math.round(v));
    if (step >= 1e6) return (v / 1e6).toFixed(0) + " s";
    if (step >= 1e3) return D.duration >= 1e7 ? (v / 1e6).toFixed(3) + " s" : (v / 1e3).toFixed(0) + " ms";
    return (v / 1e3).toFixed(3) + " ms";
  }

  function paint() {
    const bottom = all.length * LANE;
    g.clearRect(0, 0, width, bottom);
    a.clearRect(0, 0, width, AXIS);
    g.font = a.font = "11px " + colour("sans");
    g.textBaseline = a.textBaseline = "middle";
    a.fillStyle = colour("muted");
    const [marks, step] = ticks();
    g.fillStyle = colour("muted");
    for (const v of marks) {
      g.globalAlpha = 1;
      g.fillStyle = colour("edge");
      g.fillRect(Math.round(x(v)), 0, 1, bottom);
      const text = tickText(v, step);
      a.fillText(text, Math.min(width - a.measureText(text).width, x(v) + 4), AXIS / 2);
    }
    all.forEach((lane, n) => {
      const top = n * LANE;
      g.globalAlpha = 1;
      g.fillStyle = colour("edge");
      g.fillRect(0, top + LANE - 1, width, 1);
      g.fillStyle = colour("muted");
      g.fillText(ellipsis(lane.name, labels - 12), 0, top + LANE / 2);
      g.save();
      g.beginPath();
      g.rect(labels, top, width - labels, LANE);
      g.clip();
      paintLane(lane.events, top);
      g.restore();
    });
    if (state.picked >= 0) {
      const px = x(position(state.picked));
      if (px >= labels && px <= width) {
        g.globalAlpha = 1;
        g.fillStyle = colour("accent");
        g.fillRect(Math.round(px), 0, 1.5, bottom);
      }
    }
    if (drag && drag.moved) {
      g.globalAlpha = 0.16;
      g.fillStyle = colour("accent");
      g.fillRect(Math.min(drag.x, drag.at), 0, Math.abs(drag.at - drag.x), bottom);
      g.globalAlpha = 1;
    }
  }

  // What falls on a pixel that has the same kind already is not drawn again: a million events cost as much as the pixels.
  function paintLane(events, top) {
    const last = {};
    const first = Math.max(0, lowerBound(events.length, (k) => position(events[k]), state.from) - 40);
    for (let k = first; k < events.length; k++) {
      const i = events[k], at = position(i);
      if (at > state.to) break;
      if (!state.kinds.has(kindOf(i))) continue;
      const px = x(at), kind = kindOf(i);
      let w = 2, h = 8;
      if (kind === "stop") { w = Math.max(3, x(end(i)) - px - 0.5); h = 18; }
      else if (kind === "trace") { w = Math.max(2, Math.min(6, x(end(i)) - px - 0.5)); h = 14; }
      else if (kind === "error" || kind === "start" || kind === "end") { w = 3; h = 16; }
      if (px + w < labels) continue;
      const key = kind + E.name[i], right = Math.round(px + w);
      if (last[key] === right && w <= 6) continue;
      last[key] = right;
      g.fillStyle = colourOf(i);
      g.globalAlpha = kind === "stop" && w > 8 ? 0.28 : kind === "output" || kind === "module" ? 0.75 : 0.95;
      g.beginPath();
      g.roundRect(px, top + (LANE - h) / 2, w, h, Math.min(3, w / 2));
      g.fill();
      if (kind === "stop" && w > 8) {
        g.globalAlpha = 1;
        g.fillRect(px, top + (LANE - h) / 2, 2.5, h);
        const from = Math.max(px, labels), room = px + w - from - 12;
        if (room > 40) {
          g.fillStyle = colour("ink");
          g.fillText(ellipsis(placeText(E.place[i]) || str(E.name[i]), room), from + 7, top + LANE / 2);
        }
      }
    }
  }

  // under finds the event at a point: a stop that is drawn there, else what is nearest within a few pixels.
  function under(px, py) {
    const lane = all[Math.floor(py / LANE)];
    if (!lane || px < labels - 4) return -1;
    const events = lane.events, v = back(px);
    let best = -1, near = 8;
    const mid = lowerBound(events.length, (k) => position(events[k]), v);
    for (let k = Math.max(0, mid - 60); k < Math.min(events.length, mid + 60); k++) {
      const i = events[k];
      if (!state.kinds.has(kindOf(i))) continue;
      const a = x(position(i)), b = kindOf(i) === "stop" ? Math.max(a + 3, x(end(i))) : a + 2;
      const d = px < a ? a - px : px > b ? px - b : 0;
      if (d < near) { near = d; best = i; }
    }
    return best;
  }
  function point(event) {
    const r = canvas.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  }
  function showTip(i, px, py) {
    tip.hidden = i < 0;
    if (i < 0) return;
    const lines = [kindOf(i) + " · " + timeText(E.at[i]) + (E.thread[i] >= 0 ? " · " + threadText(E.thread[i]) : "")];
    const where = placeText(E.place[i]);
    if (where) lines.push(where + (functionOf(E.place[i]) ? "  " + functionOf(E.place[i]) : ""));
    if (whatText(i)) lines.push(whatText(i).slice(0, 300));
    let n = 0;
    valuesOf(i, (expr, value, type, depth, failed) => { if (depth === 0 && n++ < 6) lines.push(expr + " = " + (failed ? "error: " : "") + value.slice(0, 80)); });
    tip.textContent = lines.join("\n");
    const host = tip.parentElement;
    tip.style.left = Math.max(4, Math.min(px + 24, host.clientWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(py + 54, host.clientHeight - tip.offsetHeight - 4)) + "px";
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [px] = point(event);
    drag = { x: px, at: px, moved: false, pan: event.shiftKey, from: state.from, to: state.to };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [px, py] = point(event);
    if (!drag) { showTip(under(px, py - 0), px, py - body.scrollTop); return; }
    drag.at = px;
    if (Math.abs(px - drag.x) > 4) drag.moved = true;
    if (drag.pan && drag.moved) {
      const shift = ((drag.x - px) / room()) * (drag.to - drag.from);
      setRange(drag.from + shift, drag.to + shift);
    }
    tip.hidden = true;
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = drag;
    drag = null;
    if (!was) return;
    const [px, py] = point(event);
    if (!was.moved) pick(under(px, py), "lanes");
    else if (!was.pan) setRange(back(Math.max(labels, Math.min(was.x, px))), back(Math.max(was.x, px)));
    draw();
  });
  canvas.addEventListener("pointercancel", () => { drag = null; draw(); });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("dblclick", () => setRange(0, extent()));
  canvas.addEventListener("wheel", (event) => {
    // Where the page itself scrolls, the wheel is the page's unless a key says otherwise.
    if (!event.ctrlKey && !event.metaKey && document.documentElement.scrollHeight > innerHeight + 4) return;
    if (body.scrollHeight > body.clientHeight + 2 && !event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    const span = state.to - state.from;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const shift = ((event.deltaX || event.deltaY) / room()) * span;
      setRange(state.from + shift, state.to + shift);
      return;
    }
    const factor = Math.exp(event.deltaY * 0.0015), centre = back(Math.max(labels, point(event)[0]));
    setRange(centre - (centre - state.from) * factor, centre + (state.to - centre) * factor);
  }, { passive: false });

  function axis(name) {
    const mid = [state.from, state.to].map((v) => (state.axis === "time" ? lowerBound(COUNT, (i) => E.at[i], v) : E.at[Math.min(COUNT - 1, Math.round(v))] || 0));
    const zoomed = state.zoomed;
    state.axis = name;
    for (const [id, is] of [["by-time", "time"], ["by-order", "order"]]) document.getElementById(id).setAttribute("aria-pressed", String(is === name));
    if (zoomed) setRange(mid[0], mid[1]); else setRange(0, extent());
  }
  document.getElementById("by-time").addEventListener("click", () => state.axis !== "time" && axis("time"));
  document.getElementById("by-order").addEventListener("click", () => state.axis !== "order" && axis("order"));
  document.getElementById("whole").addEventListener("click", () => setRange(0, extent()));

  on("range", () => {
    document.getElementById("whole").hidden = !state.zoomed;
    document.getElementById("lanes-hint").textContent = state.zoomed
      ? (state.axis === "time" ? timeText(state.from) + " – " + timeText(state.to) : "events " + Math.round(state.from) + " – " + Math.round(state.to))
      : "drag to zoom, wheel to zoom, shift-drag to move, click to look";
    draw();
  });
  on("filter", draw);
  on("theme", draw);
  on("pick", (i, origin) => {
    const at = position(i), span = state.to - state.from;
    if (origin !== "lanes" && state.zoomed && (at < state.from || at > state.to)) setRange(at - span / 2, at + span / 2);
    draw();
  });
  return { size, all };
})();
