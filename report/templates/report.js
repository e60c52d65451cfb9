"use strict";
// What the run gave is put into the page as text only: no string of it ever becomes markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const ROW = 76;

  /** An element with attributes, classes and children. */
  const make = (name, attributes, ...children) => build(document.createElement(name), attributes, children);
  const draw = (name, attributes, ...children) => build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
  const build = (element, attributes, children) => {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  };
  const text = (number) => (number === null ? null : data.strings[number]);
  const words = (word) => word.replaceAll("_", " ");
  const list = (numbers) => {
    const runs = [];
    for (const n of numbers) {
      const last = runs[runs.length - 1];
      if (last && last[1] + 1 === n) last[1] = n;
      else runs.push([n, n]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}–${b}`)).join(", ");
  };
  const plural = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  const frame = (number) => {
    const [file, line, column, fn, bare, inlined] = data.frames[number];
    const where = file === null ? text(bare) : [text(file), line, column].filter((x) => x !== null).join(":");
    const short = file === null ? text(bare) : `${text(file).split("/").pop()}${line === null ? "" : ":" + line}`;
    return { file: text(file), line, column, fn: text(fn) ?? "?", where, short, inlined };
  };
  const say = (what) => {
    const box = byId("said");
    box.textContent = what;
    box.classList.add("on");
    clearTimeout(say.timer);
    say.timer = setTimeout(() => box.classList.remove("on"), 1600);
  };
  const copy = async (what) => {
    try {
      await navigator.clipboard.writeText(what);
    } catch {
      // Files opened from disk have no clipboard of their own in some browsers.
      const area = make("textarea", { "aria-hidden": "true" });
      area.value = what;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    say("copied");
  };

  // ---- the list -----------------------------------------------------------------------------------------------------------------
  const races = data.races;
  for (const race of races) {
    const places = [race.a, race.b].map((side) => frame(side.stack[0]));
    race.files = [...new Set(places.map((place) => place.file ?? "(no source)"))];
    race.ranks = new Set([...race.a.ranks, ...race.b.ranks]);
    race.text = [race.id, race.title, race.memory, race.pattern, race.why, ...[race.a, race.b].flatMap((side) => [side.what, side.call ?? "", ...side.stack.map((n) => { const f = frame(n); return `${f.fn} ${f.where}`; })])].join("\n").toLowerCase();
  }
  let shown = races;
  let picked = null;

  const fill = (select, every, values) => {
    const counts = new Map();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    const sorted = [...counts].sort((x, y) => (typeof x[0] === "number" ? x[0] - y[0] : String(x[0]).localeCompare(String(y[0]))));
    select.append(make("option", { value: "" }, every), ...sorted.map(([value, n]) => make("option", { value }, `${words(String(value))} (${n})`)));
    select.disabled = sorted.length === 0;
  };
  const filters = { status: byId("f-status"), kind: byId("f-kind"), object: byId("f-object"), file: byId("f-file"), rank: byId("f-rank") };
  fill(filters.status, "Any status", races.flatMap((race) => [race.status, race.since ?? []].flat()));
  fill(filters.kind, "Any kind", races.map((race) => race.pattern));
  fill(filters.object, "Any object", races.map((race) => race.object));
  fill(filters.file, "Any file", races.flatMap((race) => race.files));
  fill(filters.rank, "Any rank", races.flatMap((race) => [...race.ranks]));

  const accepts = {
    status: (race, value) => race.status === value || race.since === value,
    kind: (race, value) => race.pattern === value,
    object: (race, value) => race.object === value,
    file: (race, value) => race.files.includes(value),
    rank: (race, value) => race.ranks.has(Number(value)),
  };
  const filter = () => {
    const wanted = byId("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = Object.entries(filters).filter(([, select]) => select.value !== "");
    for (const select of Object.values(filters)) select.classList.toggle("on", select.value !== "");
    shown = races.filter((race) => chosen.every(([name, select]) => accepts[name](race, select.value)) && wanted.every((word) => race.text.includes(word)));
    byId("count").textContent = shown.length === races.length ? plural(races.length, "race") : `${shown.length.toLocaleString("en")} of ${plural(races.length, "race")}`;
    byId("rows").style.height = `${shown.length * ROW}px`;
    byId("list").scrollTop = 0;
    rows();
    if (!shown.includes(picked)) pick(shown[0] ?? null, false);
  };

  const spot = (name, side) => {
    const at = frame(side.stack[0]);
    return make("div", { class: "spot" }, make("span", { class: `ab ${name}`, "aria-hidden": "true" }, name), make("span", { class: "what" }, side.call ?? side.what.split(",")[0]), make("bdi", { class: "where", title: at.where }, make("bdi", { dir: "ltr" }, at.short)));
  };
  const chips = (race) => [race.status, race.since].filter(Boolean);
  const row = (race, index) => {
    const status = chips(race).filter((word) => word !== "predicted").map((word) => make("span", { class: `chip ${word}` }, words(word)));
    return make("div", {
        class: `row${race.suppressed ? " quiet" : ""}`, role: "option", id: `row-${index}`, "aria-selected": race === picked, "aria-setsize": shown.length, "aria-posinset": index + 1,
        "aria-label": `Race ${race.number}: ${race.title}; ${words(race.pattern)}; ${race.memory}`, onclick: () => pick(race, false),
      },
      make("div", { class: "top" }, make("b", {}, race.suppressed ? "–" : `${race.number}`), make("span", { class: "name" }, race.object), status, make("span", { class: "chip" }, words(race.pattern))),
      spot("a", race.a), spot("b", race.b));
  };
  /** Makes the rows that are in sight, and a few more. */
  const rows = () => {
    const box = byId("list");
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 4);
    const last = Math.min(shown.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 4);
    const made = [];
    for (let index = first; index < last; index++) {
      const element = row(shown[index], index);
      element.style.top = `${index * ROW}px`;
      made.push(element);
    }
    if (shown.length === 0) made.push(make("div", { class: "empty" }, races.length === 0 ? "No races." : "No race passes the filters."));
    byId("rows").replaceChildren(...made);
    const index = shown.indexOf(picked);
    if (index >= first && index < last) box.setAttribute("aria-activedescendant", `row-${index}`);
    else box.removeAttribute("aria-activedescendant");
  };

  const pick = (race, scroll) => {
    picked = race;
    if (scroll && race) {
      const box = byId("list"), top = shown.indexOf(race) * ROW;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    }
    rows();
    show(race);
    const hash = race ? `#${race.id}` : "";
    if (hash && location.hash !== hash) history.replaceState(null, "", hash);
  };
  const move = (by) => {
    if (shown.length === 0) return;
    const index = shown.indexOf(picked);
    pick(shown[Math.min(shown.length - 1, Math.max(0, index < 0 ? 0 : index + by))], true);
  };

  // ---- one race -----------------------------------------------------------------------------------------------------------------
  const code = (side) => {
    if (!side.excerpt) return make("p", { class: "none" }, "The source is not here.");
    const [first, texts] = side.excerpt, hit = frame(side.stack[0]).line;
    // What all lines are indented by is of no interest.
    const indents = texts.map(text).filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
    const dent = Math.min(...indents, 400);
    const lines = texts.map((number, index) => {
      const line = text(number).slice(dent), isHit = first + index === hit;
      const [from, to] = isHit && side.mark ? side.mark.map((at) => Math.max(0, at - dent)) : [0, 0];
      const marked = to > from ? [line.slice(0, from), make("mark", {}, line.slice(from, to)), line.slice(to)] : [line];
      return make("div", { class: isHit ? "hit" : null }, make("span", { class: "n", "aria-hidden": isHit ? null : "true" }, `${first + index}`), make("span", { class: "t" }, ...marked));
    });
    return make("div", { class: "code", tabindex: "0", role: "group", "aria-label": `source, line ${hit}` }, ...lines);
  };
  const stack = (side) => {
    const frames = side.stack.map(frame);
    const item = (f, index) => make("li", {}, make("span", { class: "how" }, index === 0 ? "in" : frames[index - 1].inlined ? "inlined into" : "called from"), make("span", { class: "fn" }, f.fn), make("span", { class: "at" }, f.where));
    return make("ol", { class: "stack", "aria-label": "call stack, innermost first" }, ...frames.map(item));
  };
  const who = (side) => `rank ${side.rank}${side.thread ? `, ${side.task ? "task" : "thread"} ${side.thread}` : ""}`;
  const card = (name, side) => {
    const others = side.ranks.filter((rank) => rank !== side.rank);
    const extra = [others.length ? `also rank${others.length > 1 ? "s" : ""} ${list(others)}` : "", side.times > 1 ? `${side.times.toLocaleString("en")} times` : "", side.context !== null ? (side.context === 0 ? "default context" : `context ${side.context}`) : "", ...side.locks.map((lock) => `holding ${lock}`)].filter(Boolean).join(" · ");
    return make("section", { class: `card ${name}`, "aria-label": `side ${name}` },
      make("header", {}, make("span", { class: `ab ${name}` }, name), make("b", {}, who(side)), make("span", {}, side.what), make("span", { class: "place" }, frame(side.stack[0]).where)),
      make("p", { class: "extra" }, extra), code(side), stack(side));
  };

  /** What the strands did around the two accesses: one stop for each, in the order of the list. */
  const stops = (race) => race.around.map(([side, when, kind, what, call, at, to, but], index) => ({ side, when, kind, number: index + 1, what: text(what), call: text(call), at: at === null ? null : frame(at), to, but: text(but) }));
  /** Columns: a strand's own order, what leads from one to the other, and what both meet at stands below one another. */
  const columns = (race, all, lone) => {
    const a = { name: "a" }, b = { name: "b" };
    const of = (side, when) => all.filter((stop) => stop.side === side && stop.when === when && !stop.end);
    const lanes = lone ? [[...of("a", "before"), a, ...of("a", "between"), b, ...of("a", "after")]] : [[...of("a", "before"), a, ...of("a", "after")], [...of("b", "before"), b, ...of("b", "after")]];
    const together = (x, y) => x.kind === "barrier" || all[y].to.includes(x.number - 1);
    const edges = lanes.flatMap((lane) => lane.slice(1).map((stop, index) => [lane[index], stop, 1]));
    for (const stop of all) for (const y of stop.to) if (!stop.end && !all[y].end) edges.push(together(stop, y) ? [all[y], stop, 0] : [stop, all[y], 1], ...(together(stop, y) ? [[stop, all[y], 0]] : []));
    if (!lone) edges.push([a, b, 1]);
    const nodes = lanes.flat();
    for (const node of nodes) node.column = 0;
    for (let round = 0; round < nodes.length; round++) for (const [x, y, by] of edges) y.column = Math.max(y.column, Math.min(x.column + by, nodes.length));
    const used = [...new Set(nodes.map((node) => node.column))].sort((x, y) => x - y);
    for (const node of nodes) node.column = used.indexOf(node.column);
    return { a, b, lanes, width: used.length };
  };
  const stopText = (stop) => [`${stop.call ?? stop.what}`, stop.at ? ` ${stop.at.short}` : ""].join("");

  /** The two strands, the barriers and other synchronisation around, and what is missing between. */
  const timeline = (race) => {
    const W = 980, H = 214, L = 150, R = 940, ya = 74, yb = 146;
    const lone = race.a.rank === race.b.rank && race.a.thread === race.b.thread;
    const all = stops(race);
    const spoken = all.map((stop) => `${stop.side === "a" ? who(race.a) : who(race.b)}: ${stopText(stop)}`).join("; ");
    const svg = draw("svg", { class: "timeline", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `time line: ${race.why}${spoken ? `; around: ${spoken}` : ""}` });
    const put = (...parts) => svg.append(...parts);
    const label = (x, y, cls, anchor, what) => draw("text", { x, y, class: cls, "text-anchor": anchor }, what);
    const first = Math.min(race.a.phases[0], race.b.phases[0]);
    const lasts = [race.a.phases[1], race.b.phases[1]];
    const last = lasts.includes(null) ? null : Math.max(...lasts);
    // The barriers at the ends stand on their lines.
    for (const stop of all) stop.end = stop.kind === "barrier" ? (stop.when === "before" && stop.what === `global barrier ${first}` ? L : stop.when !== "before" && last !== null && stop.what === `global barrier ${last + 1}` ? R : null) : null;
    const plan = columns(race, all, lone);
    // Lanes: one for each strand.
    const [la, lb] = lone ? [(ya + yb) / 2, (ya + yb) / 2] : [ya, yb];
    for (const [y, side] of lone ? [[la, race.a]] : [[la, race.a], [lb, race.b]]) {
      put(draw("line", { x1: L - 20, x2: R + 20, y1: y, y2: y, class: "lane" }), label(L - 34, y + 4, "", "end", who(side)));
    }
    const at = (stop) => stop.end ?? L + ((stop.column + 0.75) * (R - L)) / (plan.width + 0.5);
    const lane = (stop) => (stop === plan.b || stop.side === "b" ? lb : la);
    // The barriers before and behind.
    put(draw("line", { x1: L, x2: L, y1: la - 30, y2: lb + 30, class: "phase" }), label(L, la - 38, "soft", "middle", first === 0 ? "start" : `global barrier ${first}`));
    put(draw("line", { x1: R, x2: R, y1: la - 30, y2: lb + 30, class: last === null ? "phase open" : "phase" }), label(R + 24, la - 38, "soft", "end", last === null ? "no barrier known" : `global barrier ${last + 1}`));
    put(label((L + R) / 2, H - 10, "soft", "middle", last === null ? `phase ${first} and later` : first === last ? `phase ${first}: nothing global in between` : `phases ${first} to ${last}`));
    const lasting = race.kind === "incomplete" || race.kind === "wrong_context";
    const [xa, xb] = [at(plan.a), at(plan.b)];
    // What leads from one strand to the other, and what both meet at.
    put(draw("defs", {}, draw("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, draw("path", { d: "M 0 0 L 8 4 L 0 8 z", class: "tip" }))));
    for (const stop of all) for (const y of stop.to) if (!stop.end || stop.end !== all[y].end) {
      const [from, to] = [stop, all[y]], down = lane(to) > lane(from) ? 1 : -1;
      const met = Math.abs(at(from) - at(to)) < 1;
      if (!met || from.number < to.number) put(draw("line", { x1: at(from), y1: lane(from) + 9 * down, x2: at(to), y2: lane(to) - 10 * down, class: met ? "way met" : "way", "marker-end": met ? null : "url(#tip)" }));
    }
    for (const stop of all) {
      const tip = draw("title", {}, `${stopText(stop)}: ${stop.what}`);
      put(draw("g", { class: `stop ${stop.kind}` }, draw("circle", { cx: at(stop), cy: lane(stop), r: 8.5 }), label(at(stop), lane(stop) + 4, "", "middle", `${stop.number}`), tip));
    }
    const span = (side) => ["put", "get", "remote_atomic", "signal", "buffer"].includes(side.act);
    const access = (x, y, side, name, until) => {
      if (until > x) put(draw("rect", { x, y: y - 7, width: until - x, height: 14, rx: 7, class: `span-${name}` }));
      put(draw("circle", { cx: x, cy: y, r: 8, class: name }));
      const place = frame(side.stack[0]);
      const above = name === "a";
      if (side.locks.length > 0) {
        put(draw("path", { d: `M ${x - 14} ${y - 10} h -5 v 20 h 5 M ${x + 14} ${y - 10} h 5 v 20 h -5`, class: "held" }));
        const left = x < (L + R) / 2;
        put(label(left ? x + 24 : x - 24, above ? y + 24 : y + 41, "soft halo", left ? "start" : "end", `holding ${side.locks.join(", ")}`));
      }
      const what = `${name}: ${side.call ?? side.what.split(",")[0]} ${place.short}`;
      put(label(Math.min(Math.max(x, L + what.length * 3.2), R - what.length * 3.2), above ? y - 15 : y + 26, "halo", "middle", what));
    };
    const step = (R - L) / (plan.width + 0.5);
    access(xa, la, race.a, "a", lasting ? Math.min(xb + 60, R - 6) : span(race.a) ? xa + Math.min(step * 0.7, 190) : xa);
    access(xb, lb, race.b, "b", span(race.b) ? Math.min(xb + step * 0.7, xb + 110, R - 12) : xb);
    if (race.missing) {
      const x = xb - Math.min(step * 0.45, (xb - xa) * 0.38), what = `missing: ${race.missing}`;
      const y = la - (Math.abs(x - xa) < what.length * 6 ? 32 : 30);
      put(draw("line", { x1: x, x2: x, y1: la - 24, y2: (lasting ? la : lb) + 24, class: "cure" }), label(Math.min(x, R - what.length * 3.4), y, "good halo", "middle", what));
    }
    if (lasting) {
      if (lone) put(label((xa + xb) / 2, la + 26, "bad halo", "middle", "a is still under way when b begins"));
      else put(label(Math.min(xb + 66, R - 84), la + 22, "bad halo", "start", "not complete"));
    } else if (!lone) {
      put(draw("path", { d: `M ${xa + 8} ${la + 6} C ${xa + (xb - xa) * 0.3} ${lb - 10}, ${xb - (xb - xa) * 0.3} ${la + 10}, ${xb - 8} ${lb - 6}`, class: "gap" }));
      const what = race.a.rank === race.b.rank ? "nothing between the threads orders them" : "nothing leads from one to the other, in either direction";
      put(label(Math.min(Math.max((xa + xb) / 2 + 4, L + what.length * 3.3), R - what.length * 3.3), (la + lb) / 2 + 4, "bad halo", "middle", what));
    }
    return svg;
  };
  /** The same in words. */
  const around = (race) => {
    const all = stops(race);
    const after = (stop) => stop.to.map((y) => all[y].number).join(", ");
    const line = (stop) => make("li", {}, make("span", { class: `no ${stop.kind}` }, `${stop.number}`), make("b", {}, stop.side === "a" ? who(race.a) : who(race.b)), stop.call ? make("code", {}, stop.call) : make("span", {}, ...inline(stop.what)),
      stop.at ? make("span", { class: "at" }, stop.at.short) : "", stop.call ? make("span", {}, ...inline(stop.what)) : "",
      stop.to.length ? make("span", {}, stop.to.every((y) => all[y].to.includes(stop.number - 1)) ? `together with ${after(stop)}` : `leads to ${after(stop)}`) : "", stop.but ? make("span", { class: "but" }, stop.but) : "");
    return all.length ? make("ol", { class: "around", "aria-label": "synchronisation around the two accesses" }, ...all.map(line)) : "";
  };

  const inline = (line) => line.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part.replaceAll("*", "")));
  /** The pages' few forms: headings, lists, paragraphs, code. */
  const page = (source) => {
    const out = [];
    let item = null, paragraph = null;
    for (const line of source.split("\n")) {
      if (line.startsWith("# ")) continue;
      if (line.startsWith("## ")) { out.push(make("h4", {}, line.slice(3))); item = paragraph = null; }
      else if (line.startsWith("- ")) { item = make("li", {}, ...inline(line.slice(2))); const ul = out[out.length - 1]; if (ul && ul.tagName === "UL") ul.append(item); else out.push(make("ul", {}, item)); paragraph = null; }
      else if (line.trim() === "") { item = paragraph = null; }
      else if (item) item.append(" ", ...inline(line.trim()));
      else if (paragraph) paragraph.append(" ", ...inline(line));
      else { paragraph = make("p", {}, ...inline(line)); out.push(paragraph); }
    }
    return out;
  };
  /** What makes this race happen again, or else runs the program again. */
  const again = (race) => race.confirmation?.replay ?? data.reproduce;
  const command = (race) => again(race) === null ? null : make("div", { class: "cmd" }, make("code", { id: "command" }, again(race)), make("button", { class: "button", id: "copy", type: "button", "aria-label": "Copy the command that runs it again", onclick: () => copy(again(race)) }, "Copy"));

  const show = (race) => {
    const box = byId("detail");
    box.scrollTop = 0;
    if (!race) {
      box.replaceChildren(make("p", { class: "empty" }, races.length === 0 ? "No races were found." : "Choose a race in the list."));
      return;
    }
    const bar = race.size ? make("div", { class: "bar", role: "img", "aria-label": `bytes ${race.bytes[0]} to ${race.bytes[1]} of ${race.size}` }, make("i", {})) : null;
    if (bar) {
      bar.firstChild.style.left = `${(100 * race.bytes[0]) / race.size}%`;
      bar.firstChild.style.width = `${(100 * (race.bytes[1] - race.bytes[0])) / race.size}%`;
    }
    box.replaceChildren(
      make("h2", {}, `${race.suppressed ? "Suppressed: " : `Race ${race.number}: `}${race.title}`),
      make("div", { class: "meta" }, ...chips(race).map((word) => make("span", { class: `chip ${word}` }, words(word))), make("span", { class: "chip" }, words(race.pattern)), make("span", {}, `seen ${plural(race.seen, "time")}`), make("span", {}, "id "), make("code", {}, race.id)),
      race.suppressed ? make("p", { class: "meta" }, `suppressed at ${race.suppressed[0]}: ${race.suppressed[1]}`) : "",
      make("div", { class: "why" }, make("p", {}, race.why), ...race.hints.map((hint) => make("p", {}, hint))),
      race.fix ? make("div", { class: "fix" }, make("b", {}, "Fix: "), ...inline(race.fix)) : "",
      race.confirmation ? make("div", { class: race.status === "confirmed" ? "why" : "why maybe" }, make("p", {}, make("b", {}, "Confirmation: "), `${race.confirmation.text} (${plural(race.confirmation.tries, "try").replace("trys", "tries")})`), race.confirmation.witness ? make("p", {}, race.confirmation.witness) : "") : "",
      make("h3", {}, "The two accesses"), make("div", { class: "pair" }, card("a", race.a), card("b", race.b)),
      make("h3", {}, "Why they are unordered"), timeline(race), around(race),
      make("h3", {}, "Memory"), make("div", {}, ...inline(race.memory)), bar ?? "",
      again(race) === null ? "" : make("h3", {}, race.confirmation?.replay ? "Make it happen again" : "Run it again"), command(race) ?? "",
      data.pages[race.pattern] ? make("details", {}, make("summary", {}, `About this kind of race: ${words(race.pattern)}`), ...page(data.pages[race.pattern])) : "");
  };

  // ---- ranks --------------------------------------------------------------------------------------------------------------------
  const size = (bytes) => { const units = ["B", "KiB", "MiB", "GiB", "TiB"]; let i = 0; while (bytes >= 1024 && i < 4) { bytes /= 1024; i++; } return `${i && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[i]}`; };
  const ranksView = () => {
    const box = byId("view-ranks");
    if (box.childElementCount > 0) return;
    const n = data.ranks, block = Math.ceil(n / 48) || 1, cells = Math.ceil(n / block);
    const name = (i) => (block === 1 ? `${i}` : `${i * block}–${Math.min(n, (i + 1) * block) - 1}`);
    const grid = Array.from({ length: cells }, () => Array.from({ length: cells }, () => ({ ops: 0, bytes: 0, races: 0, seen: 0 })));
    const cell = (i, j) => grid[Math.floor(i / block)]?.[Math.floor(j / block)];
    for (const t of data.traffic) { const c = cell(t.from, t.to); if (c) { c.ops += t.operations; c.bytes += t.bytes; } }
    for (const p of data.pairs) for (const [i, j] of p.a === p.b ? [[p.a, p.b]] : [[p.a, p.b], [p.b, p.a]]) { const c = cell(i, j); if (c) { c.races = Math.max(c.races, p.races); c.seen += p.seen; } }
    const most = Math.log1p(Math.max(1, ...grid.flat().map((c) => c.bytes)));
    const td = (c, i, j) => {
      const say = `rank ${name(i)} to ${name(j)}: ${plural(c.ops, "operation")}, ${size(c.bytes)}; ${c.races ? `${plural(c.races, "race")}, seen ${plural(c.seen, "time")}` : "no race"}`;
      const mark = c.bytes > 0 ? make("i", {}) : null;
      if (mark) mark.style.opacity = `${0.15 + (0.85 * Math.log1p(c.bytes)) / most}`;
      const go = () => { filters.rank.value = `${i * block}`; filter(); open("races"); };
      return make("td", { class: c.races ? "race" : null, title: say, "aria-label": say, tabindex: c.races ? "0" : null, onclick: c.races && block === 1 ? go : null, onkeydown: c.races && block === 1 ? (event) => { if (event.key === "Enter") go(); } : null }, c.races ? `${c.races}` : "", mark);
    };
    const table = make("table", { class: cells <= 16 ? "matrix few" : "matrix" }, make("caption", { class: "legend" }, "rows: who issues; columns: whose memory"),
      make("thead", {}, make("tr", {}, make("th", {}, ""), ...grid.map((_, j) => make("th", { scope: "col" }, name(j))))),
      make("tbody", {}, ...grid.map((line, i) => make("tr", {}, make("th", { scope: "row" }, name(i)), ...line.map((c, j) => td(c, i, j))))));
    box.append(make("h2", {}, "Who communicates with whom, and who races"),
      make("p", { class: "legend" }, data.traffic.length ? "The bar in a cell is the amount of one-sided communication (logarithmic), a number in red the races between the two ranks. A click on such a cell filters the list by the rank of the row." : "The amount of communication was not counted in this run: the cells show racing pairs only."),
      n === 0 ? make("p", { class: "empty" }, "No rank was observed.") : table);
  };

  const functions = (all) => {
    const share = (part, whole) => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(part === whole ? 0 : 2)} %`);
    const line = (f) => make("tr", {}, make("td", {}, make("code", {}, f.function)), make("td", {}, f.file === null ? "" : `${f.file}${f.line === null ? "" : ":" + f.line}`), ...[f.calls.toLocaleString("en"), share(f.calls_taken, f.calls), `${f.sites_taken} of ${f.sites}`, f.executed.toLocaleString("en"), share(f.taken, f.executed)].map((what) => make("td", { class: "number" }, what)));
    const heads = ["function", "where", "calls", "looked into", "places", "executed", "looked at"];
    return make("table", { class: "figures-table" }, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), make("tbody", {}, ...all.slice(0, 200).map(line)));
  };

  // ---- the run ------------------------------------------------------------------------------------------------------------------
  const runView = () => {
    const box = byId("view-run");
    if (box.childElementCount > 0) return;
    const items = (what) => make("ul", { class: "plain" }, ...what.map(([id, title]) => make("li", {}, make("code", {}, id), ` ${title}`)));
    const titles = new Map(races.map((race) => [race.id, race.title]));
    const base = data.baseline;
    box.append(make("h2", {}, "Figures"), make("dl", { class: "figures" }, ...data.figures.map(([what, much, about]) => make("div", {}, make("dt", {}, what), make("dd", {}, much, make("small", {}, about))))),
      ...(data.sampling && data.sampling.functions.length ? [make("h2", {}, "What was looked at, by function"), functions(data.sampling.functions)] : []),
      ...(data.failure ? [make("h2", {}, "The program"), make("ul", { class: "notes bad" }, make("li", {}, data.failure))] : []),
      ...(data.notes.length ? [make("h2", {}, "Notes"), make("ul", { class: "notes" }, ...data.notes.map((note) => make("li", {}, note)))] : []),
      ...(base ? [make("h2", {}, `Compared with ${base.file}`), make("h3", {}, `new: ${base.new.length}`), items(base.new.map((id) => [id, titles.get(id) ?? ""])), make("h3", {}, `gone: ${base.gone.length}`), items(base.gone.map((race) => [race.id, race.title])), make("h3", {}, `still there: ${base.still.length}`), items(base.still.map((id) => [id, titles.get(id) ?? ""]))] : []),
      ...(data.reproduce === null ? [] : [make("h2", {}, "Run it again"), make("div", { class: "cmd" }, make("code", {}, data.reproduce), make("button", { class: "button", type: "button", "aria-label": "Copy the command that runs it again", onclick: () => copy(data.reproduce) }, "Copy"))]),
      make("h2", {}, "Keys"), make("p", {}, make("kbd", {}, "/"), " filter, ", make("kbd", {}, "j"), " ", make("kbd", {}, "k"), " or the arrows: next and previous race, ", make("kbd", {}, "Enter"), " into the race, ", make("kbd", {}, "Esc"), " back to the list, ", make("kbd", {}, "c"), " copy the command"),
      make("p", { class: "legend" }, `Made by thrille ${data.tool}${data.started ? `; the run began at ${data.started}` : ""}.`));
  };

  // ---- around -------------------------------------------------------------------------------------------------------------------
  const tabs = ["races", "ranks", "run"];
  const open = (name) => {
    for (const tab of tabs) {
      const chosen = tab === name, button = byId(`tab-${tab}`);
      button.setAttribute("aria-selected", chosen);
      button.tabIndex = chosen ? 0 : -1;
      byId(`view-${tab}`).hidden = !chosen;
    }
    if (name === "ranks") ranksView();
    if (name === "run") runView();
    if (name === "races") rows();
  };
  for (const tab of tabs) byId(`tab-${tab}`).addEventListener("click", () => open(tab));
  document.querySelector("nav").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    const now = tabs.findIndex((tab) => byId(`tab-${tab}`).getAttribute("aria-selected") === "true");
    const next = tabs[(now + by + tabs.length) % tabs.length];
    open(next);
    byId(`tab-${next}`).focus();
  });
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const form = document.querySelector(".filters");
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  byId("list").addEventListener("scroll", rows, { passive: true });
  new ResizeObserver(rows).observe(byId("list"));
  byId("list").addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(byId("list").clientHeight / ROW) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length }[event.key];
    if (by) { event.preventDefault(); move(by); }
    if (event.key === "Enter") byId("detail").focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape") { byId("list").focus(); return; }
    if (typing) { if (event.target.id === "f-text" && event.key === "ArrowDown") { event.preventDefault(); byId("list").focus(); } return; }
    if (event.key === "/") { event.preventDefault(); open("races"); byId("f-text").focus(); }
    if (event.key === "j") move(1);
    if (event.key === "k") move(-1);
    if (event.key === "c" && picked && again(picked) !== null) copy(again(picked));
  });
  const linked = () => races.find((race) => `#${race.id}` === location.hash);
  addEventListener("hashchange", () => { const race = linked(); if (race) pick(race, true); });
  const wanted = linked();
  filter();
  if (wanted) pick(wanted, true);
})();
