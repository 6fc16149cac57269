import { publishedSurfaces } from './published-fields.ts'

const fates = { honoured: 'honoured', refused: 'refused by name', ignored: 'taken, does nothing' } as const

/** The section on what becomes of each field that published clients can send. */
export function publishedFieldsTable(): string {
  const rows = publishedSurfaces.flatMap(({ route, fields }) =>
    Object.entries(fields)
      .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
      .map(([name, { fate, words }]) => `| ${route} | \`${name}\` | ${fates[fate]} | ${words} |`),
  )
  return `## What published clients may send

Every field that the npm packages \`openai\` and \`@anthropic-ai/sdk\` declare. A test reads their declarations, and sends each.

| route | field | here | |
|---|---|---|---|
${rows.join('\n')}
`
}
