import { signal } from '@preact/signals'
import { keep, readKept } from '../browser/browser-storage.ts'

export type Theme = 'auto' | 'light' | 'dark'

const key = 'sepia.theme'

/** Light, dark, or as the system says. */
export const theme = signal<Theme>(storedTheme())

/** Takes a theme now and for later visits of this browser. */
export function setTheme(next: Theme): void {
  theme.value = next
  keep(key, next)
  applyTheme()
}

/** Puts the theme onto the document. */
export function applyTheme(): void {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

function storedTheme(): Theme {
  const stored = readKept(key)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}
