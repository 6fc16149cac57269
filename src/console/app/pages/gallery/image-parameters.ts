import { samplers } from '../../../../core/sampler.ts'
import type { ImageSettings } from '../images/form/image-settings.ts'

/** The `parameters` text of an image file, taken apart: prompt, negative prompt, then `Name: value` fields. */
export interface ImageParameters {
  readonly prompt: string
  readonly negativePrompt: string
  readonly fields: ReadonlyMap<string, string>
}

const negativeMark = 'Negative prompt: '
const field = /(?:^|,)\s*(\w[\w ]*):\s*("(?:\\.|[^\\"])*"|[^,]*)(?=,|$)/g

/** Reads the convention that A1111 started: the fields stand on the last line, which begins with the steps. */
export function parseParameters(text: string): ImageParameters {
  const lines = text.trim().split('\n')
  const last = lines.at(-1) ?? ''
  const hasFields = /^Steps: /.test(last)
  const body = (hasFields ? lines.slice(0, -1) : lines).join('\n')
  const middle = body.startsWith(negativeMark) ? 0 : body.indexOf(`\n${negativeMark}`)
  const prompt = middle === -1 ? body : body.slice(0, middle)
  const negativePrompt = middle === -1 ? '' : body.slice(middle).trimStart().slice(negativeMark.length)
  const fields = hasFields ? [...last.matchAll(field)].map(([, name = '', value = '']) => [name.trim(), unquote(value)] as const) : []
  return { prompt, negativePrompt, fields: new Map(fields) }
}

/** What of the playground's settings the parameters say. */
export function settingsOf({ prompt, negativePrompt, fields }: ImageParameters): Partial<ImageSettings> {
  const size = fields.get('Size')?.match(/^(\d+)x(\d+)$/)
  const sampler = samplers.find((name) => name === fields.get('Sampler'))
  const steps = Number(fields.get('Steps'))
  const guidanceScale = Number(fields.get('CFG scale'))
  const seed = fields.get('Seed')
  return {
    prompt,
    negativePrompt,
    ...(steps > 0 && { steps }),
    ...(guidanceScale > 0 && { guidanceScale }),
    ...(seed && { seed, count: 1 }),
    ...(sampler && { sampler }),
    ...(size && { width: Number(size[1]), height: Number(size[2]) }),
  }
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value.trim()
}
