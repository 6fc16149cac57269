import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { readGgufHeader } from '../../core/gguf/gguf-header.ts'
import { type ProjectorFacts, readProjectorFacts } from '../../core/gguf/projector-facts.ts'
import type { PictureBlock, VisionTower } from '../../core/ports/vision-tower.ts'
import { processorTarget } from '../diffusion/checkpoint/graph/find-graph-target.ts'
import { namedTable } from '../diffusion/checkpoint/weights/original-tables.ts'
import { readWeightFile, type WeightTable } from '../diffusion/checkpoint/weights/weight-table.ts'
import { unusableModel } from '../diffusion/onnx/model-file.ts'
import { type OnnxSession, openWrittenGraph } from '../diffusion/onnx/onnx-session.ts'
import { decodeWhole } from '../diffusion/pictures/decode-image.ts'
import { readImageHeader } from '../diffusion/pictures/image-header.ts'
import { layOutPicture } from './lay-out-picture.ts'
import { paintTiles } from './paint-tiles.ts'
import { writeTowerGraph } from './tower-graph.ts'

/**
 * Opens the tower of an mmproj file.
 *
 * @throws {ServiceError} `inference_failed` naming what is wrong with the file, such as a kind of model that Sepia does not know.
 */
export async function openTower(path: string, { threads }: { readonly threads: number }): Promise<VisionTower> {
  const facts = await readFacts(path)
  const file = await readWeightFile(path)
  const weights = namedTable(file, '')
  const bytes = writeTowerGraph(weights, facts, processorTarget)
  if (facts.family !== 'mlp') weights.refuseUnread()
  const session = await openWrittenGraph({ label: file.name, write: () => bytes, folder: file.folder }, { threads, keepsMemory: false })
  return new Tower(session, facts, widthOf(weights, facts))
}

async function readFacts(path: string): Promise<ProjectorFacts> {
  await using file = await open(path)
  const header = await readGgufHeader(async (position, bytes) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  })
  const facts = 'fault' in header ? header : readProjectorFacts(header)
  if ('fault' in facts) throw unusableModel(basename(path), facts.fault)
  return facts
}

function widthOf(weights: WeightTable, { family }: ProjectorFacts): number {
  if (family === 'gemma3') return weights.sizeOf('mm.input_projection.weight', 1)
  return weights.sizeOf(family === 'mlp' ? 'mm.2.weight' : 'mm.model.fc.weight', 0)
}

class Tower implements VisionTower {
  readonly width: number
  readonly seesAround: boolean
  readonly makesGrids = false
  readonly #session: OnnxSession
  readonly #facts: ProjectorFacts
  /** Of a tile. */
  readonly #rows: number

  constructor(session: OnnxSession, facts: ProjectorFacts, width: number) {
    this.#session = session
    this.#facts = facts
    this.width = width
    this.#rows = (facts.imageSize / facts.patchSize / (facts.family === 'mlp' ? 1 : facts.merge)) ** 2
    this.seesAround = facts.family === 'gemma3'
  }

  async layOut(picture: Uint8Array, { signal }: { readonly signal: AbortSignal }): Promise<readonly (string | PictureBlock)[]> {
    const size = await readImageHeader(picture, { signal })
    return layOutPicture(size, this.#facts).map((part) => (typeof part === 'string' ? part : { rows: this.#rows, columns: null }))
  }

  async look(picture: Uint8Array, { signal }: { readonly signal: AbortSignal }): Promise<readonly Float32Array[]> {
    const image = await decodeWhole(picture, { signal })
    const tiles = layOutPicture(image, this.#facts).filter((part) => typeof part !== 'string')
    const { imageSize: side, mean, deviation } = this.#facts
    const blocks: Float32Array[] = []
    for (const values of paintTiles(image, tiles, { side, mean, deviation })) {
      // Runs of the tensor runtime block: texts that are being written go on here.
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      const input = this.#session.tensor('picture', values, [1, 3, side, side])
      const [{ values: rows }] = await this.#session.run({ picture: input }, ['rows'])
      blocks.push(rows)
    }
    return blocks
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session[Symbol.asyncDispose]()
  }
}
