// What the page shows: the screen, the theme, a message to the user.
import { ApiError } from '../api/client';

export type Screen = 'files' | 'text' | 'model' | 'properties' | 'run' | 'trace' | 'simulate' | 'graph' | 'teach' | 'group';

export const SCREENS: { id: Screen; label: string; narrow?: boolean; group?: boolean }[] = [
  { id: 'files', label: 'Files', narrow: true },
  { id: 'text', label: 'Text', narrow: true },
  { id: 'model', label: 'Model' },
  { id: 'properties', label: 'Properties' },
  { id: 'run', label: 'Run' },
  { id: 'trace', label: 'Counterexample' },
  { id: 'simulate', label: 'Simulate' },
  { id: 'graph', label: 'State graph' },
  { id: 'teach', label: 'Teach' },
  { id: 'group', label: 'Group', group: true },
];

type Theme = 'light' | 'dark';
const THEME = 'kripke-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const narrow = matchMedia('(max-width: 760px)');

class Page {
  screen = $state<Screen>('model');
  narrow = $state(narrow.matches);
  mode = $state<'ui' | 'serve' | null>(null);
  version = $state('');
  theme = $state<Theme>('light');
  message = $state<{ text: string; bad: boolean } | null>(null);
  help = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    narrow.addEventListener('change', (event) => this.fit(event.matches));
    system.addEventListener('change', () => this.dress());
    if (narrow.matches) this.screen = 'text';
    this.dress();
  }

  private fit(isNarrow: boolean) {
    this.narrow = isNarrow;
    if (!isNarrow && (this.screen === 'files' || this.screen === 'text')) this.screen = 'model';
  }

  private dress() {
    const chosen = localStorage.getItem(THEME) as Theme | null;
    this.theme = chosen ?? (system.matches ? 'dark' : 'light');
    document.documentElement.dataset['theme'] = this.theme;
  }

  toggleTheme() {
    localStorage.setItem(THEME, this.theme === 'dark' ? 'light' : 'dark');
    this.dress();
  }

  show(screen: Screen) {
    this.screen = screen;
  }

  /// Shows the text of the model: a screen of its own where there is little room.
  showText() {
    if (this.narrow) this.screen = 'text';
  }

  say(text: string, bad = false) {
    clearTimeout(this.timer);
    this.message = { text, bad };
    this.timer = setTimeout(() => (this.message = null), bad ? 9000 : 4000);
  }

  /// Reports a failed request.
  fail(error: unknown) {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) console.error(error);
    this.say(error instanceof Error ? error.message : String(error), true);
  }
}

export const page = new Page();
