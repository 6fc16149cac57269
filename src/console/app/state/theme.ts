import { signal } from '@preact/signals'
import { keep, readKept } from '../browser/browser-storage.ts'

export type Theme = 'auto' | 'light' | 'dark'

const key = 'sepia.theme'

/** Light, dark, or the system's theme. */
export const theme = signal<Theme>(storedTheme())

/** Sets the theme for this and later visits. */
export function setTheme(next: Theme): void {
  theme.value = next
  keep(key, next)
  applyTheme()
}

/** Applies the theme to the document. */
export function applyTheme(): void {
  if (theme.value === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

function storedTheme(): Theme {
  const stored = readKept(key)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}
