import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { t } from '../language/t.ts'
import { TextField } from './fields/text-field.tsx'

interface PromptSearchProps {
  readonly search: Signal<string>
  /** The cursor of the shown page; null = the first. */
  readonly cursor: Signal<string | null>
}

/** A search field for prompts. A new search starts at the first page. */
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
