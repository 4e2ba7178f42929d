// Light or dark: as the system says, until the user chooses.
const query = window.matchMedia('(prefers-color-scheme: dark)');
let chosen: boolean | null = null;

export function wireTheme(button: HTMLElement | null, changed: (dark: boolean) => void): void {
  const apply = () => {
    const dark = chosen ?? query.matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    changed(dark);
  };
  query.addEventListener('change', apply);
  button?.addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme !== 'dark';
    apply();
  });
  apply();
}
