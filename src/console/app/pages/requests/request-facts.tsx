import type { VNode } from 'preact'
import type { NumberedRequest } from '../../../../core/ports/request-log.ts'
import type { RequestShown } from '../../../contract/requests.ts'
import { exactMomentText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { Facts } from '../../parts/facts.tsx'
import { offsetText, type TimelineEvent } from './timeline-events.ts'

const priorities = { normal: t`normal`, low: t`low` } as const

/** The request's model, kind and result. */
export function RequestFacts({ shown }: { shown: RequestShown }): VNode {
  const { kind, model, account, token, inference, result } = shown
  const error = inference?.error ?? result?.error ?? null
  const facts: (readonly [string, string])[] = [
    [t`Type`, kindTexts[kind]],
    [t`Model`, model],
    ...(account === null ? [] : [[t`Account`, account] as const]),
    [t`Sent by`, token ?? t`the console`],
  ]
  if (result !== null) {
    const { promptTokens, completionTokens, images, durationMs } = result
    facts.push([t`Duration`, durationText(durationMs)], [t`Attempts`, '1'])
    if (images > 0) facts.push([t`Images`, String(images)])
    else facts.push([t`Tokens in`, wholeText(promptTokens)], [t`Tokens out`, wholeText(completionTokens)])
  }
  if (inference !== null) facts.push([t`Priority`, priorities[inference.priority]], [t`Attempts`, String(inference.attempt)])
  if (error !== null) facts.push([t`Error code`, error.code])
  if (inference?.output) {
    const { bytes, contentType, sha256 } = inference.output
    facts.push([t`Output`, `${byteText(bytes)}, ${contentType.split(';')[0]}`], ['SHA-256', sha256.slice(0, 16)])
  }
  return <Facts class="sheet facts" of={facts} />
}

/** Names of the kinds of requests. */
export const kindTexts: Readonly<Record<NumberedRequest['kind'], string>> = {
  image: t`Image`,
  chat: t`Chat`,
  completion: t`Completion`,
  embedding: t`Embedding`,
  rerank: t`Ranking`,
}

const toneClass = { reached: 'reached', failed: 'reached failed', ahead: '' } as const

/** The events of a request, top to bottom. */
export function Timeline({ events }: { events: readonly TimelineEvent[] }): VNode {
  const begun = events[0]?.at ?? 0
  return (
    <ol class="timeline">
      {events.map((event) => (
        <li key={event.title} class={toneClass[event.tone]}>
          <strong>{event.title}</strong>
          {event.at === null ? (
            <span class="faint">{t`not yet`}</span>
          ) : (
            <span class="numbers">
              <time dateTime={new Date(event.at).toISOString()}>{exactMomentText(event.at)}</time>
              <span class="faint"> {offsetText(event, begun)}</span>
            </span>
          )}
          {event.note ? <p>{event.note}</p> : null}
        </li>
      ))}
    </ol>
  )
}
