// The picked event in full, and the source beside it.

const detail = (() => {
  const box = document.getElementById("detail"), code = document.getElementById("code");
  const name = document.getElementById("source-name"), note = document.getElementById("source-note");
  const AROUND = 400, sources = new Map();
  let shownFile = -1, shownFrom = -1;
  for (const s of list(D.sources)) sources.set(s.file, { lines: s.text.split(/\r?\n/), newer: s.newer });

  const hits = new Map(); // file and line to how often the program was there
  for (let i = 0; i < COUNT; i++) {
    if (!isStop(i) || E.place[i] < 0) continue;
    const [file, line] = PLACES[E.place[i]], key = file + ":" + line;
    hits.set(key, (hits.get(key) || 0) + 1);
  }
  const marked = new Map();
  for (const m of MARKS) marked.set(m.file + ":" + m.line, m);

  // breakable lets a long name of a type go on in the next line behind its dots.
  function breakable(type) {
    return type.split(/(?<=[.,])(?=\S)/).flatMap((part) => [part, el("wbr")]);
  }
  function show(i) {
    const kind = kindOf(i), stop = isStop(i);
    const title = kind === "output" ? str(E.name[i]) : kind + (str(E.name[i]) && kind !== "trace" ? " · " + str(E.name[i]) : "");
    const line1 = el("div", "line1", dot(kind === "output" && str(E.name[i]) === "stderr" ? "stderr" : kind), el("span", "", title));
    line1.append(el("small", "", timeText(E.at[i]) + (E.until[i] ? " · " + (kind === "stop" ? "stood " : "took ") + spanText(E.until[i] - E.at[i]) : "")));
    const out = [line1], facts = [];
    if (E.place[i] >= 0) facts.push(placeText(E.place[i]) + (functionOf(E.place[i]) ? " in " + functionOf(E.place[i]) : ""));
    if (stop && E.hit[i]) facts.push("hit " + E.hit[i] + " of " + (hits.get(PLACES[E.place[i]][0] + ":" + PLACES[E.place[i]][1]) || E.hit[i]) + " here");
    if (E.thread[i] >= 0) facts.push(threadText(E.thread[i]));
    if (E.resume[i]) facts.push("went on by " + str(E.resume[i]));
    facts.push("line " + E.line[i] + " of the recording");
    out.push(el("div", "where", facts.join(" · ")));
    if (E.text[i]) out.push(el("pre", "", str(E.text[i])));
    const body = el("tbody");
    valuesOf(i, (expr, value, type, depth, failed, listed) => {
      const row = el("tr", "", el("td", listed ? "listed" : "", expr + (depth ? "  (frame " + depth + ")" : "")), el("td", failed ? "bad" : "", value), el("td", "", ...breakable(type)));
      body.append(row);
    });
    if (body.children.length) out.push(el("table", "", body));
    if (E.stack[i] >= 0) {
      const stack = el("ol");
      for (const p of STACKS[E.stack[i]]) {
        if (p < 0) continue;
        const button = el("button", sources.has(PLACES[p][0]) ? "" : "far", el("span", "", functionOf(p)), el("span", "", str(PLACES[p][0]) ? placeText(p) : ""));
        button.type = "button";
        button.addEventListener("click", () => source(p));
        stack.append(el("li", "", button));
      }
      out.push(stack);
    }
    box.replaceChildren(...out);
    box.scrollTop = 0;
    if (E.place[i] >= 0) source(E.place[i]);
  }

  const KEYWORDS = new Set(("abstract and as assert async await base bool break byte case catch char class const continue def default defer del do double elif else enum event except explicit export extern false False final finally float fn for foreach from func function global go goto if impl implements import in int interface internal is lambda let long map match module mut namespace new nil None nonlocal not null nullptr object operator or out override package params pass private protected public raise range readonly record ref return sealed select self short sizeof static string struct super switch template this throw true True try type typedef typeof uint using var virtual void where while with yield").split(" "));
  const TOKEN = /(\/\/.*|#(?=\s|!).*|--(?=\s).*)|("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;
  function paint(line, file) {
    const out = [], hash = /\.(py|pyx|rb)$/i.test(file);
    let at = 0;
    for (const m of line.slice(0, 2000).matchAll(TOKEN)) {
      const [whole, comment, text, number, word] = m;
      if (comment && (whole[0] === "#" && !hash || whole[0] === "-" && !/\.lua$/i.test(file) || whole[0] === "/" && hash)) continue;
      const kind = comment ? "co" : text ? "st" : number ? "nu" : KEYWORDS.has(word) ? "kw" : "";
      if (!kind) continue;
      if (m.index > at) out.push(line.slice(at, m.index));
      out.push(el("span", kind, whole));
      at = m.index + whole.length;
    }
    if (at < line.length) out.push(line.slice(at));
    return out;
  }

  function source(p) {
    const [file, line] = PLACES[p], path = str(file), have = sources.get(file);
    name.textContent = "\u200e" + (path || functionOf(p) || "Source");
    name.title = path;
    note.textContent = have && have.newer ? "changed since the recording" : "";
    if (!have) {
      shownFile = -1;
      code.replaceChildren(el("div", "none", path
        ? "The source is not in this page. Make it again where the file is, or with --source-root FOLDER."
        : "The debugger knows no source for this place."));
      return;
    }
    const from = Math.max(1, line - AROUND), to = Math.min(have.lines.length, line + AROUND);
    if (shownFile !== file || line < shownFrom + 20 || line > shownFrom + 2 * AROUND - 20) {
      shownFile = file;
      shownFrom = from;
      const lines = [];
      for (let n = from; n <= to; n++) {
        const times = hits.get(file + ":" + n), mark = marked.get(file + ":" + n);
        const row = el("div", mark ? "ln mark" : "ln", el("span", "no", String(n)), el("span", "hits", times ? "×" + times : ""), el("span", "tx", ...paint(have.lines[n - 1], path)));
        row.dataset.line = String(n);
        if (mark) row.title = "breakpoint" + (mark.condition ? " if " + mark.condition : "") + (mark.log ? " log " + mark.log : "") + (mark.verified ? "" : " (not verified" + (mark.message ? ": " + mark.message : "") + ")");
        lines.push(row);
      }
      code.replaceChildren(...lines);
    }
    for (const row of code.children) row.classList.toggle("here", row.dataset.line === String(line));
    const here = code.querySelector(".here");
    if (here) code.scrollTop = Math.max(0, here.offsetTop - code.offsetTop - code.clientHeight / 2.4);
  }
  on("pick", show);
  return { show };
})();
