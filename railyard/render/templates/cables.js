// The cable table of the report: unpacks the columns, filters them, draws only the rows that are in sight.
// Format: railyard/render/cable_columns.py. It asks for nothing; without it the summary and cables.csv remain.
"use strict";
(() => {
const ROW_PX = 25, AROUND = 12, PRINT_MAX = 2000;
const box = document.getElementById("cable-table"), data = document.getElementById("cable-data");
if (!box || !data) return;
const find = (name) => box.querySelector(name);
const fields = [...box.querySelectorAll("[name]")], view = find(".view"), body = find("tbody"), told = find(".told");
let table = null, shown = [], printing = false;

const RAILS = 8;
const NUMBERS = ["rail", "plane", "length", "speed", "order"];
const prefix = box.dataset.site + "-";
const brief = (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
const SHOWN = [
  ["kind"], ["aDevice", (at) => end(at, "a")], ["aRack", (at) => place(at, "a")],
  ["zDevice", (at) => end(at, "z")], ["zRack", (at) => place(at, "z")], ["rail"], ["plane"], ["length"], ["medium"],
  ["sku"], ["speed"], ["color"], ["bundle"], ["order"],
];

function value(name, at) {
  const column = table[name], code = column.codes[at];
  return column.values.length ? column.values[code] : String(code);
}
const id = (at) => value("id", at) || value("aDevice", at) + ":" + value("aPort", at);
const place = (at, side) => [value(side + "Rack", at), value(side + "Place", at)].filter(Boolean).join("-");
function end(at, side) {
  const device = brief(value(side + "Device", at)), second = value(side + "Second", at);
  const first = device + "/" + value(side + "Port", at);
  return second ? first + " + " + (second.includes("/") ? brief(second) : device + "/" + second) : first;
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const made = await new Response(stream).json();
  for (const column of Object.values(made.columns)) {
    const codes = Float64Array.from(column.codes); // turns of pulling have 15 digits
    for (let at = 1; at < codes.length; at++) codes[at] += codes[at - 1];
    column.codes = codes;
  }
  return made;
}

// Which codes of a column a filter takes; null takes all.
function taken(name, test) {
  return Uint8Array.from(table[name].values, (text) => (test(text) ? 1 : 0));
}
function holds(words) {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return (text) => parts.some((part) => text.toLowerCase().includes(part));
}
function filters() {
  const wanted = Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]));
  const tests = [];
  const either = (a, z, test) => {
    const [left, right, one, other] = [taken(a, test), taken(z, test), table[a].codes, table[z].codes];
    tests.push((at) => left[one[at]] || right[other[at]]);
  };
  const column = (name, test) => {
    const set = taken(name, test), codes = table[name].codes;
    tests.push((at) => set[codes[at]]);
  };
  if (wanted.device) either("aDevice", "zDevice", holds(wanted.device));
  if (wanted.rack) {
    const racks = wanted.rack.toUpperCase().split(/[\s,]+/).filter(Boolean);
    either("aRack", "zRack", (text) => racks.some((rack) => text.toUpperCase() === rack || text.toUpperCase() === "R" + rack));
  }
  for (const name of ["kind", "rail", "medium", "sku"]) {
    if (wanted[name]) column(name, (text) => text === (wanted[name] === "none" ? "" : wanted[name]));
  }
  if (wanted.bundle) column("bundle", holds(wanted.bundle));
  return { tests, wanted };
}

function filter() {
  const { tests, wanted } = filters();
  shown = [];
  rows: for (let at = 0; at < table.id.codes.length; at++) {
    for (const test of tests) if (!test(at)) continue rows;
    shown.push(at);
  }
  if (wanted.sort === "pull") shown.sort((a, b) => table.order.codes[a] - table.order.codes[b]);
  view.scrollTop = 0;
  const all = table.id.codes.length, number = (n) => n.toLocaleString("en-GB");
  told.textContent = shown.length === all ? `all ${number(all)} cables` : `${number(shown.length)} of ${number(all)} cables`;
  box.dataset.shown = shown.length;
  draw();
}

function line(at) {
  const row = document.createElement("tr");
  row.title = row.dataset.cable = id(at);
  row.dataset.a = value("aDevice", at) + "/" + value("aPort", at);
  row.dataset.z = value("zDevice", at) + "/" + value("zPort", at);
  for (const [name, text] of SHOWN) {
    const cell = document.createElement("td"), words = text ? text(at) : value(name, at);
    if (name === "rail" && words) {
      const swatch = document.createElement("span");
      swatch.className = "swatch rail-" + (Number(words) % RAILS);
      cell.append(swatch, " ");
    }
    cell.append(words);
    if (NUMBERS.includes(name)) cell.className = "n " + name;
    row.append(cell);
  }
  return row;
}
function spacer(rows) {
  const row = document.createElement("tr"), cell = document.createElement("td");
  row.className = "spacer";
  cell.colSpan = SHOWN.length;
  cell.style.height = rows * ROW_PX + "px";
  row.append(cell);
  return row;
}
function draw() {
  const first = printing ? 0 : Math.max(0, Math.floor(view.scrollTop / ROW_PX) - AROUND);
  const count = printing ? PRINT_MAX : Math.ceil((view.clientHeight || 600) / ROW_PX) + 2 * AROUND;
  const rows = shown.slice(first, first + count), below = shown.length - first - rows.length;
  body.replaceChildren(...(first ? [spacer(first)] : []), ...rows.map(line), ...(below && !printing ? [spacer(below)] : []));
  find(".cut").textContent = printing && below ? `${below.toLocaleString("en-GB")} more cables are in cables.csv.` : "";
}

// A filter can be linked to: report.html#cables?rail=3&kind=node-leaf
function fromAddress() {
  const [, query] = location.hash.split("?");
  if (query === undefined) return;
  const wanted = new URLSearchParams(query);
  for (const field of fields) field.value = wanted.get(field.name) ?? "";
  document.getElementById("cables").scrollIntoView();
}
function toAddress() {
  const wanted = new URLSearchParams(fields.filter((field) => field.value.trim()).map((field) => [field.name, field.value.trim()]));
  try { history.replaceState(null, "", "#cables?" + wanted); } catch { /* some browsers forbid it in a file */ }
}

async function begin() {
  const made = await unpack(data.textContent);
  table = made.columns;
  for (const name of ["kind", "rail", "medium", "sku"]) {
    const choices = find(`[name=${name}]`);
    for (const text of [...table[name].values].sort((a, b) => a.localeCompare(b, "en", { numeric: true }))) {
      const choice = document.createElement("option");
      choice.value = text || "none";
      choice.textContent = text || "none";
      choices.append(choice);
    }
  }
  box.classList.toggle("one-plane", table.plane.values.filter(Boolean).length < 2);
  box.hidden = false;
  fromAddress();
  filter();
  for (const field of fields) field.addEventListener("input", () => { filter(); toAddress(); });
  find("[data-clear]").addEventListener("click", () => { for (const field of fields) field.value = ""; filter(); toAddress(); });
  view.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  window.addEventListener("hashchange", () => { fromAddress(); filter(); });
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", () => { printing = true; draw(); });
  window.addEventListener("afterprint", () => { printing = false; draw(); });
}
begin().catch(() => { document.getElementById("cable-failed").hidden = false; });
})();
