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

/** Informs the user that the account's request log is on. */
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
      {t`An owner has logged the content of your requests and answers since ${momentText(log.since)}; each is kept for ${durationText(log.keepMs)}.`}
    </p>
  )
}
