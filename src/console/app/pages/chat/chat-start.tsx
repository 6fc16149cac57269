import type { VNode } from 'preact'
import { language } from '../../language/language.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { chatSettings } from './chat-settings.ts'
import { builtInModels, questionSamples } from './question-samples.ts'
import { begin } from './say.ts'

const suggestions = [t`What is the capital of Japan?`, t`Tell me a short story about a fox.`, t`Give me three tips for better sleep.`]

/** An empty conversation with suggestions, in a language that the chosen model knows. */
export function ChatStart(): VNode {
  const inEnglish = builtInModels.includes(chatSettings.value.model)
  return (
    <div class="conversation">
      <EmptyState drawing="inkwell" title={t`Start a conversation`}>
        <p>{t`Ask anything. Only you can open your conversations. They are saved until you delete them.`}</p>
        {inEnglish && language !== 'en' ? <p>{t`This model knows only English.`}</p> : null}
        {/* Recreated when the language changes: Preact would leave a removed `lang` as an empty one. */}
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
