import type { Tensor } from 'onnxruntime-node'
import type { TransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import { ServiceError } from '../../../core/error.ts'
import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { LatentSize } from '../unet/conditioning.ts'
import { type Angles, anglesAt, gridPlaces } from './rotations.ts'

/** Inputs of token positions. */
export interface PlaceOptions {
  readonly family: TransformerFamily
  /** null for Stable Diffusion 3, which looks places up in a table. */
  readonly rotation: { readonly theta: number; readonly axes: readonly number[] } | null
  /** Side of that table; 0 for others. */
  readonly positionSide: number
}

/** Distance between the drawing and reference pictures, and between references. */
const referenceDistance = 10

/** Tokens that Z-Image's images and captions are filled up to a multiple of. */
const zImageMultiple = 32

/** Position inputs of a transformer for the tokens of text and picture. */
export function positionInputs(
  session: OnnxSession,
  { family, rotation, positionSide }: PlaceOptions,
  { size, tokens, references }: { readonly size: LatentSize; readonly tokens: number; readonly references: readonly LatentSize[] },
): Readonly<Record<string, Tensor>> {
  const grid = { rows: size.height / 2, columns: size.width / 2 }
  const count = grid.rows * grid.columns
  if (rotation === null) {
    const middle = (side: number) => Math.floor((positionSide - side) / 2)
    const [top, left] = [middle(grid.rows), middle(grid.columns)]
    if (top < 0 || left < 0) {
      const most = positionSide * 16
      throw new ServiceError('unsupported', `This model draws at most ${most} × ${most} pixels; choose a smaller width and height.`, {
        param: 'width',
      })
    }
    const places = gridPlaces(grid, (row, column) => [(top + row) * positionSide + left + column]).flat()
    return { positions: session.tensor('positions', places, [count]) }
  }
  const feeds = (name: string, { cos, sin, places }: Angles) => ({
    [`${name}_cos`]: session.tensor(`${name}_cos`, cos, [places, cos.length / places]),
    [`${name}_sin`]: session.tensor(`${name}_sin`, sin, [places, sin.length / places]),
  })
  if (family === 'flux2-klein') {
    const text = Array.from({ length: tokens }, (_, i) => [0, 0, 0, i])
    // Reference pictures have other time coordinates.
    const pictures = [size, ...references].flatMap((each, i) =>
      gridPlaces({ rows: each.height, columns: each.width }, (row, column) => [i * referenceDistance, row, column, 0]),
    )
    return feeds('rope', anglesAt([...text, ...pictures], rotation))
  }
  const repeat = (times: number, place: readonly number[]) => Array.from({ length: times }, () => place)
  if (family !== 'z-image') {
    const places = [...repeat(tokens, [0, 0, 0]), ...gridPlaces(grid, (row, column) => [0, row, column])]
    return feeds('rope', anglesAt(places, rotation))
  }
  const padsOf = (length: number) => (zImageMultiple - (length % zImageMultiple)) % zImageMultiple
  const [samplePads, textPads] = [padsOf(count), padsOf(tokens)]
  const words = Array.from({ length: tokens + textPads }, (_, i) => [1 + i, 0, 0])
  const image = [...gridPlaces(grid, (row, column) => [1 + words.length, row, column]), ...repeat(samplePads, [0, 0, 0])]
  return {
    ...feeds('text_rope', anglesAt(words, rotation)),
    ...feeds('sample_rope', anglesAt(image, rotation)),
    text_pads: session.tensor('text_pads', [textPads], [1]),
    sample_pads: session.tensor('sample_pads', [samplePads], [1]),
  }
}
