// Scripts of a page, without a network: its light or dark face, its contents at the side, buttons that copy code,
// search, and pictures that open at full size. No other script is needed.
(function () {
  "use strict";

  function make(tag, fields, children) {
    const made = Object.assign(document.createElement(tag), fields || {});
    (children || []).forEach((child) => made.append(child));
    return made;
  }

  // --- face -----------------------------------------------------------------------------------------

  // The face that the button chose, or otherwise the face that the system requests.
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function chosen_face() {
    try {
      return window.localStorage.getItem("face");
    } catch (refused) {
      return null;
    }
  }

  function show_face() {
    const face = chosen_face() || (system.matches ? "dark" : "light");
    document.documentElement.dataset.face = face;
    const button = document.querySelector(".face");
    const other = face === "dark" ? "light" : "dark";
    if (button) Object.assign(button, { textContent: other, title: "show the " + other + " pages" });
  }

  function face_button() {
    const bar = document.querySelector(".navbar .navbar-collapse") || document.querySelector(".navbar");
    if (!bar) return;
    const button = make("button", { type: "button", className: "face" });
    button.addEventListener("click", () => {
      const other = document.documentElement.dataset.face === "dark" ? "light" : "dark";
      try {
        // the face of the system need not be remembered
        if (other === (system.matches ? "dark" : "light")) window.localStorage.removeItem("face");
        else window.localStorage.setItem("face", other);
        show_face();
      } catch (refused) {
        document.documentElement.dataset.face = other;
      }
    });
    bar.append(button);
    show_face();
  }

  // before anything is painted
  show_face();
  system.addEventListener("change", show_face);
  window.addEventListener("storage", show_face);

  // --- contents -------------------------------------------------------------------------------------

  function own_text(heading) {
    const copy = heading.cloneNode(true);
    copy.querySelectorAll(".anchor").forEach((anchor) => anchor.remove());
    return copy.textContent.trim();
  }

  function contents() {
    const nav = document.getElementById("toc");
    if (!nav) return;
    nav.querySelectorAll("ul").forEach((list) => list.remove());
    const headings = [...document.querySelectorAll("main h1, main h2, main h3")]
      .filter((heading) => !heading.closest(".page-header") && !heading.hasAttribute("data-toc-skip"))
      .map((heading) => ({ heading, id: heading.id || (heading.closest(".section[id]") || {}).id }))
      .filter((entry) => entry.id);
    if (headings.length < 2) {
      nav.hidden = true;
      return;
    }
    const top = Math.min(...headings.map((entry) => Number(entry.heading.tagName[1])));
    const list = make("ul");
    let inner = null;
    for (const entry of headings) {
      const level = Number(entry.heading.tagName[1]) - top;
      if (level > 1) continue;
      entry.link = make("a", { href: "#" + entry.id, textContent: own_text(entry.heading) });
      if (level === 0 || !list.lastElementChild) {
        list.append(make("li", {}, [entry.link]));
        inner = null;
      } else {
        if (!inner) list.lastElementChild.append((inner = make("ul")));
        inner.append(make("li", {}, [entry.link]));
      }
    }
    nav.append(list);
    const linked = headings.filter((entry) => entry.link);
    function mark() {
      const above = linked.filter((entry) => entry.heading.getBoundingClientRect().top < 120);
      linked.forEach((entry) => entry.link.classList.remove("here"));
      if (above.length) above[above.length - 1].link.classList.add("here");
    }
    document.addEventListener("scroll", mark, { passive: true });
    mark();
  }

  // --- code and pictures ----------------------------------------------------------------------------

  function copy_buttons() {
    if (!navigator.clipboard) return;
    document.querySelectorAll("div.sourceCode").forEach((block) => {
      const button = make("button", { type: "button", className: "copy", textContent: "copy" });
      button.addEventListener("click", () => {
        const code = block.querySelector("pre").textContent.replace(/\n?#>[^\n]*/g, "").trim();
        navigator.clipboard.writeText(code + "\n").then(() => {
          button.textContent = "copied";
          setTimeout(() => (button.textContent = "copy"), 1500);
        });
      });
      block.append(button);
    });
  }

  function pictures() {
    document.querySelectorAll("main img:not(.logo)").forEach((picture) => {
      if (picture.closest("a, .strip") || !picture.getAttribute("src")) return;
      const link = make("a", { href: picture.src, title: "the picture alone" });
      picture.replaceWith(link);
      link.append(picture);
    });
  }

  function wide_tables() {
    document.querySelectorAll("main table").forEach((table) => {
      const frame = make("div", { className: "wide" });
      table.replaceWith(frame);
      frame.append(table);
    });
  }

  // --- search ---------------------------------------------------------------------------------------

  // search.js puts the index into window.site_index. It is read when somebody types for the first time.
  let index = null;

  function read_index(root) {
    if (!index) {
      index = new Promise((done, fail) => {
        const script = make("script", { src: root + "search.js", onerror: fail });
        script.onload = () => done(window.site_index);
        document.head.append(script);
      });
    }
    return index;
  }

  const count_of = (text, word) => text.split(word).length - 1;

  // Every word must occur. Titles count most, then headings, and pages of functions come before others.
  function find(entries, query) {
    const words = query.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const found = [];
    for (const entry of entries) {
      if (!entry.low) {
        entry.low = [entry.title, entry.what, entry.text, entry.code].map((part) => (part || "").toLowerCase());
      }
      const [title, what, text, code] = entry.low;
      let score = 0;
      for (const word of words) {
        const here = 30 * (count_of(title, word) > 0) + 20 * (count_of(what, word) > 0) +
          Math.min(8, count_of(text, word)) + Math.min(4, count_of(code, word));
        if (!here) {
          score = 0;
          break;
        }
        const alone = new RegExp("(^|[^\\w.])" + word.replace(/\W/g, "\\$&") + "($|[^\\w.])");
        score += here + 40 * alone.test(title) + 60 * (what === "usage" && alone.test(code));
      }
      if (score) found.push({ entry, score: score + 5 * (entry.title === entry.what) });
    }
    found.sort((a, b) => b.score - a.score);
    const pages = {};
    return found.filter(({ entry }) => (pages[entry.path] = (pages[entry.path] || 0) + 1) <= 2).slice(0, 15);
  }

  function search() {
    const input = document.getElementById("search-input");
    if (!input) return;
    const root = (input.getAttribute("data-search-index") || "").replace(/search[.]json$/, "");
    const list = make("div", { id: "search-results", hidden: true });
    input.closest("form").append(list);
    input.closest("form").addEventListener("submit", (event) => event.preventDefault());

    async function show() {
      const query = input.value.trim();
      if (query.length < 2) {
        list.hidden = true;
        return;
      }
      const found = find(await read_index(root), query);
      if (query !== input.value.trim()) return;
      list.replaceChildren(...found.map(({ entry }) => make("a", {
        href: root + entry.path.replace(/^[/]/, "") + "?q=" + encodeURIComponent(query) + "#" + (typeof entry.id === "string" ? entry.id : ""),
      }, [
        entry.title,
        make("small", { textContent: entry.dir + (entry.what !== entry.title ? ": " + entry.what : "") }),
      ])));
      if (!found.length) list.append(make("div", { className: "nothing", textContent: "nothing has all of these words" }));
      list.hidden = false;
    }

    function step(by) {
      const links = [...list.querySelectorAll("a")];
      const at = links.findIndex((link) => link.classList.contains("here"));
      links.forEach((link) => link.classList.remove("here"));
      const next = links[(at + by + links.length + (at < 0 && by < 0)) % links.length];
      if (next) {
        next.classList.add("here");
        next.scrollIntoView({ block: "nearest" });
      }
    }

    input.addEventListener("input", show);
    input.addEventListener("focus", () => read_index(root).then(show));
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        step(event.key === "ArrowDown" ? 1 : -1);
      } else if (event.key === "Enter") {
        event.preventDefault();
        const chosen = list.querySelector("a.here") || list.querySelector("a");
        if (chosen && !list.hidden) window.location.href = chosen.href;
      } else if (event.key === "Escape") {
        list.hidden = true;
        input.blur();
      }
    });
    document.addEventListener("click", (event) => {
      if (!input.closest("form").contains(event.target)) list.hidden = true;
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "/" && !/^(input|textarea)$/i.test(document.activeElement.tagName)) {
        event.preventDefault();
        input.focus();
      }
    });
  }

  // Marks the words of a search on the page that was found.
  function mark_words() {
    const query = new URLSearchParams(window.location.search).get("q");
    if (!query) return;
    const words = query.split(/[\s,]+/).filter((word) => word.length > 1).map((word) => word.replace(/\W/g, "\\$&"));
    if (!words.length) return;
    const pattern = new RegExp("(" + words.join("|") + ")", "gi");
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      if (node.parentElement.closest("script, style, math")) continue;
      const parts = node.nodeValue.split(pattern);
      if (parts.length < 2) continue;
      node.replaceWith(...parts.map((part, i) => (i % 2 ? make("mark", { textContent: part }) : part)));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    face_button();
    wide_tables();
    pictures();
    contents();
    copy_buttons();
    search();
    mark_words();
  });
})();
