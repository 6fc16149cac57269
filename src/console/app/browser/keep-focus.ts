import { withoutBase } from './base-path.ts'

/** The focused element, and its ancestors with their indices, the innermost first. */
interface Held {
  readonly element: HTMLElement
  readonly around: readonly { readonly parent: Element; readonly at: number }[]
  readonly page: string
}

/**
 * Moves the focus to the nearest element when the focused one is removed or disabled, so that keyboard users keep their place. It moves
 * to a button that removes something only from such a button, because the next key may press it. After a link to another page, the focus
 * moves to that page.
 */
export function keepFocus(): void {
  let held: Held | null = null
  document.addEventListener('focusin', ({ target }) => {
    // A pointer needs no focus.
    held = target instanceof HTMLElement && target.matches(':focus-visible') ? hold(target) : null
  })
  document.addEventListener('keydown', ({ target }) => {
    if (target instanceof HTMLElement && target !== held?.element) held = hold(target)
  })
  document.addEventListener('pointerdown', () => {
    held = null
  })
  // Captured before the focused element handles the event and removes something from the page.
  document.addEventListener(
    'blur',
    ({ relatedTarget }) => {
      // The focus is moving to another element; until then the page has none.
      if (relatedTarget !== null) held = null
    },
    true,
  )
  const restore = () => {
    if (held === null || hasFocus() || canHaveFocus(held.element)) return
    const lost = held
    held = null
    if (pageOf() === lost.page) focusNearest(lost)
    else document.getElementById('main')?.focus()
  }
  new MutationObserver(() => {
    if (held === null || hasFocus()) return
    // An element that was only moved gets the focus back. A closing dialog restores it itself.
    if (canHaveFocus(held.element)) held.element.focus()
    else queueMicrotask(restore)
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
}

function hold(element: HTMLElement): Held {
  const around = []
  for (let child: Element = element, parent = child.parentElement; parent !== null; child = parent, parent = child.parentElement)
    around.push({ parent, at: [...parent.children].indexOf(child) })
  return { element, around, page: pageOf() }
}

function hasFocus(): boolean {
  const { activeElement } = document
  return activeElement !== null && activeElement !== document.body && !activeElement.matches(':disabled')
}

function canHaveFocus(element: Element): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(':disabled')
}

function focusNearest({ element, around }: Held): void {
  const barred = element.matches('[data-removes]') ? ':disabled' : '[data-removes]'
  for (const { parent, at } of around) {
    if (!parent.isConnected) continue
    const children = [...parent.children]
    // The next sibling has moved up into its place.
    for (const child of [...children.slice(at), ...children.slice(0, at).toReversed()]) if (focusWithin(child, barred)) return
  }
}

function focusWithin(branch: Element, barred: string): boolean {
  const inside = branch.querySelectorAll<HTMLElement>('a, button, input, select, textarea, summary, [tabindex]')
  return [...(branch instanceof HTMLElement ? [branch] : []), ...inside].some((element) => {
    if (element.tabIndex < 0 || element.matches(barred) || !canHaveFocus(element)) return false
    element.focus()
    return document.activeElement === element
  })
}

/** A page's name is the first part of its path after `/console/`. */
function pageOf(): string {
  return withoutBase(location.pathname).split('/')[2] ?? ''
}
