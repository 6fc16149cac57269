import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { TextField } from './fields/text-field.tsx'

interface PromptSearchProps {
  readonly search: Signal<string>
  /** Where the page that is shown begins; null = it is the first. */
  readonly cursor: Signal<string | null>
}

/** Where one looks for prompts in a list of pages; what is narrowed down begins with its first. */
export function PromptSearch({ search, cursor }: PromptSearchProps): VNode {
  return (
    <TextField
      label={t`Search prompts`}
      value={search.value}
      onInput={(text) => {
        search.value = text
        cursor.value = null
      }}
    />
  )
}
