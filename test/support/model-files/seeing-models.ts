import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { type VisionFamily, visionFamilies } from '../../../src/core/gguf/projector-facts.ts'
import type { TextModelDescriptor } from '../../../src/core/model.ts'
import { miniChat } from '../mini-chat.ts'
import { type GgufEntry, ggufValue } from './gguf-file.ts'
import { writeMmproj } from './mmproj-file.ts'
import { type TextArchitecture, writeSeeingModel } from './seeing-gguf.ts'

/** Numbers of the vectors of the miniature's tokens. */
const textWidth = 256

/** Miniatures of every family in the order of the list, and of LLaVA 1.6, which cuts pictures into tiles. */
export const families = [...Object.keys(visionFamilies), 'llava16'] as readonly Miniature[]

export type Miniature = VisionFamily | 'llava16'

/** The kinds of language models that read pictures in grids. */
const architectures: Partial<Record<Miniature, TextArchitecture>> = {
  qwen2vl_merger: 'qwen2vl',
  'qwen2.5vl_merger': 'qwen2vl',
  qwen3vl_merger: 'qwen3vl',
}

/** Sizes of pictures that LLaVA 1.6 cuts into tiles. */
const tiledSizes: GgufEntry = ['clip.vision.image_grid_pinpoints', ggufValue([56, 112, 112, 56, 112, 112, 168, 56, 56, 168])]

/** The prompts: a picture's size, and the texts before and after it. No answer depends on two tokens of similar probability. */
export const questions = [
  { width: 200, height: 200, before: 'Tell me about', behind: '' },
  { width: 90, height: 61, before: '', behind: 'Which animal do you see?' },
  { width: 300, height: 90, before: 'Is it red or blue?', behind: '' },
  { width: 200, height: 200, before: 'What is this?', behind: 'Say it.' },
] as const

/** A PNG file of soft colours, the same for the same size. */
export async function paintPicture({ width, height }: { readonly width: number; readonly height: number }): Promise<Buffer> {
  const data = Buffer.alloc(3 * width * height)
  for (let at = 0; at < data.length; at++) {
    const [colour, x, y] = [at % 3, Math.floor(at / 3) % width, Math.floor(at / 3 / width)]
    // Triangles, which come out the same on every machine.
    data[at] = 255 - Math.abs(((x * (3 + colour) + y * (7 - colour) * 2) % 511) - 255)
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

interface SeeingChat {
  readonly messages: readonly object[]
  readonly temperature: number
  readonly max_tokens: number
}

/** The body of a chat that asks one of the {@link questions}. */
export async function seeingChat({ width, height, before, behind }: (typeof questions)[number]): Promise<SeeingChat> {
  const url = `data:image/png;base64,${(await paintPicture({ width, height })).toString('base64')}`
  const text = (of: string) => (of === '' ? [] : [{ type: 'text', text: of }])
  const content = [...text(before), { type: 'image_url', image_url: { url } }, ...text(behind)]
  return { messages: [{ role: 'user', content }], temperature: 0, max_tokens: 24 }
}

/** Writes a miniature of a family into a folder: the language model, and its mmproj file. */
export async function writeSeeingFiles(folder: string, family: Miniature): Promise<{ readonly file: string; readonly projector: string }> {
  const [file, projector] = [join(folder, `${family}.gguf`), join(folder, `mmproj-${family}.gguf`)]
  await writeFile(file, await writeSeeingModel(architectures[family]))
  await writeFile(projector, family === 'llava16' ? writeMmproj('mlp', textWidth, [tiledSizes]) : writeMmproj(family, textWidth))
  return { file, projector }
}

/** The description of a miniature that {@link writeSeeingFiles} wrote. */
export function describeSeeing(family: Miniature, files: { readonly file: string; readonly projector: string }): TextModelDescriptor {
  return { ...miniChat, id: family, name: family, vision: true, ...files }
}
