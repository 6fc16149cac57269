/** The parsed `parameters` text of an image: prompt, negative prompt and `Name: value` fields. */
export interface ImageParameters {
  readonly prompt: string
  readonly negativePrompt: string
  readonly fields: ReadonlyMap<string, string>
}

const negativeMark = 'Negative prompt: '
const field = /(?:^|,)\s*(\w[\w ]*):\s*("(?:\\.|[^\\"])*"|[^,]*)(?=,|$)/g

/** Parses A1111's format: the fields are on the last line, which begins with the steps. */
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

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value.trim()
}
