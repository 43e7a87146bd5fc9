// What every part of the page shares: what is known, where we are, and the colours.

export const page = { about: null, now: null, seq: 0, view: null };

export function go(address) {
  history.pushState(null, "", address);
  dispatchEvent(new Event("palaver:go"));
}

// Change what stands behind the `?`, without showing the view anew: the address can be shared at any moment.
export function remember(values) {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) value ? params.set(name, value) : params.delete(name);
  history.replaceState(null, "", location.pathname + (params.size ? `?${params}` : ""));
}

const KEEP = "palaver.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";

export function theme(chosen = localStorage.getItem(KEEP) ?? "") {
  if (chosen) document.documentElement.dataset.theme = chosen;
  page.view?.themed?.();
}

export function turnColours() {
  const chosen = isDark() ? "light" : "dark";
  localStorage.setItem(KEEP, chosen);
  theme(chosen);
}

dark.addEventListener("change", () => theme());
