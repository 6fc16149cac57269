import type { Mark } from './mask-history.ts'

/** Painted pixels are opaque, and the alpha channel is the mask. Black and white stripes are visible on every background. */
const stripes = ['#000', '#fff'] as const
/** Stripes along the longest side. */
const stripeCount = 60

/** Draws marks on a mask. */
export function drawMarks(canvas: HTMLCanvasElement, marks: readonly Mark[]): void {
  const context = canvas.getContext('2d')
  const paint = context && stripePattern(context, canvas)
  if (!context || !paint) return
  for (const mark of marks) drawMark(context, mark, paint)
}

function drawMark(context: CanvasRenderingContext2D, mark: Mark, paint: CanvasPattern): void {
  const { width, height } = context.canvas
  context.strokeStyle = paint
  context.fillStyle = paint
  context.globalCompositeOperation = 'source-over'
  switch (mark.type) {
    case 'clear':
      context.clearRect(0, 0, width, height)
      break
    case 'fill':
      context.fillRect(0, 0, width, height)
      break
    case 'invert':
      // Swaps painted and clear pixels.
      context.globalCompositeOperation = 'source-out'
      context.fillRect(0, 0, width, height)
      break
    case 'stroke': {
      const [first, ...rest] = mark.points
      if (first === undefined) return
      context.globalCompositeOperation = mark.erase ? 'destination-out' : 'source-over'
      context.lineCap = 'round'
      context.lineJoin = 'round'
      context.lineWidth = mark.width
      context.beginPath()
      if (rest.every(({ x, y }) => x === first.x && y === first.y)) {
        // A line of length 0 would not be drawn.
        context.arc(first.x, first.y, mark.width / 2, 0, 2 * Math.PI)
        context.fill()
        break
      }
      context.moveTo(first.x, first.y)
      for (const { x, y } of rest) context.lineTo(x, y)
      context.stroke()
    }
  }
}

function stripePattern(context: CanvasRenderingContext2D, { width, height }: HTMLCanvasElement): CanvasPattern | null {
  const side = Math.max(2, Math.round(Math.max(width, height) / stripeCount))
  const tile = document.createElement('canvas')
  tile.width = tile.height = 2 * side
  const ink = tile.getContext('2d')
  if (!ink) return null
  const [dark, light] = stripes
  ink.fillStyle = dark
  ink.fillRect(0, 0, 2 * side, 2 * side)
  ink.fillStyle = light
  // A band from corner to corner, and its halves where the tile repeats.
  for (const shift of [-2 * side, 0, 2 * side]) {
    ink.beginPath()
    ink.moveTo(shift, 0)
    ink.lineTo(shift + side, 0)
    ink.lineTo(shift + 3 * side, 2 * side)
    ink.lineTo(shift + 2 * side, 2 * side)
    ink.fill()
  }
  return context.createPattern(tile, 'repeat')
}

/** The mask in white on black as a PNG `data:` URL, or null when nothing is painted. */
export function maskDataUrl(canvas: HTMLCanvasElement): string | null {
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height)
  if (!pixels) return null
  let painted = false
  for (let at = 0; at < pixels.data.length; at += 4) {
    const white = (pixels.data[at + 3] ?? 0) > 127
    painted ||= white
    pixels.data.fill(white ? 255 : 0, at, at + 3)
    pixels.data[at + 3] = 255
  }
  if (!painted) return null
  const copy = document.createElement('canvas')
  copy.width = canvas.width
  copy.height = canvas.height
  copy.getContext('2d')?.putImageData(pixels, 0, 0)
  return copy.toDataURL('image/png')
}

/** Converts an earlier mask to a painted one. */
export async function readMask(
  mask: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<HTMLCanvasElement> {
  const image = new Image()
  image.src = mask
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) return canvas
  context.drawImage(image, 0, 0, width, height)
  const pixels = context.getImageData(0, 0, width, height)
  for (let at = 0; at < pixels.data.length; at += 4) pixels.data[at + 3] = (pixels.data[at] ?? 0) > 127 ? 255 : 0
  context.putImageData(pixels, 0, 0)
  const paint = stripePattern(context, canvas)
  if (paint) {
    context.globalCompositeOperation = 'source-in'
    context.fillStyle = paint
    context.fillRect(0, 0, width, height)
  }
  return canvas
}
