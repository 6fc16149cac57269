import { computed, signal } from '@preact/signals'
import type { VNode } from 'preact'
import { serviceNow } from '../interface/service-clock.ts'
import { momentText } from '../language/formats.ts'
import { t } from '../language/t.ts'
import { distanceText } from './duration-text.ts'

const ticks = signal(0)
setInterval(() => {
  ticks.value += 1
}, 30_000)

/** The current time by the service's clock in Unix milliseconds, updated twice a minute. */
export const now = computed(() => {
  ticks.value
  return serviceNow()
})

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
