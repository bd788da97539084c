"use strict";
// The data, and what everything else asks of it. No text of the recording is ever read as anything but text.

const D = JSON.parse(document.getElementById("data").textContent);
const list = (x) => x || [];
const E = D.events;
for (const column of Object.keys(E)) E[column] = list(E[column]);
const KINDS = D.kinds, COUNT = E.at.length;
const THREADS = list(D.threads), PLACES = list(D.places), STACKS = list(D.stacks), SERIES = list(D.series), MARKS = list(D.marks);
const str = (i) => D.strings[i] || "";
const kindOf = (i) => KINDS[E.kind[i]];
const isStop = (i) => kindOf(i) === "stop" || kindOf(i) === "trace";

function base(path) { return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1); }

function placeText(p) {
  if (p < 0 || !PLACES[p]) return "";
  const [file, line] = PLACES[p], name = base(str(file));
  return name ? name + ":" + line : str(PLACES[p][2]);
}
function functionOf(p) { return p < 0 || !PLACES[p] ? "" : str(PLACES[p][2]); }

function threadText(t) {
  if (t < 0 || !THREADS[t]) return "";
  const name = str(THREADS[t].name);
  return name ? name : "thread " + THREADS[t].id;
}

// timeText is a moment of the recording; the unit depends on the whole, so that a column reads well.
function timeText(us) {
  const s = us / 1e6;
  if (D.duration < 1e7) return s.toFixed(4) + " s";
  if (D.duration < 6e8) return s.toFixed(3) + " s";
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return (h ? h + ":" + String(m).padStart(2, "0") : m) + ":" + (s % 60).toFixed(2).padStart(5, "0");
}
function spanText(us) {
  if (us < 1000) return us + " µs";
  if (us < 1e6) return (us / 1000).toFixed(us < 1e4 ? 2 : 1) + " ms";
  if (us < 6e7) return (us / 1e6).toFixed(2) + " s";
  return Math.floor(us / 6e7) + " min " + Math.round((us % 6e7) / 1e6) + " s";
}
function untilOf(i) { return E.until[i] || (isStop(i) && !E.resume[i] && kindOf(i) === "stop" ? D.duration : E.at[i]); }

// valuesOf calls f for the values of an event, those of the top frame first.
function valuesOf(i, f) {
  for (let v = E.values[i]; v < E.values[i + 1]; v++) {
    const [expr, value, type, depth, flags] = E.value[v];
    f(str(expr), str(value), str(type), depth, (flags & 1) !== 0, (flags & 2) !== 0);
  }
}
function numberOf(text) {
  const m = /^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)/i.exec(text);
  return m ? Number(m[0]) : NaN;
}

// whatText is an event in words, without its values.
function whatText(i) {
  const name = str(E.name[i]), text = str(E.text[i]), kind = kindOf(i);
  if (kind === "trace" && !text) return "";
  if (kind === "output") return text;
  return text ? name + "  " + text : name;
}

// colour reads a custom property; canvases need the value itself.
let palette = {};
function colour(name) {
  if (!(name in palette)) palette[name] = getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  return palette[name];
}
function colourOf(i) { return colour(kindOf(i) === "output" && str(E.name[i]) === "stderr" ? "stderr" : kindOf(i)); }

// state is what the person looking has chosen; parts of the page listen to its changes.
const state = { picked: -1, axis: "time", from: 0, to: 1, zoomed: false, kinds: new Set(KINDS), thread: -1, filter: "" };
const listeners = { pick: [], range: [], filter: [], theme: [] };
function on(what, f) { listeners[what].push(f); }
function tell(what, ...args) { for (const f of listeners[what]) f(...args); }

function pick(i, origin) {
  if (i < 0 || i >= COUNT) return;
  state.picked = i;
  history.replaceState(null, "", "#e" + i);
  tell("pick", i, origin);
}
const position = (i) => (state.axis === "time" ? E.at[i] : i);
const extent = () => (state.axis === "time" ? Math.max(1, D.duration) : Math.max(1, COUNT));
function setRange(from, to) {
  const all = extent(), least = state.axis === "time" ? 20 : 5;
  let width = Math.min(all, Math.max(least, to - from));
  from = Math.min(Math.max(0, from), all - width);
  state.from = from;
  state.to = from + width;
  state.zoomed = width < all;
  tell("range");
}

// el makes an element; children are elements or text.
function el(tag, className, ...children) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  e.append(...children);
  return e;
}
function dot(name) {
  const d = el("span", "dot");
  d.style.color = "var(--" + name + ")";
  return d;
}
function lowerBound(length, at, x) {
  let a = 0, b = length;
  while (a < b) {
    const m = (a + b) >> 1;
    if (at(m) < x) a = m + 1; else b = m;
  }
  return a;
}
