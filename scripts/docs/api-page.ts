import { slugOf } from '../../src/http/docs/render-markdown.ts'
import { type DocumentedRoute, describePurpose, describeScopes, documentedRoutes } from '../../src/http/openapi/documented-routes.ts'
import { type FieldRow, fieldRows, parameterRows } from '../../src/http/openapi/field-rows.ts'
import { routes } from '../../src/http/routes.ts'
import { publishedBodies } from '../../src/http/wire/chat/sampling-fields.ts'
import { publishedFieldsTable } from './published-fields-table.ts'

/** Path of the page that {@link apiPage} renders. */
export const apiPagePath = 'docs/api.md'

/** The page of all routes, from the schemas that check their requests. */
export function apiPage(): string {
  return `${introduction}\n${routesTable()}\n${documentedRoutes(routes, publishedBodies).map(section).join('\n')}\n${publishedFieldsTable()}`
}

const introduction = `# API

<!-- Written by \`npm run docs\` from the rows in src/http/routes; change them there. -->

Routes are relative to the service's address, \`http://127.0.0.1:8080\` by default. The [README](../README.md#first-chat) has the first requests to send. A running service shows this reference at \`/docs/api\`, where you can send requests, and as OpenAPI at \`/openapi.json\`. See also [errors](errors.md) and [fields of published clients](#fields-of-published-clients).

- **Authentication**: send \`Authorization: Bearer <token>\` with every request, except health checks and the API document. Tokens have the scopes \`text\`, \`image\` and \`read\`. The console uses its session cookie instead. Responses carry CORS headers for the origins in the setting \`cors-origins\`.
- **Bodies** are uncompressed \`application/json\`, nested at most 100 levels. A lone surrogate, such as half of an emoji, is invalid. A field that is \`null\` counts as left out. Unknown fields and query parameters are rejected.
- **Errors**: besides those listed, every route may return 400, 405 and 500, and routes with a token 401 and 403.
- **Request ids**: every response carries \`x-request-id\` and, with the same value, \`x-user-request-id\`. Your own is kept if it matches \`^[\\w-]{1,128}$\`.
- **Compatibility**: \`/v1\` only gains fields. A breaking change would come as \`/v2\`, with both available for at least six months.

## Asynchronous requests

Send \`X-Service-Async: 1\`, a header of the setting \`async-headers\`, or \`Prefer: respond-async\`. The body may have up to 10 485 760 bytes. The response is 202 with \`response_id\` and \`poll_url\`.

Poll until \`status\` is \`completed\`, then fetch \`response_url\`. A poll returns:

| \`status\` | with |
|---|---|
| \`pending\` | \`queue_position\` |
| \`running\` | \`progress\` (\`step\` and \`total\`) |
| \`completed\` | \`outcome\` (\`succeeded\`, \`failed\`, \`cancelled\`), and \`error\` and perhaps \`partial_output\` if it failed |

\`response_url\` returns the output, or the error with its own status. Outputs are deleted 24 hours after they were stored; for another 7 days their address returns 410.

If a text request fails in the middle, for example at its time limit, \`partial_output\` has the text of its last attempt:

- It has the format of the route's output, without log probabilities. Unfinished choices have a \`finish_reason\` of null.
- Polls, the last \`status\` event and \`sepia request output\` return it for 24 hours. A background response has it as its \`output\`.
- Lists, webhooks and cancelled requests do not have it.
- A text of more than 1 MiB is not kept. If the process is killed, the text is lost.

## Webhooks

Add \`X-Service-Webhook: https://…\` to an asynchronous request to receive a POST when it is completed: \`{"type": "inference.completed", "timestamp", "data"}\`. \`data\` is the body of a poll without \`partial_output\`.

- Any 2xx response ends the delivery. Otherwise Sepia tries again after 5 seconds, 5 and 30 minutes, 2 hours and so on, ten times in about three days. A 410 response ends it too.
- Redirects are not followed. Receivers in private networks need the setting \`webhook-private-targets\`.
- Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) specifies. Give one of their libraries the secret (\`whsec_…\`, from \`GET /v1/webhooks/secrets\` or the console), the exact bytes of the body and the three \`webhook-\` headers.
- After a rotation both secrets sign for a day; change your receiver within it.
- All attempts of one delivery have the same \`webhook-id\`. Ignore an id you have seen.

## Streams

\`stream: true\` returns \`text/event-stream\` with \`data:\` lines only, one event per write:

1. a chunk with the role and null content for each choice
2. chunks with content
3. a last chunk with \`finish_reason\`
4. with \`stream_options.include_usage\`, a chunk with \`choices: []\` and \`usage\`
5. \`data: [DONE]\`

If the first token takes longer than five seconds, the first chunk is sent without it. The streams of other interfaces send a comment, a \`ping\` event or an empty line of JSON after every ten seconds without content, also while a model's reasoning is not shown.

A failure after the first byte is \`data: {"error": …}\`, and the stream ends without \`[DONE]\`. Events are plain ASCII with \`\\u\` escapes, because published clients decode network chunks one by one.
`

/** Every route on one screen, those that the document leaves out included. */
function routesTable(): string {
  const rows = routes.map((route) => {
    const { method, path, alsoAt = [], scopes, scopeRule, summary, isUnlisted } = route
    const title = `${method} ${path.replace('{+', '{')}`
    const named = isUnlisted ? code(title) : `[${code(title)}](#${slugOf(title)})`
    const others = alsoAt.map(code).join(', ')
    return [
      `${named}${others === '' ? '' : `, ${others}`}`,
      scopes === null ? 'none' : (scopeRule ?? scopes.map(code).join(' or ')),
      summary,
    ]
  })
  return `## All routes\n\n${table(['route', 'scope', 'purpose'], rows)}\n`
}

function section(route: DocumentedRoute): string {
  const { method, path, parameters = [], body, answers, refusals = [] } = route
  const cells = ({ name, accepts, fallback, description }: FieldRow) => [code(name), accepts, code(fallback), description]
  const parameterCells = parameterRows(parameters).map((row) => cells(row).toSpliced(1, 0, row.in))
  const bodyCells = body === undefined ? [] : fieldRows(body).map(cells)
  const outcomes = answers.map(({ status, description: words }) => `${status} (${words.replace(/\.$/, '')})`).join(', ')
  const refused = refusals.length === 0 ? '' : `Errors: ${refusals.toSorted((a, b) => a - b).join(', ')}.`
  return [
    `## ${method} ${path}`,
    describePurpose(route),
    describeScopes(route),
    table(['name', 'in', 'must be', 'default', 'meaning'], parameterCells),
    table(['field', 'must be', 'default', 'meaning'], bodyCells),
    [outcomes === '' ? '' : `Responses: ${outcomes}.`, refused].filter((words) => words !== '').join(' '),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

function code(words: string): string {
  return words === '' ? '' : `\`${words}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
