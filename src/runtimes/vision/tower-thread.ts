import { parentPort, workerData } from 'node:worker_threads'
import { type ErrorRecord, toFailureRecord } from '../../core/error.ts'
import type { ProjectorFacts } from '../../core/gguf/projector-facts.ts'
import type { VisionTower } from '../../core/ports/vision-tower.ts'
import { dropThreads } from './drop-threads.ts'
import { openTower } from './open-tower.ts'

/** Message to the thread: encode a picture, stop, or exit. */
export type TowerRequest = { readonly number: number; readonly picture: Uint8Array } | { readonly stopped: number } | 'end'

/** Description of a tower for the thread's user. */
export interface OpenedTower {
  readonly facts: ProjectorFacts
  readonly width: number
}

/** Message from the thread: opened, a result, or an error; without a number it concerns opening. */
export type TowerReply =
  | { readonly opened: OpenedTower }
  | { readonly number: number; readonly blocks: readonly Float32Array[] }
  | { readonly number: number | null; readonly failure: ErrorRecord }

const { path, threads } = workerData as { readonly path: string; readonly threads: number }
const looking = new Map<number, AbortController>()

try {
  const tower = await openTower(path, { threads })
  dropThreads()
  parentPort?.on('message', (request: TowerRequest) => void follow(tower, request))
  reply({ opened: { facts: tower.facts, width: tower.width } })
} catch (error) {
  reply({ number: null, failure: toFailureRecord(error) })
}

async function follow(tower: VisionTower, request: TowerRequest): Promise<void> {
  if (request === 'end') {
    parentPort?.close()
    await tower[Symbol.asyncDispose]()
  } else if ('stopped' in request) looking.get(request.stopped)?.abort()
  else await look(tower, request)
}

async function look(tower: VisionTower, { number, picture }: { readonly number: number; readonly picture: Uint8Array }): Promise<void> {
  const controller = new AbortController()
  looking.set(number, controller)
  try {
    reply({ number, blocks: await tower.look(picture, controller) })
  } catch (error) {
    reply({ number, failure: toFailureRecord(error) })
  } finally {
    looking.delete(number)
  }
}

function reply(message: TowerReply): void {
  const blocks = 'blocks' in message ? message.blocks : []
  parentPort?.postMessage(
    message,
    blocks.flatMap(({ buffer }) => (buffer instanceof ArrayBuffer ? [buffer] : [])),
  )
}
