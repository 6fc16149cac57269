import { signal } from '@preact/signals'
import { isTyping } from '../browser/is-typing.ts'

/** Something that lies over every page: the way to anywhere, or what keys do. */
export interface Overlay {
  readonly shows: 'palette' | 'shortcuts'
  /** Counts openings: the browser tells late that one was closed, when another may be open. */
  readonly opening: number
}

/** What lies over the page now; null = nothing. */
export const overlay = signal<Overlay | null>(null)

let openings = 0

/** Opens it; one that is open stays as it is. */
export function openOverlay(shows: Overlay['shows']): void {
  if (overlay.peek()?.shows === shows && document.querySelector('dialog.dialog[open]')) return
  overlay.value = { shows, opening: ++openings }
}

/** Takes one opening away, and no later one. */
export function closeOverlay(opened: Overlay): void {
  if (overlay.peek() === opened) overlay.value = null
}

/** Opens them by key: Control or Command with K, and ? where nobody types. Returns the way to stop. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isPaletteKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    const isHelpKey = event.key === '?' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
    if (!isPaletteKey && !isHelpKey) return
    event.preventDefault()
    openOverlay(isPaletteKey ? 'palette' : 'shortcuts')
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}
