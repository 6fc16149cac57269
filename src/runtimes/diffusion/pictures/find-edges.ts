import { floatAt } from '../value-at.ts'
import { fromGrey, type RgbImage } from './rgb-image.ts'

/** Canny thresholds: weaker edges are dropped, stronger ones kept; OpenCV's usual pair for ControlNets. */
const thresholds = { weak: 100, strong: 200 }

/**
 * Finds the edges of a picture: white lines on black, as `cv2.Canny(image, 100, 200)` draws them.
 *
 * @see Canny 1986, doi:10.1109/TPAMI.1986.4767851
 */
export function findEdges({ data, width, height }: RgbImage): RgbImage {
  const grey = Float32Array.from({ length: width * height }, (_, i) =>
    Math.round(0.299 * (data[i * 3] ?? 0) + 0.587 * (data[i * 3 + 1] ?? 0) + 0.114 * (data[i * 3 + 2] ?? 0)),
  )
  const at = (x: number, y: number): number =>
    floatAt(grey, Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1))
  const strength = new Float32Array(width * height)
  const across = new Float32Array(width * height)
  const down = new Float32Array(width * height)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x
      const dx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1)
      const dy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1)
      across[i] = dx
      down[i] = dy
      strength[i] = Math.abs(dx) + Math.abs(dy)
    }
  }
  const kept = follow(ridges({ strength, across, down, width, height }), width, height)
  return fromGrey({ data: kept.map((mark) => (mark > 0 ? 255 : 0)), width, height })
}

interface Gradient {
  readonly strength: Float32Array
  readonly across: Float32Array
  readonly down: Float32Array
  readonly width: number
  readonly height: number
}

const tangent = Math.tan(Math.PI / 8)

/** Pixels that are the strongest along their gradient: 2 = strong, 1 = weak, 0 = no edge. */
function ridges({ strength, across, down, width, height }: Gradient): Uint8Array {
  const marks = new Uint8Array(width * height)
  const of = (x: number, y: number): number => (x < 0 || y < 0 || x >= width || y >= height ? 0 : floatAt(strength, y * width + x))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x
      const [here, dx, dy] = [floatAt(strength, i), floatAt(across, i), floatAt(down, i)]
      if (here <= thresholds.weak) continue
      const isFlat = Math.abs(dy) < Math.abs(dx) * tangent
      const isSteep = Math.abs(dy) > Math.abs(dx) / tangent
      const slope = dx * dy < 0 ? -1 : 1
      const [stepX, stepY] = isFlat ? [1, 0] : isSteep ? [0, 1] : [slope, 1]
      // Ties count once, on the side that OpenCV takes.
      const isRidge =
        here > of(x - stepX, y - stepY) && (isFlat || isSteep ? here >= of(x + stepX, y + stepY) : here > of(x + stepX, y + stepY))
      if (isRidge) marks[i] = here > thresholds.strong ? 2 : 1
    }
  }
  return marks
}

/** Strong pixels and connected weak ones. */
function follow(marks: Uint8Array, width: number, height: number): Uint8Array {
  const kept = new Uint8Array(marks.length)
  const open = [...marks.keys()].filter((i) => marks[i] === 2)
  for (const i of open) kept[i] = 1
  for (let i = open.pop(); i !== undefined; i = open.pop()) {
    const [x, y] = [i % width, Math.floor(i / width)]
    for (let ny = Math.max(y - 1, 0); ny <= Math.min(y + 1, height - 1); ny++)
      for (let nx = Math.max(x - 1, 0); nx <= Math.min(x + 1, width - 1); nx++) {
        const next = ny * width + nx
        if (marks[next] === 0 || kept[next] === 1) continue
        kept[next] = 1
        open.push(next)
      }
  }
  return kept
}
