import { signal } from '@preact/signals'
import { isTyping } from '../browser/is-typing.ts'

/** A dialog on top of every page: the command palette or the list of shortcuts. */
export interface Overlay {
  readonly shows: 'palette' | 'shortcuts'
  /** A counter of openings: the browser reports late that one was closed, when another may be open. */
  readonly opening: number
}

/** The open overlay; null = none. */
export const overlay = signal<Overlay | null>(null)

let openings = 0

/** Opens an overlay unless one is open. */
export function openOverlay(shows: Overlay['shows']): void {
  if (overlay.peek()?.shows === shows && document.querySelector('dialog.dialog[open]')) return
  overlay.value = { shows, opening: ++openings }
}

/** Closes this opening, but not a later one. */
export function closeOverlay(opened: Overlay): void {
  if (overlay.peek() === opened) overlay.value = null
}

/**
 * Opens them by keyboard: Control or Command with K, and ? outside of text fields.
 *
 * @returns a function that stops listening.
 */
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
