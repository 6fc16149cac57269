import { join } from 'node:path'
import sharp from 'sharp'
import { stylePresetNames } from '../../src/core/images/style-preset.ts'
import { type StyleLook, styleLooks } from './style-looks.ts'

/**
 * Makes the small pictures of the style picker, one sheet of all: `node scripts/images/make-style-thumbnails.ts <picture>`, where
 * the picture is a square one, such as the built-in model's `a glossy tiger on a light blue background` with seed 7.
 */
const side = 72
const columns = 10
const target = join(import.meta.dirname, '../../src/console/app/pages/images/form/style-thumbnails.webp')

const [picture] = process.argv.slice(2)
if (picture === undefined) throw new Error('Name the picture to start from.')

const rows = Math.ceil(stylePresetNames.length / columns)
const tiles = await Promise.all(
  stylePresetNames.map(async (name, at) => ({
    input: await thumbnail(picture, styleLooks[name] ?? {}),
    raw: { width: side, height: side, channels: 3 as const },
    left: (at % columns) * side,
    top: Math.floor(at / columns) * side,
  })),
)
await sharp({ create: { width: columns * side, height: rows * side, channels: 3, background: '#fff' } })
  .composite(tiles)
  .webp({ quality: 70 })
  .toFile(target)

async function thumbnail(file: string, look: StyleLook): Promise<Buffer> {
  const { squares, blur, saturation = 1, hue = 0 } = look
  let image = sharp(file).resize(side, side)
  if (blur !== undefined) image = image.blur(blur)
  if (squares !== undefined)
    image = sharp(
      await sharp(await image.png().toBuffer())
        .resize(squares, squares)
        .png()
        .toBuffer(),
    ).resize(side, side, { kernel: 'nearest' })
  // Its hue must not be a fraction of a degree, nor negative.
  const coloured = sharp(await image.png().toBuffer()).modulate({ saturation, hue: (Math.round(hue) + 360) % 360 })
  const pixels = await coloured.removeAlpha().raw().toBuffer()
  const edges = look.lines === undefined ? null : await outlines(pixels)
  return Buffer.from(pixels.map((value, at) => draw(value, { at, pixels, look, edge: edges?.[Math.floor(at / 3)] ?? 0 })))
}

interface Place {
  readonly at: number
  readonly pixels: Buffer
  readonly look: StyleLook
  /** 0 to 255. */
  readonly edge: number
}

function draw(value: number, { at, pixels, look, edge }: Place): number {
  const { contrast = 1, levels, duo, mix = 1, lines = 0, grain = 0, dots } = look
  const first = at - (at % 3)
  const [red = 0, green = 0, blue = 0] = pixels.subarray(first, first + 3)
  const strong = (tone: number) => 128 + (tone - 128) * contrast
  const light = limit(strong(0.3 * red + 0.6 * green + 0.1 * blue))
  const few = (tone: number) => (levels === undefined ? tone : Math.round((limit(tone) / 255) * (levels - 1)) * (255 / (levels - 1)))
  let tone = few(strong(value))
  if (duo !== undefined) {
    const [dark, bright] = duo.map((colour) => Number.parseInt(colour.slice(1 + (at % 3) * 2, 3 + (at % 3) * 2), 16))
    tone = tone * (1 - mix) + ((dark ?? 0) + (((bright ?? 255) - (dark ?? 0)) * few(light)) / 255) * mix
  }
  const [across, down] = [(first / 3) % side, Math.floor(first / 3 / side)]
  tone *= 1 - lines * (edge / 255)
  if (dots !== undefined) tone *= Math.hypot((across % dots) - dots / 2, (down % dots) - dots / 2) < dots / 2.4 ? 1 : 0.72
  // The same grain each time: a fraction of a steep sine of the place.
  const noise = (Math.sin(across * 12.99 + down * 78.23) * 43_758.5) % 1
  return limit(tone + noise * grain * 90)
}

/** How strongly the picture changes at each pixel, by Sobel's operator. */
async function outlines(pixels: Buffer): Promise<Buffer> {
  const grey = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .greyscale()
    .raw()
    .toBuffer()
  const at = (x: number, y: number) => grey[Math.min(side - 1, Math.max(0, y)) * side + Math.min(side - 1, Math.max(0, x))] ?? 0
  return Buffer.from(
    Array.from({ length: side * side }, (_, index) => {
      const [x, y] = [index % side, Math.floor(index / side)]
      const across = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1)
      const down = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1)
      return limit(Math.hypot(across, down) - 40)
    }),
  )
}

function limit(tone: number): number {
  return Math.max(0, Math.min(255, Math.round(tone)))
}
