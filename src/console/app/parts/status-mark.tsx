import type { VNode } from 'preact'
import type { Inference } from '../../../core/inference.ts'
import type { UsageEntry } from '../../../core/usage.ts'
import { t } from '../language/t.ts'

const marks = {
  pending: { tone: '', label: t`waiting` },
  running: { tone: 'busy', label: t`running` },
  succeeded: { tone: 'good', label: t`done` },
  failed: { tone: 'bad', label: t`failed` },
  cancelled: { tone: 'warn', label: t`cancelled` },
  refused: { tone: 'warn', label: t`refused` },
} as const

/** The state of a request, in one word. */
export function StatusMark({
  inference,
}: {
  inference: { readonly status: Inference['status']; readonly outcome: UsageEntry['outcome'] | null }
}): VNode {
  const mark = marks[inference.status === 'completed' ? (inference.outcome ?? 'succeeded') : inference.status]
  return <span class={`mark ${mark.tone}`}>{mark.label}</span>
}
