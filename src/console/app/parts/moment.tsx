import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { momentText } from '../language/formats.ts'
import { t } from '../language/t.ts'
import { distanceText } from './duration-text.ts'

/** The current time in Unix milliseconds, updated twice a minute. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 30_000)

/** A relative time, with the exact one on hover. */
export function Moment({ at }: { at: number }): VNode {
  const ms = at - now.value
  const text = Math.abs(ms) < 60_000 ? t`just now` : distanceText(ms)
  return (
    <time dateTime={new Date(at).toISOString()} title={momentText(at)}>
      {text}
    </time>
  )
}
