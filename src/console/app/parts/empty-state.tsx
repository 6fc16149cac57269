import type { ComponentChildren, VNode } from 'preact'

const drawings = {
  inkwell:
    'M22 44h36l5 26a5 5 0 0 1-5 6H22a5 5 0 0 1-5-6zM28 44v-8h24v8M20 58c8 5 14-4 21 0s12 4 19 0M46 34C54 18 64 8 78 4c-3 14-10 24-24 32M60 22l-14 14',
  frame: 'M14 12h52v56H14zM22 20h36v40H22zM22 50l10-10 8 8 7-7 11 11M48 30h.01',
  page: 'M22 8h26l12 12v52H22zM48 8v12h12M30 34h22M30 44h22M30 54h12',
  ledger:
    'M14 16h24a4 4 0 0 1 4 4v48a4 4 0 0 0-4-4H14zM66 16H46a4 4 0 0 0-4 4v48a4 4 0 0 1 4-4h20zM22 28h12M22 38h12M50 28h10M50 38h10M50 48h6',
  key: 'M52 14a16 16 0 1 1-9 29L20 66h-8v-8l23-23a16 16 0 0 1 17-21zM57 25h.01',
} as const

/** Shown on a page without content. */
export function EmptyState({
  drawing,
  title,
  children,
}: {
  drawing: keyof typeof drawings
  title: string
  children: ComponentChildren
}): VNode {
  return (
    <div class="empty">
      <svg
        width="84"
        height="84"
        viewBox="0 0 80 80"
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        <path d={drawings[drawing]} />
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  )
}
