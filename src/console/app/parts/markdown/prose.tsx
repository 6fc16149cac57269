import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { GrowingMarkdown, hasDefinitions } from './growing-markdown.ts'
import { MarkdownView } from './markdown-view.tsx'
import type { readMarkdown } from './read-markdown.ts'

/** The Markdown parser; null = not loaded yet. */
export const reader = signal<typeof readMarkdown | null>(null)

/** Loads the Markdown parser before the first answer needs it. */
export function loadReader(): void {
  if (reader.peek() === null) void import('./read-markdown.ts').then((module) => (reader.value = module.readMarkdown))
}

/** Markdown from a model. While it grows, only its end is parsed again; `caret` marks the end. */
export function Prose({ text, caret }: { text: string; caret: boolean }): VNode {
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
  const blocks = caret || !hasDefinitions(text) ? growing.current.update(text) : read(text)
  return (
    <div class={caret ? 'prose writing' : 'prose'} dir="auto">
      <MarkdownView blocks={blocks} />
      {blocks.length === 0 && caret ? <p /> : null}
    </div>
  )
}
