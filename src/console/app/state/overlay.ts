import { signal } from '@preact/signals'

/** What lies over every page: the way to anywhere, or what keys do. */
export const overlay = signal<'none' | 'palette' | 'shortcuts'>('none')

/** Opens them by key: Control or Command with K, and ? where nobody types. Returns the way to stop. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isPaletteKey = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    const isHelpKey = event.key === '?' && !event.ctrlKey && !event.metaKey && !isTyping(event.target)
    if (!isPaletteKey && !isHelpKey) return
    event.preventDefault()
    overlay.value = isPaletteKey ? 'palette' : 'shortcuts'
  }
  window.addEventListener('keydown', onKey)
  return () => window.removeEventListener('keydown', onKey)
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=checkbox], [type=range])'))
  )
}
