import type { VNode } from 'preact'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { chatModelName, chatModels, modelChoices } from '../../../state/models.ts'
import { current } from '../conversations.ts'
import { AnswerSheet, UseAnswer } from '../turns/answer-sheet.tsx'
import { comparedModels } from './compared-models.ts'

/** The answers of several models to one message, side by side. The conversation continues with the one that the user picks. */
export function Comparison(): VNode {
  return (
    <section class="comparison" aria-label={t`Answers compared`}>
      {current.value.compared.value.map((turn, index) => (
        <ComparedAnswer turn={turn} number={index + 1} key={turn.id} />
      ))}
    </section>
  )
}

function ComparedAnswer({ turn, number }: { turn: Turn; number: number }): VNode {
  const writing = turn.state === 'writing'
  const name = turn.model === null ? '' : chatModelName(turn.model)
  return (
    <AnswerSheet turn={turn} label={t`Answer ${number}, ${name}`} heading={name}>
      {writing ? (
        <Button size="small" icon="stop" onClick={() => current.value.stop(turn)} about={t`answer ${number}`}>{t`Stop`}</Button>
      ) : (
        <UseAnswer about={t`answer ${number}`} choose={() => current.value.choose(turn)} />
      )}
      {turn.content && !writing ? <CopyButton text={turn.content} /> : null}
    </AnswerSheet>
  )
}

const none = { value: '', label: t`None` }

/** Chooses further models that answer the next message. */
export function CompareFields(): VNode {
  const { second, third } = comparedModels.value
  const options = [none, ...modelChoices(chatModels())]
  return (
    <div class="stack">
      <SelectField
        label={t`Second model`}
        value={second}
        options={options}
        hint={t`Also answers your messages, beside the first model, until you choose None.`}
        onChange={(id) => (comparedModels.value = { second: id, third: id === '' ? '' : third })}
      />
      {second === '' ? null : (
        <SelectField
          label={t`Third model`}
          value={third}
          options={options}
          onChange={(id) => (comparedModels.value = { second, third: id })}
        />
      )}
    </div>
  )
}
