import { habitualSurfaces } from './habitual-fields.ts'
import { type PublishedSurface, publishedSurfaces } from './published-fields.ts'

const fates = { honoured: 'supported', refused: 'rejected by name', ignored: 'accepted, no effect' } as const

/** The section that lists how each field of published clients is handled. */
export function publishedFieldsTable(): string {
  return `## Fields of published clients

Every field that the npm packages \`openai\` and \`@anthropic-ai/sdk\` declare. A test reads their declarations and sends each field.

${table(publishedSurfaces)}

More fields that clients of llama-server and vLLM send, covered by the same test:

${table(habitualSurfaces)}
`
}

function table(surfaces: readonly Pick<PublishedSurface, 'route' | 'fields'>[]): string {
  const rows = surfaces.flatMap(({ route, fields }) =>
    Object.entries(fields)
      .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
      .map(([name, { fate, words }]) => `| ${route} | \`${name}\` | ${fates[fate]} | ${words} |`),
  )
  return `| route | field | Sepia | notes |\n|---|---|---|---|\n${rows.join('\n')}`
}
