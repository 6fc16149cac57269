import type { ExpiryReport, InferenceQueue } from '../core/ports/inference-queue.ts'
import type { OutputStore } from '../core/ports/output-store.ts'

/**
 * Deletes the outputs that have expired: their rows first, then the bytes, so that a crash in between leaves bytes
 * without a row, which the search for orphans finds.
 */
export async function expireOutputs(
  {
    queue,
    outputs,
    onExpired,
  }: { readonly queue: InferenceQueue; readonly outputs: OutputStore; readonly onExpired: (report: ExpiryReport) => void },
  options: { readonly signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const report = await queue.expire(options)
    await outputs.delete(report.outputs, options)
    if (report.outputs.length + report.deletedRecords === 0) return
    onExpired(report)
  }
}
