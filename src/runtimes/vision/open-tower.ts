import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { readGgufHeader } from '../../core/gguf/gguf-header.ts'
import { type ProjectorFacts, readProjectorFacts, seesAround, takesAnySize } from '../../core/gguf/projector-facts.ts'
import type { PictureBlock, VisionTower } from '../../core/ports/vision-tower.ts'
import type { Abortable } from '../../core/waiting.ts'
import { processorTarget } from '../diffusion/checkpoint/graph/find-graph-target.ts'
import { namedTable } from '../diffusion/checkpoint/weights/original-tables.ts'
import { readWeightFile, type WeightTable } from '../diffusion/checkpoint/weights/weight-table.ts'
import { unusableModel } from '../diffusion/onnx/model-file.ts'
import { type OnnxSession, openWrittenGraph } from '../diffusion/onnx/onnx-session.ts'
import { decodeWhole } from '../diffusion/pictures/decode-image.ts'
import { notFinite } from '../diffusion/pictures/rgb-image.ts'
import { gridWidth, writeGridGraph } from './grid-graph.ts'
import { type GridShape, gridInputs, type InputValues } from './grid-inputs.ts'
import { layOutBlocks, layOutPicture, type Tile } from './lay-out-picture.ts'
import { paintTiles } from './paint-tiles.ts'
import { writeTowerGraph } from './tower-graph.ts'

/**
 * Opens the tower of an mmproj file.
 *
 * @throws {ServiceError} `inference_failed` naming what is wrong with the file, such as a kind of model that Sepia does not know.
 */
export async function openTower(
  path: string,
  { threads }: { readonly threads: number },
): Promise<VisionTower & { readonly facts: ProjectorFacts }> {
  const facts = await readFacts(path)
  const file = await readWeightFile(path)
  const weights = namedTable(file, '')
  const { family } = facts
  const grid = takesAnySize(family) ? readGridShape(weights, facts) : null
  const bytes = takesAnySize(family)
    ? writeGridGraph(weights, facts, processorTarget)
    : writeTowerGraph(weights, { ...facts, family }, processorTarget)
  if (family !== 'mlp') weights.refuseUnread()
  const session = await openWrittenGraph({ label: file.name, write: () => bytes, folder: file.folder }, { threads, keepsMemory: false })
  return new Tower(session, facts, { name: file.name, width: grid === null ? widthOf(weights, facts) : gridWidth(weights, facts), grid })
}

async function readFacts(path: string): Promise<ProjectorFacts> {
  await using file = await open(path).catch((error: unknown) => {
    throw unusableModel(basename(path), 'is missing or cannot be read', error)
  })
  const header = await readGgufHeader(async (position, bytes) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  })
  const facts = 'fault' in header ? header : readProjectorFacts(header)
  if ('fault' in facts) throw unusableModel(basename(path), facts.fault)
  return facts
}

function readGridShape(weights: WeightTable, { patchSize, heads, wholeEvery }: ProjectorFacts): GridShape {
  const table = 'v.position_embd.weight'
  return {
    patchSize,
    headWidth: weights.sizeOf('v.patch_embd.weight', 0) / heads,
    windows: wholeEvery !== null,
    tableSide: weights.has(table) ? Math.sqrt(weights.sizeOf(table, 0)) : null,
  }
}

function widthOf(weights: WeightTable, { family }: ProjectorFacts): number {
  if (family === 'gemma3') return weights.sizeOf('mm.input_projection.weight', 1)
  return weights.sizeOf(family === 'mlp' ? 'mm.2.weight' : 'mm.model.fc.weight', 0)
}

interface TowerShape {
  /** Of its file. */
  readonly name: string
  readonly width: number
  readonly grid: GridShape | null
}

class Tower implements VisionTower {
  readonly facts: ProjectorFacts
  readonly width: number
  readonly seesAround: boolean
  readonly makesGrids: boolean
  readonly #session: OnnxSession
  readonly #name: string
  /** Shape of a tower for pictures of any size; null = fixed squares. */
  readonly #grid: GridShape | null

  constructor(session: OnnxSession, facts: ProjectorFacts, { name, width, grid }: TowerShape) {
    this.#session = session
    this.#name = name
    this.facts = facts
    this.#grid = grid
    this.width = width
    this.makesGrids = grid !== null
    this.seesAround = seesAround(facts.family)
  }

  layOut(picture: Uint8Array, options: Abortable): Promise<readonly (string | PictureBlock)[]> {
    return layOutBlocks(picture, this.facts, options)
  }

  async look(picture: Uint8Array, { signal }: Abortable): Promise<readonly Float32Array[]> {
    const image = await decodeWhole(picture, { signal })
    const tiles = layOutPicture(image, this.facts).filter((part) => typeof part !== 'string')
    const { imageSize, mean, deviation } = this.facts
    const blocks: Float32Array[] = []
    const painted = paintTiles(image, tiles, { side: this.#grid === null ? imageSize : null, mean, deviation })
    for (const tile of tiles) {
      const { value: planes } = painted.next()
      if (planes === undefined) break
      // Runs of the tensor runtime block: texts that are being written go on here.
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      const inputs = Object.entries(this.#inputsOf(planes, tile))
      const feeds = Object.fromEntries(inputs.map(([name, { values, dims }]) => [name, this.#session.tensor(name, values, dims)]))
      const [{ values: rows }] = await this.#session.run(feeds, ['rows'])
      if (!rows.every(Number.isFinite)) throw notFinite({ what: this.#name, param: 'model' }, ' for an image')
      blocks.push(rows)
    }
    return blocks
  }

  #inputsOf(planes: Float32Array, { scene: { canvas } }: Tile): Readonly<Record<string, InputValues>> {
    const { imageSize: side } = this.facts
    if (this.#grid !== null) return gridInputs(planes, canvas, this.#grid)
    return { picture: { values: planes, dims: [1, 3, side, side] } }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session[Symbol.asyncDispose]()
  }
}
