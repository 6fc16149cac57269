import type { ComponentChildren, VNode } from 'preact'
import { t } from '../../language/t.ts'
import { LanguageSwitch } from '../../layout/language-switch.tsx'
import { Wordmark } from '../../layout/wordmark.tsx'
import { PageTitle } from '../../parts/page.tsx'

const rings = [14, 34, 60, 92, 130, 174]

/** The two halves of the pages before sign-in: ink on one side, a form on the other. */
export function EntryFrame({ title, intro, children }: { title: string; intro: ComponentChildren; children: ComponentChildren }): VNode {
  return (
    <main class="entry">
      <div class="entry-art">
        <Wordmark />
        <Ripples />
        <blockquote>{t`Words and images from your own machine.`}</blockquote>
      </div>
      <div class="entry-form">
        <header class="stack tight">
          <PageTitle title={title} />
          <p class="soft">{intro}</p>
        </header>
        {children}
        <LanguageSwitch />
      </div>
    </main>
  )
}

/** A drop of ink falling into water. */
function Ripples(): VNode {
  return (
    <svg class="ripples" viewBox="0 0 400 400" fill="none" stroke="currentColor" aria-hidden="true">
      {rings.map((ring) => (
        <ellipse key={ring} cx="200" cy="286" rx={ring} ry={ring * 0.3} stroke-width={3.4 - ring / 70} opacity={1 - ring / 230} />
      ))}
      <path fill="currentColor" stroke="none" d="M200 62c21 36 43 66 43 97a43 43 0 0 1-86 0c0-31 22-61 43-97z" />
      <path stroke="var(--wash)" stroke-width="6" stroke-linecap="round" d="M177 163a24 24 0 0 0 17 21" />
    </svg>
  )
}
