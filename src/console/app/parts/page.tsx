import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  readonly intro?: ComponentChildren
  readonly actions?: ComponentChildren
  /** Narrow for one column of text and fields, wide for a workbench. */
  readonly width?: 'narrow' | 'normal' | 'wide'
  readonly children: ComponentChildren
}

/** A page with its heading. The heading takes the focus, so that screen readers announce the page. */
export function Page({ title, intro, actions, width = 'normal', children }: PageProps): VNode {
  return (
    <div class={`page ${width}`}>
      <header class="page-head">
        <div>
          <PageTitle title={title} />
          {intro ? <p>{intro}</p> : null}
        </div>
        {actions ? <div class="page-actions">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

/** The page's top-level heading, also the title of the browser's tab. */
export function PageTitle({ title, hidden = false }: { title: string; hidden?: boolean }): VNode {
  const heading = useRef<HTMLHeadingElement>(null)
  // A layout effect: later, it would take the focus from a field that the user has begun to type in.
  useLayoutEffect(() => {
    document.title = `${title} · Sepia`
    heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <h1 ref={heading} tabIndex={-1} class={hidden ? 'hidden-text' : ''}>
      {title}
    </h1>
  )
}
