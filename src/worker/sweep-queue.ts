import type { Hold, InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'

/** Moves on what lost its worker or waited too long, until nothing is left to move. */
export async function sweepQueue(
  {
    queue,
    heldClaims,
    onSwept,
  }: { readonly queue: InferenceQueue; readonly heldClaims: () => readonly Hold[]; readonly onSwept: (report: SweepReport) => void },
  { maxQueueMs }: { readonly maxQueueMs: number },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.sweep({ maxQueueMs, spared: heldClaims() }, options)
    if (report.requeued + report.failed === 0) return
    onSwept(report)
  }
}
