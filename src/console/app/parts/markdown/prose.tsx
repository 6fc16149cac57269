import { signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../language/t.ts'
import { Button } from '../button.tsx'
import { GrowingMarkdown, hasDefinitions } from './growing-markdown.ts'
import { MarkdownView } from './markdown-view.tsx'
import type { readMarkdown } from './read-markdown.ts'

/** Characters of a finished text that are shown at once: two million would block the page for a minute. */
const maxAtOnce = 200_000

/** The Markdown parser; null = not loaded yet. */
export const reader = signal<typeof readMarkdown | null>(null)

/** Loads the Markdown parser before the first answer needs it. */
export function loadReader(): void {
  if (reader.peek() === null) void import('./read-markdown.ts').then((module) => (reader.value = module.readMarkdown))
}

/** Markdown from a model. While it grows, only its end is parsed again; `caret` marks the end. A very long one is shown in parts. */
export function Prose({ text: whole, caret }: { text: string; caret: boolean }): VNode {
  const limit = useSignal(maxAtOnce)
  const hasGrown = useRef(caret)
  // What has grown here is shown already, even if only its end has.
  hasGrown.current ||= caret
  const isCut = !hasGrown.current && whole.length > limit.value
  const text = isCut ? whole.slice(0, limit.value).toWellFormed() : whole
  const growing = useRef<GrowingMarkdown | null>(null)
  useEffect(loadReader, [])
  const read = reader.value
  if (read === null)
    return (
      <div class="prose plain" dir="auto">
        {text}
      </div>
    )
  growing.current ??= new GrowingMarkdown(read)
  const blocks = caret || !hasDefinitions(text) ? growing.current.update(text, caret) : read(text)
  return (
    <div class={caret ? 'prose writing' : 'prose'} dir="auto">
      <MarkdownView blocks={blocks} />
      {blocks.length === 0 && caret ? <p /> : null}
      {isCut ? (
        <div>
          <Button size="small" onClick={() => (limit.value += maxAtOnce)}>{t`Show more of the answer`}</Button>
        </div>
      ) : null}
    </div>
  )
}
