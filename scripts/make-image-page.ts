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

/** A chapter of the page: a contact sheet and what its pictures are, in the same rows. */
interface Chapter {
  readonly file: string
  readonly title: string
  readonly text: string
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
    { label: 'the picture', bytes: tiger },
    { label: 'the mask', bytes: belly },
    { label: 'inpainted: a strawberry', bytes: await draw({ prompt, initial, mask: inpaint }) },
    { label: 'the same with `inpaint_full_res`', bytes: await draw({ prompt, initial, mask: { ...inpaint, fullResolution: true } }) },
    { label: 'a smaller picture', bytes: small },
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
  return [...pictures, { label: 'the picture', bytes }]
}

const promptWeights = `Brackets set how strongly words count:

- \`(word:1.3)\` counts 1.3 times, \`(word)\` 1.1 times, \`[word]\` 1/1.1 times. Nested brackets multiply. Weights go from 0 to 100.
- A bracket that is never closed reaches to the end of the prompt. \`\\(\` is an ordinary bracket.
- Use \`negative_prompt\` for what you do not want.
- \`<lora:name:0.8>\` applies a LoRA.
- An encoder reads 75 tokens. Longer prompts are split into pieces, at most 150 of them. \`BREAK\` starts a new piece, at most 32 times.
- Other syntax, such as \`[a:b:0.5]\` and \`AND\`, is read as plain words.`

const chapters: readonly Chapter[] = [
  {
    file: 'samplers.jpg',
    title: 'Samplers',
    text: '`a glossy tiger on a light blue background`, 20 steps, guidance 5, seed 0, with every sampler. LCM is for distilled models, which this is not.',
    columns: 7,
    pictures: (draw) => inTurn(samplers, async (sampler) => ({ label: sampler, bytes: await draw({ sampler }) })),
  },
  {
    file: 'prompts.jpg',
    title: 'Prompts',
    text: `20 DDIM steps, guidance 5, seed 1.\n\n${promptWeights}`,
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
    text: 'From the tiger to `a glossy panda on a light green background`, with different values of `strength`.',
    columns: 7,
    pictures: async (draw) => {
      const image = await draw({})
      const prompt = 'a glossy panda on a light green background'
      const drawn = await inTurn([0.2, 0.4, 0.5, 0.6, 0.8, 1], async (strength) => ({
        label: `strength ${strength}`,
        bytes: await draw({ prompt, initial: { image, strength } }),
      }))
      return [{ label: 'the picture', bytes: image }, ...drawn]
    },
  },
  {
    file: 'inpainting.jpg',
    title: 'Inpainting and outpainting',
    text: 'The white part of the mask is repainted.',
    columns: 4,
    pictures: paintOver,
  },
  {
    file: 'previews.jpg',
    title: 'Previews',
    text: 'With `X-Service-Preview: 1`, progress events carry small previews: the model’s estimate of the final latents, one pixel each.',
    columns: 7,
    pictures: previews,
  },
  {
    file: 'style-presets.jpg',
    title: 'Style presets',
    text: 'Every `style_preset` with the prompt `a tiger`, 12 steps. The built-in model learned only glossy and flat icons, so most presets change little here. A full SDXL model knows their words.',
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
const sections: string[] = []
for (const { file, title, text, columns, pictures } of chapters) {
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
  sections.push(`## ${title}\n\n${text}\n\n![${title}](images/${file})\n\n${table}\n`)
  console.log(`${file}: ${drawn.length} pictures`)
}
const head =
  'What the parameters do, shown with the built-in demonstration model, `sepia-mini-image`, at 256 × 256. `node scripts/make-image-page.ts` draws the pictures again.'
const page = new URL('../docs/images.md', import.meta.url)
// The last sections are written by hand and kept.
const byHand = (await readFile(page, 'utf8')).split(/^(?=## Checkpoints compared with diffusers$)/mu)[1] ?? ''
await writeFile(page, `# Image parameters\n\n${head}\n\n${sections.join('\n')}\n${byHand}`)
