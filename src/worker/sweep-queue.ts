import type { InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'

/** Moves on what lost its worker or waited too long, until nothing is left to move. */
export async function sweepQueue(
  { queue, onSwept }: { readonly queue: InferenceQueue; readonly onSwept: (report: SweepReport) => void },
  limits: { readonly maxQueueMs: number },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.sweep(limits, options)
    if (report.requeued + report.failed === 0) return
    onSwept(report)
  }
}
