import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { CurrentSession } from '../../contract/session.ts'
import { request } from '../interface/request.ts'
import { momentText } from '../language/formats.ts'
import { t } from '../language/t.ts'
import { durationText } from '../parts/duration-text.ts'
import { useRepeat } from '../state/repeat.ts'
import { useResource } from '../state/resource.ts'

const refreshMs = 60_000

/** Tells a person that what they ask and get is kept, where an owner wishes that. */
export function RequestLogNote(): VNode | null {
  const { resource, reload } = useResource((signal) => request<CurrentSession>('/console/api/session', { signal }), [])
  useRepeat(
    useCallback(() => reload(), []),
    refreshMs,
  )
  const log = resource.value.state === 'ready' ? resource.value.value.requestLog : null
  if (!log) return null
  return (
    <p class="note warn" role="status">
      {t`Your requests are logged: an owner has what you ask and get kept since ${momentText(log.since)}, each for ${durationText(log.keepMs)}.`}
    </p>
  )
}
