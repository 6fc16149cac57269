import type { VNode } from 'preact'
import { wholeText } from '../../../language/formats.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { chatModels } from '../../../state/models.ts'
import { announce } from '../../../state/toasts.ts'
import type { Attachments } from '../attach/attachments.ts'
import { chatSettings } from '../chat-settings.ts'
import { current } from '../conversations.ts'
import { contextUse, leaveOutOldest } from './context-use.ts'

/** Share of the context from which "leave out the oldest" is offered. */
const nearlyFull = 0.75

/** Shows how full the model's context is, and offers to make room before it is full. */
export function ContextGauge({ draft, attached }: { draft: string; attached: Attachments }): VNode | null {
  const { turns, counted, countsFrom } = current.value
  const { model, system } = chatSettings.value
  const length = chatModels().find(({ id }) => id === model)?.contextLength ?? null
  if (length === null) return null
  const next = { system, draft, ...attached }
  const { tokens, isEstimate } = contextUse(turns.value, countsFrom.value, next)
  if (turns.value.length === 0 && tokens <= length * nearlyFull) return null
  const texts = [wholeText(tokens), wholeText(length)] as const
  const first = tokens > length * nearlyFull ? leaveOutOldest(turns.value, length) : null
  const mayLeaveOut = first !== null && first !== countsFrom.value && first !== turns.value[0]?.id
  const isTooLong = tokens > length && contextUse(turns.value, first, next).tokens > length
  const leftOut = turns.value.length - counted.value.length
  const leaveOut = () => {
    current.value.countFrom(first)
    announce(t`The oldest messages are left out.`)
  }
  return (
    <div class="context-gauge">
      <meter aria-label={t`Context`} min={0} max={length} high={length * nearlyFull} optimum={0} value={Math.min(tokens, length)} />
      <span class="faint numbers">
        {isEstimate ? t`about ${texts[0]} of ${texts[1]} tokens of context` : t`${texts[0]} of ${texts[1]} tokens of context`}
      </span>
      {leftOut > 0 ? (
        <span class="faint">{t.count(leftOut, { one: 'without the first message', other: 'without the first # messages' })}</span>
      ) : null}
      {isTooLong ? (
        <span class="field-fault">{t`A message is longer than the model’s context. Shorten it, or remove a file.`}</span>
      ) : mayLeaveOut ? (
        <Button tone="quiet" size="small" onClick={leaveOut}>{t`Leave out the oldest messages`}</Button>
      ) : null}
    </div>
  )
}

/** Marks the first message that models read; nothing when they read all. */
export function LeftOut({ count }: { count: number }): VNode {
  return (
    <div class="left-out">
      <span>
        {count === 1 ? t`The model no longer reads the message above.` : t`The model no longer reads the ${count} messages above.`}
      </span>
      <Button tone="quiet" size="small" onClick={() => current.value.countFrom(null)}>{t`Include them again`}</Button>
    </div>
  )
}
