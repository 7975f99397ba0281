#!/usr/bin/env Rscript
# Writes a page that measures all others. It loads each into a frame of 1,300 and of 400 pixels, and lists the faults as
# text that a script can read:
#
#   Rscript tools/site-measure.R SITE PAGE
#
# tools/site-shots.sh opens it in a browser that may read files.

arguments <- commandArgs(TRUE)
site <- normalizePath(arguments[1])
pages <- list.files(site, "[.]html$", recursive = TRUE)
# searches, and the page that must be among the first three results
searches <- c("private_mean" = "reference/private_sum.html", "quantile" = "reference/private_quantile.html",
              "persistence diagram" = "reference/", "people several rows" = "articles/people.html",
              "randomized response" = "reference/private_graph.html")
quoted <- function(x) paste0("[", paste0("\"", x, "\"", collapse = ", "), "]")

writeLines(c("<!DOCTYPE html><meta charset=utf-8><pre id=found>measuring</pre><script>", sprintf("const site = %s;",
  paste0("\"file://", site, "/\"")), sprintf("const pages = %s;", quoted(pages)),
  sprintf("const words = %s, wanted = %s;", quoted(names(searches)), quoted(searches)), r"---(
const faults = [];
const wait = (time) => new Promise((done) => setTimeout(done, time));

function load(frame, page, width) {
  return new Promise((done) => {
    frame.style.width = width + "px";
    frame.onload = () => wait(30).then(done);
    frame.src = site + page;
  });
}

// Returns the innermost elements that are wider than the window and do not scroll by themselves.
function wide(inside, width) {
  return [...inside.querySelectorAll("body *")].filter((one) => {
    const place = one.getBoundingClientRect();
    if (place.right <= width + 1 || place.width === 0 || one.closest("pre, .wide, math, .dropdown-menu")) return false;
    return ![...one.children].some((child) => child.getBoundingClientRect().right > width + 1);
  });
}

function name_of(one) {
  return one.tagName.toLowerCase() + (one.className && one.className.split ? "." + one.className.split(" ")[0] : "") +
    " \"" + one.textContent.trim().slice(0, 40).replace(/\s+/g, " ") + "\"";
}

async function measure(frame, page, width) {
  await load(frame, page, width);
  const inside = frame.contentDocument;
  if (/http-equiv=.?refresh/i.test(inside.head.innerHTML)) return;
  const complain = (what) => faults.push(page + ", " + width + " pixels: " + what);
  const scrolls = inside.documentElement.scrollWidth;
  if (scrolls > width) {
    complain("scrolls sideways, to " + scrolls);
    wide(inside, width).slice(0, 3).forEach((one) => complain("  " + name_of(one)));
  }
  if (width >= 1300) {
    inside.querySelectorAll("pre").forEach((code) => {
      if (code.scrollWidth <= code.clientWidth + 1) return;
      const longest = code.textContent.split("\n").reduce((a, b) => (b.length > a.length ? b : a), "");
      complain("code is wider than the page: " + longest.length + " columns: " + longest.trim().slice(0, 60));
    });
    inside.querySelectorAll("main table").forEach((table) => {
      const frame = table.parentElement;
      if (frame.scrollWidth > frame.clientWidth + 1) complain("a table is wider than the page");
    });
  }
  inside.querySelectorAll("img").forEach((picture) => {
    if (!picture.complete || picture.naturalWidth === 0) complain("no picture: " + picture.getAttribute("src"));
  });
}

// The contrast of letters with their background, as in WCAG 2, which requires 4.5.
function light_of(color) {
  const part = color.match(/[0-9.]+/g).slice(0, 3).map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : Math.pow((value + 0.055) / 1.055, 2.4)));
  return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
}

function behind(one, style) {
  for (; one; one = one.parentElement) {
    const color = style(one).backgroundColor;
    if (!/, 0\)$|transparent/.test(color)) return color;
  }
  return "rgb(255, 255, 255)";
}

async function read_face(frame, page, face) {
  await load(frame, page, 1300);
  const inside = frame.contentDocument;
  const complain = (what) => faults.push(page + ", " + face + ": " + what);
  inside.head.insertAdjacentHTML("beforeend", "<style>* { transition: none !important; }</style>");
  const button = inside.querySelector(".face");
  if (!button) return complain("no button for its face");
  if (inside.documentElement.dataset.face !== face) button.click();
  if (inside.documentElement.dataset.face !== face) return complain("the button does not turn the page");
  const style = (one) => frame.contentWindow.getComputedStyle(one);
  const told = new Set();
  inside.querySelectorAll("body *").forEach((one) => {
    const own = [...one.childNodes].some((child) => child.nodeType === 3 && child.nodeValue.trim());
    if (!own || !one.getClientRects().length || style(one).opacity === "0") return;
    const both = [light_of(style(one).color), light_of(behind(one, style))];
    const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    const what = style(one).color + " on " + behind(one, style);
    if (contrast >= 4.5 || told.has(what)) return;
    told.add(what);
    complain("hard to read, " + contrast.toFixed(1) + ", " + what + ": " + name_of(one));
  });
}

async function look_up(frame, query, page) {
  await load(frame, "articles/index.html", 1300);
  const inside = frame.contentDocument;
  const input = inside.getElementById("search-input");
  input.value = query;
  input.dispatchEvent(new Event("input"));
  for (let i = 0; i < 50 && !inside.querySelector("#search-results a"); i++) await wait(50);
  const first = [...inside.querySelectorAll("#search-results a")].slice(0, 3).map((link) => link.getAttribute("href"));
  if (!first.some((link) => link.includes(page))) {
    faults.push("search for \"" + query + "\": " + page + " is not among the first three: " + first.join(", "));
  }
}

(async function () {
  const frame = document.createElement("iframe");
  frame.style.cssText = "border: 0; height: 900px";
  document.body.append(frame);
  for (let i = 0; i < words.length; i++) await look_up(frame, words[i], wanted[i]);
  const read = pages.filter((page, i) => !/^reference[/](?!index)/.test(page) || i % 20 === 0);
  for (const face of ["dark", "light"]) for (const page of read) await read_face(frame, page, face);
  for (const width of [1300, 400]) for (const page of pages) await measure(frame, page, width);
  document.getElementById("found").textContent = "\n" + faults.join("\n") + "\n" + faults.length + " faults on " +
    pages.length + " pages, each in two widths\n";
})();
</script>)---"), arguments[2])
