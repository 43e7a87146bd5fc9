// A list whose rows come and go while somebody uses it by keyboard. A row that says the same stays the same node, and
// the row that has the focus does not move. If that row is over, the one that takes its place gets the focus.

const lasts = new WeakMap();

// Remember which row of a list had the focus, until the focus goes elsewhere on purpose. A dialog gives it back.
export function keepFocus(list, signal) {
  const elsewhere = (node) => node && !list.contains(node) && !node.closest?.("dialog");
  list.addEventListener("focusin", ({ target }) => {
    const row = [...list.children].find((each) => each.contains(target));
    lasts.set(list, { item: row.dataset.item, place: [...list.children].indexOf(row), words: target.innerText });
  }, { signal });
  list.addEventListener("focusout", ({ relatedTarget }) => elsewhere(relatedTarget) && lasts.delete(list), { signal });
  addEventListener("pointerdown", ({ target }) => elsewhere(target) && lasts.delete(list), { signal, capture: true });
  // What has the focus in a dialog keeps it until the dialog is removed.
  addEventListener("close", () => setTimeout(() => restoreFocus(list)), { signal, capture: true });
}

export function restoreFocus(list) {
  const last = lasts.get(list);
  if (!last || document.activeElement !== document.body) return;
  const rows = [...list.children];
  const row = rows.find((each) => each.dataset.item === last.item) ?? rows[Math.min(last.place, rows.length - 1)];
  const same = row?.dataset.item === last.item && !row.classList.contains("over") && [...row.querySelectorAll("a, button")].find((each) => each.innerText === last.words);
  (same || row?.querySelector("[data-row], button"))?.focus({ preventScroll: true });
}

// Show these rows in this order. Each is [the name of the row, what it shows, how it is made].
export function arrange(list, wanted) {
  const old = new Map([...list.children].map((row) => [row.dataset.item, row]));
  const rows = wanted.map(([item, shown, make]) => {
    const was = old.get(item);
    if (was?.shown === shown) {
      was.classList.remove("over");
      return was;
    }
    return Object.assign(make(), { shown });
  });
  const held = rows.findIndex((row) => row.contains(document.activeElement));
  if (held < 0) list.replaceChildren(...rows);
  else {
    for (const row of old.values()) if (!rows.includes(row)) row.remove();
    for (const row of rows.slice(0, held)) list.insertBefore(row, rows[held]);
    list.append(...rows.slice(held + 1));
  }
  restoreFocus(list);
}
