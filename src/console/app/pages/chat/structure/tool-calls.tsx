import type { VNode } from 'preact'
import type { RecordedCall, Turn } from '../../../../../core/chat/conversation.ts'
import { readJson } from '../../../interface/read-json.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { TextArea } from '../../../parts/fields/text-area.tsx'
import { current } from '../conversations.ts'
import { lengthFault } from '../length-fault.ts'
import { draftOf, keepDraft } from '../unsent/drafts.ts'

/** The function calls of an answer. The user enters their results, and the model continues. */
export function ToolCalls({ turn, last }: { turn: Turn; last: boolean }): VNode | null {
  const { calls = [] } = turn
  if (calls.length === 0) return null
  const isOpen = last && turn.state === 'done' && calls.some(({ result }) => result === undefined)
  // Several calls of one function are numbered.
  const numbered = (index: number) => {
    const name = calls[index]?.name ?? ''
    return calls.length > 1 ? t`${name} (${index + 1} of ${calls.length})` : name
  }
  const placeOf = (index: number) => `result ${turn.id} ${index}`
  const faultOf = (index: number) => lengthFault(draftOf(placeOf(index)) ?? '')
  const isTooLong = calls.some((_, index) => faultOf(index) !== null)
  const submit = (event: Event) => {
    event.preventDefault()
    if (isTooLong) return
    const results = calls.map((_, index) => draftOf(placeOf(index)) ?? '')
    for (const [index] of calls.entries()) keepDraft(placeOf(index), null)
    current.value.answerCalls(turn, results)
  }
  return (
    <form class="stack" onSubmit={submit}>
      {calls.map((call, index) => (
        <section class="tool-call stack tight" key={call.id} aria-label={t`Call of ${numbered(index)}`}>
          <h3>{t.rich`Calls ${<code>{call.name}</code>}`}</h3>
          <pre>
            <code>{readable(call)}</code>
          </pre>
          {isOpen ? (
            <TextArea
              label={t`Result of ${numbered(index)}`}
              mono
              rows={2}
              value={draftOf(placeOf(index)) ?? ''}
              onInput={(text) => keepDraft(placeOf(index), text)}
              fault={faultOf(index)}
            />
          ) : null}
          {call.result === undefined ? null : <p class="soft">{t.rich`Result: ${<code>{call.result}</code>}`}</p>}
        </section>
      ))}
      {isOpen ? (
        <div>
          <Button tone="primary" size="small" disabled={isTooLong}>{t`Send result`}</Button>
        </div>
      ) : null}
    </form>
  )
}

/** The arguments, indented if they are JSON. */
function readable({ arguments: text }: RecordedCall): string {
  const value = readJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
