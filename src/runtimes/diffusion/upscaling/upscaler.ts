import { readUpscalerLayout, renameUpscalerModules } from '../../../core/checkpoint/upscaler-layout.ts'
import { gpuTarget, processorTarget } from '../checkpoint/graph/find-graph-target.ts'
import { writeUpscalerGraph } from '../checkpoint/networks/upscaler-graph.ts'
import { namedTable } from '../checkpoint/weights/original-tables.ts'
import { readWeightFile } from '../checkpoint/weights/weight-table.ts'
import type { ExecutionProvider } from '../onnx/choose-provider.ts'
import { unusableModel } from '../onnx/model-file.ts'
import { type OnnxSession, openWrittenGraph } from '../onnx/onnx-session.ts'
import type { PixelArea } from '../pictures/resize-image.ts'
import type { PixelSize } from '../pictures/rgb-image.ts'
import type { PixelPlanes } from '../vae/vae-decoder.ts'
import { floatAt } from '../value-at.ts'

/** Side of a tile in pixels, and its margin, which the network sees but whose output is discarded; farther pixels have no influence. */
export interface UpscalerTiling {
  readonly tile: number
  readonly margin: number
}

/** Limits memory, and the delay of an abort. */
const usualTiling: UpscalerTiling = { tile: 512, margin: 32 }

/** A network that makes pictures larger. */
export class Upscaler implements AsyncDisposable {
  /** Factor of enlargement per side. */
  readonly scale: number
  readonly #gathered: number
  readonly #session: OnnxSession

  constructor(session: OnnxSession, { scale, gathered }: { readonly scale: number; readonly gathered: number }) {
    this.#session = session
    this.scale = scale
    this.#gathered = gathered
  }

  /** Number of tiles for a picture. */
  tiles({ width, height }: PixelSize, { tile }: UpscalerTiling = usualTiling): number {
    return Math.ceil(width / tile) * Math.ceil(height / tile)
  }

  /**
   * The picture, {@link scale} times as large; values from −1 to 1 as everywhere.
   *
   * @param options.onTile Called after each tile with the number done.
   */
  async enlarge(
    picture: PixelPlanes,
    {
      signal,
      onTile = () => undefined,
      tiling = usualTiling,
    }: { readonly signal: AbortSignal; readonly onTile?: (done: number) => void; readonly tiling?: UpscalerTiling },
  ): Promise<PixelPlanes> {
    const { scale } = this
    const { tile, margin } = tiling
    const size = { width: picture.width * scale, height: picture.height * scale }
    const values = new Float32Array(3 * size.width * size.height)
    let done = 0
    for (let top = 0; top < picture.height; top += tile) {
      for (let left = 0; left < picture.width; left += tile) {
        // Runs of the tensor runtime block: this is where an abort gets in.
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
        const seen = spread({ left, top, width: tile, height: tile }, margin, picture)
        const kept = spread({ left, top, width: tile, height: tile }, 0, picture)
        const large = await this.#run(cut(picture, seen))
        paste(large, { left: (left - seen.left) * scale, top: (top - seen.top) * scale }, values, {
          size,
          area: { left: left * scale, top: top * scale, width: kept.width * scale, height: kept.height * scale },
        })
        onTile(++done)
      }
    }
    return { values, ...size }
  }

  async #run(picture: PixelPlanes): Promise<PixelPlanes> {
    const step = this.#gathered
    const padded = {
      width: Math.max(Math.ceil(picture.width / step), 2) * step,
      height: Math.max(Math.ceil(picture.height / step), 2) * step,
    }
    const input = this.#session.tensor('picture', extended(picture, padded), [1, 3, padded.height, padded.width])
    const [output] = await this.#session.run({ picture: input }, ['enlarged'])
    const width = picture.width * this.scale
    const height = picture.height * this.scale
    const [rows = 0, columns = 0] = output.dims.slice(2)
    const values = new Float32Array(3 * width * height)
    for (let colour = 0; colour < 3; colour++)
      for (let y = 0; y < height; y++) {
        const at = (colour * rows + y) * columns
        const line = output.values.subarray(at, at + width)
        values.set(
          line.map((value) => Math.min(Math.max(value, 0), 1) * 2 - 1),
          (colour * height + y) * width,
        )
      }
    return { values, width, height }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]()
  }
}

/** An area extended by a margin, within the picture. */
function spread({ left, top, width, height }: PixelArea, margin: number, picture: PixelSize): PixelArea {
  const [startX, startY] = [Math.max(left - margin, 0), Math.max(top - margin, 0)]
  const [endX, endY] = [Math.min(left + width + margin, picture.width), Math.min(top + height + margin, picture.height)]
  return { left: startX, top: startY, width: endX - startX, height: endY - startY }
}

function cut(picture: PixelPlanes, { left, top, width, height }: PixelArea): PixelPlanes {
  const values = new Float32Array(3 * width * height)
  paste(picture, { left, top }, values, { size: { width, height }, area: { left: 0, top: 0, width, height } })
  return { values, width, height }
}

/** Copies a part of `from` into an area of a picture. */
function paste(
  from: PixelPlanes,
  at: { readonly left: number; readonly top: number },
  to: Float32Array,
  { size, area }: { readonly size: PixelSize; readonly area: PixelArea },
): void {
  for (let colour = 0; colour < 3; colour++)
    for (let y = 0; y < area.height; y++) {
      const start = (colour * from.height + at.top + y) * from.width + at.left
      to.set(from.values.subarray(start, start + area.width), (colour * size.height + area.top + y) * size.width + area.left)
    }
}

/** Values from 0 to 1, the last row and column repeated up to a size. */
function extended({ values, width, height }: PixelPlanes, to: { readonly width: number; readonly height: number }): Float32Array {
  const wide = new Float32Array(3 * to.width * to.height)
  for (let colour = 0; colour < 3; colour++)
    for (let y = 0; y < to.height; y++) {
      const from = (colour * height + Math.min(y, height - 1)) * width
      const line = (colour * to.height + y) * to.width
      for (let x = 0; x < to.width; x++) wide[line + x] = (floatAt(values, from + Math.min(x, width - 1)) + 1) / 2
    }
  return wide
}

/** Opens an ESRGAN network; its weights stay in their file. @throws {ServiceError} `inference_failed` naming a file that does not fit. */
export async function openUpscaler(
  path: string,
  { threads, provider = 'cpu' }: { readonly threads: number; readonly provider?: ExecutionProvider },
): Promise<Upscaler> {
  const file = await readWeightFile(path)
  const layout = readUpscalerLayout(file)
  if (layout === null || typeof layout === 'string') throw unusableModel(file.name, layout ?? 'is no upscaler')
  const rename = renameUpscalerModules(layout)
  const weights = namedTable(file, '', rename)
  const graph = {
    label: file.name,
    write: () => writeUpscalerGraph(weights, provider === 'cpu' ? processorTarget : gpuTarget, layout),
    folder: file.folder,
  }
  return new Upscaler(await openWrittenGraph(graph, { threads, provider, keepsMemory: false }), layout)
}
