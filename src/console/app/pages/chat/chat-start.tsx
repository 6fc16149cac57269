import type { VNode } from 'preact'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { chatSettings } from './chat-settings.ts'
import { begin } from './say.ts'

const suggestions = [
  t`What is the capital of Portugal?`,
  t`Tell me a short story about a fox.`,
  t`Give me three tips for better sleep.`,
  t`How do you say “water” in Spanish?`,
]

/** An empty conversation, with a few ways to begin, in a language that the chosen model speaks. */
export function ChatStart(): VNode {
  const inEnglish = builtInModels.includes(chatSettings.value.model)
  return (
    <div class="conversation">
      <EmptyState drawing="inkwell" title={t`Start a conversation`}>
        <p>{t`Ask something. The conversation is kept for you alone, until you delete it.`}</p>
        {/* Recreated when the language changes: a removed language would stay, as an unknown one. */}
        <div class="row suggestions" key={inEnglish ? 'en' : 'own'} lang={inEnglish ? 'en' : undefined}>
          {(inEnglish ? questionSamples : suggestions).map((suggestion) => (
            <Button size="small" key={suggestion} onClick={() => begin(suggestion)}>
              {suggestion}
            </Button>
          ))}
        </div>
      </EmptyState>
    </div>
  )
}

/** The language models that come with the service. They have learned no other language than English. */
const builtInModels: readonly string[] = ['smollm2-135m-instruct', 'sepia-mini-chat']

/** Questions to begin with, of things that the built-in models know. */
const questionSamples = [
  'What is the capital of Portugal?',
  'Tell me a short story about a fox.',
  'Give me three tips for better sleep.',
  'How do you say “water” in Spanish?',
] as const
