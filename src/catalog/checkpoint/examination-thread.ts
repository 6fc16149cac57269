import { parentPort, workerData } from 'node:worker_threads'
import type { ExaminedWeights } from '../../core/assets/asset.ts'
import { examineWeights } from './examine-weights.ts'

/** Message of the thread. */
export type Examination = { readonly found: ExaminedWeights } | { readonly unread: string }

const { path, name } = workerData as { readonly path: string; readonly name: string }

parentPort?.postMessage(await examine())

async function examine(): Promise<Examination> {
  try {
    return { found: await examineWeights(path, name) }
  } catch (error) {
    return { unread: error instanceof Error ? error.message : String(error) }
  }
}
