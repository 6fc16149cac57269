import type { InferenceQueue, SweepReport } from '../core/ports/inference-queue.ts'
import type { OutputStore } from '../core/ports/output-store.ts'

/**
 * Does what time does to the queue, and deletes the outputs that have expired: their rows first, then the bytes, so
 * that a crash in between leaves bytes without a row, which the search for orphans finds.
 */
export async function sweepQueue(
  {
    queue,
    outputs,
    onSwept,
  }: { readonly queue: InferenceQueue; readonly outputs: OutputStore; readonly onSwept: (report: SweepReport) => void },
  limits: { readonly maxQueueMs: number },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.sweep(limits, options)
    for (const inferenceId of report.expiredOutputs) await outputs.delete(inferenceId, options)
    if (report.requeued + report.failed + report.expiredOutputs.length + report.deletedRecords === 0) return
    onSwept(report)
  }
}
