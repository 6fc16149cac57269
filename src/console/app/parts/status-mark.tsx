import type { VNode } from 'preact'
import type { Inference } from '../../../core/inference.ts'

const marks = {
  pending: { tone: '', label: 'waiting' },
  running: { tone: 'busy', label: 'running' },
  succeeded: { tone: 'good', label: 'done' },
  failed: { tone: 'bad', label: 'failed' },
  cancelled: { tone: 'warn', label: 'cancelled' },
} as const

/** Where a request stands, in one word. */
export function StatusMark({ inference }: { inference: Pick<Inference, 'status' | 'outcome'> }): VNode {
  const mark = marks[inference.status === 'completed' ? (inference.outcome ?? 'succeeded') : inference.status]
  return <span class={`mark ${mark.tone}`}>{mark.label}</span>
}
