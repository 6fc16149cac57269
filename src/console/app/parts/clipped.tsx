import type { ComponentChildren, VNode } from 'preact'

interface ClippedProps {
  /** The whole text, shown as its title. */
  readonly text: string | null
  /** Its language, if it is not the page's. */
  readonly language?: 'en'
  /** Shown instead of the text alone. */
  readonly children?: ComponentChildren
}

/** A text that is cut off where there is no room for it. */
export function Clipped({ text, language, children = text }: ClippedProps): VNode {
  return (
    <span class="clipped" title={text ?? undefined} lang={language}>
      {children}
    </span>
  )
}
