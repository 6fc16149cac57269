import { habitualSurfaces } from './habitual-fields.ts'
import { type PublishedSurface, publishedSurfaces } from './published-fields.ts'

const fates = { honoured: 'honoured', refused: 'refused by name', ignored: 'taken, does nothing' } as const

/** The section on what becomes of each field that published clients can send. */
export function publishedFieldsTable(): string {
  return `## What published clients may send

Every field that the npm packages \`openai\` and \`@anthropic-ai/sdk\` declare. A test reads their declarations, and sends each.

${table(publishedSurfaces)}

And what clients of llama.cpp's server and of vLLM send besides; the same test sends each.

${table(habitualSurfaces)}
`
}

function table(surfaces: readonly Pick<PublishedSurface, 'route' | 'fields'>[]): string {
  const rows = surfaces.flatMap(({ route, fields }) =>
    Object.entries(fields)
      .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
      .map(([name, { fate, words }]) => `| ${route} | \`${name}\` | ${fates[fate]} | ${words} |`),
  )
  return `| route | field | here | |\n|---|---|---|---|\n${rows.join('\n')}`
}
