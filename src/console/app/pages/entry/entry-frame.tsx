import type { ComponentChildren, VNode } from 'preact'
import { PageTitle } from '../../layout/page.tsx'
import { Wordmark } from '../../layout/wordmark.tsx'

/** The two halves of the pages before signing in: ink on one side, a form on the other. */
export function EntryFrame({ title, intro, children }: { title: string; intro: ComponentChildren; children: ComponentChildren }): VNode {
  return (
    <main class="entry">
      <div class="entry-art">
        <svg class="blot" viewBox="0 0 400 400" fill="currentColor" aria-hidden="true">
          <path d="M201 38c38-9 52 34 88 39s74 4 82 41-31 55-25 92 37 67 13 98-64 8-94 33-37 69-80 65-44-52-79-66-79 5-95-31 24-62 19-98-45-61-25-97 65-12 95-32 58-34 101-44z" />
          <circle cx="352" cy="338" r="17" />
          <circle cx="376" cy="300" r="7" />
          <circle cx="34" cy="72" r="11" />
          <circle cx="300" cy="26" r="8" />
        </svg>
        <Wordmark />
        <blockquote>Words and pictures, drawn on your own machine.</blockquote>
      </div>
      <div class="entry-form">
        <header class="stack tight">
          <PageTitle title={title} />
          <p class="soft">{intro}</p>
        </header>
        {children}
      </div>
    </main>
  )
}
