import { ServiceError, toErrorRecord } from '../../core/error.ts'
import { type Batch, type BatchFault, mostBatchLines, mostLineBytes } from '../../core/files/batch.ts'
import { findFile } from '../../operations/files/file-documents.ts'
import { readFile, readLines } from '../../operations/files/read-file.ts'
import type { BatchDependencies } from './batch-dependencies.ts'

/** Faults that are told; who has more has one that is in every line. */
const mostFaults = 20

/** Reads a batch's file through: the batch goes on, or fails with what is wrong with its lines. */
export async function validateBatch(deps: BatchDependencies, batch: Batch, options: { readonly signal: AbortSignal }): Promise<Batch> {
  const faults: BatchFault[] = []
  const known = new Set<string>()
  let total = 0
  const note = (line: number | null, error: unknown): void => void faults.push({ line, error: toErrorRecord(error) })
  try {
    const file = await findFile(deps, { accountId: batch.accountId, id: batch.inputFileId }, options)
    for await (const { bytes } of readLines(readFile(deps, file, options), { from: 0, most: mostLineBytes })) {
      total += 1
      if (total > mostBatchLines) {
        note(null, new ServiceError('invalid_request_error', `Send at most ${mostBatchLines} lines in a batch; split the file.`))
        break
      }
      try {
        if (bytes.length > mostLineBytes)
          throw new ServiceError(
            'payload_too_large',
            `Send lines of at most ${mostLineBytes} bytes; larger requests do not fit into a batch.`,
          )
        const { customId } = deps.batchWords.readLine(bytes, batch.endpoint)
        if (known.has(customId))
          throw new ServiceError('invalid_request_error', '`custom_id` must differ from that of every other line.', { param: 'custom_id' })
        known.add(customId)
      } catch (error) {
        note(total, error)
        if (faults.length === mostFaults) break
      }
    }
    if (total === 0) note(null, new ServiceError('invalid_request_error', 'Send a file with at least one line.'))
  } catch (error) {
    note(null, error)
  }
  const now = deps.clock.now()
  if (faults.length > 0) return { ...batch, status: 'failed', faults, endedAt: now }
  return { ...batch, status: 'in_progress', startedAt: now, counts: { total, completed: 0, failed: 0 } }
}
