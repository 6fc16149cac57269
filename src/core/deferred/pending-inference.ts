import type { Inference } from '../inference.ts'

/** The record of a newly submitted inference. */
export function makePendingInference(
  { id, accountId, kind, model, priority }: Pick<Inference, 'id' | 'accountId' | 'kind' | 'model' | 'priority'>,
  createdAt: number,
): Inference {
  return {
    id,
    accountId,
    kind,
    model,
    priority,
    status: 'pending',
    outcome: null,
    error: null,
    output: null,
    attempt: 0,
    progress: null,
    queuePosition: null,
    createdAt,
    startedAt: null,
    completedAt: null,
    expiresAt: null,
  }
}
