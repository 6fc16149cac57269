import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useId } from 'preact/hooks'
import type { Sample } from '../interface/code-samples.ts'
import { t } from '../language/t.ts'
import { CopyButton } from './copy-button.tsx'

/** The same call in several languages, one shown at a time. */
export function CodeSample({ samples }: { samples: readonly Sample[] }): VNode {
  const chosen = useSignal(0)
  const id = useId()
  const code = samples[chosen.value]?.code ?? ''
  const move = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? samples.length - 1 : 0
    if (by === 0) return
    // The key would also scroll the row away from the chosen tab.
    event.preventDefault()
    chosen.value = (chosen.value + by) % samples.length
    document.getElementById(`${id}-${chosen.value}`)?.focus()
  }
  return (
    <div class="code">
      <div class="code-head">
        <div class="tabs" role="tablist" aria-label={t`Language`}>
          {samples.map((sample, index) => (
            <button
              type="button"
              role="tab"
              id={`${id}-${index}`}
              key={sample.language}
              aria-selected={index === chosen.value}
              aria-controls={`${id}-panel`}
              tabIndex={index === chosen.value ? 0 : -1}
              onKeyDown={move}
              onClick={() => {
                chosen.value = index
              }}
            >
              {sample.language}
            </button>
          ))}
        </div>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <pre role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen.value}`} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}
