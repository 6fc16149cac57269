import type { VNode } from 'preact'
import { exactMomentText, wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import type { TimelineEvent } from './timeline-events.ts'

const toneClass = { reached: 'reached', failed: 'reached failed', ahead: '' } as const

/** The life of a request, top to bottom. */
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
              {event.tone !== 'ahead' && event.at > begun ? <span class="faint"> +{wholeText(event.at - begun)} ms</span> : null}
            </span>
          )}
          {event.note ? <p>{event.note}</p> : null}
        </li>
      ))}
    </ol>
  )
}
