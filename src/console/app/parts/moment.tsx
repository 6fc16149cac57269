import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { durationText } from './duration-text.ts'

/** The time now, moved on twice a minute, in Unix milliseconds. */
export const now = signal(Date.now())
setInterval(() => {
  now.value = Date.now()
}, 30_000)

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A point in time as people say it, with the exact one on hover. */
export function Moment({ at }: { at: number }): VNode {
  const ms = at - now.value
  const text = Math.abs(ms) < 60_000 ? 'just now' : ms < 0 ? `${durationText(-ms)} ago` : `in ${durationText(ms)}`
  return (
    <time dateTime={new Date(at).toISOString()} title={full.format(at)}>
      {text}
    </time>
  )
}
