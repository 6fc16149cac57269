import type { VNode } from 'preact'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { say } from './composer.tsx'
import { t } from './text.ts'

const suggestions = [
  t`What is the capital of Portugal?`,
  t`Tell me a short story about a fox.`,
  t`What is 17 + 25?`,
  t`How do you say “water” in Spanish?`,
]

/** An empty conversation, with a few ways to begin. */
export function ChatStart(): VNode {
  return (
    <div class="conversation">
      <EmptyState drawing="inkwell" title={t`The page is blank`}>
        <p>{t`Ask something. The conversation is kept for you alone, until you delete it.`}</p>
        <div class="row suggestions">
          {suggestions.map((suggestion) => (
            <Button size="small" key={suggestion} onClick={() => say(suggestion)}>
              {suggestion}
            </Button>
          ))}
        </div>
      </EmptyState>
    </div>
  )
}
