import { mkdir, readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { stylePresetNames } from '../src/core/images/style-preset.ts'
import { samplers } from '../src/core/sampler.ts'
import { writeContactSheet } from './images/contact-sheet.ts'
import { type Draw, openBuiltIn, side } from './images/draw.ts'

const folder = new URL('../docs/images/', import.meta.url)

interface Picture {
  readonly label: string
  readonly bytes: Uint8Array
}

/** A chapter of the page: a contact sheet and, in the same rows, the table that labels it. The rest of the page is written by hand. */
interface Chapter {
  readonly file: string
  readonly title: string
  readonly columns: number
  readonly pictures: (draw: Draw) => Promise<readonly Picture[]>
}

async function inTurn<T>(items: readonly T[], work: (item: T) => Promise<Picture>): Promise<readonly Picture[]> {
  const pictures: Picture[] = []
  for (const item of items) pictures.push(await work(item))
  return pictures
}

/** A square of one colour with a smaller one in it, as a mask. */
function mask(outer: string, inner: string, area: { readonly left: number; readonly top: number; readonly side: number }): Promise<Buffer> {
  const square = (colour: string, length: number) => ({
    create: { width: length, height: length, channels: 3 as const, background: colour },
  })
  return sharp(square(outer, side))
    .composite([{ input: square(inner, area.side), left: area.left, top: area.top }])
    .png()
    .toBuffer()
}

async function paintOver(draw: Draw): Promise<readonly Picture[]> {
  const tiger = await draw({})
  const belly = await mask('#000000', '#ffffff', { left: 78, top: 100, side: 100 })
  const initial = { image: tiger, strength: 1 }
  const prompt = 'a glossy strawberry on a light blue background'
  const small = await sharp(await mask('#000000', '#000000', { left: 0, top: 0, side: 1 }))
    .composite([{ input: await sharp(tiger).resize(176, 176).toBuffer(), left: 40, top: 40 }])
    .png()
    .toBuffer()
  const frame = await mask('#ffffff', '#000000', { left: 40, top: 40, side: 176 })
  const inpaint = { image: belly, fullResolution: false, padding: 32, outpainting: false, blur: 0 }
  const outpaint = { image: frame, fullResolution: false, padding: 0, outpainting: true, blur: 0 }
  return [
    { label: 'the image', bytes: tiger },
    { label: 'the mask', bytes: belly },
    { label: 'inpainted: a strawberry', bytes: await draw({ prompt, initial, mask: inpaint }) },
    { label: 'the same with `inpaint_full_res`', bytes: await draw({ prompt, initial, mask: { ...inpaint, fullResolution: true } }) },
    { label: 'a smaller image', bytes: small },
    { label: 'its mask', bytes: frame },
    { label: 'with `outpainting`', bytes: await draw({ initial: { image: small, strength: 0.8 }, mask: outpaint }) },
    { label: 'without', bytes: await draw({ initial: { image: small, strength: 0.8 }, mask: { ...outpaint, outpainting: false } }) },
  ]
}

async function previews(draw: Draw): Promise<readonly Picture[]> {
  const pictures: Picture[] = []
  const bytes = await draw({ previews: true }, ({ step, preview }) => {
    if (preview !== undefined && [1, 4, 8, 12, 16, 20].includes(step)) pictures.push({ label: `step ${step}`, bytes: preview })
  })
  return [...pictures, { label: 'the image', bytes }]
}

const chapters: readonly Chapter[] = [
  {
    file: 'samplers.jpg',
    title: 'Samplers',
    columns: 7,
    pictures: (draw) => inTurn(samplers, async (sampler) => ({ label: sampler, bytes: await draw({ sampler }) })),
  },
  {
    file: 'prompts.jpg',
    title: 'Prompts',
    columns: 7,
    pictures: (draw) =>
      inTurn(
        ['fox', 'panda', 'rocket', 'strawberry', 'sailboat', 'robot', 'sunflower'].flatMap((thing) => [
          `a glossy ${thing} on a white background`,
          `${thing}, flat style, on a lavender background`,
        ]),
        async (prompt) => ({ label: `\`${prompt}\``, bytes: await draw({ prompt, seeds: [1] }) }),
      ),
  },
  {
    file: 'image-to-image.jpg',
    title: 'Image to image',
    columns: 7,
    pictures: async (draw) => {
      const image = await draw({})
      const prompt = 'a glossy panda on a light green background'
      const drawn = await inTurn([0.2, 0.4, 0.5, 0.6, 0.8, 1], async (strength) => ({
        label: `strength ${strength}`,
        bytes: await draw({ prompt, initial: { image, strength } }),
      }))
      return [{ label: 'the image', bytes: image }, ...drawn]
    },
  },
  {
    file: 'inpainting.jpg',
    title: 'Inpainting and outpainting',
    columns: 4,
    pictures: paintOver,
  },
  {
    file: 'previews.jpg',
    title: 'Previews',
    columns: 7,
    pictures: previews,
  },
  {
    file: 'style-presets.jpg',
    title: 'Style presets',
    columns: 11,
    pictures: (draw) =>
      inTurn(stylePresetNames, async (stylePreset) => ({
        label: stylePreset,
        bytes: await draw({ prompt: 'a tiger', stylePreset, steps: 12, sampler: 'DPM_PLUS_PLUS_2M_KARRAS' }),
      })),
  },
]

function labelTable(labels: readonly string[], columns: number): string {
  const rows = Array.from({ length: Math.ceil(labels.length / columns) }, (_, row) => {
    const cells = Array.from({ length: columns }, (_, column) => labels[row * columns + column] ?? '')
    return `| ${cells.join(' | ')} |`
  })
  const [first = '', ...others] = rows
  return [first, `|${'---|'.repeat(columns)}`, ...others].join('\n')
}

await mkdir(folder, { recursive: true })
await using builtIn = await openBuiltIn(1)
const page = new URL('../docs/images.md', import.meta.url)
let text = await readFile(page, 'utf8')
for (const { file, title, columns, pictures } of chapters) {
  const drawn = await pictures(builtIn.draw)
  await writeContactSheet(
    new URL(file, folder),
    drawn.map(({ bytes }) => bytes),
    columns,
  )
  const table = labelTable(
    drawn.map(({ label }) => label),
    columns,
  )
  const shown = `![${title}](images/${file})\n\n`
  const [before, after] = text.split(shown)
  if (before === undefined || after === undefined) throw new Error(`docs/images.md shows images/${file} not exactly once.`)
  text = `${before}${shown}${table}\n${after.replace(/^(?:\|.*\n)+/u, '')}`
  console.log(`${file}: ${drawn.length} pictures`)
}
await writeFile(page, text)
